"""What is declared of tools: kinds of tables by their columns, what becomes of metrics by the forms of their names."""

import pytest

from core.ingest.readers._declared import DECLARED, Role, fit, kind_of, roles_of
from core.trial import Kind


def test_the_first_form_that_fits_the_whole_name_counts() -> None:
    role = roles_of("vtune_summary")
    assert role("Elapsed Time") == Role("time_s", "s", Kind.RESPONSE)
    assert role("CPU Time") == Role("CPU Time", "s", Kind.RESPONSE)
    assert role("CPU Time of all") == Role("CPU Time of all", "", Kind.COUNTER)


def test_a_unit_that_the_file_says_is_taken_where_none_is_declared() -> None:
    role = roles_of("gem5")
    assert role("system.clk_domain.clock", "Tick") == Role("system.clk_domain.clock", "Tick", Kind.PARAMETER)
    assert roles_of("toplev")("CPI", "Metric") == Role("CPI", "cycle/inst", Kind.RESPONSE)


def test_what_names_something_is_no_metric() -> None:
    role = roles_of("oneprof")
    assert not role("SubDeviceId").name
    assert not role("Time").name
    assert role("GpuTime") == Role("GpuTime", "ns", Kind.RESPONSE)


@pytest.mark.parametrize(
    "tool", [tool for tool, declared in DECLARED.items() if isinstance(declared.get("metrics"), list)]
)
def test_each_tool_declares_forms_that_are_read(tool: str) -> None:
    assert roles_of(tool)("no such metric").kind in Kind
    for _, _, _, kind in DECLARED[tool]["metrics"]:
        assert not kind or Kind(kind)


def test_columns_fit_where_one_of_each_text_is_there_and_none_behind_a_mark() -> None:
    assert fit(("Name", "Avg"), ("Name", "Avg|Average"))
    assert not fit(("Name",), ("Name", "Avg|Average"))
    assert fit(("Name", "Avg"), ("Name", "!Range|Num Calls"))
    assert not fit(("Name", "Range"), ("Name", "!Range|Num Calls"))


def test_the_first_kind_that_fits_is_a_tables() -> None:
    calls = ("Time", "Total Time", "Num Calls", "Avg", "Name", "Instances")
    assert kind_of("nsys", calls) == "other"
    assert kind_of("nsys", [name for name in calls if name != "Num Calls"]) == "summary"
    assert not kind_of("nsys", ("kernel", "time"))
    assert not kind_of("nsys", ("Start", "Duration"), "certain")


def test_a_table_of_calls_is_no_trace_of_kernels() -> None:
    assert kind_of("nvprof", ("Start", "Duration", "Name")) == "API calls"
    assert kind_of("nvprof", ("Start", "Duration", "Name", "Device")) == "trace"
