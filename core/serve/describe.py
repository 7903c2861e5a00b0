"""What is served, in plain values: a model's metrics, response, scores and card in short; and all of it as OpenAPI."""

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any
from urllib.parse import quote

from core import __version__
from core.codec import fields_of
from core.report.model import card
from core.report.model.card import Range
from core.serve.hosts import MEDIA_TYPE
from core.serve.served import Served
from core.validate.record import recorded

_MATTERS = "title unit meaning names values n_more=n_hidden"
_NUMBER_OR_NULL = {"type": ["number", "null"]}


def address(served: Served) -> str:
    """Return the path of a model."""
    return f"/models/{quote(served.name, safe='')}"


def listed(models: Mapping[str, Served]) -> dict[str, Any]:
    """Return the models that are served, each in short."""
    return {
        "models": [
            {
                **fields_of(served, "name response=model.response.name unit=model.response.unit n_metrics"),
                "recipe": served.model.provenance.recipe,
                "model": address(served),
                "predict": f"{address(served)}/predict",
            }
            for served in models.values()
        ],
        "openapi": "/openapi.json",
        "health": "/health",
        "version": __version__,
    }


def described(served: Served) -> dict[str, Any]:
    """Return what a user of a model has to know."""
    model, kept = served.model, recorded(served.model.validation)
    scores, matters = card.scores(kept, model.response), card.matters(model)
    return {
        "name": served.name,
        "response": fields_of(model.response, "name unit"),
        "metrics": [
            fields_of(one, "name=metric.name unit=metric.unit kind=metric.kind low high") for one in card.ranges(model)
        ],
        "together": card.together(model),
        "scores": {row.field: dict(zip(scores.columns, row.values, strict=True)) for row in scores.rows}
        if scores
        else None,
        "tested_with": card.tested_with(kept.folds),
        "honest": card.honest(kept),
        "interval": card.interval_words(model),
        "limits": card.limits(model, kept),
        "facts": dict(card.facts(model, kept, sha256=served.sha256)),
        "formula": card.short_formula(model),
        "matters": fields_of(matters, _MATTERS) if matters else None,
        "predict": f"{address(served)}/predict",
    }


def openapi(models: Mapping[str, Served], most_rows: int) -> dict[str, Any]:
    """Return the OpenAPI 3.1 description: `openapi.json`, each model's own path, and its requests by metric."""
    found: dict[str, Any] = json.loads(resources.files("core.serve").joinpath("openapi.json").read_bytes())
    found["info"]["version"] = __version__
    paths, schemas = found["paths"], found["components"]["schemas"]
    for i, served in enumerate(models.values(), 1):
        paths[address(served)] = {"get": _read(f"The model '{served.name}': metrics, ranges, scores, limits.")}
        paths[f"{address(served)}/predict"] = {"post": _predict(served, i)}
        schemas |= _schemas(served, i, most_rows)
    return found


def _read(summary: str) -> dict[str, Any]:
    return {"summary": summary, "responses": {"200": {"description": summary, "content": {"application/json": {}}}}}


def _predict(served: Served, number: int) -> dict[str, Any]:
    refused = {"description": "Why not, in a sentence.", "content": {MEDIA_TYPE: {"schema": _ref("Problem")}}}
    answers = {"oneOf": [_ref("PredictedRows"), _ref("PredictedColumns")]}
    said = {"description": "In the order and the form of the request.", "content": _json(answers)}
    return {
        "summary": f"{served.model.response} of rows, by the model '{served.name}'.",
        "operationId": f"predict{number}",
        "requestBody": {"required": True, "content": _json(_ref(f"Request{number}"))},
        "responses": {"200": said, **dict.fromkeys(("400", "404", "408", "413", "415", "422", "503"), refused)},
    }


def _schemas(served: Served, number: int, most: int) -> dict[str, Any]:
    metrics = card.ranges(served.model)
    whole = {"required": [own.metric.name for own in metrics], "additionalProperties": False}
    row = {"type": "object", **whole, "properties": {m.metric.name: {**_NUMBER_OR_NULL, **_words(m)} for m in metrics}}
    column = {"type": "array", "items": _NUMBER_OR_NULL, "minItems": 1, "maxItems": most}
    columns = {"type": "object", **whole, "properties": {m.metric.name: {**column, **_words(m)} for m in metrics}}
    rows = {"type": "array", "items": _ref(f"Row{number}"), "minItems": 1, "maxItems": most}
    return {
        f"Row{number}": row,
        f"Request{number}": {"oneOf": [_only("rows", rows), _only("columns", columns)]},
    }


def _words(own: Range) -> dict[str, Any]:
    """Return a metric's unit and trained range; other values are answered too, and marked."""
    unit = f" in {own.metric.unit}" if own.metric.unit else ""
    known = f", trained from {own.low:.6g} to {own.high:.6g}" if own.low is not None and own.high is not None else ""
    return {"description": f"{own.metric.kind}{unit}{known}"}


def _only(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": [name], "properties": {name: schema}, "additionalProperties": False}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
