"""Folds: which trials are held out together, so that no repeat is on both sides of a split."""

import hashlib
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from core.codec import Frozen, IntArray
from core.errors import FitError, OptionError, first_few
from core.scale import check_response
from core.texts import ranked, ranked_by_digits
from core.trial import Frame
from core.untold import counters, is_drawn, is_untold, settings_of

FORMS = "kfold:10 (or 10), kfold:10:application, loo, holdout:200, holdout:20%, by:application, by:machine or by:COLUMN"

EACH, DEALT = 9, 5
"""Where folds are to be few: groups up to which each is held out in turn, and folds that more are dealt into."""
MOST_GROUPS, TEN = 200, 10
"""The same where nothing is said of folds."""
_LEAST_GROUPS = {"application": 3, "machine": 3, "input": 5}
"""Of so many one is held out after another."""

AUTO, CONFIGURATION, SETTING = "auto", "configuration", "setting"
"""What trials may be held out together by, where nobody has said, where repeats alone are, and whatever ran with the
same parameters (unless a column is called so)."""


class Fold(Frozen):
    """Trials held out together.

    Attributes
    ----------
    name : what is held out, such as the machine's name
    test : row numbers, ascending
    """

    name: str
    test: IntArray


class FoldPlan(Frozen):
    """How to split a frame; the text form is what users write, such as `kfold:10`.

    Attributes
    ----------
    how : "kfold", "loo", "holdout" or "by"
    count : number of folds, or number of configurations held out; with "by", the number of folds
        that the values of the column are dealt into, 0 for a fold each
    column : the label that is held out one value after another, or several at a time
    percent : whether `count` is the percentage of what there is that is held out
    """

    how: str
    count: int = 0
    column: str = ""
    percent: bool = False

    def __str__(self) -> str:
        if self.how == "by":
            return f"kfold:{self.count}:{self.column}" if self.count else f"by:{self.column}"
        return "loo" if self.how == "loo" else f"{self.how}:{self.count}{'%' * self.percent}"

    @property
    def asks_for_groups(self) -> bool:
        """Whether what is held out has something of its own that no other trial shows, as an application has."""
        return self.how == "by" and self.column != SETTING

    def held_out(self, n: int) -> int:
        """Return how many of n a hold-out takes."""
        return round(n * self.count / 100) if self.percent else self.count

    def split(self, frame: Frame, seed: int = 0) -> tuple[Fold, ...]:
        """Return the folds of a frame.

        Repeats of one configuration are always in the same fold. `kfold` deals the
        configurations out at random (by the seed and their contents, not their order),
        `kfold:10:application` whole applications; `loo` leaves out one configuration after another.

        Raises
        ------
        FitError
            If there are fewer groups than folds, nothing to train on, or a response that no score can be made of.
        """
        check_response(frame.y, frame.response.name)
        if self.how == "by":
            whole = whole_of(_label_or_metric(frame, self.column), f"by {self.column}")
            return _dealt(whole, self.count, seed, self.column) if self.count else whole
        return deal(_each_configuration(frame), self, seed, "configurations", "trials")


def parse_folds(text: str | int) -> FoldPlan:
    """Return the plan that a text stands for, in one of the forms that every verb, file and page takes: `FORMS`."""
    stripped = str(text).strip()
    stripped = f"kfold:{stripped}" if stripped.isdigit() else stripped
    if stripped == "loo":
        return FoldPlan("loo")
    if found := re.fullmatch(r"(kfold|holdout):(\d{1,9})", stripped):
        how, count = found[1], int(found[2])
        if count >= (2 if how == "kfold" else 1):
            return FoldPlan(how, count)
    if (found := re.fullmatch(r"holdout:(\d{1,2})%", stripped)) and int(found[1]):
        return FoldPlan("holdout", int(found[1]), percent=True)
    if (found := re.fullmatch(r"kfold:(\d{1,9}):(.+)", stripped)) and int(found[1]) >= 2:
        return FoldPlan("by", int(found[1]), found[2])
    if stripped.startswith("by:") and len(stripped) > 3:
        return FoldPlan("by", column=stripped[3:])
    raise OptionError(f"Folds '{text}' are not known; write {FORMS}.")


def groups_held_out(frame: Frame, plan: FoldPlan) -> IntArray | None:
    """Return per trial the number of the group that is held out as a whole; None where single trials are."""
    return groups_of(frame, plan.column) if plan.asks_for_groups else None


