"""What nccl-tests prints: a trial per size of message and place, and no time where a collective cannot be done in place."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, metric, read, value


def run(program: str, gpus: int, rows: list[tuple[int, str, str]]) -> str:
    """What a run prints; the second text is of what was done in place."""
    devices = "".join(
        f"#  Rank  {k} Group  0 Pid  21345 on  node1 device  {k} [0x0{k}] NVIDIA A100-SXM4-80GB\n" for k in range(gpus)
    )
    return (
        f"$ ./build/{program} -b 8 -e 128M -f 2 -g {gpus}\n"
        f"# nThread 1 nGpus {gpus} minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20\n"
        f"#\n# Using devices\n{devices}#\n#                              out-of-place               in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        + "".join(f"{n:12} {n // 4:12}     float     sum      -1  {out}  {inside}\n" for n, out, inside in rows)
        + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 45.1234\n"
    )


SMALL, LARGE = "34.98 0.00 0.00 0", "1243.2 107.96 188.93 0"
OUTPUT = run("all_reduce_perf", 8, [(8, SMALL, "34.52 0.00 0.00 0"), (134217728, LARGE, "1240.8 108.17 189.30 0")])


def test_each_size_and_place_is_a_trial() -> None:
    found = read(OUTPUT + run("alltoall_perf", 4, [(1024, SMALL, "N/A N/A N/A N/A")]), "nccl_tests")
    assert found.trials.application == ("all_reduce",) * 4 + ("alltoall",)
    assert set(found.trials.machine) == {"NVIDIA A100-SXM4-80GB"}
    assert found.trials.labels["place"] == ("out-of-place", "in-place") * 2 + ("out-of-place",)
    assert column(found, "size") == [8, 8, 134217728, 134217728, 1024]
    assert column(found, "ranks") == column(found, "nGpus") == [8, 8, 8, 8, 4]
    assert (value(found, "time_s", 1), value(found, "busbw", 2)) == (34.52e-6, 188.93e9)
    kinds = [metric(found, name).kind for name in ("time_s", "size", "algbw")]
    assert kinds == [Kind.RESPONSE, Kind.PARAMETER, Kind.DERIVED]


def test_damage() -> None:
    check_damaged(OUTPUT, "nccl_tests")
