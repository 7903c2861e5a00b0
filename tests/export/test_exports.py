"""Every family in every form: what was written is compiled or run, and says the same as the model."""

import subprocess
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from core.basis import BASES, Expression
from core.basis.base import NUMBERS, WORDS
from core.blend import BlendModel, Mixture, blend
from core.export import EXPORTERS, _c_nodes, _onnx_nodes, _python_main, _python_nodes, _sql_nodes
from core.export._lower import lower
from core.export._lowered import build, find, largest_difference, prove, relative_difference, run
from core.export._names import identifier
from core.export._onnx_graph import Graph
from core.export._program import PRINTED
from core.export.base import FAR, OUT_OF_RANGE, REFUSED, Answers, CannotRunError, answers, rows, vectors
from core.export.c import cpp_header, header
from core.export.formula import escaped, latex_lines
from core.models import FAMILIES
from core.models.base import Model
from core.models.parts.linear import LinearModel
from core.models.ridge import RidgeModel
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.trial import Kind, Metric, make_frame
from core.validate.domain import learn_domain
from core.validate.intervals import LEARNT, Interval, Spreads
from tests.conftest import machine_frame
from tests.export.exported import NAMES, member, model
from tests.race.made import host_target

pytestmark = pytest.mark.slow

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
            f'#include "{p}.h"',
            f"{kind} rows_of_{p}(void) {{ double x[{n}]; int i; for (i = 0; i < {ROWS}; i++) {{",
            f"if (fread(x, sizeof x, 1, stdin) != 1) return;\nauto_ r = {call};".replace(
                "auto_", "const auto" if "+" in language else f"const {p}_prediction"
            ),
            "const double o[4] = {r.value, r.low, r.high, (double)r.flags};\nif (fwrite(o, sizeof o, 1, stdout) != 1) return;\n} }",
        ]
    calls = "".join(f"rows_of_{identifier(f'time of {name}')}();" for name in NAMES)
    (folder / "all.c").write_text("\n".join([*parts, f"int main(void) {{ {calls} return 0; }}"]))
    build(compiler, language, folder / "all.c", folder / "all")
    given = b"".join(np.ascontiguousarray(rows(model(name), ROWS)).tobytes() for name in NAMES)
    table = np.frombuffer(run([str(folder / "all")], folder, given)).reshape(len(NAMES), ROWS, 4)
    return {name: Answers(*table[i].T[:3], table[i].T[3].astype(int)) for i, name in enumerate(NAMES)}


def _same(name: str, found: Answers) -> None:
    one = model(name)
    right = answers(one.alone(), rows(one, ROWS))
    np.testing.assert_array_equal(found.flags, right.flags)
    exact = name in TREES  # but for the exponential where a logarithm is undone, which rounds
    assert relative_difference(found.value, right.value) <= (3e-16 if exact else 1e-12)
    assert largest_difference(found, right) <= (2e-15 if exact else 1e-12)  # NumPy's exponential differs by processor


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


PYTHON = [
    "splines of three",
    "anova",
    "forest",
    "gaussian_process",
    "roofline",
    "support_vectors",
    "eiger table1",
    "eiger-1",
    "rescaled",
    "blend",
]
"""One of each kind of operation; a process each."""


@pytest.mark.parametrize("name", NAMES)
def test_python_says_the_same_at_once_and_row_by_row(name: str) -> None:
    one = model(name)
    X, module = rows(one, ROWS), {"__name__": "model"}
    exec(compile(EXPORTERS["python"]().write(one), "model.py", "exec"), module)
    _same(name, _answers(module["predict"](X.tolist())))
    for part in (slice(0, ROWS, 25), slice(ROWS - 125, ROWS, 5)):
        found, right = _answers(map(module["predict_row"], X[part].tolist())), answers(one.alone(), X[part])
        np.testing.assert_array_equal(found.flags, right.flags)
        assert largest_difference(found, right) <= 1e-12


def _answers(said) -> Answers:
    value, low, high, flags, _ = np.array([tuple(p) for p in said]).T
    return Answers(value, low, high, flags.astype(int))


@pytest.mark.parametrize("text", ["6_4", "\u0663", "1,024", "", "x"])
def test_python_takes_no_cell_for_a_number_of_which_only_python_makes_one(text: str) -> None:
    assert np.isnan(_python_main.number(text))
    assert _python_main.number(" -1.5e3") == -1500


@pytest.mark.parametrize("name", PYTHON)
def test_python_runs_as_a_program(name: str) -> None:
    proof = prove(EXPORTERS["python"](), model(name), ROWS)
    assert proof.holds, proof.sentence


