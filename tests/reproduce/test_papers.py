"""Each paper on fewer trials: every figure and table is in the document, or why it is not; numbers as counted otherwise."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.errors import Cancelled
from core.recipes import make_recipe
from core.recipes.halwpe import Halwpe
from core.report.trials.components import components
from core.reproduce import PAPERS
from core.reproduce.amd import kernels_of
from core.reproduce.artefact import Given, Made, Trials
from core.reproduce.document import Reproduction, reproduce, reproduction_page, reproduction_plain
from core.reproduce.eiger import component_table
from core.reproduce.stargazer import _parameters
from core.scaling.base_map import base_map
from core.scaling.predictors.network import Network
from core.trial import Frame, Kind, Metric
from tests.export.test_card import Page
from tests.reproduce.conftest import Cut

pytestmark = pytest.mark.slow

NAMED = ("ols_forward_bic", "nn_lasso", "nnls_backward_aic", "nnls", "forest")
"""Models that stand in the paper's rows of tables 4 and 5; tests/recipes has all of them."""
MACHINES = ("haswell", "broadwell", "skylake-avx512", "icelake-server")


def processors(rows: pd.DataFrame) -> pd.DataFrame:
    names = sorted(rows["kernel"].unique())[::18]
    return rows[rows["kernel"].isin(names) & rows["cpu"].isin(MACHINES)]


def designs(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["kernel"].isin(sorted(rows["kernel"].unique())[:3])].iloc[::6]


def grid(rows: pd.DataFrame) -> pd.DataFrame:
    columns = {c.partition(" ")[0]: c for c in rows.columns}
    wanted = {"dispatch_width": (1, 4, 8), "register_file": (16, 48, 192), "memory_queues": (2, 8, 32)}
    names = sorted(set(zip(rows["kernel"], rows["variant"], strict=True)))[::5]
    there = np.array([pair in names for pair in zip(rows["kernel"], rows["variant"], strict=True)])
    for name, levels in wanted.items():
        there &= rows[columns[name]].isin(levels).to_numpy()
    return rows[there]


CUTS = {"generations": processors, "design_space": designs, "scaling": grid}


@pytest.fixture(scope="module")
def source(cut: Cut) -> dict[str, Trials]:
    return {name: cut(name, kept) for name, kept in CUTS.items()}


