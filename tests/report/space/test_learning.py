"""Learning curves side by side, contributions to R², and applications compared by their models."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.models.anova import AnovaModel
from core.pipeline import FittedPipeline
from core.recipes import make_recipe
from core.report.figures.effects import contribution_bars
from core.report.figures.outcome import LARGEST, diversity_map, learning_curves, reaction_curves
from core.report.model.contributions import OTHERS, contributions
from core.report.space.diversity import Applications, diversity, reactions
from core.report.space.learning import Learning
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.learning_curve import LearningCurve, learning_curve

LEVELS = {"blk": (1, 2, 4, 8, 16), "simd": (8, 16, 32), "smp": (1, 2, 4)}
HOSTILE = "<b>nw</b>"
WEIGHTS = {"LPS": (30, 2, 0), "RAY": (1, 2, 0), "like LPS": (28, 2.2, 0), HOSTILE: (0, 0.1, 20)}
"""How much each application's time depends on blocks, SIMD width and shared memory ports."""


def designs(application: str, n: int = 120) -> Frame:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice(own, n) for own in LEVELS.values()]).astype(float)
    blk, simd, smp = WEIGHTS[application]
    x = np.log2(X)
    y = (
        10
        + blk * np.exp(-x[:, 0]) * (1 + np.exp(3 - x[:, 1]))
        + 10 * simd * np.exp(3 - x[:, 1])
        + smp * np.exp(-x[:, 2])
    )
    metrics = [Metric(n, Kind.PARAMETER, "count") for n in LEVELS]
    return make_frame(
        X,
        y,
        metrics,
        Metric("cycles", Kind.RESPONSE),
        {"application": [application] * n},
        parameters=[str(row) for row in X.tolist()],
    )


@pytest.fixture(scope="module")
def models() -> Mapping[str, FittedPipeline]:
    recipe = make_recipe("stargazer", {"variant": "paper", "theta": "0", "phi": "0"})
    return {name: recipe.fit(designs(name)) for name in WEIGHTS}


@pytest.fixture(scope="module")
def learning() -> Learning:
    automatic, fixed = make_recipe("stargazer"), make_recipe("stargazer", {"fixed": "smp"})

    def curve(name: str, recipe: object) -> LearningCurve:
        return learning_curve(recipe.fit, designs(name), (10, 15, 25), 10, 2)

    names = ("LPS", HOSTILE)
    return Learning(
        "stargazer", {n: curve(n, automatic) for n in names}, {n: curve(n, fixed) for n in names}, "smp alone"
    )


def test_learning_table_and_json(learning: Learning) -> None:
    table = learning.table()
    assert len(table) == 6
    assert table["mean error (%)"].tolist() == [*learning.curves["LPS"].mean, *learning.curves[HOSTILE].mean]
    assert table["smp alone: mean error (%)"].tolist()[:3] == learning.beside["LPS"].mean.tolist()
    assert learning.last()["application"].tolist() == sorted(
        WEIGHTS.keys() & {"LPS", HOSTILE}, key=lambda n: -learning.curves[n].mean[2]
    )
    plain = learning.plain()
    assert plain["average"] == pytest.approx(np.mean([c.mean for c in learning.curves.values()], axis=0).tolist())
    assert plain["curves"]["LPS"]["max"] == learning.curves["LPS"].largest.tolist()
    assert plain["beside"]["name"] == "smp alone"


def test_the_fixed_model_is_worse_where_its_terms_are_wrong(learning: Learning) -> None:
    assert learning.beside["LPS"].mean[-1] > 2 * learning.curves["LPS"].mean[-1]
    assert "smp alone with" in learning.sentence()


def test_how_many_designs_are_enough() -> None:
    mean = np.array([9.0, 4, 6, 5, 3])
    sizes = (30, 60, 90, 120, 150)
    curve = LearningCurve(sizes, 10, mean, mean, mean, mean, mean[:, None], np.zeros(5, dtype=np.int64))
    value = Learning("r", {"all": curve}, {})
    assert [value.enough("all", e) for e in (10, 5, 3.5, 1)] == [30, 120, 150, None]