@pytest.mark.parametrize("format", ["c", "cpp", "python", "sql", "onnx"])
def test_a_learnt_interval_is_as_wide_everywhere_in_programs_which_say_so(format: str) -> None:
    spreads = Spreads(np.array([0.4, 0.2]), np.array([1e-3, 1e-3]), 0.25)
    learnt = Interval(np.array([0.1]), LEARNT, np.array([-4.0, 0.0]), np.array([0.5, 3.0]), 0.9, 40, "made", spreads)
    one = replace(model("blend"), interval=learnt)
    found = one.predict(rows(one, ROWS, inside=True))
    assert np.ptp(np.log(found.high / found.value)[np.isfinite(found.high)]) > 0.01  # the model's own follows its parts
    proof = prove(EXPORTERS[format](), one, ROWS)
    assert proof.holds, proof.sentence
    assert "as wide everywhere" in EXPORTERS[format]().caveat(one)
    assert "as wide as at the edge" in EXPORTERS[format]().caveat(model("ridge"))
    assert not EXPORTERS[format]().caveat(model("ridge").alone())


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_try_every_way(name: str) -> None:
    X = rows(model(name), ROWS)
    flags = answers(model(name), X).flags
    assert (flags == 0).sum() > ROWS / 4
    assert (flags & OUT_OF_RANGE).any()
    assert (flags & REFUSED).any()
    own = vectors(model(name))
    said = np.array([flags for *_, flags in own])
    assert 15 <= len(own) <= 40
    assert (said & REFUSED).any()
    assert not (said[:3] & (OUT_OF_RANGE | REFUSED)).all()
    assert FAR == 2


@pytest.mark.parametrize("format", [e for e in EXPORTERS if e not in ("json", "card")])
def test_the_same_model_gives_the_same_bytes(format: str) -> None:
    exporter, one = EXPORTERS[format](), model("eiger quadratic")
    assert exporter.can_express(one) is None
    assert exporter.write(one) == exporter.write(one)


@pytest.mark.parametrize("name", ["clusters refuse", "held clusters refuse"])
def test_rows_outside_a_clusters_own_range_alone_are_refused(name: str) -> None:
    one = model(name)
    X = rows(one, ROWS)
    assert one.confined
    assert (~one.domain.beyond(X).any(axis=1) & (answers(one, X).flags == REFUSED)).any()


def test_every_printer_knows_every_primitive_and_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = PRINTED - {"x"}
    assert all(
        set(words) == known
        for words in (
            NUMBERS,
            WORDS,
            _c_nodes._VALUES,
            _sql_nodes._VALUES,
            _python_nodes.PRIMITIVES,
            _onnx_nodes._values(Graph()),
        )
    )
    assert {p for b in BASES.values() for p in b().expression.primitives} <= PRINTED
    used = next(f.name for node in lower(model("eiger table1")).models for term in node.terms for f in term)
    monkeypatch.setattr(BASES[used], "expression", Expression("sine", (Expression("x"),)))
    reasons = {
        format: EXPORTERS[format]().can_express(model("eiger table1"))
        for format in ("c", "cpp", "python", "sql", "onnx")
    }
    assert set(reasons.values()) == {f"the basis function {used} needs sine, which is not written here"}


@pytest.mark.parametrize("name", ["forest", "eiger clusters", "blend"])
def test_a_refusal_is_a_reason(name: str) -> None:
    reasons = {format: EXPORTERS[format]().can_express(model(name)) for format in EXPORTERS}
    told = {"eiger", "eiger_v1", "eiger_json"} | ({"formula", "latex"} if name != "eiger clusters" else set())
    refused = {format: reason for format, reason in reasons.items() if reason is not None}
    assert told <= refused.keys()
    assert not refused.keys() & {"c", "cpp", "python", "sql", "onnx", "csv", "json", "card"}
    assert all(len(reason) > 20 and "\n" not in reason for reason in refused.values())


class OnlyHere(Model):
    """A model that no other program has the operations of."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.ones(len(X))

    def formula(self, names: Sequence[str]) -> str:
        return "1"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        return ()

    def check(self, width: int) -> None:
        return None


@pytest.mark.parametrize("format", ["c", "cpp", "python", "sql", "onnx", "eiger"])
def test_a_member_that_cannot_be_said_is_named(format: str) -> None:
    good, odd = member("ridge"), member("forest")
    odd = replace(odd, clusters=(replace(odd.clusters[0], model=OnlyHere()),))
    both = blend({"good": good, "odd one": odd}, Mixture({"good": 0.5, "odd one": 0.5}), host_target(4, 10), "blend")
    reason = EXPORTERS[format]().can_express(both)
    assert reason == "its member 'odd one' cannot be said: a OnlyHere has no plain formula here"


class Doubled(RidgeModel):
    """A model that extends one with operations, and predicts something else."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return 2 * super().predict(X)


@pytest.mark.parametrize("format", ["c", "cpp", "python", "sql", "onnx", "eiger"])
def test_what_extends_a_model_and_predicts_otherwise_is_refused(format: str) -> None:
    one = member("ridge")
    plain = one.clusters[0].model
    odd = replace(one.clusters[0], model=Doubled(**vars(plain)))
    reason = EXPORTERS[format]().can_express(replace(one, clusters=(odd,)))
    assert reason == "a Doubled has no plain formula here"


