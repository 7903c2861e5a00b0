"""Data dependencies of a loop body: what each instruction reads and writes, and chain lengths."""

import re

from .assembly import Instruction, is_memory, registers

READ_ONLY = re.compile(r"(cmp|test|bt)[bwlq]?|v?u?comis[sd]|v?ptest|vtestp[sd]|j[a-z]+|nop[wl]?")
WRITE_ONLY = re.compile(
    r"mov.*|lea[lq]?|cvt.*|pshuf[dlhw]+|sqrt[ps][sd]|rsqrt.*|rcp.*|(pop|[lt]z)cnt[lq]?|pabs.*"
    r"|set[a-z]+|rorx.*|andn[lq]|bzhi.*|bextr.*|s[ha][lrx]+x[lq]?|pextr.*|pmov.*|bls[irmsk]+[lq]?"
)
MERGING = re.compile(r"vfn?m(add|sub).*|vpternlog.*|v?p?gather.*|vpermi2.*|vpermt2.*|vpdp.*")
MERGING_MOVES = re.compile(r"mov([lh]p[sd]|lhps|hlps|s[sd])")
FLAG_WRITERS = re.compile(
    r"(add|sub|adc|sbb|and|or|xor|inc|dec|neg|sh[lr]|sa[lr]|i?mul|cmp|test|bt|andn|bls[a-z]+"
    r"|(pop|[lt]z)cnt)[bwlq]?|v?u?comis[sd]|v?ptest"
)
FLAG_READERS = re.compile(r"j(?!mp)[a-z]+|cmov[a-z]+|set[a-z]+|(adc|sbb)[bwlq]")
ONE_OPERAND_PAIR = re.compile(r"i?(mul|div)[bwlq]")
ZERO_IDIOM = re.compile(r"v?p?xor([ps][sd]|[dq])?|xor[lq]|v?psub[bwdq]|sub[lq]|v?pcmpeq[bwdq]")

# Round latencies in cycles of current processors, to weigh the steps of a chain.
NOMINAL_LATENCY = {
    "fp_additions": 4,
    "fp_multiplications": 4,
    "fp_fmas": 4,
    "fp_divisions": 13,
    "fp_roots": 16,
    "fp_comparisons": 4,
    "conversions": 4,
    "vector_multiplications": 5,
    "multiplications": 3,
    "divisions": 25,
}
LOAD_LATENCY = 4


def writes_memory(instruction: Instruction) -> bool:
    """Whether the last operand is memory and is written."""
    operands = instruction.operands
    writing = not READ_ONLY.fullmatch(instruction.mnemonic)
    single = len(operands) == 1 and ONE_OPERAND_PAIR.fullmatch(instruction.mnemonic)
    return bool(operands) and is_memory(operands[-1]) and writing and not single


def reads_memory(instruction: Instruction) -> bool:
    """Whether a memory operand is read."""
    if instruction.mnemonic.startswith(("lea", "nop", "prefetch", "j")):
        return False
    if any(is_memory(operand) for operand in instruction.operands[:-1]):
        return True
    last = instruction.operands[-1:]
    return bool(last) and is_memory(last[0]) and not _overwrites(instruction)


def _overwrites(instruction: Instruction) -> bool:
    """Whether the last operand is written without being read."""
    mnemonic, operands = instruction.mnemonic, instruction.operands
    if mnemonic.startswith(("v", "k")):
        return not MERGING.fullmatch(mnemonic) and "{%k" not in instruction.text
    if MERGING_MOVES.fullmatch(mnemonic) and not is_memory(operands[-1]):
        return mnemonic.startswith("movs") and is_memory(operands[0])
    three = mnemonic.startswith("imul") and len(operands) == 3
    return three or mnemonic.startswith("mulx") or bool(WRITE_ONLY.fullmatch(mnemonic))


def reads(instruction: Instruction) -> set[str]:
    """The registers (and the flags) that an instruction reads."""
    mnemonic, operands = instruction.mnemonic, instruction.operands
    found = _implied_reads(instruction)
    if ZERO_IDIOM.fullmatch(mnemonic) and len(set(operands)) == 1 and len(operands) > 1:
        return found
    sources = operands[:-2] if mnemonic.startswith("mulx") else operands[:-1]
    for operand in sources:
        found |= registers(operand)
    for operand in operands[-1:]:
        if is_memory(operand) or READ_ONLY.fullmatch(mnemonic) or not _overwrites(instruction):
            found |= registers(operand)
    return found


def writes(instruction: Instruction) -> set[str]:
    """The registers (and the flags) that an instruction writes."""
    mnemonic, operands = instruction.mnemonic, instruction.operands
    found: set[str] = {"flags"} if FLAG_WRITERS.fullmatch(mnemonic) else set()
    if len(operands) == 1 and ONE_OPERAND_PAIR.fullmatch(mnemonic):
        return found | {"rax", "rdx"}
    if mnemonic in ("cltd", "cqto"):
        return {"rdx"}
    if mnemonic in ("cltq", "cwtl"):
        return {"rax"}
    if mnemonic.startswith("mulx"):
        found |= _second_result(instruction)
    if operands and not is_memory(operands[-1]) and not READ_ONLY.fullmatch(mnemonic):
        found |= registers(operands[-1].split("{")[0])
    return found


def _implied_reads(instruction: Instruction) -> set[str]:
    mnemonic = instruction.mnemonic
    if FLAG_READERS.fullmatch(mnemonic):
        return {"flags"}
    if mnemonic in ("cltd", "cqto", "cltq", "cwtl"):
        return {"rax"}
    if mnemonic.startswith("mulx"):
        return {"rdx"}
    if len(instruction.operands) == 1 and ONE_OPERAND_PAIR.fullmatch(mnemonic):
        return {"rax", "rdx"} if "div" in mnemonic else {"rax"}
    return set()


def _second_result(instruction: Instruction) -> set[str]:
    return registers(instruction.operands[-2])


def latency(instruction: Instruction) -> int:
    """The nominal latency of an instruction, with its load if it has one."""
    kind = instruction.kind
    own = NOMINAL_LATENCY.get(kind, 1)
    if not reads_memory(instruction):
        return own
    return LOAD_LATENCY if kind == "moves" else own + LOAD_LATENCY


def path(body: list[Instruction], iterations: int, weighted: bool) -> int:
    """The longest dependency path through some iterations of the body."""
    ready: dict[str, int] = {}
    longest = 0
    steps = [(reads(i), writes(i), latency(i) if weighted else 1) for i in body]
    for _ in range(iterations):
        for sources, targets, cost in steps:
            end = max((ready.get(name, 0) for name in sources), default=0) + cost
            longest = max(longest, end)
            ready.update(dict.fromkeys(targets, end))
    return longest


def carried_chain(body: list[Instruction], weighted: bool) -> float:
    """The growth of the longest path per iteration: the chain that links the iterations."""
    return (path(body, 48, weighted) - path(body, 24, weighted)) / 24
