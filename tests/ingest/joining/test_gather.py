"""Many files at once: chosen ones all or nothing, folders with a report of what was left out."""

from typing import ClassVar

import pytest
from sklearn.utils.parallel import Parallel

from core.errors import OptionError, ReadError
from core.ingest import Mapping, Part, drop, parts_of
from core.ingest.base import Reader, SourceFile
from core.ingest.joining.gather import _read_ahead, adjust, gather
from core.ingest.joining.merge import Located
from core.ingest.joining.settings import with_settings
from core.ingest.readers._builder import Builder
from core.ingest.readers.csv import Csv
from core.trial import Import, Kind, Metric

TABLE = b"application,time_s\na,1\nb,2\n"


class Lines(Reader):
    """Reads lines `application execution metric value`; `!` lines describe a machine."""

    label: ClassVar[str] = "lines"
    family: ClassVar[str] = "lines"

    def sniff(self, head: bytes) -> bool:
        return head.startswith(b"#lines")

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        b = Builder(file.name, file.name.ljust(64, "0"), "lines")
        for line in file.content.decode().splitlines()[1:]:
            name, execution, metric, value = line.split()
            if name.startswith("!"):
                b.of_machine(name[1:], metric, float(value))
            else:
                t = b.trial(name, execution=execution, where="line", labels={"process": "p1"})
                b.put(t, metric, float(value))
        return b.build()


class Summary(Lines):
    """Sums up what `Lines` has one by one."""

    summary: ClassVar[bool] = True


def part(name: str, text: str, mapping: Mapping | None = None) -> Part:
    return Part(SourceFile(name, b"#lines\n" + text.encode()), Lines(), mapping)


def table(name: str, content: bytes = TABLE) -> Part:
    return Part(SourceFile(name, content), Csv(), Mapping())


def test_chosen_files_are_read_or_none_is() -> None:
    assert [len(i.trials) for i in drop([table("a.csv"), table("b.csv")]).gathered().imports] == [2, 2]
    with pytest.raises(ReadError, match=r"b.csv"):
        drop([table("a.csv"), table("b.csv", b"<html>")])


def test_results_do_not_depend_on_the_number_of_processes() -> None:
    text = " Performance counter stats for './a {i}':\n\n  {i}5 cycles\n\n  1.{i} seconds time elapsed\n"
    files = [SourceFile(f"f/{i}.txt", text.format(i=i).encode()) for i in range(1, 8)]
    parts = parts_of([*files, SourceFile("f/bad.txt", b" Performance counter stats for 'b':\n\n")])
    alone, together = (gather(parts, folder=True, workers=n) for n in (1, 2))
    assert [i.source for i in together.imports] == [f"f/{i}.txt" for i in range(1, 8)]
    assert repr(alone) == repr(together)
    assert [refused.where for refused in together.refused] == ["f/bad.txt"]


def test_what_runs_while_processes_read_is_not_told_to_run_in_several() -> None:
    text = b" Performance counter stats for './a':\n\n  5 cycles\n\n  1.0 seconds time elapsed\n"
    ahead = _read_ahead(parts_of([SourceFile(f"f/{i}.txt", text) for i in range(2)]), 2)
    next(ahead)
    assert Parallel().n_jobs == 1  # else scikit-learn would add up trees in the order of its threads
    assert len([*ahead]) == 1


def test_a_folder_gives_what_it_can_and_says_what_it_left_out() -> None:
    found = gather([part("f/x.log", "a 1 hits 3"), part("f/bad.log", ""), table("f/notes.csv")], folder=True)
    assert [i.source for i in found.imports] == ["f/x.log"]
    assert [(s.where, s.why) for s in found.refused] == [
        ("f/bad.log", "holds no measurements. Run the capture again."),
        ("f/notes.csv", "not a file of a known profiler; import it by itself if it is a table of trials."),
    ]


def test_a_summary_beside_its_executions_is_left_out() -> None:
    summary = Part(SourceFile("f/s.log", b"#lines\na 1 total 9"), Summary())
    found = gather([part("f/x.log", "a 1 hits 3"), summary], folder=True)
    assert [i.source for i in found.imports] == ["f/x.log"]
    assert found.refused[0].why == "a summary of executions that other files of the folder have one by one."
    assert len(gather([summary], folder=True).imports) == 1


