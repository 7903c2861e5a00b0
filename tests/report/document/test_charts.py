"""Pictures of documents: well-formed, every value where it belongs, what is outside or unknown told apart."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from core.report.document.charts import N_LOOKS, Series, Sketch, bars, boxes, heat, plot, spans
from core.report.shared.svg import WIDTH, Area, Axis, axis_for

NAN = float("nan")


def parsed(drawn: Sketch) -> ElementTree.Element:
    root = ElementTree.fromstring(drawn.svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for mark in root.iter():
        for x, limit in (("x", width), ("cx", width), ("x1", width), ("y", height), ("cy", height), ("y1", height)):
            assert 0 <= float(mark.attrib.get(x, 0)) <= limit
    assert root.find("title").text == root.attrib["aria-label"]
    return root


def rects(drawn: Sketch) -> list[tuple[float, float]]:
    return [(float(r.attrib["x"]), float(r.attrib["width"])) for r in parsed(drawn).iter("rect")]


def test_bars_are_as_long_as_their_values() -> None:
    drawn = bars(["a", "b", "c & d"], np.array([10.0, 5.0, NAN]), "error (%)", "a errs <twice> as much")
    (left, long), (again, short) = rects(drawn)
    assert left == again == 168
    assert long == pytest.approx(2 * short, abs=0.2)
    assert "c &amp; d" in drawn.svg


def test_bars_below_zero_end_at_zero() -> None:
    (left, width), (start, _) = rects(bars(["a", "b"], np.array([-4.0, 4.0]), "gain", "half lose"))
    assert left + width == pytest.approx(start, abs=0.2)


def test_a_whisker_reaches_from_low_to_high() -> None:
    root = parsed(bars(["a"], np.array([4.0]), "time (s)", "one", np.array([[2.0, 8.0]])))
    whisker = next(g for g in root.iter("g") if g.attrib.get("class") == "whisker")
    line = whisker[0].attrib
    (left, width), *_ = rects(bars(["a"], np.array([4.0]), "time (s)", "one", np.array([[2.0, 8.0]])))
    assert float(line["x1"]) - left == pytest.approx(width / 2, abs=0.3)
    assert float(line["x2"]) - left == pytest.approx(2 * width, abs=0.3)


def test_boxes_show_mean_spread_and_extremes() -> None:
    values = np.array([1.0, 2.0, 3.0, 10.0])
    root = parsed(boxes(["g"], [values], "error (%)", "one box"))
    box = next(iter(root.iter("rect"))).attrib
    mark = next(line for line in root.iter("line") if line.attrib.get("class") == "mark").attrib
    whisker = next(g for g in root.iter("g") if g.attrib.get("class") == "whisker")[0].attrib
    per = (float(whisker["x2"]) - float(whisker["x1"])) / 9
    assert float(box["width"]) == pytest.approx(2 * values.std() * per, abs=0.2)
    assert float(mark["x1"]) - float(whisker["x1"]) == pytest.approx((values.mean() - 1) * per, abs=0.2)


def test_a_map_has_a_square_per_known_number_and_readable_text() -> None:
    drawn = heat(["1", "2"], ["low", "high"], np.array([[1.0, NAN], [3.0, 4.0]]), ("clock (MHz)", "cores"), "grows")
    squares = list(parsed(drawn).iter("rect"))
    assert len(squares) == 3
    for fill, ink in re.findall(r'fill:rgb\((.*?)\)".*?style="fill:(#\w+)"', drawn.svg):
        assert contrast(tuple(map(int, fill.split(","))), (0,) * 3 if ink == "#000" else (255,) * 3) >= 4.5


def contrast(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    def light(colour: tuple[int, ...]) -> float:
        parts = [c / 255 for c in colour]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    bright, dark = sorted((light(a), light(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("share", np.linspace(0, 1, 41).tolist())
def test_every_colour_of_a_map_is_readable(share: float) -> None:
    drawn = heat(["a", "b", "c"], [""], np.array([[0.0, share, 1.0]]), ("", ""), "x")
    for fill, ink in re.findall(r'fill:rgb\((.*?)\)".*?style="fill:(#\w+)"', drawn.svg):
        assert contrast(tuple(map(int, fill.split(","))), (0,) * 3 if ink == "#000" else (255,) * 3) >= 4.5


def test_curves_are_named_dashed_apart_and_break_where_nothing_is_known() -> None:
    x = np.arange(5.0)
    series = [Series(f"s{i}", x, x + i) for i in range(N_LOOKS)]
    broken = Series("broken", x, np.array([0.0, 1.0, NAN, 3.0, 4.0]))
    root = parsed(plot([*series, broken], axis_for("n", x), axis_for("y", np.arange(12.0)), "they rise"))
    groups = [g for g in root.iter("g") if g.attrib.get("class", "").startswith("curve")]
    drawn = groups[: N_LOOKS + 1]
    assert len({(g.attrib["class"], g.attrib.get("stroke-dasharray", "")) for g in drawn[:N_LOOKS]}) == N_LOOKS
    assert len(drawn[-1]) == 2
    assert {t.text for t in root.iter("text")} >= {s.name for s in (*series, broken)}


def test_spans_lie_where_they_begin_and_end() -> None:
    found = rects(spans(["a", "b"], np.array([0.0, 2.0]), np.array([2.0, 4.0]), [True, False], "time (s)", "b after a"))
    assert found[0][0] + found[0][1] == pytest.approx(found[1][0], abs=0.2)


def test_places_follow_the_axis() -> None:
    area = Area()
    log = Axis("t", 1.0, 100.0, log=True)
    assert area.x(log.share(np.array([1.0, 10.0, 100.0]))).tolist() == pytest.approx(
        [68, (68 + WIDTH - 12) / 2, WIDTH - 12]
    )
    assert area.y(Axis("", 0.0, 2.0).share(np.array([0.0, 2.0]))).tolist() == [area.top + area.height, area.top]
