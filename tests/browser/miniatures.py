"""Start's four pictures, one per question, drawn from the samples; run by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/miniatures.py pages/_start

The page puts its own ink in place of `currentColor`; marks are seen on light and dark grounds.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import numpy as np

from core.codec import FloatArray
from core.curate import join
from core.ingest import load_sample
from core.recipes import make_recipe
from core.recipes import validate as validated
from core.report.shared.naming import short_number
from core.scaling.gather import study_from_measured
from core.store import Store
from core.trial import Frame, Kind
from core.validate.folds import parse_folds
from core.workspace import SAMPLES

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 320, 132, 46, 20, 12, 20
MARK, OTHER = "#3b82d6", "#d9822b"
"""Contrast of at least 2.9 on white and on the dark ground."""
MOST_POINTS = 120
Span = tuple[float, float]


def main() -> None:
    """Write the four files."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "x.duckdb") as store:
        for name, draw in DRAWN.items():
            dataset, drawn = draw
            if dataset not in store.datasets.names():
                store.add(dataset, load_sample(SAMPLES / dataset))
            (Path(sys.argv[1]) / f"{name}.svg").write_text(drawn(store), "utf-8")


def cost(store: Store) -> str:
    """Predicted over measured cycles of kernels held out."""
    frame, predicted = _held_out(store.frame("generations", "cycles"), "extra_trees")
    x, y = np.log10(frame.y), np.log10(predicted)
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    span = float(low), float(high)
    marks = _line(span, span, span, span, "currentColor", 1) + _dots(x, y, span, span)
    return _whole(marks, "predicted over measured cycles, held out", _ends(10**low, 10**high))


def parameters(store: Store) -> str:
    """Mean cycles at each level of each parameter, over those at its lowest."""
    frame = store.frame("design_space", "cycles")
    curves = []
    for j, metric in enumerate(frame.metrics):
        if metric.kind is not Kind.PARAMETER:
            continue
        levels = np.unique(frame.X[:, j])
        means = np.array([np.log(frame.y[frame.X[:, j] == level]).mean() for level in levels])
        curves.append((metric.name.replace("_", " "), np.linspace(0, 1, len(levels)), np.exp(means - means[0])))
    low = min(y.min() for _, _, y in curves)
    marks = "".join(_line(x, y, (0, 1), (low, 1), MARK, 1.6) for _, x, y in curves)
    steepest, _, _ = min(curves, key=lambda curve: curve[2][-1])
    marks += _text(LEFT + 8, HEIGHT - BOTTOM - 6, steepest, "start")
    return _whole(marks, "cycles as each parameter is raised", ("× 1", f"× {low:.2g}"))


def next_machine(store: Store) -> str:
    """The gain of each kernel on the next machine, sorted, and as predicted."""
    frame = join(store.host_target("generations", "cycles", "haswell", "icelake-server")).frame
    host = frame.X[:, [m.name for m in frame.metrics].index("cycles on haswell")]
    frame, predicted = _held_out(frame, "ridge", host)
    order = np.argsort(host / frame.y)
    measured, told = (host / frame.y)[order], (host / predicted)[order]
    x, span = np.linspace(0, 1, len(order)), (0.5, float(np.quantile(measured, 0.98)))
    marks = _dots(x, told, (0, 1), span) + _line(x, measured, (0, 1), span, OTHER, 2.2)
    return _whole(marks, "gain on Ice Lake: measured, predicted", (f"× {span[1]:.2g}", f"× {span[0]:.2g}"))


def scaling(store: Store) -> str:
    """Speed-ups of some kernels over the multiprocessors of a GPU."""
    study = study_from_measured(store.measured("gpu_scaling"), ["time"])
    width = study.grid[:, 0]
    largest = np.all(study.grid[:, 1:] == study.grid[:, 1:].max(axis=0), axis=1)
    at = np.flatnonzero(largest)[np.argsort(width[largest])]
    gains = study.values[0][:, at][:, :1] / study.values[0][:, at]
    shown = gains[np.argsort(gains[:, -1])][:: len(gains) // 14]
    high = float(shown.max())
    along = np.sort(width[largest])
    marks = "".join(_line(along, one, (along[0], along[-1]), (1, high), MARK, 1.4) for one in shown)
    return _whole(marks, f"gain of {len(shown)} kernels on 8 to 132 multiprocessors", (f"× {high:.2g}", "× 1"))


def _held_out(frame: Frame, recipe: str, host: FloatArray | None = None) -> tuple[Frame, FloatArray]:
    found = validated(make_recipe(recipe), frame, parse_folds("kfold:5:application"))
    return frame, found.predicted


def _x(value: float, span: Span) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - span[0]) / (span[1] - span[0])


def _y(value: float, span: Span) -> float:
    share = min(max((value - span[0]) / (span[1] - span[0]), 0.0), 1.0)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _line(
    x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray, across: Span, up: Span, colour: str, width: float
) -> str:
    places = " ".join(f"{_x(a, across):.0f},{_y(b, up):.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def _dots(x: FloatArray, y: FloatArray, across: Span, up: Span) -> str:
    chosen = np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).astype(int)
    dots = "".join(f'<circle cx="{_x(x[i], across):.0f}" cy="{_y(y[i], up):.0f}" r="2"/>' for i in chosen)
    return f'<g fill="{MARK}" fill-opacity=".75">{dots}</g>'


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(said)}</text>'


def _ends(low: float, high: float) -> tuple[str, str]:
    return short_number(high, 3), short_number(low, 3)


def _whole(marks: str, said: str, up: tuple[str, str]) -> str:
    """Return the file: marks over an axis whose upper and lower end are named."""
    ends = _text(LEFT - 5, TOP + 4, up[0], "end") + _text(LEFT - 5, HEIGHT - BOTTOM, up[1], "end")
    axes = f'<path d="M{LEFT} {TOP - 4}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="currentColor" opacity=".5"/>'
    words = f'<g fill="currentColor" font-size="11">{ends}{_text(LEFT, HEIGHT - 5, said, "start")}'
    inside, after = marks.partition("<text")[0], marks.partition("<text")[1] + marks.partition("<text")[2]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    return f"{head}{axes}{inside}{words}{after}</g></svg>\n"


DRAWN: dict[str, tuple[str, Callable[[Store], str]]] = {
    "cost": ("generations", cost),
    "parameters": ("design_space", parameters),
    "next": ("generations", next_machine),
    "scaling": ("gpu_scaling", scaling),
}

if __name__ == "__main__":
    main()
