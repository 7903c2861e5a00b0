"""Design spaces: TOML and back, counting against enumeration, and the paper's own space."""

import re
from pathlib import Path

import numpy as np
import pytest

from core.errors import OptionError
from core.space.design_space import Parameter, make_space
from core.space.table import read_space, write_space
from core.workspace import ROOT
from tests.space.made import every, grid

TABLE2 = Path(ROOT) / "data" / "spaces" / "stargazer_table2.toml"


def test_the_papers_table_2_has_933120_points() -> None:
    space = read_space(TABLE2.read_text())
    assert space.n_points == 933_120
    assert space.shape == (5, 6, 6, 4, 4, 3, 3, 3, 4, 3)
    assert [p.unit for p in space.parameters] == [
        "blocks/core",
        "KB",
        "KB",
        "count",
        "count",
        "count",
        "count/thread",
        "count",
        "count",
        "count",
    ]
    assert space.parameters[0].levels == (1, 2, 4, 8, 16)
    assert space.parameters[-1].levels == (2, 4, 6)
    assert read_space(write_space(space)) == space


@pytest.mark.parametrize(
    "constraints", [(), ("a * b <= 8",), ("a * b <= 8", "c < d"), ("a + b + c != 3",), ("a > 100",)]
)
def test_points_are_counted_without_enumerating_all(constraints: tuple[str, ...]) -> None:
    space = grid(4, 3, 3, 2, constraints=constraints)
    assert space.n_points == len(every(space))


def test_ranks_and_codes_are_each_others_inverse() -> None:
    space = grid(4, 3, 5)
    ranks = np.arange(space.n_combinations)
    codes = space.codes(ranks)
    assert (space.ranks(codes) == ranks).all()
    assert (space.encode(space.texts(codes)) == codes).all()


def test_a_huge_space_is_counted_by_its_tied_parts() -> None:
    space = grid(*[8] * 18, constraints=["a <= b", "q != r"])
    assert space.n_points == 36 * 56 * 8**14


@pytest.mark.parametrize(("n", "size"), [(70, "1.18e+21"), (1200, "1.72e+361")])
def test_a_space_too_large_to_be_numbered_is_said(n: int, size: str) -> None:
    with pytest.raises(OptionError, match=re.escape(f"has {size} combinations")):
        make_space([Parameter(f"p{i}", (1.0, 2.0)) for i in range(n)])


@pytest.mark.parametrize(("sign", "n"), [("<", 3), ("> -", 3), (">", 0), ("< -", 0)])
def test_a_number_beyond_all_others_is_compared(sign: str, n: int) -> None:
    assert grid(3, constraints=[f"a {sign}{400 * '9'}"]).n_points == n


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[parameters.a]\nlevels=[1,1]", "level twice"),
        ("[parameters.a]\nrange=[1,8]", "step or a factor"),
        ("[parameters.a]\nlevels=[1,2]\n[parameters.b]\nlevels=[1]\n", None),
        ('constraints=["a < c"]\n[parameters.a]\nlevels=[1,2]', "no parameter 'c'"),
        (f"constraints=['{600 * '-'}a > 0']\n[parameters.a]\nlevels=[1,2]", "more than 150 deep"),
        ("constraints=[\"__import__('os')\"]\n[parameters.a]\nlevels=[1,2]", "no parameter '__import__'"),
        (
            "constraints=['abs(a, b) > 0']\n[parameters]\na=[1,2]\nb=[1,2]",
            r"uses what a constraint cannot: abs\(a, b\)",
        ),
        ("constraints=['log2(a, b, a) > 0']\n[parameters]\na=[1,2]\nb=[1,2]", "uses what a constraint cannot: log2"),
        ("constraints=['a > abs']\n[parameters]\na=[1,2]", "uses what a constraint cannot: abs"),
        ("[parameters.a]\nvalues=[1,2]\nunit='x'", None),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str | None) -> None:
    if says is None:
        read_space(text)
        return
    with pytest.raises(OptionError, match=says):
        read_space(text)


def test_categories_take_part_in_constraints() -> None:
    space = make_space(
        [Parameter("layout", ("row", "column")), Parameter("n", (1.0, 2.0))], ["layout == 'row' or n > 1"]
    )
    assert space.texts(every(space)) == [("row", 1.0), ("row", 2.0), ("column", 2.0)]


@pytest.mark.parametrize(
    "condition",
    ["k < 3", "k + 1 > 2", "-k > 1", "not k", "k and n > 1", "log2(k) > 1", "min(k, n) > 1", "k", "k + k == 'bb'"],
)
def test_a_text_is_only_compared(condition: str) -> None:
    space = make_space([Parameter("k", ("a", "b")), Parameter("n", (1.0, 2.0))], [condition])
    with pytest.raises(OptionError, match="computes with a text; compare texts by == or !="):
        every(space)


@pytest.mark.parametrize(
    "condition", ["('%9d' % n) != 'a'", "n < 'a'", "min(n, 'a') == n", "n == -'a'", "n > 1 or 'a'"]
)
def test_a_text_in_a_formula_is_a_side_of_an_equation(condition: str) -> None:
    with pytest.raises(OptionError, match="uses what a constraint cannot: '"):
        make_space([Parameter("n", (1.0, 2.0))], [condition])