def test_summaries_of_several_runs_stay_where_there_are_no_executions() -> None:
    runs = [Part(SourceFile(f"f/{name}.log", f"#lines\n{name} 1 total 9".encode()), Summary()) for name in "ab"]
    found = gather(runs, folder=True)
    assert not found.refused
    assert [name for own in found.imports for name in own.trials.application] == ["a", "b"]


def test_a_summary_stays_where_its_executions_could_not_be_read() -> None:
    summary = Part(SourceFile("f/a.log", b"#lines\na 1 total 9"), Summary())
    found = gather([summary, part("f/x.log", "")], folder=True)
    assert [i.source for i in found.imports] == ["f/a.log"]
    assert [r.where for r in found.refused] == ["f/x.log"]


def test_a_folder_of_tables_is_read() -> None:
    found = drop([table("f/a.csv"), table("f/readme.csv", b"\x00\x01\x02" * 99)], folder=True).gathered()
    assert [len(i.trials) for i in found.imports] == [2]
    assert [s.where for s in found.refused] == ["f/readme.csv"]


def test_a_folder_without_measurements_is_refused() -> None:
    with pytest.raises(
        ReadError, match=r"None of the 1 files of the folder could be read as measurements. f/x.log: holds no"
    ):
        gather([part("f/x.log", "")], folder=True)


def test_passes_are_joined_and_the_machine_is_found() -> None:
    found = gather([part("f/x.log", "a 1 hits 3"), part("f/y.log", "a 1 misses 4"), part("f/m.log", "!gpu 0 cores 8")])
    (one,) = found.imports
    assert one.trials.values.tolist() == [[3.0, 4.0]]
    assert one.trials.machine == ("gpu",)
    assert one.machines is not None
    assert one.machines.metrics == (Metric("cores", Kind.MACHINE),)


def test_a_machine_file_alone_is_refused() -> None:
    with pytest.raises(ReadError, match=r"m.log: describes a machine and holds no trials"):
        drop([part("m.log", "!gpu 0 cores 8")]).gathered()


def test_the_machine_may_be_named_by_hand() -> None:
    (one,) = drop([part("x.log", "a 1 hits 3", Mapping(machine_name="K40"))]).gathered().imports
    assert one.trials.machine == ("K40",)
    files = [part("x.log", "a 1 hits 3", Mapping(machine_name="K40")), part("m.log", "!gpu 0 cores 8")]
    (own,) = drop(files).gathered().imports
    assert own.trials.machine == ("gpu",)
    assert "x.log names its machine itself ('gpu'): that name is kept." in own.warnings


def test_wishes_on_top_of_a_reader() -> None:
    imported = Lines().read(part("x.log", "a 1 hits 3\na 2 joules 5").file)
    wanted = adjust(
        imported, Mapping(application=("application", "process"), responses=(("joules", "J"),), ignore=("hits",))
    )
    assert wanted.trials.application == ("a / p1", "a / p1")
    assert wanted.trials.metrics == (Metric("joules", Kind.RESPONSE, "J"),)
    parameter = adjust(imported, Mapping(parameters=("hits", "process")))
    assert parameter.trials.metrics[0].kind is Kind.PARAMETER
    assert parameter.trials.parameters == ("process",)


def test_wishes_must_name_what_is_there() -> None:
    imported = Lines().read(part("x.log", "a 1 hits 3").file)
    with pytest.raises(OptionError, match=r"x.log has no column 'energy' to be response; there are: hits"):
        adjust(imported, Mapping(responses=(("energy", None),)))
    with pytest.raises(
        OptionError, match=r"no column 'hits' to be application; there are: application, input, machine"
    ):
        adjust(imported, Mapping(application=("hits",)))


def test_facts_follow_their_names() -> None:
    b = Builder("x", "0" * 64, "tool")
    b.put(b.trial("k", input="i", machine="m", labels={"app": "A"}), "c", 1.0)
    b.of_input("k", "i", "threads", 8.0)
    b.of_machine("m", "cores", 4.0)
    wanted = adjust(b.build(), Mapping(application=("app", "application"), machine_name="other"))
    assert wanted.inputs is not None
    assert wanted.inputs.keys == (("A / k", "i"),)
    assert wanted.machines is not None
    assert wanted.machines.keys == (("m",),)


