"""`ridgeline race`: every family on the same honest folds, and who wins."""

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, ClassVar

from core.cli._files import write_bytes
from core.cli._frame import add_cluster, add_folds, add_scenario, add_trials, add_workers, load_scenario
from core.cli._scores import verdict_lines, verdict_values
from core.cli.base import Arguments, Parser, Report, Verb, flag, names, open_store, progress
from core.codec import dumps
from core.errors import OptionError
from core.export import model_sha256, write_model
from core.journal import Lines
from core.progress import Progress, in_turn
from core.race.entry import Entry, entries_for, entry_of
from core.race.race import fitted_winner, race, race_id
from core.race.result import BLEND, STACK, Key, Race, Run, run_from_plain, run_to_plain
from core.race.versus import verdict_on_race
from core.registry import unknown
from core.report.compare.race_document import race_document, race_text
from core.report.compare.side_by_side import honest_folds, usual_entries
from core.trial import Frame
from core.validate.folds import FoldPlan, parse_folds

_MANY = 2000
"""Trials from which on it is said beforehand that a race takes minutes, and how it takes less."""
_ALL = "all"


class RunsFile(Lines):
    """Runs of races, each race by its id."""

    strange: ClassVar[str] = "{path} holds no runs of a race. Give --resume another file."
    begins: ClassVar[bytes] = b'{"race":'

    def __init__(self, path: str) -> None:
        super().__init__(Path(path))
        self.known: dict[str, dict[Key, Run]] = {}

    def keep(self, race: str, run: Run) -> None:
        """Append a run."""
        self.append(dumps({"race": race, "run": run_to_plain(run)}))

    def take(self, plain: Any) -> None:
        """Take in a run that is there."""
        run = run_from_plain(plain["run"])
        self.known.setdefault(plain["race"], {})[run.key] = run


class RaceVerb(Verb):
    """Race every family on the same folds."""

    group = "make a model"
    examples = ("ridgeline race --dataset mine --response time --folds by:application --out winner.json",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_race(parser)
        flag(parser, "--beside FOLDS", "other folds beside, such as kfold:10, for the optimism")
        flag(parser, "--resume FILE", "keep each result there, and go on from those it has")
        add_cluster(parser)
        flag(parser, "--out FILE", "learn the winner from all trials, and write its model file")
        flag(parser, "--keep ENTRY", "write this entry, stack or blend in place of the winner")

    def run(self, a: Arguments) -> Report:
        """Race and report, response after response."""
        wanted = _responses(a)
        if a.out and len(wanted) > 1:
            raise OptionError(f"--out writes one model, and {len(wanted)} responses are raced. Race one at a time.")
        if a.keep and not a.out:
            raise OptionError(f"--keep {a.keep} says which model is written: give --out as well.")
        blocks: list[dict[str, Any]] = []
        lines: list[str] = []
        with RunsFile(a.resume) if a.resume else nullcontext() as kept:
            for share, response in in_turn(progress(a), wanted):
                plain, told = _race(a, response, kept, share)
                blocks.append(plain)
                lines += [*([""] if lines else []), *told]
        return Report(lines, blocks[0] if len(blocks) == 1 else {"responses": blocks})


def add_race(parser: Parser) -> None:
    """Declare the trials, the folds and the entries of a race."""
    add_trials(parser)
    add_scenario(parser)
    add_folds(parser, usual="the hardest that the trials can answer, in at most twelve parts")
    flag(parser, "--entries A,B,…", f"only these families or recipes, or {_ALL}; the quicker ones if not given")
    add_workers(parser)


def chosen_entries(a: Arguments, frame: Frame) -> list[Entry]:
    """Return the entries that were asked for, or those that need no patience, as the page takes them."""
    if a.entries == _ALL:
        return list(entries_for(frame))
    if asked := [entry_of(name, frame) for name in names(a.entries) or ()]:
        return asked
    usual = list(usual_entries(entries_for(frame), frame))
    if len(frame) >= _MANY and not a.quiet:
        less = "--entries ridge,formula and --folds kfold:3 take less"
        print(f"ridgeline: {len(usual)} entries race on {len(frame):,} trials, for minutes; {less}", file=sys.stderr)
    return usual


def chosen_folds(a: Arguments, frame: Frame) -> FoldPlan:
    """Return the folds that were asked for, or the hardest in at most twelve parts, as the page takes them."""
    return parse_folds(a.folds) if a.folds else honest_folds(frame)


def _responses(a: Arguments) -> Sequence[str]:
    """Return one response, or several with commas between them."""
    with open_store(a) as store:
        known = {m.name for m in store.metric_names(a.dataset)}
    return names(a.response, known) or (a.response,)


def _race(a: Arguments, response: str, runs: RunsFile | None, progress: Progress) -> tuple[dict[str, Any], list[str]]:
    started = time.perf_counter()
    scenario = load_scenario(a, response)
    frame = scenario.frame
    entries = chosen_entries(a, frame)
    if a.keep and a.keep not in (running := [*(entry.name for entry in entries), STACK, BLEND]):
        raise OptionError(unknown("entry", a.keep, running, " in the race"))
    plans = [chosen_folds(a, frame), *([parse_folds(a.beside)] if a.beside else [])]
    plans[-1].split(frame)  # what cannot be held out is told before minutes go into the others
    honest, *others = [_resumed(a, frame, plan, entries, runs, share) for share, plan in in_turn(progress, plans)]
    beside = others[0] if others else None
    kept, told = _kept(a, frame, honest, entries)
    verdict = verdict_on_race(frame, honest)
    spent = {"verdict": verdict_values(verdict), "seconds": round(time.perf_counter() - started, 3)}
    plain = {"dataset": a.dataset, **race_document(frame, honest, beside), **scenario.plain, **kept, **spent}
    head = f"{response or a.response} of {a.dataset}" + (f", {a.host} → {a.target}" if a.host else "")
    return plain, [*race_text(head, frame, honest, beside), *verdict_lines(verdict), *told, *scenario.lines]


def _kept(a: Arguments, frame: Frame, found: Race, entries: Sequence[Entry]) -> tuple[dict[str, Any], list[str]]:
    """Write the model that was asked for; return what is said of it."""
    if not a.out:
        return {}, []
    name = a.keep or found.winner
    raw = write_model(fitted_winner(frame, found, entries, a.dataset, name))
    write_bytes(a.out, raw)
    return {"model": name, "model_sha256": model_sha256(raw)}, [f"{name} written to {a.out}"]


def _resumed(
    a: Arguments, frame: Frame, plan: FoldPlan, entries: Sequence[Entry], kept: RunsFile | None, progress: Progress
) -> Race:
    id = race_id(frame, plan, a.seed, entries)
    done = kept.known.get(id, {}) if kept else {}
    keep = (lambda run: kept.keep(id, run)) if kept else None
    return race(frame, plan, a.seed, entries, progress, done, keep, workers=a.workers, cluster=a.cluster)
