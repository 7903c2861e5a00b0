"""`ridgeline race`: every family on the same honest folds, and who wins."""

import argparse
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from core.cli._frame import (
    add_scenario,
    add_trials,
    load_scenario,
    names,
    open_store,
    progress,
    scenario_lines,
    scenario_values,
    score_line,
    score_values,
)
from core.cli._race_runs import RunsFile
from core.cli._race_table import race_lines
from core.cli.base import Arguments, Report, Verb, add_json
from core.progress import Progress, part
from core.race import Entry, Race, Standing, alike, entries_for, entry_of, race, race_id, stability
from core.trial import Frame
from core.validate.folds import FORMS, FoldPlan, parse_folds


class RaceVerb(Verb):
    """Race all families."""

    help = "race every family on the same folds"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        add_trials(parser)
        add_scenario(parser)
        parser.add_argument("--folds", required=True, metavar="FOLDS", help=FORMS)
        parser.add_argument("--beside", metavar="FOLDS", help="other folds beside, such as kfold:10, for the optimism")
        parser.add_argument("--entries", metavar="A,B,…", help="only these families; all that suit if not given")
        parser.add_argument("--resume", metavar="FILE", help="keep each result there, and go on from those it has")
        add_json(parser)

    def run(self, a: Arguments) -> Report:
        """Race and report, response after response."""
        plans = [parse_folds(text) for text in (a.folds, a.beside) if text]
        wanted = _responses(a)
        blocks: list[dict[str, Any]] = []
        lines: list[str] = []
        with ExitStack() as stack:
            kept = stack.enter_context(RunsFile(a.resume)) if a.resume else None
            for i, response in enumerate(wanted):
                share = part(progress(), i / len(wanted), (i + 1) / len(wanted))
                plain, told = _race(a, response, plans, kept, share)
                blocks.append(plain)
                lines += [*([""] if lines else []), *told]
        return Report(lines, blocks[0] if len(blocks) == 1 else {"responses": blocks})


def _responses(a: Arguments) -> Sequence[str]:
    """Return one response, or several with commas between them; a name with a comma is one."""
    with open_store(a) as store:
        known = {m.name for m in store.metric_names(a.dataset)}
    return (a.response,) if a.response in known else names(a.response) or (a.response,)


def _race(
    a: Arguments, response: str, plans: Sequence[FoldPlan], kept: RunsFile | None, progress: Progress
) -> tuple[dict[str, Any], list[str]]:
    started = time.perf_counter()
    scenario = load_scenario(a, response)
    frame = scenario.frame
    entries = [entry_of(name, frame) for name in names(a.entries) or ()] or entries_for(frame)
    found = []
    for i, plan in enumerate(plans):
        share = part(progress, i / len(plans), (i + 1) / len(plans))
        found.append(_resumed(frame, plan, a.seed, entries, kept, share))
    honest, *others = found
    plain = {
        "dataset": a.dataset, "response": response, "folds": honest.folds, "n_trials": len(frame),
        **_plain(honest, frame),
        **({"beside": {"folds": others[0].folds, **_plain(others[0], frame)}} if others else {}),
        **scenario_values(a, scenario), "notes": list(frame.notes),
        "seconds": round(time.perf_counter() - started, 3),
    }  # fmt: skip
    head = f"{response} of {a.dataset}" + (f", {a.host} → {a.target}" if a.host else "")
    return plain, [*race_lines(head, honest, others[0] if others else None), *scenario_lines(a, scenario)]


def _resumed(
    frame: Frame, plan: FoldPlan, seed: int, entries: Sequence[Entry], kept: RunsFile | None, progress: Progress
) -> Race:
    if kept is None:
        return race(frame, plan, seed, entries, progress)
    id = race_id(frame, plan, seed, entries)
    return race(frame, plan, seed, entries, progress, kept.done(id), lambda run: kept.keep(id, run))


def _plain(found: Race, frame: Frame) -> dict[str, Any]:
    able = found.running
    winner = found.standing(found.winner) if found.winner else None
    return {
        "entries": [_standing(s) for s in found.standings],
        "winner": found.winner,
        "winner_treatment": winner.treatment if winner else "",
        "nested": None if found.nested is None else {
            "scores": score_values(found.nested.scores),
            "entries": dict(zip(found.fold_names, found.nested_entries, strict=True)),
        },
        "stack": None if found.stack is None else {
            "scores": score_values(found.stack.validation.scores), "weights": dict(found.stack.weights)
        },
        "committee": None if found.committee is None else {
            "scores": score_values(found.committee.validation.scores), "entries": list(found.committee.weights)
        },
        "best_non_negative": next((s.entry for s in able if s.non_negative), None),
        "best_other": next((s.entry for s in able if not s.non_negative), None),
        "stability": _stability(winner, frame),
    }  # fmt: skip


def _stability(winner: Standing | None, frame: Frame) -> list[dict[str, Any]]:
    if winner is None:
        return []
    return [{"metrics": list(s.metrics), "share": s.share} for s in stability(winner.chosen_by_fold, alike(frame))]


def _standing(s: Standing) -> dict[str, Any]:
    if s.validation is None:
        return {"family": s.entry, "label": s.label, "scores": None, "seconds": round(s.seconds, 3), "error": s.error}
    return {
        "family": s.entry,
        "label": s.label,
        "scores": score_values(s.validation.scores),
        "seconds": round(s.seconds, 3),
        "fit_seconds": round(s.fit_seconds, 4),
        "treatment": s.treatment,
        "treatments": list(s.treatments),
        "inner_mape": s.inner_error,
        "n_features": s.n_chosen,
        "n_features_by_fold": list(s.n_features),
        "by_fold": list(s.by_fold),
        "summary": score_line(s.validation.scores),
    }