@pytest.fixture(scope="module")
def found(source: dict[str, Trials]) -> Iterator[dict[str, Reproduction]]:
    """All papers; of HALWPE's models those that it names, its forests, grown some forty times, of few trees."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.reproduce.halwpe.MODELS", NAMED)
        patch.setattr("core.reproduce.halwpe.Halwpe", partial(Halwpe, trees=8))
        yield {name: reproduce(paper, source[paper.sample]) for name, paper in PAPERS.items()}


def made(found: Reproduction, start: str) -> Made:
    return next(m for a, m in found.made if a.title.startswith(start))


@pytest.mark.parametrize("name", PAPERS)
def test_every_figure_and_table_is_there_or_its_absence_explained(name: str, found: dict[str, Reproduction]) -> None:
    raw = reproduction_page(found[name])
    page = Page(raw)
    assert "script" not in page.tags
    assert not re.search(rb"https?://|url\(|@import", raw)
    for artefact, made in found[name].made:
        assert artefact.title in page.texts
        assert made.absent or made.compared or made.pictures
        for said in (made.absent, *(c.here for c in made.compared), *(p.alt for p in made.pictures)):
            assert not said or said in page.texts
    assert len(page.tags) > 200
    plain = reproduction_plain(found[name])
    assert [a["title"] for a in plain["artefacts"]] == [a.title for a in PAPERS[name].artefacts]


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("eiger", ["Figure 1"]),
        ("stargazer", ["Figures 1 and 2", "Table 3", "Figure 4"]),
        ("halwpe", ["Figures 1 to 4", "Table 2", "Figure 5", "Figure 7"]),
        ("amd", ["Table 1", "Figures 4 and 6"]),
    ],
)
def test_what_cannot_be_had_is_what_no_sample_has(name: str, absent: list[str], found: dict[str, Reproduction]) -> None:
    assert [title.partition(":")[0] for title in found[name].absent] == absent


def test_the_same_seed_gives_the_same_bytes(source: dict[str, Trials], found: dict[str, Reproduction]) -> None:
    again = reproduce(PAPERS["stargazer"], source["design_space"])
    assert reproduction_page(again) == reproduction_page(found["stargazer"])
    other = reproduce(PAPERS["stargazer"], source["design_space"], 1)
    assert reproduction_page(other) != reproduction_page(found["stargazer"])


def test_components_explain_what_a_singular_value_decomposition_says(source: dict[str, Trials]) -> None:
    given = Given(source["generations"])
    X = given.frame.X[:, np.ptp(given.frame.X, axis=0) > 0]
    scales = {"raw": lambda x: x, "log": np.log, "log1p": np.log1p}
    Z = np.column_stack([scales[s](x) for s, x in zip(components(given.frame).scales, X.T, strict=True)])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0, ddof=1)
    variance = np.linalg.svd(Z, compute_uv=False) ** 2
    said = component_table(given, 5)["variance before rotation (%)"]
    assert said.to_numpy() == pytest.approx(100 * variance[:5] / variance.sum(), rel=1e-6)


def test_an_application_left_out_has_the_error_of_a_model_of_the_others(
    source: dict[str, Trials], found: dict[str, Reproduction]
) -> None:
    frame = source["generations"].frame()
    table = made(found["eiger"], "Figure 5").tables[0].frame
    name = table["application"].iloc[0]
    mine = np.array(frame.labels["application"], dtype=object) == name
    model = make_recipe("eiger", {"variant": "ridgeline-1", "extrapolation": "clamp"}).fit(
        frame.take(np.flatnonzero(~mine))
    )
    test = frame.take(np.flatnonzero(mine))
    said = model.predict(model.rows(test)).value
    assert table["MAPE (%)"].iloc[0] == pytest.approx(100 * np.abs(said / test.y - 1).mean(), rel=1e-9)
    assert table.iloc[0, 2] == pytest.approx(((said - test.y) ** 2).mean(), rel=1e-9)


def test_the_first_round_of_table_1_is_the_variance_between_levels(
    source: dict[str, Trials], found: dict[str, Reproduction]
) -> None:
    """A parameter of three levels has two columns, so its R² is what the means of the levels explain."""
    frame = source["design_space"].frame()
    name = sorted(set(frame.labels["application"]))[0]
    own = frame.take(np.flatnonzero(np.array(frame.labels["application"], dtype=object) == name))
    few = np.sort(np.random.default_rng(0).choice(len(own), min(300, len(own)), replace=False))
    y, x = own.y[few], own.X[few, own.names.index("decoders")]
    assert len(np.unique(x)) == 3
    inside = sum(((y[x == level] - y[x == level].mean()) ** 2).sum() for level in np.unique(x))
    rounds = made(found["stargazer"], "Table 1").tables[0].frame
    said = float(str(rounds["decoders"].iloc[0]).removesuffix(" ✓"))
    assert said == pytest.approx(1 - inside / ((y - y.mean()) ** 2).sum(), abs=5e-5)
    taken = rounds[rounds["taken"] != "nothing"]
    assert sum("✓" in str(v) for v in taken.to_numpy().ravel()) == len(taken)


def test_the_best_of_each_kind_has_the_smallest_error_of_its_kind(found: dict[str, Reproduction]) -> None:
    for number, non_negative in ((4, False), (5, True)):
        part = made(found["halwpe"], f"Table {number}")
        every = part.tables[0].frame
        assert set(every["scenario"]) == {f"haswell → {m}" for m in MACHINES[1:]}
        kind = every[every["model"].str.contains("NNLS") == non_negative]
        for compared in part.compared:
            least = kind[kind["scenario"] == compared.what.partition(": ")[2]].sort_values("E_out (%)").iloc[0]
            assert compared.here.startswith(f"{least['model']} {least['E_out (%)']:.3g} %")


def test_boxes_are_of_the_errors_of_all_bases(source: dict[str, Trials], found: dict[str, Reproduction]) -> None:
    own = kernels_of(Given(source["scaling"]))
    errors = base_map(own.study, own.response, Network(), "holdout:20%", 0, seeds=3)
    boxes = made(found["amd"], "Figure 9").tables[0].frame
    for value, mean, _, low, high in boxes.itertuples(index=False):
        group = errors.error[errors.grid[:, own.axes[2]] == value]
        assert (mean, low, high) == pytest.approx((group.mean(), group.min(), group.max()), rel=1e-9)


def test_what_stands_in_for_power_has_its_own_name(source: dict[str, Trials], found: dict[str, Reproduction]) -> None:
    (compared,) = next(m.compared for _, m in found["amd"].made if any("below 10 %" in c.what for c in m.compared))
    assert compared.what == f"{source['scaling'].response}, below 10 % error"
    assert compared.paper.endswith("of power")


def test_own_trials_without_machines_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "own.duckdb"))
    rng = np.random.default_rng(0)
    rows = [f"a{i % 4},{x:.4f},{2 + 3 * x:.4f}" for i, x in enumerate(rng.uniform(1, 9, 60))]
    Path("own.csv").write_text("application,work,time (s)\n" + "\n".join(rows) + "\n")
    assert main(["import", "own.csv", "--dataset", "own"]) == 0
    assert main(["reproduce", "halwpe", "--dataset", "own", "--out", "own.html"]) == 0
    texts = Page(Path("own.html").read_bytes()).texts
    assert any("a host and a target are two machines, and there is one" in t for t in texts)
    assert main(["reproduce", "halwpe", "--dataset", "own", "--out", "own.pdf"]) == 2


def test_a_text_is_one_parameter_of_a_design_space() -> None:
    X = np.array([[m == "row", m == "tile", n] for m in ("row", "tile") for n in (1, 2, 4)], dtype=float)
    names = ("mode=row", "mode=tile", "a=b")
    labels = {"application": ("x",) * 6, "input": ("",) * 6, "machine": ("",) * 6, "mode": ("row", "tile") * 3}
    metrics, time = tuple(Metric(name, Kind.PARAMETER) for name in names), Metric("time", Kind.RESPONSE, "s")
    frame = Frame(metrics, X, time, X[:, 2], ("t",) * 6, labels, np.arange(6))
    table, n = _parameters(frame)
    assert (table["parameter"].tolist(), table["values"].tolist(), n) == (["mode", "a=b"], ["row, tile", "1, 2, 4"], 6)


def test_who_stops_it_has_stopped_it(source: dict[str, Trials]) -> None:
    def stop(share: float, said: str) -> None:
        if share > 0.2:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        reproduce(PAPERS["stargazer"], source["design_space"], progress=stop)
