"""The model card: everything in one file that asks nobody for anything, names escaped, numbers those of the model."""

import re
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from core.export import EXPORTERS, read_model, write_model
from core.export._lowered import build, find, run
from core.export.card import code_snippets, write_card
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.trial import Frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.export.test_model_file import SMALL, designs


@pytest.fixture(scope="module")
def tested() -> FittedPipeline:
    return train(make_recipe("eiger"), machine_frame(12, 5), dataset="sample").model


class Page(HTMLParser):
    """The texts and tags of a page; every tag must be closed."""

    def __init__(self, raw: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(raw.decode())
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_a_tested_model_has_a_card_that_says_everything(tested: FittedPipeline) -> None:
    raw = write_card(tested, "my model", "2026-11-21 12:00", "for the cluster")
    page = Page(raw)
    said = "\n".join(page.texts)
    scores = tested.validation["scores"]
    assert f"half of the predictions are within {scores['median_ape']:.3g} % of the truth" in said
    for text in (
        "my model",
        "for the cluster",
        "2026-11-21 12:00",
        "one application left out at a time",
        "60",
        "sample",
        tested.provenance.trials_sha256,
        "app3",
        "gpu4",
        "ln(time) = ",
        "ridgeline predict model.json",
    ):
        assert text in said
    for metric, low in zip(tested.metrics, tested.domain.low, strict=True):
        assert metric.name in page.texts
        assert re.search(rf"{re.escape(metric.name)}\n.*\n{float(f'{low:.4g}'):g}", said.replace(",", ""))
    assert f"squared Mahalanobis distance above {tested.domain.furthest:.4g} over" in said
    assert page.tags.count("svg") == 2
    assert page.tags.count("circle") == 120
    assert "script" not in page.tags


def test_the_card_asks_nobody_for_anything(tested: FittedPipeline) -> None:
    text = write_card(tested).decode()
    assert not re.search(r"https?://|url\(|@import|<link|<img", text)
    assert "default-src 'none'" in text
    assert "screen and (prefers-color-scheme: dark)" in text  # paper is white
    assert "@media print" in text


def test_names_from_files_are_escaped(tested: FittedPipeline) -> None:
    evil = "<script>alert('1')</script>&\"$title"
    metrics = (replace(tested.metrics[0], name=evil), *tested.metrics[1:])
    model = replace(tested, metrics=metrics, notes=(evil,), provenance=replace(tested.provenance, dataset=evil))
    raw = write_card(model, evil, evil, evil)
    page = Page(raw)
    assert "script" not in page.tags
    assert unescape(raw.decode()).count(evil) >= 5


@pytest.mark.parametrize("name", ["forest", "splines", "gaussian_process", "lasso", "support_vectors"])
def test_every_kind_of_model_has_a_card(name: str) -> None:
    model = train(make_recipe(name, SMALL.get(name)), designs(60), parse_folds("kfold:3")).model
    page = Page(EXPORTERS["card"]().write(model))
    assert ("What matters to it" in page.texts) == (name != "support_vectors")
    assert "By fold: 3, the worst first" in page.texts


def test_an_untested_model_says_so_and_draws_nothing() -> None:
    page = Page(write_card(make_recipe("eiger").fit(machine_frame(12, 5))))
    assert "svg" not in page.tags
    assert "It was never tested on trials that it had not seen: nobody knows how good it is." in page.texts


def test_a_model_of_the_original_eiger_does_not_say_where_it_holds() -> None:
    text = b"1\nsize\n[1](1.0)\n[1](2.0)\n[1,1]((1.0))\nModel 0\n[1](0.0)\n[1](3.0)\n1 0 2\n"
    said = Page(write_card(read_model(text))).texts
    assert "Its file does not say in which range it was trained." in said
    assert not [text for text in said if "e+30" in text or "e+29" in text]


def test_the_command_line_writes_it(tested: FittedPipeline, tmp_path) -> None:
    (tmp_path / "model.json").write_bytes(write_model(tested))
    assert main(["export", str(tmp_path / "model.json"), "--to", "card", "--out", str(tmp_path / "card.html")]) == 0
    assert (tmp_path / "card.html").read_bytes() == EXPORTERS["card"]().write(tested)


def test_the_points_are_of_trials_that_were_held_out(tested: FittedPipeline) -> None:
    points = tested.validation["points"]
    ape = 100 * np.abs(np.array(points["predicted"]) / np.array(points["observed"]) - 1)
    assert np.median(ape) == pytest.approx(tested.validation["scores"]["median_ape"], rel=1e-4)


@pytest.mark.parametrize("wide", [False, True])
def test_the_snippets_of_code_run_and_say_what_the_model_says(
    tested: FittedPipeline, wide: bool, tmp_path: Path
) -> None:
    model = tested if not wide else make_recipe("ridge", {}).fit(widened(machine_frame(12, 5)))
    (_, c), (_, python) = code_snippets(model)
    texts = Page(write_card(model)).texts
    assert c in texts
    assert python in texts
    row = np.array([[float(v) for v in re.search(r"row = \[(.*?)\]", python, re.DOTALL)[1].split(",")]])
    assert ("more, in the order" in c) == wide
    said = model.predict(row).value[0]
    for format, name in (("c", "model.h"), ("python", "model.py")):
        (tmp_path / name).write_bytes(EXPORTERS[format]().write(model))
    (tmp_path / "use.c").write_text(c)
    (tmp_path / "use.py").write_text(python)
    build(find("c"), "c", tmp_path / "use.c", tmp_path / "use")
    assert float(run([str(tmp_path / "use")], tmp_path).split(b",")[0]) == pytest.approx(said, rel=1e-9)
    printed = run([sys.executable, "-S", "use.py"], tmp_path).split()
    assert float(printed[0]) == pytest.approx(said, rel=1e-12)


def widened(frame: Frame) -> Frame:
    """Return trials with every metric four times, each with a little noise of its own."""
    rng = np.random.default_rng(0)
    X = np.hstack([frame.X * rng.uniform(0.9, 1.1, frame.X.shape) for _ in range(4)])
    metrics = tuple(replace(m, name=f"{m.name} {k} */") for k in range(4) for m in frame.metrics)
    return replace(frame, X=X, metrics=metrics)
