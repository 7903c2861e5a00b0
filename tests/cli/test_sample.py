"""`ridgeline sample`, and the names that are suggested for mistyped ones."""

import json
from pathlib import Path

import pytest

from core.cli import main
from core.errors import OptionError
from core.recipes import RECIPES, make_recipe
from core.workspace import SAMPLES


def test_it_lists_the_samples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "--json"]) == 0
    listed = {sample["name"] for sample in json.loads(capsys.readouterr().out)["samples"]}
    assert listed == {path.parent.name for path in SAMPLES.glob("*/sample.toml")}


def test_it_imports_a_sample_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ["--db", str(tmp_path / "x.duckdb")]
    stored = []
    for _ in range(2):
        assert main([*database, "sample", "cachegrind", "--json"]) == 0
        stored.append(json.loads(capsys.readouterr().out)["stored"])
    assert stored == [[{"dataset": "cachegrind", "n_trials": n}] for n in (2280, 0)]
    assert main([*database, "datasets"]) == 0
    assert "cachegrind: 2280 trials" in capsys.readouterr().out


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
    assert "there is no verb 'fti'; ridgeline --help lists them. Did you mean 'fit'?" in capsys.readouterr().err
