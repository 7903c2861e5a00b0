"""Hostile model files of every kind: one clear sentence each, no crash, no hang, no number that is none."""

import json
import random
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.cli import main
from core.codec import MAX_BYTES
from core.errors import RidgelineError
from core.export import read_model, write_model
from core.export._lower import reason_against
from core.export.card import write_card
from core.pipeline import FittedPipeline
from core.report.compare.versus import compare
from core.report.model.formula import formula
from core.report.model.summary import importance

GOLDEN = Path(__file__).parent / "golden"
KINDS = sorted(path.stem for path in GOLDEN.glob("v2_*.json") if not path.stem.endswith(".predictions"))
N_DAMAGED = 40
EIGER = {
    "metric_names": ["size", "count"],
    "means": [10.0, -1.0],
    "std_devs": [2.0, 0.0],
    "rotation_matrix": [[1.0, 0.5], [0.0, 2.0]],
    "clusters": [
        {
            "center": [-5.0, 0.0],
            "regressors": [
                {"function": "identity", "weight": 2.0},
                {"function": "power", "index": 0, "exponent": -2, "weight": -1.5},
                {"function": "quotient", "first_idx": 0, "second_idx": 1, "weight": 0.25},
            ],
        },
        {"center": [3.0, 0.0], "regressors": [{"function": "log", "index": 1, "weight": 1.0}]},
    ],
}
TEXT = "2\nsize\ncount\n[2](10.0, -1.0)\n[2](2.0, 0.0)\n[2,2]((1.0, 0.5), (0.0, 2.0))\nModel 0\n[2](-5.0, 0.0)\n[2](2.0, 0.25)\n0\n2 0 1\n"
VALUES = [
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    10**400,
    -(10**400),
    1e308,
    -1e308,
    5e-324,
    -0.0,
    "",
    "x",
    "NaN",
    "../../etc/passwd",
    '__import__("os").system("id")',
    [],
    {},
    [[]],
    [None],
    "a" * 100_000,
    "<script>alert(1)</script>",
    {"a": {"a": {}}},
]
TOKENS = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "+1", "0x10", '"\\ud800"', "1" * 5000, "-0.0"]


@cache
def original(kind: str) -> str:
    return json.dumps(EIGER) if kind == "eiger_json" else (GOLDEN / f"{kind}.json").read_text()


def read(raw: bytes) -> FittedPipeline | None:
    """Read a file; a refusal is one short sentence."""
    try:
        return read_model(raw)
    except RidgelineError as error:
        assert "\n" not in str(error)
        assert 10 < len(str(error)) <= 400
        return None


def use(model: FittedPipeline) -> None:
    """Do what the dashboard does with a model, and see that every number is one."""
    width = len(model.metrics)
    low, high = model.domain.low, model.domain.high
    edges = [low, high, low / 2 + high / 2, *(np.full(width, v) for v in (0.0, 1.0, -1.0, 1e300, -1e300, np.nan))]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        said = model.predict(np.vstack(edges))
        assert formula(model).text(limit=4)
        importance(model)
        assert compare(model, model, ("a", "b")).only_first == ()
        assert b"<script" not in write_card(model)
    for value, low, high, why in zip(said.value, said.low, said.high, said.why, strict=True):
        assert np.isfinite(value) or why
        assert (np.isnan(low) and np.isnan(high)) or -np.inf < low <= value <= high < np.inf
        assert "\n" not in why or any("\n" in name for name in model.names)
    assert read_model(write_model(model)) is not None


def places(document: object) -> list[tuple[Any, Any]]:
    """Return every place of a document: what holds it, and the key or index there."""
    found, below = [], [document]
    while below:
        node = below.pop()
        for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
            found.append((node, key))
            below.append(child)
    return found


def at(document: object, path: tuple) -> object:
    for key in path:
        document = document[key]
    return document


