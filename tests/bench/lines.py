"""Lines of code of `core` and `pages` by room, without blanks, comments and docstrings, as `ruff format` alone lays them out.

python tests/bench/lines.py [FOLDER of a checkout]
"""

import ast
import io
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("core", "pages")
_NOTHING = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(text: str) -> int:
    """Return how many lines of a module hold code."""
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOTHING:
            used.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        for child in getattr(node, "body", None) if isinstance(getattr(node, "body", None), list) else ():
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                used -= set(range(child.lineno, (child.end_lineno or child.lineno) + 1))
    return len(used)


def by_room(checkout: Path) -> Counter[str]:
    """Return the lines of each room."""
    lines: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            shutil.copytree(checkout / part, Path(folder) / part, ignore=shutil.ignore_patterns("__pycache__"))
        files = sorted(Path(folder).rglob("*.py"))
        for file in files:  # the magic comment keeps a layout that `ruff format` would change
            file.write_text(file.read_text().replace("# fmt: skip", ""))
        ruff = Path(sys.executable).with_name("ruff")
        subprocess.run([ruff, "format", "--quiet", "--line-length", "120", folder], check=True)
        for file in files:
            room = "/".join(file.relative_to(folder).parts[:2]).removesuffix(".py")
            lines[room] += code_lines(file.read_text())
    return lines


def main() -> None:
    """Print one line per room, and the sum of each part."""
    lines = by_room(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    for room, n in sorted(lines.items()):
        print(f"{n:7,}  {room}")
    for part in PARTS:
        print(f"{sum(n for room, n in lines.items() if room.startswith(part)):7,}  {part} altogether")
    print(f"{lines.total():7,}  both")


if __name__ == "__main__":
    main()
