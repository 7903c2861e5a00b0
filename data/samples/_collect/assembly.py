"""Reading of x86-64 assembly (AT&T syntax): operands, registers, classes and memory traffic."""

import re
from dataclasses import dataclass

REGISTER = re.compile(r"%([a-z]+[0-9]*[a-z]*)")
VECTOR = re.compile(r"%([xyz])mm(\d+)")
WIDTHS = {"x": 16, "y": 32, "z": 64}
SUFFIX_BYTES = {"b": 1, "w": 2, "l": 4, "q": 8}
LEGACY = {"a": "rax", "b": "rbx", "c": "rcx", "d": "rdx"}

# The first pattern that matches the mnemonic (without the AVX prefix v) names its class.
CLASSES: tuple[tuple[str, str], ...] = (
    ("branches", r"j[a-z]+"),
    ("selects", r"cmov[a-z]+|set[a-z]+|p?blend[a-z0-9]*"),
    ("fp_fmas", r"fn?m(add|sub|addsub|subadd)\d+[ps][sd]"),
    ("fp_divisions", r"div[ps][sd]|rcp[ps]s|rcp14[ps][sd]"),
    ("fp_roots", r"r?sqrt(14)?[ps][sd]"),
    ("fp_multiplications", r"(mul|dp)[ps][sd]"),
    ("fp_additions", r"(add|sub|addsub|hadd|hsub)[ps][sd]"),
    ("fp_comparisons", r"(min|max|u?comi|cmp\w*)[ps][sd]"),
    ("conversions", r"cvt.*|pmov[sz]x.*|pmov(s|us)?[wdq][bwd]|pmovm2[bwdq]"),
    ("vector_multiplications", r"pmul.*|pmadd.*"),
    ("vector_shifts", r"ps[lr][la][wdq]|psra[wdq]|ps[rl]ldq|p[sr][lrho][lao]v[wdq]|pro[lr].*"),
    ("vector_logic", r"(p?andn?|p?x?or|pternlog|ptest[mn]*)([ps][sd]|[dq])?"),
    ("vector_arithmetic", r"p(add|sub|avg|sad|abs|min|max|sign|hadd|hsub|cmp|opcnt)[a-z]+"),
    ("shuffles", r"(p?shuf|p?unpck|perm|pack|insert|extract|p?broadcast|palign|valign|align).*"),
    ("shuffles", r"pinsr.|pextr.|pack.*|perm.*|pack[su]s.*|p?movmsk.*|pmovmskb|mov(hl|lh)ps"),
    ("shuffles", r"mov[sdl]?h?ldup|movs[hl]dup|movddup|pcompress.*|pexpand.*|pgather.*|gather.*"),
    ("divisions", r"i?div[bwlq]?"),
    ("multiplications", r"i?mul[bwlqx]*"),
    ("shifts", r"(sh[lr]d?|sa[rl]|ro[lr])[bwlqx]*"),
    ("comparisons", r"(cmp|test|bt)[bwlq]?"),
    ("moves", r"mov.*|lddqu|k?mov[bwdq]|clt[dq]|cqto|cwt[ld]|xchg[bwlq]|knot.*|kxnor.*|kor.*|kand.*"),
)
SCALAR_LOGIC = re.compile(r"(andn?|x?or)[lq]?")


@dataclass(frozen=True)
class Instruction:
    """One instruction: its mnemonic, its operands in AT&T order and its original text."""

    mnemonic: str
    operands: tuple[str, ...]
    text: str

    @property
    def base(self) -> str:
        """The mnemonic without the v of its AVX form."""
        return self.mnemonic[1:] if self.mnemonic.startswith("v") else self.mnemonic

    @property
    def is_vector(self) -> bool:
        """Whether any operand is a vector register."""
        return bool(VECTOR.search(" ".join(self.operands)))

    @property
    def kind(self) -> str:
        """The class that the instruction is counted in."""
        if not self.is_vector and SCALAR_LOGIC.fullmatch(self.mnemonic):
            return "integer_operations"
        for name, pattern in CLASSES:
            if re.fullmatch(pattern, self.base):
                return name
        return "integer_operations"


def parse(line: str) -> Instruction:
    """Read one line of assembly that holds an instruction."""
    text = line.split("#")[0].strip()
    mnemonic, _, rest = text.partition("\t")
    if not rest and " " in text:
        mnemonic, _, rest = text.partition(" ")
    operands = re.split(r",\s*(?![^(]*\))", rest.strip()) if rest.strip() else []
    return Instruction(mnemonic, tuple(operands), text)


def is_memory(operand: str) -> bool:
    """Whether an operand is a memory reference."""
    return "(" in operand or not (operand.startswith(("%", "$", ".L")) or operand.isalpha())


def canonical(name: str) -> str:
    """One name for all widths of a register: eax and al give rax, ymm3 gives v3."""
    if match := re.fullmatch(r"[xyz]mm(\d+)", name):
        return f"v{match[1]}"
    if match := re.fullmatch(r"r(\d+)[dwb]?", name):
        return f"r{match[1]}"
    if match := re.fullmatch(r"[er]?([abcd])[xlh]", name):
        return LEGACY[match[1]]
    if match := re.fullmatch(r"[er]?([sd]i|[sb]p)l?", name):
        return f"r{match[1]}"
    return name


def registers(operand: str) -> set[str]:
    """The registers that an operand names."""
    return {canonical(name) for name in REGISTER.findall(operand)}


def vector_bytes(instruction: Instruction) -> int:
    """The widest vector register of an instruction in bytes, 0 when it has none."""
    found = VECTOR.findall(" ".join(instruction.operands))
    return max((WIDTHS[letter] for letter, _ in found), default=0)


def memory_bytes(instruction: Instruction) -> int:
    """How many bytes one memory operand of the instruction holds."""
    base, wide = instruction.base, vector_bytes(instruction)
    if wide:
        return _vector_memory_bytes(base, wide, instruction)
    if match := re.fullmatch(r"mov[sz]([bwl])[wlq]", base):
        return SUFFIX_BYTES[match[1]]
    if base.startswith("set"):
        return 1
    return SUFFIX_BYTES.get(base[-1], 8)


def _vector_memory_bytes(base: str, wide: int, instruction: Instruction) -> int:
    if re.search(r"\{1to\d+\}", instruction.text):
        return 8 if base.endswith(("pd", "q")) else 4
    if match := re.fullmatch(r"pmov[sz]x([bwd])([wdq])", base):
        return wide >> ("bwdq".index(match[2]) - "bwdq".index(match[1]))
    if "gather" in base:
        return WIDTHS[VECTOR.findall(instruction.operands[-1])[0][0]]
    if match := re.fullmatch(r"p(?:insr|extr|broadcast)([bwdq])", base):
        return 1 << "bwdq".index(match[1])
    if match := re.search(r"(?:f|i)(128|32x4|64x2|64x4|32x8)$", base):
        return 32 if match[1] in ("64x4", "32x8") else 16
    if re.fullmatch(r"(cvt(dq|ps|udq)2pd|pmov(s|us)?[wdq][bwd])", base):
        return wide // 2
    if base in ("movq", "movsd", "movlps", "movhps", "movlpd", "movhpd", "movddup"):
        return 8
    if base in ("movd", "movss", "insertps", "extractps") or base.startswith("cvtsi2"):
        return 8 if base.endswith("q") else 4
    if base.endswith("ss"):
        return 4
    return 8 if base.endswith("sd") else wide
