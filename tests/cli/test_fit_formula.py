"""A formula on a terminal: short ones in one line, of long ones the first terms, a line each."""

from core.cli.fit import LINE, TERMS, _written
from core.report.model.formula import terms_of


def test_a_short_formula_stands_in_one_line() -> None:
    text = "ln(time) = 3.2 + 0.5·(cache − 4)·log2(work) − 2·kind"
    assert _written(text) == [text]


def test_of_a_long_one_the_first_terms_are_told_and_how_many_there_are() -> None:
    terms = [f"{'+−'[i % 2]} {i}.5·(metric_{i} − 4)·log2(work)" for i in range(1, 31)]
    text = " ".join(["ln(time) = 3.2", *terms])
    assert len(text) > LINE
    assert terms_of(text) == ["ln(time) = 3.2", *terms]
    first, *told, more = _written(text)
    assert first == "ln(time) = 3.2"
    assert told == [f"  {term}" for term in terms[:TERMS]]
    assert f"{30 - TERMS} terms more" in more
    assert "and 1 term more" in _written(" ".join(["ln(time) = 3.2", *terms[: TERMS + 1]]))[-1]