def test_contributions_are_the_gains_of_the_story(models: Mapping[str, FittedPipeline]) -> None:
    found = contributions(models)
    for i, model in enumerate(models.values()):
        own = model.clusters[0].model
        assert found.r2[i] == pytest.approx(own.steps[-1].r2)
        terms = [":".join(sorted(t.split(":"), key=list(LEVELS).index)) for t in own.terms(model.features)]
        taken = sorted((found.place[i, j], f) for j, f in enumerate(found.factors) if found.place[i, j])
        assert [f for _, f in taken] == terms
    lps = dict(zip(found.factors, found.gains[0], strict=True))
    assert max(lps, key=lambda f: lps[f]) == "blk"
    assert found.gains[list(WEIGHTS).index(HOSTILE), found.factors.index("smp")] > 0.9
    assert found.plain()["LPS"]["factors"][0]["factor"] == "blk"
    assert np.isnan(found.table()["smp"][0]) or "smp" in models["LPS"].clusters[0].model.terms(models["LPS"].features)


def test_rare_factors_are_summed_up(models: Mapping[str, FittedPipeline]) -> None:
    found = contributions(models)
    few = found.fewer(2)
    assert few.factors == (*found.factors[:2], OTHERS)
    np.testing.assert_allclose(few.r2, found.r2)


def test_contributions_of_anova_are_shares_of_variance() -> None:
    model = make_recipe("anova").fit(designs("LPS"))
    found = contributions({"LPS": model})
    own = model.clusters[0].model
    assert isinstance(own, AnovaModel)
    assert found.r2[0] == pytest.approx(1.0)
    shares = {tuple(sorted(model.features[c] for c in columns)): s for columns, s in own.importance().items()}
    gains = found.gains[0].tolist()
    assert {tuple(sorted(f.split(":"))): g for f, g in zip(found.factors, gains, strict=True)} == pytest.approx(shares)
    assert "variance" in found.of


def test_contributions_need_a_model_that_tells() -> None:
    with pytest.raises(OptionError, match="does not tell what each factor adds"):
        contributions({"x": make_recipe("forest").fit(designs("LPS"))})
    with pytest.raises(OptionError, match="no model"):
        contributions({})


def test_alike_applications_are_near_and_neighbours(models: Mapping[str, FittedPipeline]) -> None:
    found = diversity(models, designs("LPS"))
    place = {a: i for i, a in enumerate(found.applications)}
    assert found.applications[found.nearest(place["LPS"])] == "like LPS"
    assert abs(place["LPS"] - place["like LPS"]) == 1
    np.testing.assert_allclose(found.distance, found.distance.T)
    assert (np.diag(found.distance) == 0).all()
    assert found.applications[int(np.argmax(found.unlike))] == HOSTILE
    assert found.n_designs == len(np.unique(designs("LPS").X, axis=0))


def test_distance_is_the_spread_of_the_ratio() -> None:
    """Two models whose ratio is 2 at half of the designs and 1/2 at the other half are a factor of 2 apart."""
    X = np.tile([[1.0], [2.0]], (20, 1))
    flat = make_frame(X, np.where(np.arange(40) % 4 < 2, 1.0, 1.0 + 1e-9), [Metric("a")], Metric("t"))
    steep = make_frame(X, 4.0 ** (X[:, 0] - 1), [Metric("a")], Metric("t"))
    fit = make_recipe("stargazer", {"variant": "paper"}).fit
    assert diversity({"a": fit(flat), "b": fit(steep)}, steep).distance[0, 1] == pytest.approx(1, rel=1e-6)


def test_reactions_follow_the_models(models: Mapping[str, FittedPipeline]) -> None:
    found = reactions(models, designs("LPS"), "blk")
    assert found.levels.tolist() == [1, 2, 4, 8, 16]
    assert found.applications.index("LPS") < found.applications.index("RAY") < found.applications.index(HOSTILE)
    X = np.array([[b, 16.0, 2.0] for b in found.levels])
    model = models["LPS"]
    predicted = model.predict(X[:, [list(LEVELS).index(n) for n in model.names]]).value
    np.testing.assert_allclose(found.values[found.applications.index("LPS")], predicted / predicted[0])
    with pytest.raises(OptionError, match="no parameter 'l2'"):
        reactions(models, designs("LPS"), "l2")


def test_a_parameter_that_was_never_varied_is_not_offered(models: Mapping[str, FittedPipeline]) -> None:
    frame = designs("LPS")
    held = replace(frame, X=np.where(np.array(frame.names) == "blk", 4.0, frame.X))
    of = (Applications(models, one, diversity(models, frame), None).moving for one in (frame, held))
    assert next(of) == list(LEVELS)
    assert next(of) == [name for name in LEVELS if name != "blk"]


