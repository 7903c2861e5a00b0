"""Machine metrics of a processor model, measured with small probe loops under llvm-mca."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from _collect import mca
from _collect.files import Row

CHAIN = 96
COPIES = 12


@dataclass(frozen=True)
class Code:
    """Instructions to time, the instruction set they need and how much work they hold."""

    needs: str
    lines: tuple[str, ...]
    work: float = 1


@dataclass(frozen=True)
class Probe:
    """A metric with its unit and the codes that measure it, the plainest code first.

    Metrics in cycles come from the last code that the processor can run, metrics per cycle
    from its fastest.
    """

    name: str
    unit: str
    codes: tuple[Code, ...]


def _latency(name: str, *lines: str) -> Probe:
    return Probe(f"{name}_latency", "cycles", (Code("sse2", lines),))


def _copies(template: str) -> tuple[str, ...]:
    """Independent copies: {v} numbers a vector register, {r} another register, {m} a place."""
    numbers = range(COPIES)
    return tuple(template.format(v=i, r=8 + i % 8, m=64 * i) for i in numbers)


def _interval(name: str, template: str) -> Probe:
    return Probe(f"{name}_interval", "cycles", (Code("sse2", _copies(template), COPIES),))


def _rate(name: str, template: str) -> Probe:
    code = Code("sse2", _copies(template), COPIES)
    return Probe(f"{name}_rate", "instructions/cycle", (code,))


def _bandwidth(name: str, narrow: str, wide: str, wide_needs: str = "avx") -> Probe:
    codes = (
        Code("sse2", _copies(narrow), 16 * COPIES),
        Code(wide_needs, _copies(wide.replace("%w", "%y")), 32 * COPIES),
        Code("avx512", _copies(wide.replace("%w", "%z")), 64 * COPIES),
    )
    return Probe(name, "bytes/cycle", codes)


def _arithmetic() -> Probe:
    """Single-precision operations: separate or fused multiplications and additions."""
    narrow = _copies("mulps %xmm15, %xmm{v}")[:6] + _copies("addps %xmm15, %xmm{v}")[6:]
    wide = _copies("vmulps %ymm15, %ymm14, %ymm{v}")[:6] + _copies("vaddps %ymm15, %ymm14, %ymm{v}")[6:]
    fused = "vfmadd231ps %wmm14, %wmm15, %wmm{v}"
    codes = (
        Code("sse2", narrow, 4 * COPIES),
        Code("avx", wide, 8 * COPIES),
        Code("avx2", _copies(fused.replace("%w", "%y")), 16 * COPIES),
        Code("avx512", _copies(fused.replace("%w", "%z")), 32 * COPIES),
    )
    return Probe("arithmetic", "flop/cycle", codes)


MULTIPLY_ADD = Probe(
    "multiply_add_latency",
    "cycles",
    (
        Code("sse2", ("mulsd %xmm2, %xmm0", "addsd %xmm1, %xmm0")),
        Code("avx2", ("vfmadd213sd %xmm1, %xmm2, %xmm0",)),
    ),
)

PROBES = (
    _latency("load", "movq (%rax), %rax"),
    _latency("integer_multiplication", "imulq %rax, %rax"),
    _latency("integer_division", "divl %ecx"),
    _latency("shift_by_register", "shlq %cl, %rax"),
    _latency("select", "cmovneq %rax, %rax"),
    _latency("fp_addition", "addsd %xmm1, %xmm0"),
    _latency("fp_multiplication", "mulsd %xmm1, %xmm0"),
    MULTIPLY_ADD,
    _latency("fp_division", "divsd %xmm1, %xmm0"),
    _latency("fp_root", "sqrtsd %xmm0, %xmm0"),
    _latency("vector_multiplication", "pmuludq %xmm1, %xmm0"),
    _latency("shuffle", "pshufd $27, %xmm0, %xmm0"),
    _latency("conversion", "cvtsi2sd %rax, %xmm0", "cvttsd2si %xmm0, %rax"),
    _latency("transfer", "movq %rax, %xmm0", "movq %xmm0, %rax"),
    _interval("fp_division", "divsd %xmm15, %xmm{v}"),
    _interval("fp_root", "sqrtsd %xmm15, %xmm{v}"),
    _interval("vector_division", "divps %xmm15, %xmm{v}"),
    _rate("address_addition", "leaq 1(%rsi), %r{r}"),
    _rate("integer_multiplication", "imulq $3, %rsi, %r{r}"),
    _rate("shift", "shlq $3, %r{r}"),
    _rate("load", "movq {m}(%rsi), %r{r}"),
    _rate("store", "movq %rax, {m}(%rsi)"),
    _rate("branch", "jne .Lnext"),
    _rate("fp_addition", "addsd %xmm15, %xmm{v}"),
    _rate("fp_multiplication", "mulsd %xmm15, %xmm{v}"),
    _rate("shuffle", "pshufd $27, %xmm15, %xmm{v}"),
    _arithmetic(),
    _bandwidth("integer_vector", "paddd %xmm15, %xmm{v}", "vpaddd %wmm15, %wmm14, %wmm{v}", "avx2"),
    _bandwidth("load_bandwidth", "movups {m}(%rsi), %xmm{v}", "vmovups {m}(%rsi), %wmm{v}"),
    _bandwidth("store_bandwidth", "movups %xmm{v}, {m}(%rsi)", "vmovups %wmm{v}, {m}(%rsi)"),
)


def machine_row(processor: str) -> Row:
    """All metrics of a processor."""
    row: Row = {"cpu": processor} | _structure(processor)
    row["overlap (instructions)"] = _overlap(processor)
    for probe in PROBES:
        row[f"{probe.name} ({probe.unit})"] = _measure(processor, probe)
    return row


def _measure(processor: str, probe: Probe) -> float:
    """Cycles per piece of work for latencies and intervals, work per cycle for the others."""
    codes = [code for code in probe.codes if mca.can_run(processor, code.needs)]
    if probe.unit == "cycles":
        return _time(processor, codes[-1].lines) / codes[-1].work
    return max(code.work / _time(processor, code.lines) for code in codes)


def _time(processor: str, lines: Iterable[str]) -> float:
    """The cycles per iteration once the simulated processor is in its steady state."""
    text = mca.region("probe", lines)
    short, long = (mca.cycles(mca.report(processor, text, f"-iterations={count}")["probe"]) for count in (120, 480))
    return (long - short) / 360


def _structure(processor: str) -> Row:
    """What llvm-mca itself prints about the processor."""
    code = mca.region("probe", ("addq $1, %rax",))
    entry = mca.report(processor, code)["probe"]
    text = mca.statistics(processor, code)["probe"]
    queues = re.findall(r"^\w+\s+\d+\s+\d+\s+(\d+)$", text, re.MULTILINE)
    return {
        "dispatch_width (uops/cycle)": entry["SummaryView"]["DispatchWidth"],
        "reorder_buffer (uops)": int(mca.find(r"Total ROB Entries:\s+(\d+)", text)),
        "scheduler (uops)": sum(map(int, queues)),
        "scheduler_queues (queues)": len(queues),
    }


def _overlap(processor: str) -> float:
    """How far past a chain of dependent multiplications work on the next chain begins."""
    link = ["mulsd %xmm1, %xmm0"]
    alone = CHAIN * _time(processor, link)
    repeated = _time(processor, ["movsd (%rsi), %xmm0", *(link * CHAIN)])
    return round(CHAIN * max(0.0, alone / repeated - 1), 1)
