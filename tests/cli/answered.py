"""Whatever a verb reports in a test is held against the schema that documents its `--json`."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import core.cli
from core.cli.base import Arguments, Report, schema_of
from core.codec import finite


@cache
def validator(answers: str) -> Draft202012Validator:
    return Draft202012Validator(schema_of(answers))


def deviations(answers: str, plain: Any) -> list[str]:
    """Return what the schema of a verb, or a part of one, does not allow, and where it stands."""
    errors = [deep for error in validator(answers).iter_errors(plain) for deep in (error, *(error.context or ()))]
    return [f"{answers}: {error.json_path}: {error.message[:200]}" for error in errors]


@pytest.fixture(autouse=True)
def answers_hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """See that every report of a test is as its verb's schema says, with `--json` and without."""
    found: list[str] = []
    print_ = core.cli._print

    def held(report: Report, a: Arguments) -> None:
        if hasattr(a, "answers") and (report.plain or a.json):
            found.extend(deviations(a.answers, json.loads(json.dumps(finite(report.plain)))))
        print_(report, a)

    monkeypatch.setattr(core.cli, "_print", held)
    yield
    assert found == []
