"""Ten groups can be told apart with and without red and green cones, and stand out from the ground they lie on."""

import itertools
import json
import tomllib

import numpy as np
import pytest
from plotly.utils import PlotlyJSONEncoder

from core.report.figures import draw
from core.report.figures.theme import Theme, worn
from core.report.shared.naming import PALETTE
from core.workspace import ROOT

SIGHT = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
"""Machado, Oliveira, Fernandes 2009, severity 1, of linear RGB."""
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
"""Ottosson 2020: distances of 0.01 can just be seen side by side; Okabe and Ito's eight colours are 0.076 apart."""
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
LIGHT, DARK = ("#ffffff", "#f2f5f8"), ("#12171d", "#1c232b")
PALETTES = {
    "light": (THEME["light"]["chartCategoricalColors"], LIGHT, 0.09),
    "dark": (THEME["dark"]["chartCategoricalColors"], DARK, 0.09),
    "both": (PALETTE, (*LIGHT[:1], *DARK[:1]), 0.07),
}


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def seen(colour: str, sight: str) -> np.ndarray:
    return TO_OKLAB @ np.cbrt(TO_CONES @ np.clip(SIGHT[sight] @ linear(colour), 0, 1))


def contrast(a: str, b: str) -> float:
    dark, light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", PALETTES)
def test_colours_can_be_told_apart(name: str) -> None:
    colours, grounds, least = PALETTES[name]
    assert len(set(colours)) == 10
    near = [
        (sight, a, b)
        for sight in SIGHT
        for a, b in itertools.combinations(colours, 2)
        if np.linalg.norm(seen(a, sight) - seen(b, sight)) < least
    ]
    assert near == []
    assert [c for c in colours if min(contrast(c, ground) for ground in grounds) < 3] == []


LOOKS = Theme("#111111", "#222222", "#333333", "#444444", ("#555555",), ("#000000", "#ffffff"), ("#ff0000", "#0000ff"))


def test_a_figure_wears_the_colours_of_the_page_where_it_has_none_of_its_own() -> None:
    made = worn(draw.new_figure(300, font={"size": 9}, xaxis={"title": "size", "color": "#999999"}), LOOKS)
    layout = made["layout"]
    assert layout["font"] == {"family": '"Source Sans", sans-serif', "size": 9, "color": "#111111"}
    assert (layout["xaxis"]["color"], layout["xaxis"]["title"]["text"]) == ("#999999", "size")
    assert (layout["yaxis"]["color"], layout["yaxis"]["gridcolor"]) == ("#222222", "#333333")


@pytest.mark.parametrize(("least", "ends"), [(-1.0, ["#ff0000", "#0000ff"]), (0.5, ["#000000", "#ffffff"])])
def test_a_map_left_to_its_numbers_has_two_colours_about_nothing_and_one_scale_else(
    least: float, ends: list[str]
) -> None:
    figure = draw.new_figure(300)
    figure.add_trace(draw.heat([[least, 2.0]], "ab", "c", None, autocolorscale=True))
    trace = worn(figure, LOOKS)["data"][0]
    assert [colour for _, colour in trace["colorscale"]] == ends
    assert trace["autocolorscale"] is False


def test_nothing_of_a_figure_is_of_a_form_that_is_drawn_again_when_it_comes_again() -> None:
    figure = draw.new_figure(300)
    draw.dots(figure, np.arange(3.0), np.arange(3), marker={"color": np.arange(3.0)})
    sent = json.dumps(worn(figure, LOOKS), cls=PlotlyJSONEncoder)
    assert '"bdata"' not in sent
    assert '"template"' not in sent
    assert '"datarevision": 0' in sent
