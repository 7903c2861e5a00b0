"""Make a frame from the store: which trials and metrics take part, and what was left out."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import StoreError, count
from core.grouped import all_but
from core.store._categories import Indicator, chosen_metrics, factors, indicator_values, indicators
from core.store._connection import Cursor
from core.store._gaps import is_unset, kept, marks_of_failure, named, where_not_set
from core.store._read import Table, metric_of, read_metrics, read_table, read_values, select, take
from core.store._rows import dataset_id
from core.store._rules import why_hidden
from core.store.cards import Condition
from core.texts import ranked
from core.trial import ROLES, Frame, Kind, Metric, Note, Unset, make_frame
from core.untold import counters, is_untold

_MOST_ZEROS = 0.1
"""Share of times of 0 up to which they were too short for their clock."""


def build_frame(
    cursor: Cursor,
    dataset: str,
    response: str,
    metrics: Sequence[str] | None,
    where: Sequence[Condition],
    *,
    everything: bool = False,
    gaps: str = "most",
    counted: bool = True,
) -> Frame:
    """Return the trials of a dataset as a frame.

    Parameters
    ----------
    metrics : what to predict from, a text by its name or one value of it as `name=value`;
        None for the default choice: everything but responses, and without the counters where machines are
        described and at least as many static metrics say what a run does. Hidden metrics are left out of the
        default choice; trials that miss a value of a metric chosen by name are left out.
    gaps : what is left out where a metric of the default choice misses values, one of `GAPS`
    everything : whether excluded trials take part too
    counted : whether counters are of the default choice: without, what has not run can be predicted
    """
    home = dataset_id(cursor, dataset)
    known = read_metrics(cursor, home)
    response_id, answer = metric_of(known, response, dataset)
    notes: list[str] = []
    table = counting_trials(cursor, home, where, notes, everything=everything)
    y = read_values(cursor, table, [response_id])[:, 0]
    rows = with_response(y, answer, notes)
    table, y = take(table, rows), y[rows]
    texts = indicators(table, known)
    if metrics is None:
        offered = shown_metrics([m for _, m in known.values()], why_hidden(cursor, home), notes)
        chosen = [m for m in _default(offered, list(texts.values()), response) if counted or m.kind is not Kind.COUNTER]
        X = chosen_values(cursor, table, chosen, known, texts)
        X, unset = _where_set(table, chosen, X, texts, notes, ROLES) if gaps == "most" else (X, [])
        rows, chosen, X = _usable(table, chosen, X, gaps, notes)
        table, y = take(table, rows), y[rows]
        chosen, X = _told_apart(table, chosen, X, y, unset, notes)
        notes += _of_runs([m for m, x in zip(chosen, X.T, strict=True) if len(x) and np.ptp(x) > 0])
    else:
        if response in metrics:
            raise StoreError(
                f"'{response}' is the response and cannot be predicted from itself. Leave it out of metrics."
            )
        texts |= {name: own for name, own in factors(table).items() if name not in known}
        chosen = chosen_metrics(metrics, known, texts, dataset)
        X, unset = _where_set(table, chosen, chosen_values(cursor, table, chosen, known, texts), texts, notes)
        table, X, y = _complete(table, X, y, chosen, notes)
    names = [m.name for m in chosen]
    own = tuple(one for one in unset if one.is_among(names))
    return make_frame(X, y, chosen, answer, table.texts, table.ids, table.setting, notes, unset=own)


def chosen_values(
    cursor: Cursor,
    table: Table,
    chosen: Sequence[Metric],
    known: dict[str, tuple[int, Metric]],
    texts: Mapping[str, Indicator],
) -> FloatArray:
    """Return measured metrics and indicators, array of shape (n_trials, n_chosen)."""
    measured = [j for j, m in enumerate(chosen) if m.name in known]
    others = [j for j, m in enumerate(chosen) if m.name not in known]
    X = np.empty((len(table), len(chosen)))
    X[:, measured] = read_values(cursor, table, [known[chosen[j].name][0] for j in measured])
    X[:, others] = indicator_values(table, [texts[chosen[j].name] for j in others])
    return X


def counting_trials(
    cursor: Cursor, home: int, where: Sequence[Condition], notes: list[str], *, everything: bool = False
) -> Table:
    """Return the trials that fulfil a filter and are not excluded."""
    table = read_table(cursor, home, where)
    keep = select(cursor, home, table, where)
    shown = " and ".join("".join(c) for c in where)
    if where:
        notes.append(Note(f"only trials with {shown}", "filter"))
    excluded = np.array([bool(why) and not everything for why in table.excluded.texts], dtype=bool)[
        table.excluded.codes
    ]
    if (keep & excluded).any():
        notes.append(Note(f"{count(int((keep & excluded).sum()), 'excluded trial')} left out", "trials"))
    if not keep.any() and len(where):
        raise StoreError(f"No trial fulfils {shown}. Change the filter.")
    stay = keep & ~excluded
    return table if stay.all() else take(table, np.flatnonzero(stay))


def with_response(y: FloatArray, response: Metric, notes: list[str]) -> IntArray:
    """Return the rows that stay, and note the others: without a response, marked as failed, a few that took no time."""
    name, without, failed = response.name, np.isnan(y), marks_of_failure(y, response.unit)
    zero = (y == 0) & response.is_time & ~failed
    few = zero.sum() <= _MOST_ZEROS * (~without).sum() and bool((y[~zero & ~without] > 0).all())
    marked = (failed, f"with a '{name}' of {max(y[failed], default=0):g}", "failures", ", a mark of runs that failed")
    instant = (zero & few, f"with a '{name}' of 0", "trials", ", shorter than its clock could tell")
    for out, what, about, why in ((without, f"without '{name}'", "failures", ""), marked, instant):
        if n := int(out.sum()):
            notes.append(Note(f"{count(n, 'trial')} {what} {'is' if n == 1 else 'are'} left out{why}", about))
    rows = np.flatnonzero(~without & ~failed & ~(zero & few))
    if not len(rows):
        raise StoreError(f"No trial that counts has a value of '{name}'. Choose another response or filter.")
    return rows


def _default(known: list[Metric], texts: list[Indicator], response: str) -> list[Metric]:
    """Return the default choice by name, so that the order of a file's columns changes nothing; a text counts once.

    It is all that is no outcome. Counters are left out where at least as many static metrics say what a run does and
    others describe the machines: then one on which nothing was counted can be asked about.
    """
    numbers = [m for m in known if m.name != response and not m.kind.outcome]
    kinds = [*(m.kind for m in numbers), *{own.label: own.kind for own in texts}.values()]
    others = sorted([*numbers, *(own.metric for own in texts)], key=lambda m: m.name)
    static = Kind.MACHINE in kinds and kinds.count(Kind.DETERMINISTIC) >= max(kinds.count(Kind.COUNTER), 1)
    return [m for m in others if m.kind is not Kind.COUNTER] if static else others


def _of_runs(varying: list[Metric]) -> list[Note]:
    """Return that counters are predicted from beside what was set, so that what has not run cannot be predicted."""
    own, kinds = [m.name for m in varying if m.kind is Kind.COUNTER], {m.kind for m in varying}
    if not own or Kind.PARAMETER not in kinds:
        return []
    said = f"for what has not run, learn without counters (--no-counters), which only a run gives: {named(own)}"
    return [Note(said, "counters")]


def shown_metrics(chosen: list[Metric], why: dict[str, str], notes: list[str]) -> list[Metric]:
    """Leave out metrics that a rule hides, and say why."""
    out = [f"{m.name} ({why[m.name]})" for m in chosen if m.name in why]
    if out:
        notes.append(f"metrics left out because they are hidden: {named(out)}")
    return [m for m in chosen if m.name not in why]


def _where_set(
    table: Table,
    chosen: list[Metric],
    X: FloatArray,
    texts: Mapping[str, Indicator],
    notes: list[str],
    roles: Sequence[str] = (),
) -> tuple[FloatArray, list[Unset]]:
    """Fill settings that were made with some texts alone, as threads are with OpenMP and not (or 0) with CUDA.

    The texts themselves are predicted from, so that any one value there loses nothing: it is the median of the others.

    Parameters
    ----------
    roles : those whose names may be predicted from, too, where nothing else tells them apart

    Returns
    -------
    the metrics, and what was filled: a role named there has to be predicted from
    """
    own = (j for j, m in enumerate(chosen) if m.kind is Kind.PARAMETER and m.name not in texts)
    gaps = [j for j in own if is_unset(X[:, j]).any()]
    filled, unset = X.copy() if gaps else X, list[Unset]()
    told = dict.fromkeys(own.label for own in texts.values() if own.metric in chosen)
    for label in dict.fromkeys((*told, *roles)):
        for j, names in where_not_set(filled, gaps, table.texts[label]).items():
            others = [i for i in range(len(chosen)) if i != j]
            beside, nothing = [chosen[i] for i in others], np.zeros(len(X))
            if label not in told and not _is_told(table, label, beside, filled[:, others], nothing):
                continue
            out = is_unset(filled[:, j])
            usual = float(np.quantile(filled[~out, j], 0.5, method="lower"))
            filled[out, j] = usual
            told_by = tuple(Indicator(label, name, Kind.PARAMETER).metric.name for name in names)
            unset.append(Unset(chosen[j].name, told_by, usual))
            how = "not set" if np.isnan(X[:, j]).any() else "0"
            told_of = f"'{chosen[j].name}' is {how} where {label} is {named(names)}"
            notes.append(f"{told_of}: it has no meaning there, so models are given its usual value, {usual:g}")
    return filled, unset


def _usable(
    table: Table, chosen: list[Metric], X: FloatArray, gaps: str, notes: list[str]
) -> tuple[IntArray, list[Metric], FloatArray]:
    """Leave out metrics or trials that miss values, and say which; those that never vary are the models' business."""
    if not chosen:
        raise StoreError(
            "The dataset has no metric beside responses and what is predicted, so there is nothing to predict from. "
            "Import metrics of the machines or inputs, or choose another response's metric by name."
        )
    rows, columns = kept(X, gaps, [table.texts[role] for role in ("application", "machine")])
    stay = set(columns.tolist())
    gone = [m.name for j, m in enumerate(chosen) if j not in stay]
    if gone:
        notes.append(Note(f"metrics left out because they miss values: {named(gone)}", "metrics with gaps"))
    if len(rows) < len(X):
        lost = all_but(len(X), rows)
        worst = chosen[max(stay, key=lambda j: int(np.isnan(X[lost, j]).sum()))].name
        few = "1 trial misses" if len(lost) == 1 else f"{len(lost)} trials miss"
        brief = f"{few} a metric (most often '{worst}') and {'is' if len(lost) == 1 else 'are'} left out"
        why = ", which keeps more than leaving out the metrics (--gaps metrics)"
        notes.append(Note(brief, "trials with gaps", why))
    if not stay or not len(rows):
        raise StoreError(
            "No metric has a value in every trial, so there is nothing to predict from. "
            "Choose metrics by name (trials that miss them are left out), or filter the trials."
        )
    return rows, [chosen[j] for j in columns], X[np.ix_(rows, columns)]


