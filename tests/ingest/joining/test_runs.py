"""Passes, traces and machine files of one run to one import; further runs stay trials of their own."""

from dataclasses import replace

from core.ingest.joining.machines import with_machines
from core.ingest.joining.merge import Located
from core.ingest.joining.runs import join_runs, run_folder
from core.ingest.readers._builder import Builder
from core.trial import Import, Kind

Row = tuple[str, str, dict[str, float]]


def made(name: str, rows: list[Row], machine: str = "") -> Import:
    b = Builder(name, name.ljust(64, "0"), "tool")
    for application, execution, values in rows:
        t = b.trial(application, machine=machine, execution=execution, where=f"line {len(b)}")
        for metric, value in values.items():
            b.put(
                t,
                metric,
                value,
                "s" if metric == "time_s" else "",
                Kind.RESPONSE if metric == "time_s" else Kind.COUNTER,
            )
    return b.build()


def located(path: str, rows: list[Row], machine: str = "", family: str = "tool") -> Located:
    return Located(path, family, made(path, rows, machine))


def table(imported: Import) -> list[dict[str, float]]:
    names = [m.name for m in imported.trials.metrics]
    return [{n: v for n, v in zip(names, row, strict=True) if v == v} for row in imported.trials.values.tolist()]


def test_passes_are_joined_by_execution() -> None:
    (one,) = join_runs(
        [
            located("out/pmc_1/9_counters.csv", [("a", "dispatch 1", {"x": 1}), ("b", "dispatch 2", {"x": 2})]),
            located("out/pmc_2/8_counters.csv", [("a", "dispatch 1", {"y": 5}), ("b", "dispatch 2", {"y": 6})]),
            located("out/9_trace.csv", [("a", "dispatch 1", {"time_s": 0.5}), ("b", "dispatch 2", {"time_s": 0.25})]),
        ]
    )
    assert one.trials.application == ("a", "b")
    assert table(one) == [{"time_s": 0.5, "x": 1, "y": 5}, {"time_s": 0.25, "x": 2, "y": 6}]
    assert one.source == "out/9_trace.csv + out/pmc_1/9_counters.csv + out/pmc_2/8_counters.csv"
    assert one.warnings == ()


def test_files_with_the_same_metrics_are_further_runs() -> None:
    rows: list[Row] = [("a", "dispatch 1", {"x": 1})]
    (one,) = join_runs(
        [
            located("out/pass_1/p.csv", rows),
            located("out/pass_1/q.csv", [("a", "dispatch 1", {"x": 2})]),
            located("out/pass_2/p.csv", [("a", "dispatch 1", {"y": 3})]),
            located("out/pass_2/q.csv", [("a", "dispatch 1", {"y": 4})]),
        ]
    )
    assert table(one) == [{"x": 1, "y": 3}, {"x": 2, "y": 4}]


def test_runs_in_folders_of_their_own_are_not_mixed() -> None:
    found = join_runs(
        [
            located("first/x.csv", [("a", "dispatch 1", {"x": 1})]),
            located("second/y.csv", [("a", "dispatch 1", {"y": 2})]),
        ]
    )
    assert [table(i) for i in found] == [[{"x": 1}], [{"y": 2}]]


def test_other_kernels_at_the_same_number_are_not_joined_and_that_is_told() -> None:
    (one,) = join_runs(
        [
            located("x.csv", [("a", "dispatch 1", {"x": 1})]),
            located("y.csv", [("b", "dispatch 1", {"y": 2})]),
        ]
    )
    assert table(one) == [{"x": 1}, {"y": 2}]
    assert one.warnings == (
        "2 of 2 metrics are missing in some of the 2 trials, most often 'x' (1 times): "
        "not every pass has every execution.",
    )


def test_a_metric_of_two_passes_is_the_first_ones_and_the_time_that_of_the_trace() -> None:
    (one,) = join_runs(
        [
            located("a_counters.csv", [("a", "dispatch 1", {"time_s": 2.0, "x": 1, "y": 8})]),
            located("b_trace.csv", [("a", "dispatch 1", {"time_s": 1.0})]),
        ]
    )
    assert table(one) == [{"time_s": 1.0, "x": 1, "y": 8}]
    assert one.warnings == (
        "Measured in several passes with different results, the first of which counts: 'time_s' by up to 50 %.",
    )


def test_a_file_that_does_not_name_the_machine_joins_one_that_does() -> None:
    named = located("a.csv", [("k", "launch 0", {"x": 1})], machine="B200")
    other = located("c.csv", [("k", "launch 0", {"z": 3})], machine="T4")
    nameless = located("b.csv", [("k", "launch 0", {"y": 2})])
    (one,) = join_runs([named, nameless])
    assert (one.trials.machine, table(one)) == (("B200",), [{"x": 1, "y": 2}])
    (three,) = join_runs([named, nameless, other])
    assert sorted(three.trials.machine) == ["", "B200", "T4"]


