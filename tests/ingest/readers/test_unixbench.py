"""UnixBench's indexes: a test of each run is a trial, and the copies that ran side by side are a parameter."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read


def run(copies: int, rows: list[tuple[str, float, float]]) -> str:
    """What a run prints."""
    return (
        f"{'-' * 72}\nBenchmark Run: Sat Jun 28 2025 00:45:05 - 01:13:06\n"
        f"12 CPUs in system; running {copies} parallel copies of tests\n\n"
        + "".join(f"{name:40} {result:12.1f} lps   (10.0 s, 7 samples)\n" for name, _, result in rows)
        + "\nSystem Benchmarks Index Values               BASELINE       RESULT    INDEX\n"
        + "".join(f"{n:40} {base:12.1f} {own:12.1f} {10 * own / base:8.1f}\n" for n, base, own in rows)
        + f"{'========':>75}\nSystem Benchmarks Index Score {2147.4:45}\n\n"
    )


TESTS = [("Execl Throughput", 43.0, 4840.5), ("Shell Scripts (8 concurrent)", 6.0, 10924.5)]
OUTPUT = run(1, TESTS) + run(12, [(name, base, 8 * own) for name, base, own in TESTS])


def test_each_test_of_a_run_is_a_trial() -> None:
    found = read(OUTPUT, "unixbench")
    assert found.trials.application == ("Execl Throughput", "Shell Scripts (8 concurrent)") * 2
    assert column(found, "parallel copies") == [1, 1, 12, 12]
    assert column(found, "index score") == [1125.7, 18207.5, 9005.6, 145660.0]
    assert (kind(found, "index score"), kind(found, "result")) == (Kind.RESPONSE, Kind.DERIVED)


def test_damage() -> None:
    check_damaged(OUTPUT, "unixbench")