GEM5 = """
---------- Begin Simulation Statistics ----------
simSeconds            {s:.6f}          # Number of seconds simulated (Second)
simInsts              50000000          # Number of instructions simulated (Count)
---------- End Simulation Statistics   ----------
"""


def test_names_of_files_say_what_ran_and_what_was_set_where_a_simulator_does_not() -> None:
    sweep = [(app, kb, w) for app in ("bfs", "fft") for kb in (256, 512) for w in (2, 4)]
    files = [
        SourceFile(f"m5out/{app}_l2_{kb}kB_w{w}/stats.txt", GEM5.format(s=0.01 / w + kb * 1e-6).encode())
        for app, kb, w in sweep
    ]
    imports = gather(parts_of(files)).imports
    found = {i.source: i for i in imports}
    for (app, kb, w), file in zip(sweep, files, strict=True):
        trials = found[file.name].trials
        assert trials.application == (app,)
        values = {m.name: (x, m.unit, m.kind) for m, x in zip(trials.metrics, trials.values[0], strict=True)}
        assert (values["l2"], values["w"]) == ((kb, "kB", Kind.PARAMETER), (w, "", Kind.PARAMETER))
    told = [w for i in imports for w in i.warnings if "what the files' names say" in w]
    assert len(told) == 1
    assert "'l2 (kB)', 'w'" in told[0]


def test_names_of_files_say_no_more_than_contents_do_and_number_no_runs() -> None:
    one = "\n Performance counter stats for './bfs':\n\n      {c}      cycles\n\n      {s}.5 seconds time elapsed\n"
    runs = [SourceFile(f"bfs_run{k}.txt", one.format(c=1000 * k, s=k).encode()) for k in (1, 2, 3)]
    imports = gather(parts_of(runs)).imports
    assert [m.name for i in imports for m in i.trials.metrics if m.kind is Kind.PARAMETER] == []
    jobs = [SourceFile(f"bfs.{20394 + 7 * k}.txt", file.content) for k, file in enumerate(runs)]
    assert [m.name for i in gather(parts_of(jobs)).imports for m in i.trials.metrics if m.kind is Kind.PARAMETER] == []
    built = [
        SourceFile(f"bfs_{o}.txt", one.format(c=1000, s=k).encode()) for k, o in enumerate(("gcc", "clang", "icc"))
    ]
    found = [i.trials for i in gather(parts_of(built)).imports]
    assert {(t.labels["name"], t.parameters) for t in found} == {((o,), ()) for o in ("gcc", "clang", "icc")}
    twice = [SourceFile(f"a{k}/{file.name}", file.content) for k in (1, 2) for file in built]
    assert {i.trials.parameters for i in gather(parts_of(twice)).imports} == {("name",)}


CONFIG = """[root]
type=Root
children=system
full_system=false

[system]
type=System
mem_ranges=0:536870912
system_port=system.membus.cpu_side_ports[{w}]

[system.cpu]
type=BaseO3CPU
branchPred=system.cpu.branchPred
decodeWidth={w}
issueWidth={w}

[system.cpu.branchPred]
type={bp}

[system.cpu.workload]
cmd=/home/me/progs/{app} -n 100
cwd=/home/me/{app}
pid={pid}

[system.l2]
size={l2}

[system.l2.tags]
size={l2}
"""


def test_settings_of_gem5_that_differ_between_runs_are_parameters() -> None:
    sweep = [(app, l2, w) for app in ("bfs", "fft") for l2 in (1 << 18, 1 << 20) for w in (2, 4)]
    files = []
    for k, (app, l2, w) in enumerate(sweep):
        told = CONFIG.format(app=app, l2=l2, w=w, bp=("BiModeBP", "LTAGE")[(l2 > 1 << 18) ^ (w > 2)], pid=100 + k)
        files += [
            SourceFile(f"run_{k}/stats.txt", GEM5.format(s=0.01 / w + l2 * 1e-9).encode()),
            SourceFile(f"run_{k}/config.ini", told.encode()),
        ]
    found = drop(parts_of(files), folder=True)
    imports = {i.source: i.trials for i in found.gathered().imports}
    assert not found.refused
    ran = next(c for c in found.recognition.tables[0].columns if c.name == "application")
    assert (ran.examples, ran.why) == (("bfs", "fft"), "the format says bfs, fft")
    for k, (app, l2, w) in enumerate(sweep):
        trials = imports[f"run_{k}/stats.txt"]
        values = {m.name: x for m, x in zip(trials.metrics, trials.values[0], strict=True) if m.kind is Kind.PARAMETER}
        assert (trials.application, values) == ((app,), {"system.cpu.decodeWidth": w, "system.l2.size": l2})
        assert trials.parameters == ("system.cpu.branchPred.type",)
    (told,) = {w for i in found.gathered().imports for w in i.warnings if "config.ini" in w}
    assert "'system.l2.size'" in told
    assert "2 settings that differ as these do are left out" in told


