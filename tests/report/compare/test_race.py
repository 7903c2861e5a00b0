"""A race for people: lines, spread, shares within a threshold, the sentence, the tables, the JSON, how far it is."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError
from core.race.chosen import failures
from core.race.entry import entry_of
from core.race.race import fitted_winner, race
from core.race.result import BLEND, EVERYTHING, STACK, Race, Run
from core.report.compare.race_document import document_bytes, race_document, race_text
from core.report.compare.race_table import (
    COMBINED,
    NON_NEGATIVE,
    OTHER,
    made_of,
    race_lines,
    race_table,
    winner_sentence,
    within,
)
from core.report.compare.side_by_side import (
    chosen_metrics,
    failures_table,
    fold_table,
    honest_folds,
    likely_pair,
    n_trainings,
    offered_folds,
    on_logarithms,
    progress_sentence,
    progress_table,
    progressed,
    quick_first,
    random_folds,
    stability_table,
    usual_entries,
)
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.crossval import on_scale
from core.validate.folds import parse_folds

NAMES = ("nnls", "ridge", "stepwise")
PLAN, RANDOM = parse_folds("by:application"), parse_folds("kfold:4")


def workloads(n_apps: int = 5, n_inputs: int = 6) -> Frame:
    """Workloads of a host whose counters add up to the target's time, with a copy of one counter."""
    rng = np.random.default_rng(3)
    a, i = (v.ravel() for v in np.meshgrid(np.arange(n_apps), np.arange(n_inputs), indexing="ij"))
    X = np.exp(rng.uniform(1, 6, (len(a), 3)))
    X = np.column_stack([X, 2 * X[:, 0]])
    y = (X[:, 0] + 3 * X[:, 1]) * np.exp(0.05 * rng.standard_normal(len(a)))
    metrics = [Metric(n, Kind.COUNTER) for n in ("loads", "stores", "idle", "bytes")]
    labels = {"application": [f"app{k}" for k in a], "input": [f"in{k}" for k in i], "machine": ["new"] * len(a)}
    return make_frame(X, y, metrics, Metric("time", Kind.RESPONSE, "s"), labels)


@pytest.fixture(scope="module")
def frame() -> Frame:
    return workloads()


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return []


@pytest.fixture(scope="module")
def found(frame: Frame, runs: list[Run]) -> Race:
    return race(frame, PLAN, 0, [entry_of(n, frame) for n in NAMES], on_result=runs.append)


@pytest.fixture(scope="module")
def beside(frame: Frame) -> Race:
    return race(frame, RANDOM, 0, [entry_of(n, frame) for n in NAMES])


def test_lines_are_best_first_with_the_stack_among_them(frame: Frame, found: Race, beside: Race) -> None:
    lines = race_lines(frame, found, beside)
    assert {line.entry for line in lines} == {*NAMES, STACK, BLEND}
    mape = [line.mape for line in lines]
    assert mape == sorted(mape)
    nnls = next(line for line in lines if line.entry == "nnls")
    assert {line.entry: line.kind for line in lines if line.entry in NAMES} == {
        name: NON_NEGATIVE if name == "nnls" else OTHER for name in NAMES
    }
    assert next(line for line in lines if line.entry == STACK).kind == COMBINED
    errors = [found.standing("nnls").validation.groups[f"app{i}"].mape for i in range(5)]
    assert nnls.folds == pytest.approx(errors)
    assert nnls.spread == pytest.approx(np.std(errors, ddof=1))
    assert nnls.optimism == pytest.approx(nnls.mape / beside.standing("nnls").validation.scores.mape)


def test_shares_within_a_threshold_agree_with_the_scores(frame: Frame, found: Race) -> None:
    validation = found.standing("nnls").validation
    assert within(frame, validation, 10) == pytest.approx(validation.scores.inliers_10)
    assert within(frame, validation, 20) == pytest.approx(validation.scores.inliers_20)
    assert within(frame, validation, 1e9) == 100
    refused = replace(validation, predicted=np.where(np.arange(len(frame)) < 3, np.nan, frame.y))
    assert within(frame, refused, 5) == pytest.approx(100 * (len(frame) - 3) / len(frame))


def test_the_table_marks_the_winner_and_counts_any_threshold(frame: Frame, found: Race, beside: Race) -> None:
    shown = race_table(frame, race_lines(frame, found, beside), found.winner, 7)
    (winner,) = [m for m in shown["model"] if m.startswith("★ ")]
    assert found.winner == BLEND
    assert winner == "★ Blend"
    assert "within 7 % (%)" in shown.columns
    assert "within 10 % (%)" in race_table(frame, race_lines(frame, found), "", 10).columns
    assert shown["random folds (%)"].notna().all()