class Negated(LinearModel):
    """A sum of columns that predicts what no formula of such sums says."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return -super().predict(X)


@pytest.mark.parametrize("format", ["formula", "latex"])
def test_its_formula_is_refused_too(format: str) -> None:
    one = model("ols")
    plain = {field.name: getattr(one.clusters[0].model, field.name) for field in fields(LinearModel)}
    odd = replace(one.clusters[0], model=Negated(**plain))
    assert EXPORTERS[format]().can_express(one) is None
    assert EXPORTERS[format]().can_express(replace(one, clusters=(odd,))) is not None


def test_blends_have_held_and_refusing_members() -> None:
    one = model("blend")
    X = rows(one, ROWS)
    mixed = one.clusters[0].model
    assert isinstance(mixed, BlendModel)
    said = np.column_stack(
        [m.inverse(m.predict_scaled(X[:, own]), X[:, own]) for m, own in zip(mixed.members, mixed.columns, strict=True)]
    )
    refused, spoken = np.isnan(said).any(axis=1), np.isfinite(one.predict(X).value)
    assert (refused & spoken).any()
    z = np.log(said[~refused & (said > 0).all(axis=1)])
    assert (np.abs(z - np.median(z, axis=1, keepdims=True)) > mixed.bound).any(axis=1).mean() > 0.2


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


@pytest.mark.parametrize("format", ["python", "c", "cpp"])
def test_what_is_0_but_for_rounding_fails_no_test(format: str) -> None:
    p, q = np.meshgrid(np.arange(6.0), np.arange(6.0))
    X = np.column_stack([p.ravel(), q.ravel()])
    frame = make_frame(X, X[:, 0] - X[:, 1], [Metric("p"), Metric("q")], Metric("delta", Kind.RESPONSE))
    proof = prove(EXPORTERS[format](), make_recipe("ols").fit(frame), 50)
    assert proof.why_not or (not proof.failed and proof.holds), proof


def test_c_takes_intervals_and_ranges_of_any_size() -> None:
    one, by = model("eiger clusters"), {"knots": np.array([-1.0, 1.0, 2.0]), "factors": np.array([0.5, 1.0, 3.0])}
    assert one.interval is not None
    n = len(one.interval.half_widths)
    wild = replace(one.domain, low=np.full(len(one.metrics), -1.79e308), high=np.full(len(one.metrics), 1.79e308))
    for changed in (
        replace(
            one, interval=replace(one.interval, half_widths=np.linspace(390, 400, n), by="none")
        ),  # an end beyond any factor
        replace(one, interval=replace(one.interval, half_widths=np.linspace(0.1, 0.3, n), by="prediction", **by)),
        replace(one, interval=replace(one.interval, half_widths=np.linspace(0.1, 0.3, n), by="leverage", **by)),
        replace(one, domain=wild),
    ):
        with np.errstate(over="ignore"):
            proof = prove(EXPORTERS["c"](), changed, ROWS)
        assert proof.holds, proof.sentence


def test_a_header_of_c_is_one_of_cpp_too(tmp_path: Path) -> None:
    (tmp_path / "model.h").write_bytes(EXPORTERS["c"]().write(model("splines of three")))
    build(find("c++"), "c++", tmp_path / "model.h", tmp_path / "test", "-DRIDGELINE_SELF_TEST")
    run([str(tmp_path / "test")], tmp_path)


HOSTILE = [
    '*/ system("touch owned"); /*',
    '"; import os; os.system("touch owned") #',
    "x\ny",
    "\\",
    "??/",
    "'; DROP TABLE t; --",
    '"""',
    "é-ü",
    "{0}",
    "\u2028",
]


def hostile() -> FittedPipeline:
    frame = machine_frame(4, 4)
    names = iter(HOSTILE)
    one = make_recipe("ols", {}).fit(frame)
    metrics = tuple(replace(m, name=next(names), unit=next(names)) for m in one.metrics)
    return replace(
        one,
        metrics=metrics,
        features=tuple(m.name for m in metrics),
        response=replace(one.response, name=HOSTILE[0], unit=HOSTILE[1]),
    )


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


def test_identifiers_are_no_words_of_a_language() -> None:
    assert [identifier(name) for name in ("While", "std", "xor", "time")] == [
        "model_while",
        "model_std",
        "model_xor",
        "time",
    ]


def test_latex_prints_any_name() -> None:
    assert escaped("a_b {50%} \\x#1") == r"a\_b \{50\%\} \textbackslash{}x\#1"
    assert escaped("mem-type=DDR4") == r"mem\text{-}type{=}DDR4", "a hyphen is no minus, and = says nothing of the sum"


def test_a_line_of_the_formula_ends_between_terms_alone() -> None:
    lines = latex_lines(model("formula"), 1, defined=False).splitlines()
    assert len(lines) > 1
    assert all(line.count("(") == line.count(")") for line in lines), lines
    assert r"\ln(\mathit{time\ of\ formula})" in lines[0]
    assert any(r"/(1.28 \times 10^{5})" in line for line in lines), "the whole number divides"


def test_every_format_says_what_it_can() -> None:
    for exporter in EXPORTERS.values():
        assert len(exporter.label) > 2
        assert len(exporter.says) > 5
        assert exporter.suffix.startswith(".")


def test_every_family_is_in_the_matrix() -> None:
    assert set(FAMILIES) <= set(NAMES)
    assert learn_domain(np.ones((2, 2))).low.shape == (2,)