def test_one_run_of_gem5_has_no_settings_that_differ() -> None:
    told = CONFIG.format(app="bfs", l2=1 << 18, w=2, bp="LTAGE", pid=1)
    files = [SourceFile("stats.txt", GEM5.format(s=0.01).encode()), SourceFile("config.ini", told.encode())]
    (one,) = gather(parts_of(files)).imports
    assert one.trials.application == ("bfs",)
    assert not [m for m in one.trials.metrics if m.kind is Kind.PARAMETER]
    with pytest.raises(ReadError):
        drop(parts_of(files[1:])).gathered()
    nothing = [files[0], SourceFile("config.ini", told.split("[system]")[0].encode() + b"cmd= \n[\n=\nx=1e999\n")]
    assert gather(parts_of(nothing)).imports[0].trials.application == ("",)


@pytest.mark.parametrize(
    ("names", "ran", "told"),
    [
        ("threads_1 threads_8", ("", ""), {"threads": [1, 8]}),
        ("run_t1 run_t2 run_t4", ("", "", ""), {"threads": [1, 2, 4]}),
        ("mem_100 mem_200 mem_400", ("mem",) * 3, {"mem": [100, 200, 400]}),
        ("fft_t1 fft_t4 lu_t1 lu_t4", ("fft", "fft", "lu", "lu"), {"threads": [1, 4, 1, 4]}),
        ("2mm 3mm atax", ("2mm", "3mm", "atax"), {}),
        ("500.perlbench_r 502.gcc_r 505.mcf_r", ("500.perlbench_r", "502.gcc_r", "505.mcf_r"), {}),
        ("resnet18 resnet34 resnet50", ("resnet18", "resnet34", "resnet50"), {}),
        ("run_1 run_2 run_3", ("run_1", "run_2", "run_3"), {}),
    ],
)
def test_a_number_in_files_names_is_set_where_these_alone_say_what_ran(
    names: str, ran: tuple[str, ...], told: dict[str, list[float]]
) -> None:
    row = "{0}00,,cycles,11235259792,100.00,3.000,GHz\n{0}10,,instructions,11235259792,100.00,2.0,insn per cycle\n"
    files = [SourceFile(f"f/{n}.csv", row.format(i).encode()) for i, n in enumerate(names.split(), 11)]
    found = sorted(gather(parts_of(files), folder=True).imports, key=lambda own: own.source)
    assert tuple(own.trials.application[0] for own in found) == ran
    values = [dict(zip([m.name for m in own.trials.metrics], own.trials.values[0], strict=True)) for own in found]
    kinds = {m.name: m.kind for m in found[0].trials.metrics if m.kind is Kind.PARAMETER}
    assert {name: [own[name] for own in values] for name in kinds} == told


def test_names_of_files_say_nothing_of_machines_that_contents_name() -> None:
    def located(path: str, machine: str) -> Located:
        b = Builder(path, path.ljust(64, "0"), "tuner")
        for k in range(3):
            b.put(b.trial("gemm", machine=machine), "time_s", 1.0 + k, "s", Kind.RESPONSE)
        return Located(path, "", b.build())

    files = [located("gemm_A100.json", "NVIDIA A100-SXM4-40GB"), located("gemm_V100.json", "Tesla V100-SXM2")]
    assert with_settings(files) == files
    unnamed = [located(file.path, "") for file in files]
    assert [set(f.imported.trials.machine) for f in with_settings(unnamed)] == [{"A100"}, {"V100"}]
    others = [located(f"gemm_{own}_x.json", "A100") for own in ("fast", "slow")]
    assert [(f.imported.trials.labels, f.imported.trials.parameters) for f in with_settings(others)] == [
        ({"name": ("fast",) * 3}, ("name",)),
        ({"name": ("slow",) * 3}, ("name",)),
    ]
