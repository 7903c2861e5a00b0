"""Parameters whose names have colons are no interactions."""

import numpy as np
import pytest

from core.progress import silent
from core.reproduce.artefact import Given, Made, Trials
from core.reproduce.stargazer import STARGAZER
from core.trial import Frame, Kind, Metric

NAMES = ("cores:big", "cores:little", "cache")


class Designs(Trials):
    """A grid whose response is made of two parameters and their product."""

    def __init__(self) -> None:
        self.dataset = "designs"

    def frame(self) -> Frame:
        X = np.stack(np.meshgrid(*[[1.0, 2.0, 4.0, 8.0]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        y = 100 / X[:, 0] + 20 / X[:, 1] + 30 / (X[:, 0] * X[:, 1])
        ids = tuple(f"d{i:02d}" for i in range(len(y)))
        labels = dict.fromkeys(("application", "input", "machine"), ("",) * len(y))
        metrics = tuple(Metric(name, Kind.PARAMETER) for name in NAMES)
        return Frame(metrics, X, Metric("time", Kind.RESPONSE, "s"), y, ids, labels, np.arange(len(y)))


@pytest.fixture(scope="module")
def given() -> Given:
    return Given(Designs())


def made(given: Given, title: str) -> Made:
    return next(a for a in STARGAZER.artefacts if a.title.startswith(title)).made(given, silent)


def test_interactions_are_what_no_parameter_is_called(given: Given) -> None:
    pairs = made(given, "Figure 3a").compared[-1].here
    assert pairs == "cores:big:cores:little"


def test_the_parameter_that_dominates_is_fixed(given: Given) -> None:
    assert made(given, "Figure 3b").compared[0].here == "cores:big = 8"


def test_main_effects_are_drawn_of_parameters(given: Given) -> None:
    drawn = [table.title for table in made(given, "Figure 7").tables]
    assert drawn[:2] == ["Response over cores:big", "Response over cores:little"]


def test_the_three_fixed_terms_are_two_parameters_and_their_interaction(given: Given) -> None:
    assert made(given, "Figure 6").compared[0].here == "cores:big, cores:little, cores:big:cores:little"


class Uneven(Designs):
    """Three applications, of which each has other numbers of designs."""

    def frame(self) -> Frame:
        whole = super().frame()
        rows = np.concatenate([np.arange(n) for n in (64, 40, 30)])
        names = ("a",) * 64 + ("b",) * 40 + ("c",) * 30
        labels = {**dict.fromkeys(("input", "machine"), ("",) * len(rows)), "application": names}
        ids = tuple(f"d{i}" for i in range(len(rows)))
        return Frame(whole.metrics, whole.X[rows], whole.response, whole.y[rows], ids, labels, rows)


def test_applications_of_unequal_numbers_of_designs_are_compared_at_the_same_sizes() -> None:
    last, every, _ = (table.frame for table in made(Given(Uneven()), "Figure 5").tables)
    assert sorted(last["application"]) == ["a", "b", "c"]
    assert every.groupby("configurations")["application"].nunique().eq(3).all()
    assert every["configurations"].max() == 20


def test_terms_are_counted_by_how_many_parameters_they_have(given: Given) -> None:
    terms = made(given, "Figure 5").tables[-1].frame
    assert terms["parameters"].iloc[0] >= 2
    assert terms["pairs"].iloc[0] == 1