def default_folds(frame: Frame) -> FoldPlan:
    """Return the hardest question that a frame can answer: a whole application, machine, or random folds.

    Nothing can be said of a new application where its name is what is predicted from, nor of a new input from three or
    four, of which one is as far from the others as small from large; of sizes, the smallest and the largest do not
    count, beyond which nothing was measured. More than 200 applications are dealt into ten folds. Of designs that were
    drawn at random, each run by several applications that are known by name, whole designs are held out.
    """
    plan: FoldPlan = frame.found.get("folds") or frame.found.setdefault("folds", _hardest(frame))
    return plan


def _hardest(frame: Frame) -> FoldPlan:
    for role, least in _LEAST_GROUPS.items():
        values = set(frame.labels[role])
        ends = 2 if role == "input" and all(map(str.isdecimal, values)) else 0
        if len(values) - ends >= least and not _known_by_name(frame, role):
            return dealt(frame, FoldPlan("by", column=role), MOST_GROUPS, TEN)
    if is_drawn(frame):
        return FoldPlan("by", TEN, SETTING)
    n_groups = len(np.unique(frame.configuration))
    return FoldPlan("kfold", min(10, n_groups)) if n_groups >= 2 else FoldPlan("loo")


def _known_by_name(frame: Frame, role: str) -> bool:
    """Whether the names of a role are predicted from, or a text that says the same where no number tells them apart."""
    told = {name.partition("=")[0] for name in frame.names if "=" in name}
    if role in told:
        return True
    texts, numbers = frame.labels[role], [j for j, name in enumerate(frame.names) if "=" not in name]
    beside = (own for name, own in frame.labels.items() if name.removesuffix(" (label)") in told)
    same = any(_one_to_one(own, texts) for own in beside)
    counted = counters(frame.metrics)[numbers]
    return same and (not numbers or is_untold(frame.X[:, numbers], texts, frame.y, counted))