def test_what_cannot_run_is_last_with_its_reason(frame: Frame) -> None:
    broken = race(replace(frame, y=frame.y - frame.y.min() - 1.0), PLAN, 0, [entry_of("nnls", frame)])
    lines = race_lines(frame, broken)
    assert lines[-1].validation is None or lines[-1].error == ""
    none = Race("by:application", 0, (), 3, "", (), None, "", None, 0.0)
    assert winner_sentence(none).startswith("No entry can run")
    assert len(race_table(frame, ())) == 0


def test_the_winner_is_said_with_its_nested_error(found: Race, beside: Race) -> None:
    said = winner_sentence(found, beside)
    assert said.startswith("Winner: a blend of ")
    assert "weighted by the inner errors of 3 entries" in said
    assert f"{found.nested.scores.mape:.3g} % on average" in said
    assert "an application that it has not seen" in said
    assert said.endswith(f"On 4 random folds the same procedure looks like {beside.nested.scores.mape:.3g} %.")
    alone = replace(found, winner="ridge")
    assert winner_sentence(alone).startswith(f"Winner: {found.standing('ridge').label}, chosen among 3 entries")


def test_as_text_there_is_a_row_each_and_what_the_winner_is_worth(frame: Frame, found: Race, beside: Race) -> None:
    lines = race_text("time of d", frame, found, beside)
    assert lines[0] == "time of d, folds by:application: 30 trials, 3 entries"
    assert "kfold:4" in lines[1]
    shown = race_lines(frame, found, beside)
    for line, text in zip(shown, lines[2:], strict=False):
        assert text.split()[:3] == [line.entry, f"{line.mape:.1f}", f"{line.beside.mape:.1f}"]
    assert lines[-3].startswith(f"winner: blend of {made_of(found, BLEND)}")
    assert f"worth: MAPE {found.nested.scores.mape:.1f} %" in lines[-2]
    assert f"one entry alone, picked anew without each fold: MAPE {found.picked.scores.mape:.1f} %" in lines[-1]
    assert race_text("t", frame, replace(found, winner="nnls"), None)[-3].startswith("winner: nnls (raw")
    assert race_text("t", frame, replace(found, winner="nnls"), None)[-3].endswith(
        f", chosen among {len(found.running)} entries"
    )


def test_json_has_entries_scores_and_the_winner(frame: Frame, found: Race, beside: Race) -> None:
    plain = json.loads(document_bytes(race_document(frame, found, beside)))
    assert plain["winner"] == found.winner
    assert {e["family"] for e in plain["entries"]} == {*NAMES, STACK, BLEND}
    nnls = next(e for e in plain["entries"] if e["family"] == "nnls")
    assert nnls["scores"]["mape"] == found.standing("nnls").validation.scores.mape
    assert len(nnls["treatments"]) == len(nnls["by_fold"]) == 5
    assert plain["nested"]["scores"]["mape"] == found.nested.scores.mape
    assert plain["picked"]["scores"]["mape"] == found.picked.scores.mape
    blend = next(e for e in plain["entries"] if e["family"] == BLEND)
    assert blend["weights"] == dict(found.blend.weights)
    assert blend["scores"] == plain["nested"]["scores"]
    assert list(plain["nested"]["weights"]) == [f"app{i}" for i in range(5)]
    assert plain["beside"]["folds"] == "kfold:4"
    assert {e["family"] for e in plain["beside"]["entries"]} == {*NAMES, STACK, BLEND}
    assert 0 < plain["stability"][0]["share"] <= 1
    assert json.loads(document_bytes({"a": float("inf"), "b": [float("nan"), 1.0]})) == {"a": None, "b": [None, 1.0]}


def test_detail_of_one_model(frame: Frame, found: Race, runs: list[Run]) -> None:
    standing = found.standing("nnls")
    folds = fold_table(frame, standing.validation, standing)
    mixed = fold_table(frame, found.blend.validation, found.blend)
    assert all(entry_of(name, frame).label in mixed["made of"][0] for name in found.blend.by_fold[0].weights)
    assert folds["left out"].tolist() == [f"app{i}" for i in range(5)]
    assert folds["workloads"].tolist() == [6] * 5
    shown = failures_table(failures(frame, standing.validation), frame)
    assert shown["observed time (s)"].is_monotonic_increasing
    own = [run.features for run in runs if run.entry == "nnls" and run.fold != EVERYTHING]
    groups = chosen_metrics(frame, own)
    assert groups[0].share == 1
    table = stability_table(groups)
    alike = table[table["metric"].isin(["loads", "bytes"])]
    assert len(alike) == 1, "metrics that tell the same are one"
    assert chosen_metrics(frame, []) == ()
    assert on_logarithms(frame) is True


