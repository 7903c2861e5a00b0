"""HPL's output: a test per row, remarks between, failed checks told."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, metric, read, value

HEADER = (
    "=" * 80 + "\nT/V                N    NB     P     Q               Time                 Gflops\n" + "-" * 80 + "\n"
)
CHECK = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.33e-03 ...... "
OUTPUT = (
    "HPLinpack 2.3  --  High-Performance Linpack benchmark\n\nN      :   29184    20000\n\n"
    + f"{HEADER}WR11C2R4       29184   192     2     2             112.49             1.4732e+02\n"
    + f"HPL_pdgesv() start time Sun Nov 22 15:04:14 2026\n\n{CHECK}PASSED\n"
    + f"{HEADER}WR11C2R4       20000   256     2     2              42.49             1.2552e+02\n{CHECK}FAILED\n"
    + "Finished      2 tests with the following results:\n"
)


def test_each_test_is_a_trial() -> None:
    found = read(OUTPUT, "hpl")
    assert (found.trials.application, found.trials.where) == (("HPL", "HPL"), ("line 8", "line 15"))
    assert [value(found, name) for name in ("N", "NB", "P", "Q", "time_s", "Gflops")] == [
        29184,
        192,
        2,
        2,
        112.49,
        147.32,
    ]
    assert (metric(found, "time_s").kind, metric(found, "time_s").unit) == (Kind.RESPONSE, "s")
    assert (metric(found, "N").kind, metric(found, "Gflops").kind) == (Kind.PARAMETER, Kind.DERIVED)
    assert (found.trials.labels["variant"], found.trials.parameters) == (("WR11C2R4",) * 2, ("variant",))
    assert found.warnings == ("run7.txt: 1 tests failed their residual check.",)


def test_damage() -> None:
    check_damaged(OUTPUT, "hpl")
