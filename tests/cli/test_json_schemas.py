"""What `--json` prints is what its schema says: every verb, every key."""

import json
import shlex
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.cli import VERBS, declared, main
from core.cli.base import SCHEMAS, schema_of
from tests.cli.answered import deviations
from tests.docs import scene

COMMANDS = """
inspect trials.csv
import trials.csv --dataset mine --machines machines.csv
datasets
curate --dataset mine --rule mad
curate --dataset mine
auto --dataset mine --response time --folds kfold:2 --metrics instructions,bytes
machines --dataset mine --response time --price K40=0.9 --buy V100
fit ols --dataset mine --response time --host K40 --target V100 --out own.json
limits --dataset mine
reuse own.json --dataset mine --target K20 --from V100 --runs 5
fit ols --dataset mine --response time --out model.json
fit ridge --dataset mine --response time --out other.json
validate ridge --dataset mine --response time --folds holdout:20%
race --dataset mine --response time --folds by:application --entries ridge,ols
versus model.json other.json --dataset mine
predict model.json new.csv
why model.json new.csv --row 3
why ols --dataset mine --response time --group application --runs 1
drift model.json new.csv
check model.json tonight.csv --baseline good.csv
check tonight.csv --baseline good.csv
export model.json
export model.json --to python --out model.py --prove
report model model.json --out model.html
experiment study.toml --plan
experiment study.toml
plan space.toml -n 20 --seed 1
measure plan.csv --command './simulator {width} {depth}' --reader csv --dataset runs
fit stargazer --dataset runs --response cycles --out design.json
learn stargazer --dataset runs --response cycles --sizes 10,15 --test 4
sweep design.json space.toml
designs space.toml --model design.json --limit 'width*depth <= 32'
designs space.toml --model design.json --dataset runs --history
diversity stargazer --dataset designs --response cycles
scale validate median_surface --dataset NAME --response time_ms --folds kfold:3
scale race --dataset NAME --response time_ms --folds kfold:3 --predictors ridge,mean_surface
scale fit ridge --dataset NAME --response time_ms --response power_w --folds kfold:3 --out gpu.json
scale predict gpu.json KERNELS.csv --at core_mhz=900,mem_mhz=2000
segments app.json --model gpu=gpu.json,kernels.csv --at gpu:core_mhz=900,mem_mhz=2000
reproduce amd --dataset NAME --out amd.html
sample
inbox
backup
restore
"""
"""One command of each verb and part, in an order in which each finds what it needs."""
STUDY = 'dataset = "mine"\nresponse = "time"\nrecipe = "ridge"\nfolds = "kfold:3"\n[vary]\npenalty = [0.1, 1.0]\n'


def parsers() -> Iterator[ArgumentParser]:
    """Yield the parser of each verb and part."""
    for name, file in VERBS.items():
        parser = ArgumentParser(prog=f"ridgeline {name}")
        declared(parser, file)
        yield parser
        for action in parser._actions:
            yield from action.choices.values() if isinstance(action, _SubParsersAction) else ()


ANSWERS = [parser.get_default("answers") for parser in parsers() if parser.get_default("answers")]


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield each schema of an object that is in a schema."""
    if isinstance(schema, dict):
        if "object" in schema.get("type", ""):
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("answers", ANSWERS)
def test_a_schema_is_one_names_every_key_and_allows_no_other(answers: str) -> None:
    schema = schema_of(answers)
    Draft202012Validator.check_schema(schema)
    assert any(True for _ in objects(schema))
    for one in objects(schema):
        assert isinstance(one["additionalProperties"], dict) or one["additionalProperties"] is False
        assert all(part["description"] for part in one.get("properties", {}).values())


def test_no_schema_is_of_no_verb() -> None:
    assert {name.split()[0] for name in ANSWERS} == {path.stem.partition("_")[0] for path in SCHEMAS.iterdir()}
    assert {path.stem.replace("_", " ") for path in SCHEMAS.iterdir()} <= {*ANSWERS, "report"}


@pytest.mark.parametrize("answers", ANSWERS)
def test_a_verb_prints_its_schema(answers: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*answers.split(), "--json-schema"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out) == schema_of(answers)


@pytest.mark.slow
@pytest.mark.usefixtures("few_entries")
def test_every_verb_prints_what_its_schema_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    Path("study.toml").write_text(STUDY)
    scene.trials()
    scene.programs()
    scene.scaling()
    scene.designs("designs")
    answered = set()
    for line in COMMANDS.strip().splitlines():
        words = shlex.split(line)
        answers = " ".join(words[: 1 + (words[0] in ("scale", "report"))])
        capsys.readouterr()
        assert main([*words, "--json"]) == 0, f"{line}\n{capsys.readouterr().err}"
        assert deviations(answers, json.loads(capsys.readouterr().out)) == []
        if words[0] == "plan":
            assert main([*words, "--out", "plan.csv"]) == 0
        answered.add(answers)
    assert answered >= {name for name in ANSWERS if not name.startswith("report ")} | {"report model"}


def test_a_key_that_no_schema_names_is_told() -> None:
    assert deviations("backup", {"backup": "a", "bytes": 1}) == []
    assert "'more' was unexpected" in deviations("backup", {"backup": "a", "bytes": 1, "more": 0})[0]
    assert "'bytes' is a required property" in deviations("backup", {"backup": "a"})[0]
