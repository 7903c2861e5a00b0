"""What the tests of readers of perf, tuners and Extra-P share: reading a text, looking up values, damaging files."""

import copy
import json
import random
from typing import Any

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import READERS, SourceFile, find_reader
from core.ingest.opening import open_head
from core.trial import Import, Kind, Metric


def read(text: str | bytes, format: str, name: str = "run7.txt") -> Import:
    """Read a text with one reader, which must be the only one to recognise it."""
    raw = text.encode() if isinstance(text, str) else text
    assert readers_of(raw, name) == [format]
    return find_reader(SourceFile(name, raw)).read(SourceFile(name, raw))


def readers_of(text: str | bytes, name: str = "run7.txt") -> list[str]:
    raw = text.encode() if isinstance(text, str) else text
    head = open_head(SourceFile(name, raw))
    return [key for key, reader in READERS.items() if key != "csv" and reader().sniff(head)]


def metric(found: Import, name: str) -> Metric:
    return next(m for m in found.trials.metrics if m.name == name)


def kind(found: Import, name: str) -> Kind:
    return metric(found, name).kind


def names(found: Import) -> list[str]:
    return [m.name for m in found.trials.metrics]


def column(found: Import, name: str) -> list[float]:
    return found.trials.values[:, names(found).index(name)].tolist()


def value(found: Import, name: str, trial: int = 0) -> float:
    return column(found, name)[trial]


def skipped(found: Import) -> list[str]:
    return [f"{s.where}: {s.why}" for s in found.skipped]


def told(found: Import) -> str:
    return "\n".join(found.warnings)


def refusal(text: str | bytes, format: str, name: str = "run7.txt") -> str:
    """Return the sentence with which a reader refuses a text."""
    raw = text.encode() if isinstance(text, str) else text
    with pytest.raises(ReadError) as error:
        READERS[format]().read(SourceFile(name, raw))
    assert "\n" not in str(error.value)
    return str(error.value)


def check_damaged(text: str, format: str, seed: int = 0, n: int = 150) -> None:
    """Cut a file anywhere and flip its bytes: the reader gives an import of finite numbers, or one sentence."""
    rng = random.Random(seed)
    raw = text.encode()
    reader = READERS[format]()
    for i in range(n):
        broken = bytearray(raw[: rng.randrange(1, len(raw))] if i % 2 else raw)
        for _ in range(rng.randrange(0, 8)):
            broken[rng.randrange(len(broken))] = rng.choice(b'\x00 \t\n,;:"{}[]()<>-+.019eEinfNaxX/\xff\xc3')
        reader.sniff(bytes(broken))
        _check_outcome(format, bytes(broken))


ODD: list[Any] = [None, True, [], {}, [[]], [{}], "", "x", "nan", -1, 0, 1e300, 10**400, [1, "2"], {"id": 1}, "32"]


def check_mistyped(text: str, format: str, seed: int = 0, n: int = 150) -> None:
    """Put odd values in place of parts of a JSON document: an import of finite numbers, or one sentence."""
    rng = random.Random(seed)
    whole = json.loads(text)
    for _ in range(n):
        document = copy.deepcopy(whole)
        for _ in range(rng.randrange(1, 4)):
            parent, key = rng.choice(list(_places(document)))
            parent[key] = copy.deepcopy(rng.choice(ODD))
            if not list(_places(document)):
                break
        _check_outcome(format, json.dumps(document).encode())


def _places(document: Any) -> Any:
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, inner in list(items):
        yield document, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def _check_outcome(format: str, raw: bytes) -> None:
    try:
        found = READERS[format]().read(SourceFile("run7.txt", raw))
    except ReadError as error:
        assert str(error)
        return
    assert len(found.trials) > 0
    assert not np.isinf(found.trials.values).any()
    assert found.trials.values.shape == (len(found.trials), len(found.trials.metrics))
