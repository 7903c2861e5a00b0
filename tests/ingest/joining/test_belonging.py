"""Plain tables dropped together: stacked, joined by what they share with counts, or left apart."""

import pytest

from core.ingest import Mapping, SourceFile, drop, parts_of, read_table
from core.ingest.joining.belonging import Belonging, belongs
from core.ingest.joining.file_names import said_by_names
from core.trial import Import, Kind

TRIALS = "app,size,gpu,time_s\n" + "".join(
    f"{app},{size},{gpu},{t}\n"
    for t, (app, size, gpu) in enumerate([(a, s, g) for a in "xyz" for s in (1, 2) for g in ("K40", "T4")], start=1)
)
DEVICES = "device,cores,clock_mhz,vendor\nK40,2880,745,N\nT4,2560,585,N\nV100,5120,1380,N\n"
INPUTS = "app,flops,bytes\nx,10,4\ny,20,5\n"


def files(**texts: str) -> list[SourceFile]:
    return [SourceFile(name.replace("__", "-") + ".csv", text.encode()) for name, text in texts.items()]


def found(**texts: str) -> tuple[Belonging, ...]:
    return belongs([read_table(file) for file in files(**texts)])


def imports(**texts: str) -> tuple[Import, ...]:
    return drop(parts_of(files(**texts), Mapping())).gathered().imports


def values(imported: Import, name: str) -> list[float]:
    names = [m.name for m in imported.trials.metrics]
    return [float(v) for v in imported.trials.values[:, names.index(name)]]


def test_machines_and_inputs_join_trials_whatever_the_order() -> None:
    for order in (("trials", "devices", "inputs"), ("inputs", "devices", "trials")):
        texts = {"trials": TRIALS, "devices": DEVICES, "inputs": INPUTS}
        (one,) = imports(**{name: texts[name] for name in order})
        assert one.source == "trials.csv + devices.csv + inputs.csv"
        assert one.machines is not None
        assert one.inputs is not None
        assert one.machines.keys == (("K40",), ("T4",))
        assert [(m.name, m.kind, m.unit) for m in one.machines.metrics] == [
            ("cores", Kind.MACHINE, ""),
            ("clock_mhz", Kind.MACHINE, "MHz"),
        ]
        assert one.machines.values.tolist() == [[2880.0, 745.0], [2560.0, 585.0]]
        assert {m.name for m in one.inputs.metrics} == {"flops", "bytes"}
        assert "devices.csv: joined by 'gpu': 2 found, 1 there without trials." in one.warnings
        assert "inputs.csv: joined by 'app': 2 found, 1 without a row there." in one.warnings


@pytest.mark.parametrize(
    ("ran_on", "described", "joined"),
    [
        (("K40", "T4"), ("NVIDIA Tesla K40", "NVIDIA T4-16GB"), True),
        (("NODE-K40-01.cluster.local", "NODE-T4-02.cluster.local"), ("node-k40-01", "node-t4-02"), True),
        (("/opt/gpus/k40.json", "/opt/gpus/t4.json"), ("K40", "T4"), True),
        (("K40", "T4"), ("T4 16GB", "T4 8GB"), False),  # which of the two, and no K40
        (("a", "b"), ("c", "d"), False),
    ],
    ids=["longer", "host", "path", "several", "other"],
)
def test_names_written_otherwise_find_the_facts_of_their_words(
    ran_on: tuple[str, str], described: tuple[str, str], joined: bool
) -> None:
    trials = TRIALS.replace(",K40,", f",{ran_on[0]},").replace(",T4,", f",{ran_on[1]},")
    devices = f"name,cores,mem_bandwidth_gbs\n{described[0]},2880,288\n{described[1]},2560,320\n"
    whole = next(own.table for own in found(trials=trials, devices=devices) if "time_s" in own.table.names)
    known = [
        *zip(*(whole.columns[whole.names.index(n)].texts() for n in ("gpu", "cores") if n in whole.names), strict=True)
    ]
    assert known[:2] == ([(ran_on[0], "2880"), (ran_on[1], "2560")] if joined else [(ran_on[0],), (ran_on[1],)])
    assert ("mem_bandwidth_gbs" in whole.names) is joined  # though a bandwidth may be an outcome


def test_what_is_said_of_each_number_of_threads_is_no_fact_of_the_trials() -> None:
    trials = "app,threads,time_s\n" + "".join(f"{a},{t},{n / t}\n" for n, a in enumerate("xyz", 1) for t in (1, 2, 4))
    assert len(found(trials=trials, plot="threads,static,dynamic\n1,1,1\n2,1.8,1.9\n4,3,3.6\n")) == 2


def test_one_machine_has_facts_too() -> None:
    (one,) = imports(trials=TRIALS.replace(",T4,", ",K40,"), devices=DEVICES)
    assert one.machines is not None
    assert one.machines.values.tolist() == [[2880.0, 745.0]]


