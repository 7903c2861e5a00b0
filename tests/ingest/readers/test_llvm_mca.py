"""Reports of llvm-mca: regions, pressures on resources, several reports in one file, and the text form."""

import json
import random
import shutil
import subprocess
from typing import Any

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.readers.llvm_mca import LlvmMcaReader
from core.trial import Import, Kind

RESOURCES = ["XPort0", "XPort1", "XLoad.\x00", "XLoad.\x01"]


def region(name: str = "axpy", cycles: int = 310, **views: Any) -> dict[str, Any]:
    usage = [(0, 0, 0.5), (0, 2, 1), (1, 1, 0.25), (2, 0, 0.75), (2, 1, 1.5), (2, 2, 1)]
    pressure = [dict(zip(("InstructionIndex", "ResourceIndex", "ResourceUsage"), u, strict=True)) for u in usage]
    return {
        "InstructionInfoView": {"InstructionList": [{"Instruction": 0, "Latency": 5}]},
        "Instructions": ["movsd\t(%rdi), %xmm1", "addsd\t%xmm1, %xmm0"],
        "Name": name,
        "ResourcePressureView": {"ResourcePressureInfo": pressure},
        "SummaryView": {
            "BlockRThroughput": 1.25,
            "DispatchWidth": 6,
            "IPC": 200 / cycles,
            "Instructions": 200,
            "Iterations": 100,
            "TotalCycles": cycles,
            "TotaluOps": 300,
            "uOpsPerCycle": 300 / cycles,
        },
    } | views


def report(*regions: dict[str, Any], cpu: str = "icelake-server", march: str = "x86_64") -> dict[str, Any]:
    return {
        "CodeRegions": list(regions),
        "SimulationParameters": {"-march": march, "-mcpu": cpu, "-mtriple": f"{march}-linux"},
        "TargetInfo": {"CPUName": cpu, "Resources": RESOURCES},
    }