def _one_to_one(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


def dealt(frame: Frame, plan: FoldPlan, most: int, folds: int) -> FoldPlan:
    """Return a plan with the values of its label, if it has one and they are more than `most`, in so many folds."""
    many = plan.how == "by" and len(set(_label_or_metric(frame, plan.column))) > most
    return FoldPlan("by", folds, plan.column) if many else plan


def few_folds(frame: Frame) -> FoldPlan:
    """Return the same question in at most five folds or nine groups, for what is fitted without each two of them."""
    plan = dealt(frame, default_folds(frame), EACH, DEALT)
    return FoldPlan("kfold", DEALT) if plan.how == "kfold" and plan.count > DEALT else plan


def held_out_together(frame: Frame, plan: FoldPlan) -> tuple[str, ...]:
    """Return per trial a text that trials share that are held out together."""
    if _has_column(frame, plan):
        return _label_or_metric(frame, plan.column)
    return tuple(map(str, frame.configuration.tolist()))


def _has_column(frame: Frame, plan: FoldPlan) -> bool:
    return plan.how == "by" and plan.column in (*frame.labels, *frame.names, SETTING)


def groups_of(frame: Frame, by: str = AUTO) -> IntArray:
    """Return a number per trial, equal for trials that are held out together.

    Parameters
    ----------
    by : a label or metric; "configuration" for repeats alone; "auto" for what `default_folds` holds out
    """
    plan = default_folds(frame) if by == AUTO else FoldPlan("by", column=by)
    if _has_column(frame, plan):
        return ranked(_label_or_metric(frame, plan.column))
    return ranked_by_digits(frame.configuration)


def question_of(plan: FoldPlan) -> str:
    """Return what `groups_of` calls the groups that a plan holds out."""
    return plan.column if plan.how == "by" else CONFIGURATION


def asks_for_new(frame: Frame, by: str = AUTO) -> bool:
    """Whether what is held out together, as in `groups_of`, is a program or a machine that no other trial shows."""
    return (question_of(default_folds(frame)) if by == AUTO else by) in ("application", "machine")


def possible_folds(frame: Frame) -> tuple[FoldPlan, ...]:
    """Return the plans worth offering for a frame, honest ones first."""
    n_groups = len(np.unique(frame.configuration))
    columns = sorted(frame.labels, key=lambda c: (c not in ("application", "machine", "input"), c))
    by = [FoldPlan("by", column=c) for c in columns if 2 <= len(set(frame.labels[c])) <= 200]
    random = [FoldPlan("kfold", k) for k in (10, 5) if k <= n_groups]
    holdout = [FoldPlan("holdout", n_groups // 5)] if n_groups >= 10 else []
    return (*by, *random, *holdout, FoldPlan("loo"))


def whole_of(texts: Sequence[str], said: str) -> tuple[Fold, ...]:
    """Return a fold per different text, ascending; `said` is what the folds are called where these are too few."""
    values, array = sorted(set(texts)), np.array(texts, dtype=object)
    if len(values) < 2:
        raise FitError(f"Folds {said} need at least 2 different values, got {len(values)}. Choose other folds.")
    return tuple(Fold(v or "(none)", np.flatnonzero(array == v)) for v in values)


def deal(whole: Sequence[Fold], plan: FoldPlan, seed: int, noun: str, of: str, *, left: int = 1) -> tuple[Fold, ...]:
    """Return the folds of a plan, each of some of those that hold one thing, dealt by a hash of the seed and its name.

    Parameters
    ----------
    noun, of : what is held out, and what has to be imported to have more of it
    left : how many of them a hold-out leaves at least
    """
    n = len(whole)
    order = [fold.test for fold in sorted(whole, key=lambda fold: hashed(fold.name, seed))]
    held = plan.held_out(n)
    what, least = {"loo": ("Leave one out", 2), "holdout": (f"Holding out {held}", max(held, 1) + left)}.get(
        plan.how, (f"Splitting into {plan.count} folds", plan.count)
    )
    if n < least or (plan.how == "holdout" and held < 1):
        raise FitError(
            f"{what} needs at least {least} {noun}, got {n}. Choose fewer or other folds, or import more {of}."
        )
    if plan.how == "loo":
        return tuple(whole)
    if plan.how == "holdout":
        return (Fold("held out", np.sort(np.concatenate(order[:held]))),)
    return tuple(Fold(f"fold {i + 1}", np.sort(np.concatenate(order[i :: plan.count]))) for i in range(plan.count))


def hashed(name: str, seed: int) -> bytes:
    """Return what names are ordered by where they are to be dealt at random, but always alike."""
    return hashlib.sha256(f"{seed}\x1f{name}".encode()).digest()


def _dealt(whole: tuple[Fold, ...], count: int, seed: int, column: str) -> tuple[Fold, ...]:
    """Deal folds of one value each out into `count` folds, by a hash of the seed and the values."""
    if count > len(whole):
        raise FitError(f"Splitting into {count} folds by {column} needs as many different values, got {len(whole)}.")
    order = sorted(whole, key=lambda fold: hashed(fold.name, seed))
    shares = (zip(*sorted((f.name, f.test) for f in order[i::count]), strict=True) for i in range(count))
    return tuple(Fold(first_few(names, 2), np.sort(np.concatenate(tests))) for names, tests in shares)


def _label_or_metric(frame: Frame, column: str) -> tuple[str, ...]:
    if column in frame.labels:
        return frame.labels[column]
    if column in frame.names:
        return tuple(f"{v:.15g}" for v in frame.X[:, frame.names.index(column)])
    if column == SETTING and (settings := settings_of(frame)):
        numbers = np.unique(np.hstack(settings), axis=0, return_inverse=True)[1].reshape(-1)
        return tuple(f"setting {n + 1}" for n in numbers.tolist())
    known = ", ".join([*frame.labels, *frame.names])
    raise FitError(f"There is no column '{column}' to make folds by; there are: {known}.")


def shuffled_configurations(frame: Frame, seed: int) -> IntArray:
    """Return the frame's configuration numbers in an order by a hash of the seed and what they are called."""
    names = _configuration_names(frame)
    return np.unique(frame.configuration)[sorted(range(len(names)), key=lambda g: hashed(names[g], seed))]


def _each_configuration(frame: Frame) -> list[Fold]:
    """Return a fold per configuration."""
    rows = np.argsort(frame.configuration, kind="stable")
    ends = np.cumsum([0, *np.unique(frame.configuration, return_counts=True)[1]]).tolist()
    names = _configuration_names(frame)
    return [Fold(name, rows[low:high]) for name, (low, high) in zip(names, pairwise(ends), strict=True)]


def _configuration_names(frame: Frame) -> list[str]:
    """Name each configuration by its roles and, where these repeat, by a running number."""
    _, first = np.unique(frame.configuration, return_index=True)
    seen: dict[str, int] = {}
    names = []
    for name in map(frame.what_ran.__getitem__, first.tolist()):
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return [name or f"configuration {i + 1}" for i, name in enumerate(names)]


def some_configurations(frame: Frame, n: int, seed: int = 0, by: str = "") -> Frame:
    """Return the trials of n configurations drawn by the seed; all if there are no more.

    The configurations of a smaller n are among those of a larger one.

    Parameters
    ----------
    by : a label of each of whose values there are to be so many; "" if of all together
    """
    parts = [frame]
    if by:
        labels = np.array(frame.labels[by], dtype=object)
        parts = [frame.take(np.flatnonzero(labels == value)) for value in sorted(set(labels))]
    chosen = np.concatenate([shuffled_configurations(part, seed)[:n] for part in parts])
    return frame.take(np.flatnonzero(np.isin(frame.configuration, chosen)).astype(np.int64))
