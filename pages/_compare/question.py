"""Which entries are raced on which folds, and what runs of it are known by."""

from collections.abc import Mapping, Sequence

from streamlit.delta_generator import DeltaGenerator

from core import __version__
from core.codec import Frozen, digest
from core.race.entry import Entry, entries_for
from core.race.race import race_id
from core.report.compare.side_by_side import honest_folds, offered_folds, quick_first, random_folds, usual_entries
from core.trial import Frame
from core.validate.folds import FoldPlan, parse_folds
from pages._compare.scenario import Scenario
from pages._ui.choices import pick, pick_several, switch
from pages._ui.drawn import by_label, folds_said

SEED = 0
WITHOUT = "none"
USUAL, EVERY, CHOSEN = WHICH = ("Usual", "All", "Chosen")


class Heat(Frozen):
    """One scenario on one kind of folds.

    Attributes
    ----------
    keys : by entry, what its runs are known by: the same for the same trials, folds, seed and entry
    """

    scenario: Scenario
    plan: FoldPlan
    entries: tuple[Entry, ...]
    keys: Mapping[str, str]

    @property
    def key(self) -> str:
        """What the heat is known by."""
        return digest(sorted(self.keys.values()))


Question = tuple[Heat, ...]
"""A scenario on honest folds, and on random ones beside them if those were asked for."""


def choose_folds(frame: Frame) -> FoldPlan:
    """Let the user choose what is held out; an honest question comes first."""
    first = str(honest_folds(frame))
    texts = list(dict.fromkeys([first, *(str(plan) for plan in offered_folds(frame))]))
    help = (
        "What is left out of the training and then predicted. Choose what you will really predict, such as a "
        "new application. "
        "You may also type `kfold:10`, `kfold:10:application`, `by:COLUMN`, `loo` or `holdout:200`."
    )
    return parse_folds(pick("Folds", texts, "race_folds", words=folds_said, gone=by_label, help=help))


def choose_beside(frame: Frame) -> FoldPlan | None:
    """Let the user choose the random folds that stand beside the honest ones."""
    offered = [*(str(plan) for plan in random_folds(frame)), WITHOUT]
    help = (
        "The same race on folds dealt at random, where close relatives of what is held out stay in training: "
        "how much better this looks is the optimism of random folds. It doubles the time."
    )
    chosen = pick("Random folds beside", offered, "race_beside", help, words=folds_said)
    return None if chosen == WITHOUT else parse_folds(chosen)


def choose_entries(frames: Sequence[Frame], own: DeltaGenerator) -> Mapping[str, tuple[Entry, ...]]:
    """Let the user choose who races; return the entries by the digest of each frame.

    Parameters
    ----------
    own : where to ask for entries one by one
    """
    every = {frame.digest(): entries_for(frame) for frame in frames}
    usual = {frame.digest(): usual_entries(every[frame.digest()], frame) for frame in frames}
    names = list(dict.fromkeys(e.name for entries in every.values() for e in entries))
    fewest, most = min(map(len, usual.values())), max(map(len, every.values()))
    help = (
        f"Usual are the {fewest} of {most} that need no patience with so many trials; pairwise "
        "interactions (ANOVA) may take minutes a fold."
    )
    which = switch("Entries", WHICH, "entries", help, usual=USUAL)
    if which == EVERY:
        return {key: quick_first(entries) for key, entries in every.items()}
    if which != CHOSEN:
        return usual
    labels = {e.name: e.label for entries in every.values() for e in entries}
    chosen = pick_several(
        "Chosen entries", names, "entry", words=labels.__getitem__, placeholder="The usual ones", on=own
    )
    picked = {key: quick_first([e for e in entries if e.name in chosen]) for key, entries in every.items()}
    return picked if chosen else usual


def question_of(scenario: Scenario, plan: FoldPlan, beside: FoldPlan | None, entries: tuple[Entry, ...]) -> Question:
    """Return what is asked of one scenario; folds that stand beside themselves are asked once."""
    plans = [plan] if beside in (None, plan) else [plan, beside]
    return tuple(_heat(scenario, own, entries) for own in plans)


def _heat(scenario: Scenario, plan: FoldPlan, entries: tuple[Entry, ...]) -> Heat:
    plan.split(scenario.frame, SEED)
    keys = {e.name: f"{__version__} {race_id(scenario.frame, plan, SEED, (e,))}" for e in entries}
    return Heat(scenario, plan, entries, keys)