def test_two_tools_tables_of_the_same_runs_are_one() -> None:
    counters = "app,size,gpu,misses\n" + "".join(
        f"{app},{size},{gpu},{n}\n"
        for n, (app, size, gpu) in enumerate([(a, s, g) for g in ("K40", "T4") for s in (2, 1) for a in "zyx"])
    )
    (one,) = imports(times=TRIALS, counters=counters)
    assert len(one.trials) == 12
    assert values(one, "misses")[:4] == [5.0, 11.0, 2.0, 8.0]
    (join,) = found(times=TRIALS, counters=counters)[0].joins
    assert (join.adds, join.by, join.n_joined) == ("counters", ("gpu", "app", "size"), 12)


def test_folders_with_the_same_two_reports_tell_runs_apart() -> None:
    files = {
        f"array_{n}x{n}/{name}": f"layer,{column}\n" + "".join(f"{k},{(k + 2) * of // n}\n" for k in range(4))
        for n in (8, 16, 32)
        for name, column, of in (("compute.csv", "total_cycles", 9771), ("reads.csv", "sram_reads", 32_000))
    }
    (one,) = belongs([read_table(SourceFile(name, text.encode())) for name, text in files.items()])
    (join,) = one.joins[-1:]
    assert (join.adds, join.n_joined, len(one.table)) == ("counters", 12, 12)


def test_what_all_rows_of_another_table_have_is_no_key() -> None:
    tool = "tool,node,misses\n" + "".join(f"50,n{k},{k * 3}.5\n" for k in range(4))
    times = "tool,size,time_s\n" + "".join(f"50,{2**k},{k + 1}.5\n" for k in range(4))
    assert [len(own.joins) for own in found(times=times, tool=tool)] == [0, 0]


def test_a_tables_repeats_without_an_outcome_are_averaged() -> None:
    counters = "app,gpu,misses,mode\n" + "".join(f"{a},K40,{n},{m}\n" for a in "xyz" for n, m in ((1, "p"), (4, "q")))
    times = "app,gpu,run,time_s\n" + "".join(f"{a},K40,{r},{r}\n" for a in "xyz" for r in (1, 2, 3))
    (one,) = found(times=times, counters=counters)
    assert one.table.columns[one.table.find("misses")].texts() == ["2.5"] * 9
    assert "mode" not in one.table.names  # it differs between the rows that were averaged
    assert "counters.csv: repeats of one key were averaged, 6 rows to 3." in one.table.warnings


def test_alike_tables_share_one_form_and_stay_files_of_their_own() -> None:
    first, second = TRIALS.replace(",T4,", ",K40,"), TRIALS.replace(",K40,", ",T4,")
    one, other = imports(a=first, b=second, devices=DEVICES)
    assert (one.source, other.source) == ("a.csv + devices.csv", "b.csv + devices.csv")
    assert one.sha256 != other.sha256
    assert one.trials.metrics == other.trials.metrics
    assert (set(one.trials.machine), set(other.trials.machine)) == ({"K40"}, {"T4"})


def test_other_counters_on_another_machine_are_alike() -> None:
    head, *rows = TRIALS.splitlines()
    new = "\n".join([f"{head},old,both", *(f"{r},1,{i}" for i, r in enumerate(rows) if "K40" in r)])
    old = "\n".join([f"{head},new,both", *(f"{r},2,{i}" for i, r in enumerate(rows) if "T4" in r)])
    (one,) = found(a=old, b=new)
    assert len(one.table) == 12
    assert [file.names[4] for file in one.files] == ["new", "old"]
    kinds = [{m.name: m.kind for m in i.trials.metrics} for i in imports(a=old, b=new)]
    assert (kinds[0]["new"], kinds[1]["old"]) == (Kind.COUNTER, Kind.COUNTER)


def test_files_names_say_the_machine_where_they_name_devices() -> None:
    sweep = "block,time_ms\n1,2\n2,3\n4,5\n"
    machines = [set(i.trials.machine) for i in imports(conv_A100=sweep, conv_MI250X=sweep.replace("2", "9"))]
    assert machines == [{"A100"}, {"MI250X"}]
    for names in ({"run_1", "run_2"}, {"r0", "r1", "r10"}, {"x01", "x02"}):
        files = {name: sweep.replace("2", str(k)) for k, name in enumerate(names)}
        assert {m for i in imports(**files) for m in i.trials.machine} == {""}
    files = {name: sweep.replace("2", str(k)) for k, name in enumerate(("m1", "m2", "m4"))}
    assert {m for i in imports(**files) for m in i.trials.machine} == {"m1", "m2", "m4"}


