"""Every family in every form: what was written is compiled or run, and says the same as the model."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from core.export import EXPORTERS, prove
from core.export._c_header import header
from core.export._compile import build, find, run
from core.export._cpp_header import header as cpp_header
from core.export._latex import escaped
from core.export._lower import lower
from core.export._names import identifier
from core.export._proof import largest_difference, relative_difference
from core.export._vectors import FAR, OUT_OF_RANGE, REFUSED, Answers, answers, rows, vectors
from core.export.base import CannotRunError
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.validate.domain import learn_domain
from tests.conftest import machine_frame
from tests.export.exported import NAMES, model

ROWS = 500
TREES = {"forest", "extra_trees", "gradient_boosting"}


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    """What the C headers of all models say, all of them in one program."""
    folder = tmp_path_factory.mktemp("c")
    return _all_in_one(folder, "c", "static void", header, "{p}_predict(x)", "{P}_N")


@pytest.fixture(scope="module")
def answered_cpp(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    folder = tmp_path_factory.mktemp("cpp")
    return _all_in_one(folder, "c++", "static void", cpp_header, "{p}::predict(x)", "{p}::n")


def _all_in_one(folder: Path, language: str, kind: str, write, predict: str, width: str) -> dict[str, Answers]:
    try:
        compiler = find(language)
    except CannotRunError as error:
        pytest.skip(str(error))
    parts = ["#include <stdio.h>"]
    for name in NAMES:
        p, one = identifier(f"time of {name}"), model(name)
        text = write(lower(one), vectors(one), p)
        (folder / f"{p}.h").write_text(text)
        n, call = width.format(p=p, P=p.upper()), predict.format(p=p)
        parts += [
            f'#include "{p}.h"', f"{kind} rows_of_{p}(void) {{ double x[{n}]; int i; for (i = 0; i < {ROWS}; i++) {{",
            f"if (fread(x, sizeof x, 1, stdin) != 1) return;\nauto_ r = {call};".replace("auto_", "const auto" if "+" in language else f"const {p}_prediction"),
            "const double o[4] = {r.value, r.low, r.high, (double)r.flags};\nif (fwrite(o, sizeof o, 1, stdout) != 1) return;\n} }",
        ]  # fmt: skip
    calls = "".join(f"rows_of_{identifier(f'time of {name}')}();" for name in NAMES)
    (folder / "all.c").write_text("\n".join([*parts, f"int main(void) {{ {calls} return 0; }}"]))
    build(compiler, language, folder / "all.c", folder / "all")
    given = b"".join(np.ascontiguousarray(rows(model(name), ROWS)).tobytes() for name in NAMES)
    table = np.frombuffer(run([str(folder / "all")], folder, given)).reshape(len(NAMES), ROWS, 4)
    return {name: Answers(*table[i].T[:3], table[i].T[3].astype(int)) for i, name in enumerate(NAMES)}


def _same(name: str, found: Answers) -> None:
    one = model(name)
    right = answers(one, rows(one, ROWS))
    np.testing.assert_array_equal(found.flags, right.flags)
    assert largest_difference(found, right) <= (3e-16 if name in TREES else 1e-12)  # exp, where it is undone, rounds


@pytest.mark.parametrize("name", NAMES)
def test_c_says_the_same(name: str, answered: dict[str, Answers]) -> None:
    _same(name, answered[name])


@pytest.mark.parametrize("name", NAMES)
def test_cpp_says_the_same(name: str, answered_cpp: dict[str, Answers]) -> None:
    _same(name, answered_cpp[name])


@pytest.mark.parametrize("format", ["onnx", "sql"])
@pytest.mark.parametrize("name", NAMES)
def test_sql_and_onnx_say_the_same(name: str, format: str) -> None:
    proof = prove(EXPORTERS[format](), model(name), ROWS)
    assert not proof.why_not
    assert proof.flags_equal
    assert proof.largest_relative_difference <= (3e-16 if name in TREES and format == "sql" else 1e-12), proof.sentence


PYTHON = ["splines of three", "anova", "forest", "gaussian_process", "roofline", "support_vectors", "eiger table1", "eiger-1", "rescaled"]
"""One of each kind of operation; a process each."""


@pytest.mark.parametrize("name", PYTHON)
def test_python_says_the_same(name: str) -> None:
    proof = prove(EXPORTERS["python"](), model(name), ROWS)
    assert proof.holds, proof.sentence


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_try_every_way(name: str) -> None:
    X = rows(model(name), ROWS)
    flags = answers(model(name), X).flags
    assert (flags == 0).sum() > ROWS / 4
    assert (flags & OUT_OF_RANGE).any()
    assert (flags & REFUSED).any()
    own = vectors(model(name))
    assert 15 <= len(own.X) <= 40
    assert (own.answers.flags & REFUSED).any()
    assert not (own.answers.flags[:3] & (OUT_OF_RANGE | REFUSED)).all()
    assert FAR == 2


@pytest.mark.parametrize("format", [e for e in EXPORTERS if e not in ("json", "card")])
def test_the_same_model_gives_the_same_bytes(format: str) -> None:
    exporter, one = EXPORTERS[format](), model("eiger quadratic")
    assert exporter.can_express(one) is None
    assert exporter.write(one) == exporter.write(one)


@pytest.mark.parametrize("format", list(EXPORTERS))
@pytest.mark.parametrize("name", ["forest", "eiger clusters"])
def test_a_refusal_is_a_reason(name: str, format: str) -> None:
    reason = EXPORTERS[format]().can_express(model(name))
    told = {"eiger", "eiger_v1", "eiger_json"} | ({"formula", "latex"} if name == "forest" else set())
    assert (reason is not None) == (format in told)
    assert reason is None or (len(reason) > 20 and "\n" not in reason)


def test_a_difference_is_seen() -> None:
    one = model("ols")
    X = rows(one, 50)
    right = answers(one, X)
    wrong = Answers(right.value * (1 + 1e-9), right.low, right.high, right.flags)
    assert largest_difference(wrong, right) == pytest.approx(1e-9, rel=1e-3)
    missing = Answers(np.where(np.arange(50) == 3, np.nan, right.value), right.low, right.high, right.flags)
    assert largest_difference(missing, right) == np.inf
    assert relative_difference(np.array([1.0, 1e-9]), np.array([1.0, 2e-9])) < 1e-6  # nearer to 0 than a hundredth


def test_the_self_test_of_a_header_fails_where_it_should(tmp_path: Path) -> None:
    exporter, one = EXPORTERS["c"](), model("ols")
    text = exporter.write(one).decode()
    constant = repr(lower(one).models[0].constant)
    assert constant in text
    for source, fails in ((text, False), (text.replace(constant, repr(float(constant) + 1e-5)), True)):
        (tmp_path / "model.h").write_text(source)
        build(find("c"), "c", tmp_path / "model.h", tmp_path / "test", "-DRIDGELINE_SELF_TEST")
        done = subprocess.run([str(tmp_path / "test")], capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == fails, done.stdout


def test_a_header_of_c_is_one_of_cpp_too(tmp_path: Path) -> None:
    (tmp_path / "model.h").write_bytes(EXPORTERS["c"]().write(model("splines of three")))
    build(find("c++"), "c++", tmp_path / "model.h", tmp_path / "test", "-DRIDGELINE_SELF_TEST")
    run([str(tmp_path / "test")], tmp_path)


HOSTILE = ['*/ system("touch owned"); /*', '"; import os; os.system("touch owned") #', "x\ny", "\\", "??/", "'; DROP TABLE t; --", '"""', "é-ü", "{0}", "\u2028"]


