"""The JSON Schema of the model file, made from the types that read and write it."""

import json
from pathlib import Path
from typing import Any

from core.codec import schema
from core.export._document import BLEND, BlendState, Document
from core.models import FAMILIES
from core.models.base import Model
from core.passes import PASSES
from core.passes.base import FittedPass
from core.registry import companion


def model_schema() -> dict[str, Any]:
    """Return the schema; `state` of each part has a definition named after the part."""
    whole = schema(Document)
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    whole["title"] = "Ridgeline model file"
    for registry, base in ((PASSES, FittedPass), (FAMILIES, Model)):
        for name, cls in registry.items():
            inner = schema(companion(cls, base))
            whole["$defs"].update(inner.get("$defs", {}))
            whole["$defs"][f"state of {name}"] = {"$ref": inner["$ref"]}
    blend = schema(BlendState)
    blend["$defs"]["BlendState"]["properties"]["members"]["items"] = {"$ref": "#/$defs/Document"}
    whole["$defs"].update(blend["$defs"])
    whole["$defs"][f"state of {BLEND}"] = {"$ref": blend["$ref"]}
    return whole


def schema_text() -> str:
    """Return the schema as the file `model.schema.json` beside this module holds it."""
    return json.dumps(model_schema(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("model.schema.json").write_text(schema_text(), encoding="utf-8")
