"""Tuning logs of TVM: a trial per measured time, with the choices of a configuration as parameters."""

import json

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read, readers_of, skipped, value

TASK = [
    "cuda -model=titanx",
    "dense.cuda",
    [["TENSOR", [1, 2048], "float32"], ["TENSOR", [512, 2048], "float32"], None],
    {},
]


def autotvm(tile: list[int], unroll: int, times: list[float], error: int = 0) -> str:
    """A line of AutoTVM's log."""
    entity = [["tile_k", "sp", tile], ["unroll", "ot", unroll], ["order", "re", "abc"]]
    config = {"index": 7, "code_hash": None, "entity": entity}
    result = [times, error, 14.5, 1535423916.7]
    return json.dumps({"input": TASK, "config": config, "result": result, "version": 0.2, "tvm_version": "0.7"}) + "\n"


def ansor(factor: int, time: float) -> str:
    """A line of Ansor's log."""
    steps = [["SP", 2, 0, 512, [factor, 1], 1], ["PR", 0, 0, f"auto_unroll_max_step${factor}"]]
    asked = [[json.dumps(["matmul", 128, 512]), "llvm -keys=cpu", [8, 64], "", 1], [[], steps]]
    return json.dumps({"i": asked, "r": [[time], 0, 1.5, 1604551346], "v": "v0.6"}) + "\n"


AUTOTVM = autotvm([4, 512], 0, [1.5e-5, 1.75e-5]) + autotvm([8, 256], 1500, [2.5e-5]) + autotvm([2, 8], 0, [1e9], 4)


def test_each_time_of_a_configuration_is_a_trial() -> None:
    found = read(AUTOTVM, "tvm")
    assert (found.trials.application[0], found.trials.machine[0]) == ("dense.cuda", "titanx")
    assert column(found, "time_s") == [1.5e-5, 1.75e-5, 2.5e-5]
    assert [column(found, name) for name in ("tile_k 1", "tile_k 2", "unroll")] == [
        [4, 4, 8],
        [512, 512, 256],
        [0, 0, 1500],
    ]
    assert (kind(found, "unroll"), found.trials.labels["order"]) == (Kind.PARAMETER, ("abc",) * 3)
    assert found.inputs is not None
    assert found.inputs.values.tolist() == [[1, 2048, 512, 2048]]
    assert skipped(found) == ["line 3: failed, as TVM's error 4 says"]


def test_the_first_version_has_its_choices_inside() -> None:
    own = json.loads(AUTOTVM.splitlines()[0])
    old = {"i": [*TASK, ["dense"], {"i": 7, "e": own["config"]["entity"]}], "r": own["result"], "v": 0.1}
    found = read(json.dumps(old) + "\n", "tvm")
    assert (value(found, "tile_k 2"), found.trials.application[0]) == (512, "dense.cuda")


def test_steps_of_ansor_tell_configurations_apart() -> None:
    found = read(ansor(4, 1.5e-3) + ansor(8, 2.5e-3), "tvm")
    assert (found.trials.application, found.trials.machine[0]) == (("matmul",) * 2, "llvm -keys=cpu")
    assert (column(found, "step 1 SP 4 1"), column(found, "time_s")) == ([4, 8], [1.5e-3, 2.5e-3])


def test_other_lines_of_json_are_no_log_of_tvm() -> None:
    assert readers_of('{"input": [1, 2], "result": 3}\n{"input": [2, 3], "result": 4}\n') == []


def test_damage() -> None:
    check_damaged(AUTOTVM, "tvm")
    check_damaged(ansor(4, 1.5e-3), "tvm")