def test_comparing_needs_two() -> None:
    with pytest.raises(OptionError, match="at least 2"):
        diversity({"LPS": make_recipe("stargazer").fit(designs("LPS"))}, designs("LPS"))


def test_models_that_react_the_same_are_not_apart(models: Mapping[str, FittedPipeline]) -> None:
    """Of three times the cycles, a model reacts as of these, but for rounding."""
    frame = designs("LPS")
    recipe = make_recipe("stargazer", {"variant": "paper", "theta": "0", "phi": "0"})
    found = diversity({**models, "thrice": recipe.fit(replace(frame, y=3 * frame.y))}, frame)
    assert found.distance[found.applications.index("LPS"), found.applications.index("thrice")] == 0


def test_what_hardly_differs_has_no_colours(models: Mapping[str, FittedPipeline]) -> None:
    found = diversity(models, designs("LPS"))
    apart, same = (diversity_map(replace(found, distance=found.distance * k)).figure.data[0] for k in (1, 1e-9))
    assert apart.zmax == pytest.approx(100 * found.distance.max())
    assert same.zmax == 0.1  # ticks told millionths of a percent as µ


def test_of_many_applications_some_have_numbers_below_the_map(models: Mapping[str, FittedPipeline]) -> None:
    many = 60
    found = replace(diversity(models, designs("LPS")), applications=tuple("a" * 30 + str(i) for i in range(many)))
    figure = diversity_map(replace(found, distance=np.ones((many, many)))).figure
    assert len(figure.layout.xaxis.ticktext) == 15
    assert len({*figure.layout.yaxis.ticktext}) == many


def test_bars_of_names_that_are_cut_alike_are_apart(models: Mapping[str, FittedPipeline]) -> None:
    found = contributions(models)
    long = [f"{i:b}".rjust(30, "x") + "y" * 30 for i, _ in enumerate(found.factors)]
    drawn = contribution_bars(replace(found, factors=tuple(long))).figure.data
    assert len({bar.name for bar in drawn}) == len(drawn) > 1


def test_figures_have_units_words_and_tables(learning: Learning, models: Mapping[str, FittedPipeline]) -> None:
    designs_ = designs("LPS")
    pictures = [
        learning_curves(learning),
        learning_curves(learning, LARGEST),
        contribution_bars(contributions(models), 3),
        diversity_map(diversity(models, designs_)),
        reaction_curves(reactions(models, designs_, "blk")),
    ]
    for picture in pictures:
        assert len(picture.alt) > 60
        assert len(picture.values())
        assert HOSTILE not in picture.figure.to_json()
    assert "%" in pictures[0].figure.layout.yaxis.title.text
    assert pictures[4].figure.layout.xaxis.title.text == "blk (count)"
    assert "summed up" in pictures[2].note
    assert pictures[2].figure.layout.legend.traceorder == "normal"
    rows, columns = (pictures[3].figure.layout[f"{axis}axis"].ticktext for axis in "yx")
    assert [row.rsplit(maxsplit=1)[1] for row in rows] == list(columns) == [str(i + 1) for i in range(len(models))]
    assert pictures[3].figure.data[0].colorbar.orientation == "h"
    one = Learning("r", {"all": learning.curves["LPS"]}, {})
    assert len(learning_curves(one).figure.data) == 4


def test_errors_beyond_all_others_are_not_drawn_but_told() -> None:
    sizes, usual = (10, 20, 30, 40), np.array([8.0, 6.0, 5.0, 4.0])
    wild = np.array([1e170, 40.0, 30.0, 20.0])
    curve = LearningCurve(sizes, 5, usual, usual, 2 * usual, wild, usual[:, None], np.zeros(4, dtype=np.int64))
    picture = learning_curves(Learning("r", {"all": curve}, {}))
    assert [trace.name for trace in picture.figure.data] == ["mean", "75 % within", "98 % within", "largest"]
    assert np.isnan(picture.figure.data[3].y).tolist() == [True, False, False, False]
    assert picture.note == "Not drawn, but in the table: 1 far larger error."
    assert picture.values()["largest (%)"].max() == 1e170
