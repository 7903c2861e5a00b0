"""Experiments as TOML: ranges, round trips, and one sentence for what is wrong."""

import tomllib
from dataclasses import replace

import pytest

from core.errors import OptionError, RidgelineError
from core.experiment.toml_text import experiment_id, experiment_toml, read_experiment
from core.workspace import EXPERIMENTS

HEAD = 'dataset = "d"\nresponse = "y"\n'
SHIPPED = sorted(path.name for path in EXPERIMENTS.glob("*.toml"))


def vary(text: str, recipe: str = "eiger") -> tuple[object, ...]:
    return read_experiment(f'{HEAD}recipe = "{recipe}"\n[vary]\n{text}').vary[0].values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("components = { from = 1, to = 4 }", (1, 2, 3, 4)),
        ("components = { from = 1, to = 9, step = 4 }", (1, 5, 9)),
        ('components = [2, "none", 0]', (2, None, 0)),
        ("threshold = { from = 0, to = 0.3, step = 0.1 }", (0.0, 0.1, 0.2, 0.3)),
        ('threshold = { from = 0.001, to = 0.1, count = 3, scale = "log" }', (0.001, 0.01, 0.1)),
        ('clusters = { from = 1, to = 100, count = 5, scale = "log" }', (1, 3, 10, 32, 100)),
        ('pool = ["signed", ["log2", "product"]]', (("signed",), ("log2", "product"))),
        ('rotation = ["none", "varimax"]', ("none", "varimax")),
    ],
)
def test_values(text: str, values: tuple[object, ...]) -> None:
    assert vary(text) == values


def test_a_family_takes_its_treatment() -> None:
    assert vary('response_scale = ["raw", "log"]', "ols") == ("raw", "log")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_experiments_read_back(name: str) -> None:
    text = (EXPERIMENTS / name).read_text()
    found = read_experiment(text)
    again = read_experiment(experiment_toml(found))
    assert again == found
    assert experiment_id(again) == experiment_id(found)
    assert found.about


def test_all_keys_read_back() -> None:
    text = (
        HEAD
        + """
name = "a \\"quoted\\" name"
recipe = ["ols", "forest"]
folds = ["kfold:3", "loo"]
seeds = [3, 5]
sizes = [10, 20]
metrics = ["a", "b"]
where = ["machine=K40"]
repeats = "mean"
host = "h"
target = "t"
host_dataset = "e"
each = "application"
measure = "mse"
predictions = true
[options]
response_scale = "log"
[vary]
metric_scale = ["log", "raw"]
[simpler]
metric_scale = "small"
"""
    )
    found = read_experiment(text)
    assert read_experiment(experiment_toml(found)) == found
    assert (found.seeds, found.sizes, found.host_dataset) == ((3, 5), (10, 20), "e")


@pytest.mark.parametrize("name", ["a b", "a.b", "", 'a"b', "é", "a\\nb"])
def test_names_that_need_quotes_read_back(name: str) -> None:
    found = replace(read_experiment(f"{HEAD}recipe = 'ols'"), simpler={name: "small"})
    assert tomllib.loads(experiment_toml(found))["simpler"] == {name: "small"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "not TOML"),
        ("x = " + "[" * 5000 + "]" * 5000, "not TOML: it is nested too deeply"),
        ("x = " + "9" * 5001, "not TOML: .* a number of thousands of digits"),
        ("", "has no 'dataset'"),
        (HEAD, "has no 'recipe'"),
        (HEAD + 'recipe = "eigr"', "no recipe or family 'eigr'"),
        (HEAD + 'recipe = "eiger"\ncolour = 1', "unknown key 'colour'"),
        (HEAD + 'recipe = "eiger"\nfolds = "kfold:1"', "Folds 'kfold:1' are not known"),
        (HEAD + 'recipe = "eiger"\nfolds = []', "at least one text"),
        (HEAD + 'recipe = "eiger"\nseeds = 0', "seeds is 0"),
        (HEAD + 'recipe = "eiger"\nseeds = true', "list of whole numbers"),
        (HEAD + 'recipe = "eiger"\nsizes = [0]', "sizes holds 0"),
        (HEAD + 'recipe = "eiger"\nmeasure = "r3"', "measure is 'r3'"),
        (HEAD + 'recipe = "eiger"\nhost = "h"', "belong together"),
        (HEAD + 'recipe = "eiger"\n[vary]\nknots = [1]', "There is no option 'knots'"),
        (HEAD + 'recipe = ["eiger", "ols"]\n[vary]\nclusters = [1]', "There is no option 'clusters'"),
        (HEAD + 'recipe = "eiger"\n[vary]\ncomponents = 3', "takes a list of values"),
        (HEAD + 'recipe = "eiger"\n[vary]\ncomponents = [-1]', "at least 0"),
        (HEAD + 'recipe = "eiger"\n[vary]\ncomponents = ["many"]', "a whole number"),
        (HEAD + 'recipe = "eiger"\n[vary]\nthreshold = { from = 1 }', "needs both ends"),
        (
            HEAD + 'recipe = "eiger"\n[vary]\nthreshold = { from = 0, to = 1, count = 3, scale = "log" }',
            "start above 0",
        ),
        (HEAD + 'recipe = "eiger"\n[vary]\nthreshold = { from = 0, to = 1, step = 1e-9 }', "step is 1e-09"),
        (HEAD + 'recipe = "eiger"\n[vary]\nthreshold = { from = 0.1, to = 1, scale = "log" }', "threshold.count"),
        (HEAD + 'recipe = "eiger"\n[vary]\nthreshold = { from = -1e308, to = 1e308, count = 3 }', "nor too far off"),
        (HEAD + 'recipe = "eiger"\n[vary]\nrecipe = ["a"]', "outside of"),
        (HEAD + 'recipe = "eiger"\n[simpler]\nthreshold = "big"', "simpler.threshold is 'big'"),
        (
            HEAD + 'recipe = "ols"\n[simpler]\nfoo = "small"',
            "\\[simpler\\] has an unknown key 'foo'; there are: recipe",
        ),
        (HEAD + 'recipe = "netwerk"\n[scaling]', "netwerk"),
        (HEAD + 'recipe = "network"\n[scaling]\nbases = ["all", "highest"]', "not both"),
    ],
)
def test_one_sentence_for_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(RidgelineError, match=said) as caught:
        read_experiment(text)
    assert isinstance(caught.value, OptionError)
    assert "\n" not in str(caught.value) or "TOML" in said


def test_a_sample_is_read_and_written_again() -> None:
    text = 'dataset = "d"\nresponse = "t"\nrecipe = "ols"\nsample = 5000\nsample_seed = 3\n'
    found = read_experiment(text)
    assert (found.sample, found.sample_seed) == (5000, 3)
    assert read_experiment(experiment_toml(found)) == found
    for wrong in ("sample = 0", "sample = true", "sample_seed = -1", "sample = 1.5"):
        with pytest.raises(OptionError, match=wrong.split()[0]):
            read_experiment('dataset = "d"\nresponse = "t"\nrecipe = "ols"\n' + wrong)
    with pytest.raises(OptionError, match=r"\[scaling\] takes no"):
        read_experiment('dataset = "d"\nresponse = "t"\nrecipe = "network"\nsample = 9\n[scaling]\n')