def written(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


TEXT = """
[0] Code Region - axpy

Iterations:        100
Instructions:      200
Total Cycles:      310
Total uOps:        300

Dispatch Width:    6
uOps Per Cycle:    0.97
IPC:               0.65
Block RThroughput: 1.3


Dynamic Dispatch Stall Cycles:
RAT     - Register unavailable:                      0
RCU     - Retire tokens unavailable:                 176  (42.7%)
GROUP   - Static restrictions on the dispatch group: 0


Resources:
[0]   - XPort0
[1]   - XPort1
[2.0] - XLoad
[2.1] - XLoad


Resource pressure per iteration:
[0]    [1]    [2.0]  [2.1]
0.75   1.50    -     1.00

Resource pressure by instruction:
[0]    [1]    [2.0]  [2.1]  Instructions:
0.50   0.25    -      -     movsd	(%rdi), %xmm1

[1] Code Region

Iterations:        100
Instructions:      400
Total Cycles:      500
Total uOps:        400
"""


def read(content: str | bytes, name: str = "mca.json") -> Import:
    raw = content if isinstance(content, bytes) else content.encode()
    return LlvmMcaReader().read(SourceFile(name, raw))


def values(found: Import, trial: int = 0) -> dict[str, float]:
    return dict(zip((m.name for m in found.trials.metrics), found.trials.values[trial].tolist(), strict=True))


def kinds(found: Import) -> dict[str, tuple[Kind, str]]:
    return {m.name: (m.kind, m.unit) for m in found.trials.metrics}


def test_a_region_is_a_trial_on_its_processor() -> None:
    found = read(written(report(region())))
    assert found.trials.application == ("axpy",)
    assert found.trials.input == ("x86_64, 100 iterations",)
    assert found.trials.machine == ("icelake-server",)
    assert found.trials.labels["triple"] == ("x86_64-linux",)
    assert (values(found)["TotalCycles"], values(found)["TotaluOps"]) == (310, 300)
    assert values(found)["IPC"] == 200 / 310
    assert found.inputs is not None
    assert found.inputs.values.tolist() == [[100]]


def test_cycles_are_the_response_and_the_width_was_set_before() -> None:
    found = kinds(read(written(report(region()))))
    assert found["TotalCycles"] == (Kind.RESPONSE, "cycle")
    assert found["IPC"][0] == found["uOpsPerCycle"][0] == Kind.RESPONSE
    assert found["BlockRThroughput"] == (Kind.COUNTER, "cycle")
    assert found["DispatchWidth"] == (Kind.PARAMETER, "")


def test_pressures_are_the_row_after_the_last_instruction_and_zero_where_it_lists_none() -> None:
    found = values(read(written(report(region()))))
    pressures = {name: value for name, value in found.items() if name.startswith("ResourcePressure")}
    assert pressures == {
        "ResourcePressure XPort0": 0.75,
        "ResourcePressure XPort1": 1.5,
        "ResourcePressure XLoad.0": 1,
        "ResourcePressure XLoad.1": 0,
    }


def test_names_of_units_hold_no_control_characters() -> None:
    assert "\\u0001" in written(report(region()))
    assert all(m.name.isprintable() for m in read(written(report(region()))).trials.metrics)


def test_stalls_and_bottlenecks_are_counters_in_cycles() -> None:
    views = {
        "DispatchStatistics": {"RAT": 0, "RCU": 176},
        "BottleneckAnalysis": {"DataDependencyCycles": 138, "DependencyEdge": [], "TotalCycles": 310},
    }
    found = read(written(report(region(**views))))
    assert values(found)["DispatchStatistics RCU"] == 176
    assert kinds(found)["BottleneckAnalysis DataDependencyCycles"] == (Kind.COUNTER, "cycle")
    assert "BottleneckAnalysis TotalCycles" not in values(found)


def test_what_is_said_of_single_instructions_is_left_out_and_said() -> None:
    found = read(written(report(region(), region("dot", TimelineView={"TimelineInfo": []}))))
    assert [s.why for s in found.skipped] == [
        "what is said of single instructions and cycles: InstructionInfoView, TimelineView"
    ]


def test_regions_without_a_name_are_told_apart() -> None:
    assert read(written(report(region("")))).trials.application == ("",)
    assert read(written(report(region(), region("")))).trials.application == ("axpy", "region 1")


def test_messages_before_and_after_the_report_do_not_matter() -> None:
    before = "warning: found a return instruction in the input assembly sequence.\nnote: updates are ignored.\n"
    found = read(before + written(report(region())) + "warning: {later}\n")
    assert found.trials.application == ("axpy",)


def test_several_reports_in_one_file_are_read_each() -> None:
    text = written(report(region())) + "note: x\n" + written(report(region("dot", 900), cpu="znver3"))
    found = read(text)
    assert found.trials.machine == ("icelake-server", "znver3")
    assert [values(found, i)["TotalCycles"] for i in (0, 1)] == [310, 900]
    cut = read(text + written(report(region()))[:90])
    assert len(cut.trials) == 2
    assert any("no valid JSON" in s.why for s in cut.skipped)


def test_a_compact_report_is_read() -> None:
    assert read(json.dumps(report(region()), separators=(",", ":"))).trials.machine == ("icelake-server",)


def test_a_report_that_was_cut_off_says_so() -> None:
    text = written(report(region()))
    with pytest.raises(ReadError, match=r"mca.json line \d+: no valid JSON .* cut off"):
        read(text[: len(text) // 2])


def test_a_report_of_no_code_says_what_the_tool_said() -> None:
    with pytest.raises(ReadError, match=r"mca.json holds only messages of llvm-mca .* no assembly instructions found"):
        read("<stdin>:1:1: error: invalid instruction mnemonic 'foo'\nerror: no assembly instructions found.\n")


def test_a_value_that_is_no_number_is_missing() -> None:
    broken = region()
    broken["SummaryView"]["IPC"] = "n/a"
    found = read(written(report(broken)))
    assert "IPC" not in values(found)
    assert any("'IPC'" in w for w in found.warnings)


def test_the_text_form_gives_the_same_metrics_without_a_machine() -> None:
    found = read(TEXT, "mca.txt")
    assert found.trials.application == ("axpy", "region 1")
    assert found.trials.machine == ("", "")
    first = values(found)
    assert (first["TotalCycles"], first["uOpsPerCycle"], first["BlockRThroughput"]) == (310, 0.97, 1.3)
    assert (first["DispatchStatistics RCU"], first["DispatchWidth"]) == (176, 6)
    assert (first["ResourcePressure XPort1"], first["ResourcePressure XLoad.0"]) == (1.5, 0)
    assert kinds(found)["TotalCycles"] == (Kind.RESPONSE, "cycle")
    assert any("does not say the processor" in w for w in found.warnings)
    json_names = set(values(read(written(report(region(DispatchStatistics={"RAT": 0, "RCU": 1, "GROUP": 0}))))))
    assert set(first) == json_names


@pytest.mark.parametrize("text", [written(report(region())), TEXT, "error: no assembly instructions found.\n"])
def test_sniffs_reports_and_complaints(text: str) -> None:
    assert LlvmMcaReader().sniff(text.encode())
    assert LlvmMcaReader().sniff(text.replace("\n", "\r\n").encode())


@pytest.mark.parametrize("text", ['{"results": [1]}', '{"CodeRegions": "none"}', "Iterations: 5\n", "a,b\n1,2\n"])
def test_does_not_sniff_other_texts(text: str) -> None:
    assert not LlvmMcaReader().sniff(text.encode())


def test_any_damage_ends_in_trials_or_one_sentence() -> None:
    random_ = random.Random(3)
    for whole in (written(report(region(), region("dot"))).encode(), TEXT.encode()):
        for _ in range(150):
            damaged = bytearray(whole[: random_.randrange(len(whole))] if random_.random() < 0.3 else whole)
            for _ in range(min(random_.randrange(4), len(damaged))):
                damaged[random_.randrange(len(damaged))] = random_.randrange(256)
            try:
                assert len(read(bytes(damaged)).trials) > 0
            except ReadError as error:
                assert "\n" not in str(error)


@pytest.mark.parametrize(
    "value", [{"CodeRegions": [3, None]}, {"CodeRegions": [{"Name": []}]}, {"CodeRegions": [{"SummaryView": [1]}]}]
)
def test_values_of_other_shapes_do_not_break_the_reader(value: Any) -> None:
    assert len(read(written(value)).trials) == len(value["CodeRegions"])


def test_the_installed_tool_s_own_reports_agree_with_each_other() -> None:
    if shutil.which("llvm-mca") is None:
        pytest.skip("llvm-mca is not installed")
    code = "# LLVM-MCA-BEGIN sum\naddq (%rsi), %rax\naddq $8, %rsi\n# LLVM-MCA-END\n"
    command = ["llvm-mca", "-mtriple=x86_64", "-mcpu=skylake", "-all-stats"]
    reports = [
        subprocess.run([*command, *more], input=code.encode(), capture_output=True, check=True).stdout
        for more in (["-json"], [])
    ]
    assert all(LlvmMcaReader().sniff(text) for text in reports)
    from_json, from_text = (read(text) for text in reports)
    assert from_json.trials.machine == ("skylake",)
    assert from_json.trials.application == from_text.trials.application == ("sum",)
    exact, rounded = values(from_json), values(from_text)
    assert exact.keys() == rounded.keys()
    assert all(rounded[name] == pytest.approx(exact[name], abs=0.05) for name in exact)