def test_names_of_files_that_each_say_a_machine_of_its_own_add_no_more_than_settings() -> None:
    def roles(*names: str) -> set[str]:
        texts = {
            n: f"hostname,kernel,time_s\n{h},x,2\n{h},y,3\n" for n, h in zip(names, ("pod", "den", "lab"), strict=True)
        }
        return {*found(**texts)[0].table.names} - {"hostname", "kernel", "time_s"}

    assert roles("a", "b", "c") == set()
    assert roles("threads1", "threads2", "threads4") == {"threads"}


def test_programs_that_files_names_alone_tell_apart_are_not_mixed() -> None:
    conv, hotspot = "block,time_ms\n1,2\n2,3\n4,5\n", "tile,unroll,time_ms\n1,0,2\n2,0,3\n4,1,5\n"
    texts = {f"{name}_{gpu}": text for name, text in (("conv", conv), ("hotspot", hotspot)) for gpu in ("A100", "T4")}
    ran = [(set(i.trials.application), set(i.trials.machine)) for i in imports(**texts)]
    assert ran == [({"conv"}, {"A100"}), ({"conv"}, {"T4"}), ({"hotspot"}, {"A100"}), ({"hotspot"}, {"T4"})]


def test_facts_win_over_what_the_trials_repeat_of_them_and_that_is_told() -> None:
    trials = "app,gpu,cores,time_s\nx,K40,2880,1\ny,K40,2880,2\nx,T4,1,3\ny,T4,1,4\n"
    (one,) = imports(trials=trials, devices=DEVICES)
    assert one.machines is not None
    assert one.machines.values[:, 0].tolist() == [2880.0, 2560.0]
    assert "trials.csv and devices.csv differ in 'cores' in 2 rows: devices.csv counts." in one.warnings


@pytest.mark.parametrize(
    "other",
    [
        "size,time_s\n1,4\n2,5\n",  # another sweep, whose sizes meet by chance
        "app,gpu,time_ms\nu,A,1\nv,A,2\n",
        "name,colour\nred,1\nblue,2\n",
    ],
)
def test_unrelated_tables_stay_apart(other: str) -> None:
    assert [len(own.table) for own in found(trials=TRIALS, z=other)] == [12, 2]


def test_a_form_that_is_filled_in_stands_as_it_is() -> None:
    form = Mapping(application=("app",), responses=(("time_s", None),), complete=True)
    imported = drop(parts_of(files(trials=TRIALS, devices=DEVICES, again=TRIALS), form)[::2]).gathered().imports
    assert sorted(i.source for i in imported) == ["again.csv", "trials.csv"]
    assert [i.machines for i in imported] == [None, None]


def test_machines_without_a_row_get_empty_cells_whatever_the_order_of_rows() -> None:
    order = [3, 0, 4, 1, 2, 4, 0, 3]
    trials = "machine,n,time_s\n" + "".join(f"m{m},{i},{i + 1}.5\n" for i, m in enumerate(order))
    facts = "machine,cores\nm3,24\nm0,8\nm2,16\n"
    tables = [read_table(SourceFile(name, text.encode())) for name, text in (("a.csv", trials), ("m.csv", facts))]
    (found,) = belongs(tables)
    known = {3: "24", 0: "8", 2: "16"}
    assert found.table.columns[found.table.find("cores")].texts() == [known.get(m, "") for m in order]
    assert (found.joins[0].n_joined, found.joins[0].n_missing) == (3, 2)


def test_files_names_say_what_was_set_where_each_request_has_a_name_of_its_own() -> None:
    def requests(start: int, ids: str) -> str:
        rows = (f"{i},sustained,{ids}{start + i:04x}-9a1c,{start + i / 7 + 0.25}\n" for i in range(12))
        return "request_id,profile,lambda_request_id,latency_ms\n" + "".join(rows)

    sizes = {"java_arm_128": 900, "java_arm_1769": 90, "java_x86_128": 800, "java_x86_1769": 80}
    (own,) = found(**{name: requests(ms, f"{ms:08x}-") for name, ms in sizes.items()})
    assert {"number", "name"} < set(own.table.names)
    assert own.table.columns[own.table.find("number")].texts()[::12] == ["128", "1769", "128", "1769"]
    parts = {f"part_{k}": "id,size,time_s\n" + "".join(f"{9 * k + i},{i},{i}.5\n" for i in range(9)) for k in (1, 2)}
    (own,) = found(**parts)
    assert own.table.names == ("id", "size", "time_s")


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("run-{}-ranks", {"ranks"}),
        ("lu_{}_threads_2", {"lu"}),
        ("size_{}_nodes_2", {"size"}),
        ("io_{}", {"io"}),
    ],
)
def test_a_number_is_of_the_word_behind_it_where_that_is_set_and_has_no_other(file: str, named: set[str]) -> None:
    said = said_by_names([f"{file.format(n)}.csv" for n in (1, 2, 4)], {})
    assert said == {name: ["1", "2", "4"] for name in named}
