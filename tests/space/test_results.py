"""Results of planned designs are joined by their parameters; what is wrong, missing or not planned is told."""

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import SourceFile
from core.report.space.learning import results_sentence
from core.space.design_space import Parameter, make_space
from core.space.plan import make_plan
from core.space.results import Results, read_results
from core.trial import Kind, Metric, make_frame

KNOWN = (
    Metric("a", Kind.PARAMETER),
    Metric("b", Kind.PARAMETER),
    Metric("fixed", Kind.PARAMETER),
    Metric("time", Kind.RESPONSE, "s"),
    Metric("power", Kind.RESPONSE, "W"),
    Metric("misses"),
)
SPACE = make_space(
    [Parameter("a", (1.0, 2.0, 4.0)), Parameter("b", (1.0, 3.0)), Parameter("mode", ("fast", "slow"))], ["a * b <= 6"]
)


def trials(machines: tuple[str, ...] = ("m", "m")):
    labels = {"application": ("app", "app"), "input": ("", ""), "machine": machines, "mode": ("fast", "slow")}
    labels["compiler"] = ("gcc", "gcc")
    X = np.array([[1.0, 1.0, 7.0], [2.0, 1.0, 7.0]])
    return make_frame(X, np.array([3.0, 4.0]), KNOWN[:3], KNOWN[3], labels)


def read(text: str, planned=((0, 0, 0), (1, 1, 1), (0, 1, 0)), **frame) -> Results:
    plan = make_plan(SPACE, np.array(planned))
    file = SourceFile("new.csv", text.encode())
    return read_results(file, SPACE, trials(**frame), KNOWN, plan, ("compiler",))


def test_rows_become_trials_like_the_others_whatever_their_order() -> None:
    found = read("run,mode,b,a,time\n002,slow,3,2,1.5\n001,fast,1,1,2.5\n003,fast,3,1,0.5\n")
    assert found.codes.tolist() == [[1, 1, 1], [0, 0, 0], [0, 1, 0]]
    of = found.imported.trials
    assert (set(of.application), set(of.machine)) == ({"app"}, {"m"})
    values = dict(zip((m.name for m in of.metrics), of.values.T.tolist(), strict=True))
    assert values == {"b": [3, 1, 3], "a": [2, 1, 1], "time": [1.5, 2.5, 0.5], "fixed": [7, 7, 7]}
    assert {m.name: (m.kind, m.unit) for m in of.metrics}["time"] == (Kind.RESPONSE, "s")
    assert (of.labels["mode"], of.labels["compiler"]) == (("slow", "fast", "fast"), ("gcc",) * 3)
    assert set(of.parameters) == {"mode", "compiler"}
    assert results_sentence(found) == "3 of 3 planned designs have results, 3 rows."


def test_wrong_missing_and_further_rows_are_told() -> None:
    rows = ["a,b,mode,time (s),power,note", "1,1,fast,2,10,x", "4,1,slow,3,11,y", "4,3,fast,4,12,z", "3,1,fast,1,1,w"]
    rows += ["2,3,slow,,9,v", "2,1,medium,1,1,u"]
    found = read("\n".join(rows) + "\n")
    assert (len(found.missing), found.unplanned, len(found.codes)) == (2, 1, 2)
    said = {one.where: one.why for one in found.wrong}
    assert said["line 4"] == "it breaks a * b <= 6"
    assert said["line 5"] == "a is 3, which is no level of it"
    assert said["line 7"] == "mode is medium, which is no level of it"
    assert said["line 6"] == "time is empty"
    assert found.imported.skipped == found.wrong
    sentence = results_sentence(found)
    assert sentence.startswith(
        "1 of 3 planned designs have results, 2 rows; 1 design is not planned, taken too; 4 rows"
    )
    assert sentence.endswith("columns not taken: note.")


def test_without_a_plan_every_design_is_taken() -> None:
    file = SourceFile("new.csv", b"a,b,mode,time\n1,1,fast,2\n")
    found = read_results(file, SPACE, trials(), KNOWN, None, ("compiler",))
    assert results_sentence(found) == "1 row of designs, none of which was planned."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,mode\n1,1,fast\n", "no column 'time' in new.csv"),
        ("a,mode,time\n1,fast,2\n", "no column 'b' in new.csv"),
        ("a,b,mode,time (ms)\n1,1,fast,2\n", "'time' is in ms, other trials have it in s"),
        ("a,b,mode,time\n9,1,fast,2\n", "no row is a design of this space; line 2: a is 9"),
    ],
)
def test_a_file_that_cannot_be_taken_says_why(text: str, says: str) -> None:
    with pytest.raises(ReadError, match=says.replace("(", "\\(")):
        read(text)


def test_a_table_must_say_which_machine_where_there_are_several() -> None:
    with pytest.raises(ReadError, match="no column 'machine', and the trials are of 2: m, n"):
        read("a,b,mode,time\n1,1,fast,2\n", machines=("m", "n"))
    assert set(read("a,b,mode,machine,time\n1,1,fast,n,2\n", machines=("m", "n")).imported.trials.machine) == {"n"}