def _told_apart(
    table: Table, chosen: list[Metric], X: FloatArray, y: FloatArray, unset: Sequence[Unset], notes: list[str]
) -> tuple[list[Metric], FloatArray]:
    """Add the names of applications, inputs or machines of which nothing else is known to what is predicted from.

    What was counted says what a run did, not on which machine: counters differ from run to run anyhow. What is the
    same in all trials tells nothing apart, nor do sizes at which several programs ran.
    """
    measured, seen = list(chosen), X
    for role in ROLES:
        by_name = any(name.startswith(f"{role}=") for one in unset for name in one.told[:1])
        if by_name or _is_told(table, role, measured, seen, y):
            own = [one for one in factors(table).values() if one.label == role]
            X = np.hstack([X, indicator_values(table, own)])
            chosen = [*chosen, *(one.metric for one in own)]
            notes.append(f"no metric tells the {len(own)} {role}s apart, so the {role} itself is predicted from")
    return chosen, X


def _is_told(table: Table, role: str, chosen: list[Metric], X: FloatArray, y: FloatArray) -> bool:
    """Whether nothing but a role's names tells them apart, and they are not too many to be predicted from."""
    where = role == "machine"
    told = where and any(m.kind is Kind.MACHINE and len(x) and np.ptp(x) > 0 for m, x in zip(chosen, X.T, strict=True))
    counted = counters(chosen)
    kept = ~counted if where else np.ones_like(counted)
    texts = table.texts[role]
    if told or not any(own.label == role for own in factors(table).values()):
        return False
    if is_untold(X[:, kept], texts, y, counted[kept]):
        return True
    if where or not counted.any():
        return False
    machines = ranked(table.texts["machine"])  # the same settings on another machine are others
    return is_untold(np.column_stack([X, machines]), texts, y, np.append(counted, False))


def _complete(
    table: Table, X: FloatArray, y: FloatArray, chosen: list[Metric], notes: list[str]
) -> tuple[Table, FloatArray, FloatArray]:
    """Leave out trials that miss a chosen metric, and say how many."""
    there = np.flatnonzero(~np.isnan(X).any(axis=1))
    if len(there) < len(X):
        worst = int(np.isnan(X).sum(axis=0).argmax())
        lost = count(len(X) - len(there), "trial")
        notes.append(Note(f"{lost} without a chosen metric (most often '{chosen[worst].name}') left out", "trials"))
    if not len(there):
        raise StoreError("No trial has all chosen metrics. Choose fewer, or import what is missing.")
    return take(table, there), X[there], y[there]
