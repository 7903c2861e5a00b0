"""Two tools' files of the same launches: one import where that is certain, a question where it is not."""

from collections.abc import Sequence
from dataclasses import replace

from core.ingest import Mapping, Part, SourceFile, drop
from core.ingest.base import Reader
from core.ingest.joining.gather import joined_tools
from core.ingest.readers._builder import Builder
from core.trial import Import, Kind

SHAPE = "grid 8x1x1, block 64x1x1"


def launches(source: str, format: str, names: Sequence[str], metric: str, kind: Kind, machine: str = "") -> Import:
    b = Builder(source, source.ljust(64, "0"), format)
    for n, name in enumerate(names):
        t = b.trial(name, input=SHAPE, machine=machine, where=f"line {n}")
        b.put(t, metric, float(n), kind=kind)
    return b.build()


TRACE = launches("t.csv", "nsys", ["saxpy(int, float*)", "gemm<float>(int)", "saxpy(int, float*)"], "t", Kind.RESPONSE)
COUNTERS = launches(
    "c.csv",
    "ncu_raw",
    ["void gemm<float>(int)", "saxpy(int, float *)", "saxpy(int, float *)"],
    "hits",
    Kind.COUNTER,
    "T4",
)


def test_the_same_launches_are_joined_by_kernel_shape_and_order() -> None:
    found = joined_tools([TRACE, COUNTERS])
    (one,) = found.imports
    assert [m.name for m in one.trials.metrics] == ["hits", "t"]
    rows = sorted(zip(one.trials.application, one.trials.values.tolist(), strict=True))
    assert rows == [("gemm<float>(int)", [0, 1]), ("saxpy(int, float*)", [1, 0]), ("saxpy(int, float*)", [2, 2])]
    assert set(one.trials.machine) == {"T4"}
    (join,) = found.joins
    assert (join.adds, join.n_joined, join.n_missing, join.n_extra) == ("counters", 3, 0, 0)


def test_a_few_of_a_kernels_launches_are_asked_about_and_stay_apart() -> None:
    names = ("saxpy(int, float*)",) * 5
    found = joined_tools([launches("t.csv", "nsys", names, "t", Kind.RESPONSE), COUNTERS])
    assert [len(i.trials) for i in found.imports] == [5, 3]
    (question,) = found.questions
    assert (question.column, question.choices, question.about) == ("c.csv", ("apart", "same"), "launches")


def test_other_kernels_other_machines_and_the_same_tool_are_not_the_same_launches() -> None:
    elsewhere = replace(TRACE, trials=replace(TRACE.trials, machine=("A100",) * 3))
    for other in (
        launches("o.csv", "nsys", ["fft"], "t", Kind.RESPONSE),
        elsewhere,
        replace(TRACE, format="ncu_details"),
    ):
        found = joined_tools([other, COUNTERS])
        assert (len(found.imports), found.questions, found.joins) == (2, (), ())


class Given(Reader):
    """Gives an import that is there already."""

    label = "given"

    def __init__(self, imported: Import) -> None:
        self.imported = imported

    def sniff(self, head: bytes) -> bool:
        return False

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        return self.imported


def test_the_answer_joins_them_in_order() -> None:
    trace = launches("t.csv", "nsys", ("saxpy(int, float*)",) * 3, "t", Kind.RESPONSE)
    dropped = drop([Part(SourceFile(i.source, b""), Given(i)) for i in (trace, COUNTERS)])
    assert [len(i.trials) for i in dropped.gathered().imports] == [3, 3]
    (joined,) = dropped.gathered(dropped.recognition.answered({"t.csv": "same"})).imports
    assert len(joined.trials) == 4  # two launches of saxpy in both, one in the trace alone, and gemm
    assert {m.name for m in joined.trials.metrics} == {"t", "hits"}
