"""Draw docs/rooms.svg, the rooms of the house by their imports: `python docs/rooms.py`.

A room stands above all that it imports. An arrow goes to what a room imports and none of the others that it imports
leads to. What nearly everything imports (rooms that import only such) is the ground, without arrows.
"""

import ast
from collections.abc import Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SVG = ROOT / "docs" / "rooms.svg"
WIDTH, HEIGHT, GAP, ROW, LEFT = 176, 64, 12, 104, 20
Imports = Mapping[str, frozenset[str]]


def room_of(module: str) -> str:
    """Return the room of a module such as `core.models.ridge`; "" for what is in none."""
    first, *rest = module.split(".")
    return rest[0] if first == "core" and rest and rest[0] != "__version__" else first * (first == "pages")


def rooms_imported(root: Path) -> Imports:
    """Return which rooms each room imports, read from the code."""
    found: dict[str, set[str]] = {}
    for path in sorted([*(root / "core").rglob("*.py"), *(root / "pages").rglob("*.py")]):
        mine = room_of(".".join(path.relative_to(root).with_suffix("").parts))
        if mine == "__init__":
            continue
        nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
        named = {f"{n.module}.{a.name}" if n.module == "core" else str(n.module) for n in nodes for a in n.names}
        found.setdefault(mine, set()).update(room_of(name) for name in named)
    return {room: frozenset(own - {"", room}) for room, own in found.items()}


def ground_of(imports: Imports) -> frozenset[str]:
    """Return the single modules that import nothing but such: values and tools that every room may use."""
    alone = {room for room in imports if not (ROOT / "core" / room).is_dir() and room != "pages"}
    while True:
        kept = {room for room in alone if imports[room] <= alone}
        if kept == alone:
            return frozenset(kept)
        alone = kept


def reach(room: str, imports: Imports) -> frozenset[str]:
    """Return all rooms that a room imports, be it through others."""
    return imports[room].union(*(reach(other, imports) for other in imports[room]))


def levels_of(imports: Imports) -> list[list[str]]:
    """Return the rooms in rows, each above all that it imports; the lowest row first."""
    level: dict[str, int] = {}

    def height(room: str) -> int:
        if room not in level:
            level[room] = 1 + max((height(other) for other in imports[room]), default=-1)
        return level[room]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(height, imports)))]
    for room in sorted(imports):
        rows[level[room]].append(room)
    return rows


def said_of(room: str) -> str:
    """Return the first sentence that a room says of itself."""
    if room == "pages":
        return "One file a page, drawn with Streamlit from what report has to say"
    path = ROOT / "core" / room / "__init__.py"
    text = ast.get_docstring(ast.parse((path if path.exists() else path.parent.with_suffix(".py")).read_text("utf-8")))
    return (text or "").split("\n")[0].split("; see")[0].rstrip(".;")


def drawn(root: Path = ROOT) -> str:
    """Return the picture as SVG."""
    every = rooms_imported(root)
    ground = ground_of(every)
    imports = {room: own - ground for room, own in every.items() if room not in ground}
    rows = levels_of(imports)
    width = 2 * LEFT + max(map(len, rows)) * (WIDTH + GAP) - GAP
    top = {room: LEFT + (len(rows) - 1 - i) * ROW for i, row in enumerate(rows) for room in row}
    left = {
        room: (width - len(row) * (WIDTH + GAP) + GAP) // 2 + k * (WIDTH + GAP)
        for row in rows
        for k, room in enumerate(row)
    }
    boxes = [_box(room, left[room], top[room]) for room in sorted(imports)]
    arrows = [
        _arrow(left[room], top[room], left[other], top[other])
        for room in sorted(imports)
        for other in sorted(imports[room])
        if not any(other in reach(between, imports) for between in imports[room])
    ]
    below = LEFT + len(rows) * ROW
    return _page(width, below, [*arrows, *boxes, *_ground(sorted(ground), width, below)])


def _box(room: str, x: int, y: int) -> str:
    lines = _wrapped(said_of(room), 30)
    shown = lines[:3] if len(lines) < 4 else [*lines[:2], f"{lines[2]} …"]
    told = "".join(
        f'<text class="told" x="{x + 8}" y="{y + 31 + 12 * i}">{escape(t)}</text>' for i, t in enumerate(shown)
    )
    box = f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
    return f'{box}<text x="{x + 8}" y="{y + 17}">{room}</text>{told}'


def _arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    start, end, below = x + WIDTH // 2, to_x + WIDTH // 2, y + HEIGHT
    bend = (to_y - below) // 2
    return f'<path d="M{start} {below}C{start} {below + bend} {end} {to_y - bend} {end} {to_y - 5}"/>'


def _ground(rooms: list[str], width: int, y: int) -> list[str]:
    lines = _wrapped("used by all: " + " · ".join(rooms), (width - 2 * LEFT) // 6)
    return [f'<text class="told" x="{LEFT}" y="{y + 8 + 14 * i}">{line}</text>' for i, line in enumerate(lines)]


def _wrapped(text: str, most: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) < most:
            lines[-1] = f"{lines[-1]} {word}".strip()
        else:
            lines.append(word)
    return lines


def _page(width: int, below: int, parts: list[str]) -> str:
    style = (
        "svg{font:13px sans-serif;background:#fff}rect{fill:#f4f6f8;stroke:#8a939c}"
        "text{fill:#1d2329;font-weight:600}.told{font-size:10.5px;font-weight:400;fill:#454d55}"
        "path{fill:none;stroke:#6b7580;stroke-width:1.2;marker-end:url(#to)}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {below + 40}" role="img">'
    title = "<title>The rooms of Ridgeline: each imports only what stands below it</title>"
    marker = (
        '<marker id="to" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#6b7580;stroke:none;marker-end:none"/></marker>'
    )
    return "\n".join([head, title, f"<style>{style}</style>", f"<defs>{marker}</defs>", *parts, "</svg>", ""])


if __name__ == "__main__":
    SVG.write_text(drawn(), "utf-8")