def test_a_machine_never_comes_from_another_kernels_or_another_gpus_file() -> None:
    named = labelled(located("a.csv", [("k", "launch 0", {"x": 1})], machine="B200"), "10.0")
    kernel = located("b.csv", [("gemm", "launch 0", {"y": 2})])
    gpu = labelled(located("c.csv", [("k", "launch 0", {"z": 3})]), "7.5")
    again = located("d.csv", [("k", "launch 0", {"x": 1.5})])
    (one,) = join_runs([named, kernel, gpu, again])
    by_metric = {next(iter(row)): name for row, name in zip(table(one), one.trials.machine, strict=True)}
    assert by_metric == {"x": "", "y": "", "z": "compute capability 7.5"}  # the second x is a further run
    assert sorted(one.trials.machine) == ["", "", "B200", "compute capability 7.5"]


def test_a_machine_file_describes_the_runs_of_its_own_tool_alone() -> None:
    b = Builder("sysinfo.csv", "m".ljust(64, "0"), "machine")
    b.of_machine("MI100", "cores", 120.0)
    described = [Located("sysinfo.csv", "", b.build(), ("other tool",))]
    file = located("x.csv", [("a", "dispatch 1", {"x": 1})])
    assert with_machines(file, described) == file
    assert with_machines(file, [replace(described[0], describes=("tool",))]).imported.trials.machine == ("MI100",)


def labelled(file: Located, capability: str) -> Located:
    labels = {"compute capability": (capability,) * len(file.imported.trials)}
    return replace(file, imported=replace(file.imported, trials=replace(file.imported.trials, labels=labels)))


def test_the_order_of_files_changes_nothing() -> None:
    files = [
        located("x.csv", [("a", "dispatch 1", {"x": 1}), ("a", "dispatch 2", {"x": 2})]),
        located("y.csv", [("a", "dispatch 2", {"y": 4}), ("a", "dispatch 1", {"y": 3})]),
        located("z.csv", [("a", "dispatch 1", {"x": 9})]),
    ]
    (one,), (other,) = join_runs(files), join_runs(files[::-1])
    assert table(one) == table(other)
    assert one.sha256 == other.sha256
    assert one.trials.where == other.trials.where


def test_files_without_executions_or_family_stand_alone() -> None:
    found = join_runs(
        [
            located("x.csv", [("a", "", {"x": 1})]),
            located("y.csv", [("a", "dispatch 1", {"y": 1})], family=""),
        ]
    )
    assert len(found) == 2


def test_the_nearest_machine_file_describes_a_folder() -> None:
    described = []
    for path, name, cores in (("all/MI100/sysinfo.csv", "MI100", 120.0), ("all/MI200/sysinfo.csv", "MI200", 104.0)):
        b = Builder(path, path.ljust(64, "0"), "machine")
        b.of_machine(name, "cores", cores)
        described.append(Located(path, "", b.build()))
    file = with_machines(located("all/MI200/pmc_1/x.csv", [("a", "dispatch 1", {"x": 1})]), described)
    assert file.imported.trials.machine == ("MI200",)
    assert file.imported.machines is not None
    assert file.imported.machines.values.tolist() == [[104.0]]
    assert "all/MI200/sysinfo.csv: machine metrics of MI200." in file.imported.warnings
    elsewhere = with_machines(located("other/x.csv", [("a", "dispatch 1", {"x": 1})]), described)
    assert elsewhere.imported.machines is None


def test_nameless_facts_beside_one_named_machine_are_of_it() -> None:
    described = []
    for path, name, metric in (("f/sysinfo.csv", "MI100", "cores"), ("f/roofline.csv", "", "peak")):
        b = Builder(path, path.ljust(64, "0"), "machine")
        b.of_machine(name, metric, 7.0)
        described.append(Located(path, "", b.build()))
    file = with_machines(located("f/x.csv", [("a", "dispatch 1", {"x": 1})]), described)
    assert file.imported.trials.machine == ("MI100",)
    assert file.imported.machines is not None
    assert file.imported.machines.keys == (("MI100",),)
    assert {m.name for m in file.imported.machines.metrics} == {"cores", "peak"}


def test_a_pass_folder_belongs_to_the_folder_above() -> None:
    assert run_folder("out/pmc_1/host/3_counters.csv") == "out"
    assert run_folder("out/pass-12/x.csv") == "out"
    assert run_folder("work/vcopy/MI100/x.csv") == "work/vcopy/MI100"
    assert run_folder("x.csv") == ""
