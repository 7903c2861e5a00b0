"""Python's functions return what the verbs print, and a notebook shows it; the guide's code runs."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core import api
from core.api.display import HTML
from core.cli import main
from core.errors import OptionError, RidgelineError
from core.registry import unknown
from core.trial import Frame

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty runs whose time is nearly three per million instructions and one per thousand misses."""
    draw = np.random.default_rng(5)
    rows = [
        f"app{i % 6},{n},{m},{3e-6 * n * draw.lognormal(0, 0.02) + 1e-3 * m:.6f}"
        for i, (n, m) in enumerate(zip(draw.integers(10**6, 10**8, 60), draw.integers(100, 90_000, 60), strict=True))
    ]
    path = tmp_path_factory.mktemp("api") / "trials.csv"
    path.write_text("application,instructions,misses,time (ms)\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def data(trials: Path) -> api.Data:
    return api.read(trials)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_files_are_taken_as_the_command_line_takes_them(
    trials: Path, data: api.Data, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(capsys, "inspect", str(trials))
    assert json.loads(json.dumps(api.inspect(trials).plain())) == said
    assert data.recognition is not None
    assert data.responses == ("time",)
    assert len(data.frame()) == 60


def test_a_fit_is_that_of_the_command_line(
    trials: Path, data: api.Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = str(tmp_path / "x.duckdb")
    assert main(["--db", database, "import", str(trials), "--dataset", "read"]) == 0
    out = tmp_path / "m.json"
    words = ("fit", "eiger", "--dataset", "read", "--response", "time", "--folds", "kfold:4", "--set", "components=2")
    said = printed(capsys, "--db", database, *words, "--out", str(out))
    trained = api.fit("eiger", data, folds="kfold:4", components=2)
    api.save(trained.model, tmp_path / "own.json")
    assert (tmp_path / "own.json").read_bytes() == out.read_bytes()
    assert said["validation"]["scores"]["mape"] == pytest.approx(trained.validation.scores.mape)
    assert (
        api.validate("eiger", api.dataset("read", database), "kfold:4", components=2).scores
        == trained.validation.scores
    )


def test_responses_may_be_named_alone_or_with_their_units(trials: Path) -> None:
    for given, unit in ("instructions", ""), (["instructions"], ""), ([("instructions", "s")], "s"):
        assert str(api.read(trials, responses=given).frame("instructions").response.unit) == unit


def test_what_is_unknown_is_said(data: api.Data, trials: Path, tmp_path: Path) -> None:
    (no_text := tmp_path / "space.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(OptionError, match="eigr"):
        api.fit("eigr", data)
    with pytest.raises(OptionError, match="colour"):
        api.fit("ridge", data, colour=3)
    with pytest.raises(OptionError, match="sometimes"):
        api.auto(data, folds="sometimes")
    wrong: Any = [{"a": 1}]
    for call, said in (
        (lambda: api.read(), "got none"),
        (lambda: api.read(wrong), "named by their paths; got list"),
        (lambda: api.predict(api.fit("ridge", data, folds="3"), wrong), "named by their paths; got list"),
        (lambda: api.fit("ridge", wrong), "what read.* returns, or a frame of it; got list"),
        (lambda: api.inspect(trials, foo="x"), "There is no argument 'foo'"),
        (lambda: api.read(trials, machine=wrong), "machine takes a name, got"),
        (lambda: api.read(trials, parameters=3), "parameters takes names, got 3"),
        (lambda: api.save(api.fit("ridge", data), tmp_path), "cannot be written: Is a directory"),
        (lambda: api.save(wrong, tmp_path / "m.json"), "A model is what .* returns; got list"),
        (lambda: api.race(data, "kfold:3", entries="oils"), "'oils'"),
        (lambda: api.space(no_text), "is not UTF-8 text"),
        (lambda: data.frame(where=("machine", "=", "a")), "of three parts"),
        (lambda: data.frame(where=[("application", "<", "x")]), "'application < x' compares numbers, and 'x' is none"),
        (lambda: data.frame(where=[("application", "~", "x")]), "no comparison '~'"),
    ):
        with pytest.raises(RidgelineError, match=said):
            call()
    swapped: Any = (data, "ridge")
    with pytest.raises(OptionError, match="The recipe comes first"):
        api.fit(*swapped)


def test_what_says_the_same_is_taken_alike(data: api.Data, tmp_path: Path, trials: Path) -> None:
    """A number of folds or beside a sign, one metric, and what fit returns in place of its model."""
    number: Any = 3
    trained = api.fit("ridge", data, folds=number)
    assert trained.validation.scores == api.fit("ridge", data, folds="kfold:3").validation.scores
    frame = data.frame()
    middle = float(np.median(frame.X[:, 0]))
    assert len(data.frame(where=[(frame.names[0], ">", middle)])) == int((frame.X[:, 0] > middle).sum())
    assert data.frame(metrics=frame.names[0]).names == frame.names[:1]
    assert (
        api.read(trials, parameters="instructions").recognition
        == api.read(trials, parameters=["instructions"]).recognition
    )
    pool = [
        api.fit("stepwise", data, pool=own).model.provenance.options for own in (("signed", "log2"), "signed, log2")
    ]
    assert pool[0] == pool[1]
    for name, found in (("one", trained), ("two", trained.model)):
        api.save(found, tmp_path / f"{name}.json")
        api.report(found, tmp_path / "card.html")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert api.predict(trained, trials).equals(api.predict(trained.model, trials))


def test_every_value_says_what_it_is_in_one_line(data: api.Data) -> None:
    trained = api.fit("ridge", data, folds="kfold:3")
    scores = trained.validation.scores
    assert scores.mape is not None
    assert re.fullmatch(r"Data\(database=.*, dataset='read'\)", repr(data))
    assert repr(data.frame()) == "Frame(60 trials × 2 metrics, time (ms))"
    assert str(scores).startswith(
        f"60 trials off by {scores.mape:.3g} % (MAPE), median {scores.median_ape:.3g} %, typically"
    )
    assert str(replace(scores, mape=None, n_refused=2)) == "60 trials without a relative error, 2 refused"
    assert repr(trained.validation) == f"Validation(kfold:3: {scores})"
    assert repr(trained.model) == "FittedPipeline(ridge: time (ms) from 2 metrics, 60 trials)"
    race = api.race(data, "kfold:3", entries=("ols", "ridge"))
    assert race.nested is not None
    assert repr(race) == f"Race(kfold:3, 2 entries: winner {race.winner}, {race.nested.scores})"


def test_a_race_has_a_report(data: api.Data, tmp_path: Path) -> None:
    race = api.race(data, "kfold:3", entries=("ols", "ridge"))
    with pytest.raises(OptionError, match="needs what was raced"):
        api.report(race, tmp_path / "race.html")
    api.report(race, tmp_path / "race.html", data)
    assert race.trials_sha256 in (tmp_path / "race.html").read_text()


def test_kernels_scale(tmp_path: Path) -> None:
    path = tmp_path / "scaling.csv"
    rows = [f"k{k},{c},{k % 5 + 1},{(10 + k) * (0.1 + 0.9 / c):.5f}" for k in range(15) for c in (1, 2, 4, 8)]
    path.write_text("kernel,cores,loads,time (ms)\n" + "\n".join(rows) + "\n")
    model = api.scaling(api.read(path, parameters=("cores",)), predictor="median_surface", base="highest")
    assert list(model.responses) == ["time"]
    assert len(model.grid) == 4


def test_a_notebook_shows_every_value(data: api.Data) -> None:
    known: dict[type, Callable[[object], str]] = {}
    api.load_ipython_extension(
        SimpleNamespace(
            display_formatter=SimpleNamespace(formatters={"text/html": SimpleNamespace(for_type=known.__setitem__)})
        )
    )
    trained = api.fit("ridge", data, folds="kfold:3")
    race = api.race(data, "kfold:3", entries=("ols", "ridge"))
    space = api.space(ROOT / "data/spaces/stargazer_table2.toml")
    shown = (
        (data.recognition, "instructions"),
        (trained, "&lt;title&gt;"),
        (trained.model, "&lt;title&gt;"),
        (trained.validation, "the mean error (MAPE) is"),
        (race, "Winner: "),
        (space, space.names[0]),
    )
    for value, part in shown:
        html = known[type(value)](value)
        assert part in html
        assert "<script" not in html
    assert known == dict(HTML)


@pytest.mark.slow
@pytest.mark.usefixtures("few_trees")
def test_the_guide_runs(trials: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trials.csv").write_bytes(trials.read_bytes())
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert isinstance(names["data"].frame(), Frame)
    best = names["best"]
    assert repr(best) == f"Automatic({best.verdict.level}: {best.verdict.says})"
    assert len(names["table"]) == 60
    assert Path("model.html").read_text().startswith("<!")
    assert known_functions(Path(ROOT / "docs/python.md").read_text()) <= set(dir(api))


def known_functions(text: str) -> set[str]:
    return set(re.findall(r"^\| `(\w+)\(", text, re.MULTILINE))


def test_a_sentence_does_not_list_thousands_of_names() -> None:
    said = unknown("trial", "k7", [f"t{i}" for i in range(1000)])
    assert said.startswith("There is no trial 'k7'; there are: t0, t1, ")
    assert ", t59 and 940 more." in said