def damaged(kind: str, rng: random.Random) -> str:
    """Change one or a few places: another type, another size, a number that hurts, or text that is no JSON."""
    document, tokens = json.loads(original(kind)), {}
    for _ in range(rng.choice((1, 1, 2, 4))):
        damage(document, tokens, rng)
    text = json.dumps(document)
    for mark, token in tokens.items():
        text = text.replace(mark, token)
    if rng.random() < 0.05:
        i = rng.randrange(len(text))
        text = text[:i] + rng.choice(("", '"', ",", "}", "\0", "\\")) + text[i + rng.randrange(3) :]
    return text


def damage(document: object, tokens: dict[str, str], rng: random.Random) -> None:
    """Change one place of a document; `tokens` says what is to stand in the text for marks that are put there."""
    known = places(document)
    holder, key = rng.choice(known)
    old, action = holder[key], rng.randrange(9)
    if action <= 1:
        holder[key] = rng.choice(VALUES)
    elif action == 2:
        holder[key] = f"@@{len(tokens)}@@"
        tokens[json.dumps(holder[key])] = rng.choice(TOKENS)
    elif action == 3:
        del holder[key]
    elif action == 4:
        other, there = rng.choice(known)
        holder[key] = json.loads(json.dumps(other[there]))
    elif isinstance(old, dict):
        old["extra"] = 1
    elif isinstance(old, list):
        old.extend(old * rng.choice((1, 50)))
    elif isinstance(old, int | float) and not isinstance(old, bool):
        holder[key] = old * rng.choice((-1, 1e10, 1e300, -1e-300))


@pytest.mark.parametrize("kind", [*KINDS, "eiger_json"])
def test_damaged_files_are_refused_in_a_sentence_or_predict_numbers(kind: str) -> None:
    rng, refused = random.Random(7), 0
    for _ in range(N_DAMAGED):
        model = read(damaged(kind, rng).encode("utf-8", "surrogatepass"))
        refused += model is None
        if model is not None:
            use(model)
    assert N_DAMAGED > refused > N_DAMAGED // 4


@pytest.mark.parametrize("kind", KINDS)
def test_files_cut_anywhere_are_refused(kind: str) -> None:
    raw = original(kind).strip().encode()
    for i in range(0, len(raw), max(1, len(raw) // 20)):
        assert read(raw[:i]) is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_other_models_are_refused_or_predict_numbers(kind: str) -> None:
    mine = json.loads(original(kind))
    place = KINDS.index(kind)
    for other in (*KINDS, *KINDS)[place + 1 : place + 2]:
        theirs = json.loads(original(other))
        for part in mine:
            model = read(json.dumps({**mine, part: theirs[part]}).encode())
            if model is not None:
                use(model)


def changed(kind: str, path: tuple, value: object) -> bytes:
    document = json.loads(original(kind))
    holder = at(document, path[:-1])
    holder[path[-1]] = value(holder[path[-1]]) if callable(value) else value
    return json.dumps(document).encode()


STATE = ("clusters", 0, "family", "state")


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("v2_gaussian_process", ("lengths", 2), 1e308),
        ("v2_gaussian_process", ("weights", 0), 1e308),
        ("v2_stargazer", ("axes", 0, "knots", -1), 4e306),
    ],
)
def test_numbers_too_far_apart_are_not_exported(kind: str, path: tuple, value: float) -> None:
    model = read(changed(kind, (*STATE, *path), value))
    assert model is not None
    assert reason_against(model) == "its numbers are too far apart to be multiplied out"