def hostile() -> FittedPipeline:
    from dataclasses import replace

    frame = machine_frame(4, 4)
    names = iter(HOSTILE)
    one = make_recipe("ols", {}).fit(frame)
    metrics = tuple(replace(m, name=next(names), unit=next(names)) for m in one.metrics)
    return replace(one, metrics=metrics, features=tuple(m.name for m in metrics), response=replace(one.response, name=HOSTILE[0], unit=HOSTILE[1]))


@pytest.mark.parametrize("format", ["c", "cpp", "python", "sql", "onnx"])
def test_names_run_nothing(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    proof = prove(EXPORTERS[format](), hostile(), 50)
    assert proof.holds, proof.sentence
    assert not list(tmp_path.rglob("owned"))


@pytest.mark.parametrize("format", ["formula", "latex", "csv"])
def test_names_are_shown_letter_for_letter(format: str) -> None:
    text = EXPORTERS[format]().write(hostile()).decode()
    shown = {"latex": r"\mathit{??/}", "formula": HOSTILE[0], "csv": '"*/ system(""touch owned"")'}
    assert shown[format] in text


def test_latex_prints_any_name() -> None:
    assert escaped("a_b {50%} \\x#1") == r"a\_b \{50\%\} \textbackslash{}x\#1"


def test_every_format_says_what_it_can() -> None:
    for exporter in EXPORTERS.values():
        assert len(exporter.label) > 2
        assert len(exporter.says) > 5
        assert exporter.suffix.startswith(".")


def test_every_family_is_in_the_matrix() -> None:
    assert set(FAMILIES) <= set(NAMES)
    assert learn_domain(np.ones((2, 2))).low.shape == (2,)
