"""`ridgeline sample`, and the names that are suggested for mistyped ones."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.errors import OptionError
from core.ingest import load_sample, samples
from core.ingest._sample import Answer
from core.recipes import RECIPES, make_recipe
from core.report.shared.naming import short_number
from core.store import Store
from core.workspace import SAMPLES


def test_it_lists_the_samples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "--json"]) == 0
    listed = {sample["name"] for sample in json.loads(capsys.readouterr().out)["samples"]}
    assert listed == {path.parent.name for path in SAMPLES.glob("*/sample.toml")}


SECONDS = {"next", "formula", "two"}
"""Answers that take seconds; the others take up to a minute, and were measured by hand."""
ANSWERS = [(card.name, name) for card in samples(SAMPLES) for name in card.answers]


def of_card(sample: str, answer: str) -> Answer:
    return next(card for card in samples(SAMPLES) if card.name == sample).answers[answer]


def figure(found: Any, place: str) -> float:
    """Return the number at a place of a JSON, such as `baselines.1.mape`; "factor" before it asks for its exponential."""
    kind, _, path = place.rpartition(" ")
    for name in path.split("."):
        found = found[int(name) if name.isdigit() else name]
    return math.exp(found) if kind else float(found)


@pytest.mark.parametrize(("sample", "answer"), ANSWERS)
def test_an_answer_says_its_figures(sample: str, answer: str) -> None:
    known = of_card(sample, answer)
    assert known.figures
    assert all(
        re.search(rf"(?<![\d.]){short_number(value)}(?![\d.]*\d)", known.says) for value in known.figures.values()
    )
    assert f"--dataset {sample} " in known.command


@pytest.mark.slow
@pytest.mark.parametrize(("sample", "answer"), [one for one in ANSWERS if one[1] in SECONDS])
def test_the_best_known_answers_are_found_again(
    sample: str, answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = of_card(sample, answer)
    database = ["--db", str(tmp_path / "x.duckdb")]
    assert main([*database, "sample", sample]) == 0
    assert known.says in capsys.readouterr().out
    assert main([*database, *known.command.split()[1:], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for place, value in known.figures.items():
        assert figure(found, place) == pytest.approx(value, rel=0.03), place


@pytest.mark.slow
def test_a_sample_holds_what_it_says(tmp_path: Path) -> None:
    with Store.open(tmp_path / "x.duckdb") as store:
        for card in samples(SAMPLES):
            store.add(card.name, load_sample(card.folder))
            stored = store.datasets.get(card.name)
            counts = stored.n_trials, stored.n_applications, stored.n_machines, stored.n_metrics
            assert [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?= )", card.holds)] == list(counts)
            assert card.question.endswith("?")


def test_it_imports_a_sample_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ["--db", str(tmp_path / "x.duckdb")]
    stored = []
    for _ in range(2):
        assert main([*database, "sample", "cachegrind", "--json"]) == 0
        stored.append(json.loads(capsys.readouterr().out)["stored"])
    assert stored == [[{"dataset": "cachegrind", "n_trials": n}] for n in (2280, 0)]
    assert main([*database, "datasets"]) == 0
    assert "cachegrind: 2,280 trials" in capsys.readouterr().out


def test_a_near_name_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "generation"]) == 2
    assert capsys.readouterr().err.endswith("Did you mean 'generations'?\n")
    with pytest.raises(OptionError, match=r"no recipe or family 'eigre'; there are: .*\. Did you mean 'eiger'\?"):
        make_recipe("eigre")
    with pytest.raises(OptionError, match=r"stepwise\.$|[a-z]\.$"):
        RECIPES.find("quite another")


def test_a_mistyped_verb_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["fti", "eiger"])
    assert ended.value.code == 2
    assert "there is no verb 'fti'. Did you mean 'fit'?" in capsys.readouterr().err