@pytest.mark.parametrize(
    ("kind", "path", "value", "sentence"),
    [
        ("v2_forest", (*STATE, "left"), lambda left: [0] * len(left), "branch that leads back or nowhere"),
        ("v2_forest", (*STATE, "right"), lambda right: [10**6] * len(right), "branch that leads back or nowhere"),
        ("v2_forest", (*STATE, "roots"), [-1], "begins at a node that is not there"),
        ("v2_forest", (*STATE, "threshold"), lambda t: t[:-1], "arrays that do not fit"),
        ("v2_roofline", (*STATE, "trees", "left"), lambda left: [0] * len(left), "branch that leads back or nowhere"),
        ("v2_stargazer", (*STATE, "chosen", 0, "axes"), [0, 0], "parameter that is not there"),
        ("v2_stargazer", (*STATE, "axes", 0, "knots"), lambda k: k[::-1], "knots that do not ascend"),
        ("v2_eiger_clusters", ("clusters",), lambda c: c[:1], "clusters do not fit its partition"),
        ("v2_eiger_clusters", ("partition",), None, "clusters do not fit its partition"),
        ("v2_eiger", ("clusters", 0, "family", "state"), {}, "does not fit its schema"),
        ("v2_ratio", ("reference",), None, "needs a reference"),
        ("v2_ratio", ("reference",), 99, "reference is no metric"),
        ("v2_gaussian_process", (*STATE, "lengths"), lambda v: [-x for x in v], "lengths that are not positive"),
        ("v2_eiger", ("metrics", 0, "name"), "x" * 5000, "names are too long"),
        ("v2_eiger", ("domain", "low"), [[0.0]] * 4, "domain does not fit"),
    ],
)
def test_what_is_wrong_is_said(kind: str, path: tuple, value: object, sentence: str) -> None:
    with pytest.raises(RidgelineError, match=sentence):
        read_model(changed(kind, path, value))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b"{}",
        b'"x"',
        b"0",
        b"NaN",
        b'{"a":',
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b"\0",
        b"\xef\xbb\xbf{}",
        b"9" * 5000,
        b"1e999",
        b'{"a":1,"a":2}',
        b'cos\nsystem\n(S"id"\ntR.',
        b"\x80\x04\x95",
        b"// c\n{}",
        b'{"a":1,}',
        b"[" + b"{}," * 300_000 + b"{}]",
        b'"' + b"a" * MAX_BYTES + b'"',
        b"Model 0\n" + b"a" * MAX_BYTES,
        b"99999\n" + b"m\n" * 1000,
        b"2\na\nb\n[9999999,9999999]((1.0))\n",
        b"Model 0\n[1,1]" + b"(" * 100_000,
        b"Model 0\n[1,1]((9" + b"9" * 5000 + b",),)\n[1](1.0,)\n0\nx\n",
    ],
    ids=range(28),
)
def test_documents_that_are_none_are_refused(raw: bytes) -> None:
    assert read(raw) is None


def test_eigers_text_with_any_line_gone_doubled_or_changed() -> None:
    lines, rng = TEXT.splitlines(), random.Random(3)
    for _ in range(120):
        other = list(lines)
        i, action = rng.randrange(len(other)), rng.randrange(4)
        if action == 0:
            del other[i]
        elif action == 1:
            other.insert(i, other[i])
        elif action == 2:
            other[i] = rng.choice(
                ["[2](nan, 1)", "[2](1e999, 0)", "5 0 1", "1 0 1e9", "7", "", "Model 9", "[2](1,'a')", "0 0 0 0"]
            )
        else:
            j = rng.randrange(len(other[i]))
            other[i] = other[i][:j] + rng.choice("0987,()[]e-.x ") + other[i][j + 1 :]
        model = read("\n".join(other).encode())
        if model is not None:
            use(model)


def sparse(path: Path) -> Path:
    with path.open("wb") as file:
        file.write(b'{"format":"')
        file.truncate(1 << 30)
    return path


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (sparse, "more than the 16 MiB that a model file has at most"),
        (lambda path: path.with_name("nowhere"), "cannot be read: No such file"),
        (lambda path: path.parent, "cannot be read: Is a directory"),
    ],
    ids=["a gigabyte", "nothing", "a folder"],
)
def test_the_command_line_says_one_sentence(
    make: Callable[[Path], Path], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("a\n1\n")
    assert main(["predict", str(make(tmp_path / "model.json")), str(rows)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1
