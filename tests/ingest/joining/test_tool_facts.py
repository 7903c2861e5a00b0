"""Another tool's file about the same runs: metrics join by application and input, or by machine."""

import pytest

from core.errors import ReadError
from core.ingest.joining.tool_facts import join_inputs_of, join_machines_of
from core.ingest.readers._builder import Builder
from core.trial import Import, Kind, Metric


def times(machine: str = "") -> Import:
    b = Builder("times.csv", "1" * 64, "trace")
    for name, time in (("a", 1.0), ("a", 1.2), ("b", 3.0)):
        b.put(b.trial(name, input="big", machine=machine), "time_s", time, "s", Kind.RESPONSE)
    return b.build()


def counters(input: str = "big") -> Import:
    b = Builder("counters.csv", "2" * 64, "counters")
    for name, loads in (("a", 10.0), ("a", 14.0), ("b", 7.0), ("c", 1.0)):
        t = b.trial(name, input=input)
        b.put(t, "loads", loads)
        b.put(t, "time_s", 99.0 + loads, "s", Kind.RESPONSE)
    return b.build()


def machine(name: str = "K40") -> Import:
    b = Builder("sys.csv", "3" * 64, "machine")
    b.of_machine(name, "cores", 15.0)
    return b.build()


@pytest.mark.parametrize("input", ["big", ""])
def test_counters_of_another_run_join_by_what_ran(input: str) -> None:
    joined = join_inputs_of(times(), counters(input))
    assert joined.inputs is not None
    assert joined.inputs.metrics == (Metric("loads", Kind.DETERMINISTIC),)
    assert dict(zip(joined.inputs.keys, joined.inputs.values.tolist(), strict=True)) == {
        ("a", "big"): [12.0],
        ("b", "big"): [7.0],
    }
    assert "counters.csv: its own time_s is left out; the trials have theirs." in joined.warnings
    assert "counters.csv: repeats of one application and input were averaged." in joined.warnings
    assert joined.source == "times.csv + counters.csv"


def test_files_without_anything_in_common_are_refused() -> None:
    with pytest.raises(ReadError, match=r"counters.csv has nothing about what the trials ran, such as 'a / big'"):
        join_inputs_of(times(), counters("small"))


def test_one_machine_describes_the_only_machine() -> None:
    unnamed = join_machines_of(times(), machine())
    assert set(unnamed.trials.machine) == {"K40"}
    other = join_machines_of(times("node7"), machine())
    assert other.machines is not None
    assert other.machines.keys == (("node7",),)


def test_a_file_that_describes_no_machine_is_refused() -> None:
    with pytest.raises(ReadError, match=r"counters.csv describes no machine"):
        join_machines_of(times(), counters())