@pytest.mark.parametrize("name", [*NAMES, STACK, BLEND])
def test_a_kept_model_has_an_interval_on_its_own_scale(frame: Frame, found: Race, name: str) -> None:
    model = fitted_winner(frame, found, [entry_of(n, frame) for n in NAMES], "mine", name)
    said = model.predict(model.rows(frame))
    inside = (frame.y >= said.low) & (frame.y <= said.high)
    assert inside.mean() > 0.7
    assert model.validation["scores"]["mape"] == found.validation(name).scores.mape
    assert model.provenance.dataset == "mine"
    validation = on_scale(found.validation(name), frame, model.scale)
    assert np.isfinite(validation.known.residuals).all()


def test_what_cannot_run_cannot_be_kept(frame: Frame, found: Race) -> None:
    lame = replace(found.standing("nnls"), validation=None, error="It cannot.")
    with pytest.raises(FitError, match="cannot run on these trials: It cannot"):
        fitted_winner(frame, replace(found, standings=(lame,)), [entry_of("nnls", frame)], "mine", "nnls")
    with pytest.raises(FitError, match="no 'nothing' in the race"):
        fitted_winner(frame, found, [], "mine", "nothing")
    assert found.validation("nothing") is None
    assert found.validation(STACK) is found.stack.validation


def test_many_applications_are_held_out_several_at_a_time() -> None:
    assert str(honest_folds(workloads(5))) == "by:application"
    many = workloads(14, 1)
    assert str(honest_folds(many)) == "kfold:10:application"
    assert str(offered_folds(many)[0]) == "kfold:10:application"
    assert len(set(offered_folds(many))) == len(offered_folds(many))
    assert [str(p) for p in random_folds(many)] == ["kfold:10", "kfold:5"]


def test_slow_entries_are_left_to_those_who_ask(frame: Frame) -> None:
    entries = [entry_of(n, frame) for n in ("anova", "forest", "ridge", "extra_trees")]
    assert [e.name for e in usual_entries(entries, frame)] == ["extra_trees", "ridge", "forest", "anova"]
    wide = make_frame(np.tile(frame.X, (1, 40)), frame.y, [Metric(f"m{j}") for j in range(160)], frame.response)
    assert [e.name for e in usual_entries(entries, wide)] == ["extra_trees", "ridge", "forest"]
    assert [e.name for e in quick_first(entries)] == ["extra_trees", "ridge", "forest", "anova"]
    assert n_trainings(frame, PLAN, 0, entries[:1]) == 6 * (8 * len(entries[0].treatments) + 1)


def test_host_and_target_begin_with_the_machines_of_most_trials() -> None:
    frame = make_frame(np.arange(6.0)[:, None], np.arange(6.0), [Metric("x")], Metric("t"), {"machine": [*"bbcaa", ""]})
    assert likely_pair(frame) == ("a", "b")
    assert likely_pair(frame.take(np.array([0]))) is None


def test_progress_is_told_while_runs_come_in(frame: Frame, found: Race, runs: list[Run]) -> None:
    entry = entry_of("nnls", frame)
    none = progressed(frame, PLAN.split(frame, 0), entry, {})
    assert (none.n_done, none.n_needed, none.mape) == (0, 6, None)
    two = {r.key: r for r in runs if r.entry == "nnls" and r.fold in (0, 1)}
    part = progressed(frame, PLAN.split(frame, 0), entry, two)
    errors = [found.standing("nnls").validation.groups[f"app{i}"].mape for i in (0, 1)]
    assert part.mape == pytest.approx(np.mean(errors))
    whole = progressed(frame, PLAN.split(frame, 0), entry, {r.key: r for r in runs})
    assert (whole.n_done, whole.n_needed) == (6, 6)
    assert whole.mape == pytest.approx(found.standing("nnls").validation.scores.mape)
    lame = replace(runs[0], error="It cannot.", result=None)
    stopped = progressed(frame, PLAN.split(frame, 0), entry, {("nnls", 0): lame})
    assert (stopped.n_done, stopped.n_needed, stopped.error) == (1, 1, "It cannot.")
    shown = progress_table([none, part, stopped])
    assert shown["done"].tolist() == [pytest.approx(2 / 6), 1.0]
    assert shown["cannot run because"].tolist() == ["", "It cannot."]
    assert progress_sentence([part, none]).endswith("3 of 6; 1 more waits")
    assert progress_sentence([whole]) == "all entries are done"
