"""The words of the field as frozen values: metric, trials, machine and input metrics, frame."""

import hashlib
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, reduce
from typing import Any, TypeVar

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, count
from core.registry import unknown
from core.texts import CodedTexts, coded, combined, constant, ranked

ROLES = ("application", "input", "machine")
TIMES = frozenset(("s", "ms", "us", "µs", "μs", "ns", "min", "h", "cycle", "cycles"))
"""Units of run time."""
_MARK = "\x1f"
PLAN = "plan"
"""The label that says by which plan `ridgeline measure` ran a trial."""


class Kind(StrEnum):
    """What a metric belongs to, and so what may know it before a run."""

    DETERMINISTIC = "deterministic"
    """Belongs to application and input: the same on every machine."""
    COUNTER = "counter"
    """Belongs to one trial: measured while it ran."""
    MACHINE = "machine"
    """Belongs to a machine."""
    PARAMETER = "parameter"
    """Set before the run."""
    RESPONSE = "response"
    """An outcome to predict; never used to predict another unless asked for."""
    DERIVED = "derived"
    """Computed from an outcome, as a throughput is from a time; never used to predict unless asked for."""

    @property
    def outcome(self) -> bool:
        """Whether it is known after the run alone: a response, or what was computed from one."""
        return self in (Kind.RESPONSE, Kind.DERIVED)


class Metric(Frozen):
    """A named number with a unit (empty if it has none or nobody said)."""

    name: str
    kind: Kind = Kind.COUNTER
    unit: str = ""

    @property
    def is_time(self) -> bool:
        """Whether its unit is one of time."""
        return self.unit in TIMES

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit not in ("", self.name) else self.name


def levels_of(metrics: Iterable[Metric], columns: Sequence[str]) -> dict[str, dict[str, Metric]]:
    """Return by column of texts, and by text, the metrics such as `layout=row`, which no column itself gives."""
    found: dict[str, dict[str, Metric]] = {}
    for metric in metrics:
        column = next((name for name in columns if metric.name.startswith(f"{name}=")), None)
        if column is not None and metric.name not in columns:
            found.setdefault(column, {})[metric.name[len(column) + 1 :]] = metric
    return found


class Skipped(Frozen):
    """A place in a file that was not taken over, and why."""

    where: str
    why: str


class Trials(Frozen):
    """Executions read from a file: names, labels, and one row of values each.

    Attributes
    ----------
    application, input, machine : names, one per trial; "" where the file does not say
    metrics : the columns of `values`
    values : array of shape (n_trials, n_metrics), NaN where nothing was measured
    labels : further texts per trial (a suite, a vendor, a launch shape), by column name
    where : where each trial stands in its file, such as "line 14"
    parameters : labels that were set before the run, so that they tell configurations apart
    execution : what tells one execution from another over the files of one profiler run, such as
        "dispatch 3"; empty where the file does not say
    ids : ids given from outside, as UUID texts; empty if the store is to make them
    """

    application: Sequence[str]
    input: Sequence[str]
    machine: Sequence[str]
    metrics: tuple[Metric, ...]
    values: FloatArray
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    where: Sequence[str] = ()
    parameters: tuple[str, ...] = ()
    execution: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.application)

    def take(self, rows: Sequence[int] | IntArray) -> "Trials":
        """Return some trials, in the order given."""

        def some(texts: Sequence[str]) -> tuple[str, ...]:
            return tuple(texts[i] for i in rows) if len(texts) else ()

        names = ("application", "input", "machine", "where", "execution", "ids")
        own: dict[str, Any] = {name: some(getattr(self, name)) for name in names}
        labels = {name: some(texts) for name, texts in self.labels.items()}
        return replace(self, **own, values=np.ascontiguousarray(self.values[rows]), labels=labels)


class Facts(Frozen):
    """Metrics and labels that belong to machines, or to applications with their inputs.

    Attributes
    ----------
    keys : one machine name, or one (application, input), per row: tuples of length 1 or 2
    metrics : the columns of `values`, of kind MACHINE or DETERMINISTIC
    values : array of shape (n_keys, n_metrics), NaN where the file has no value
    labels : texts per key, by column name
    """

    keys: tuple[tuple[str, ...], ...]
    metrics: tuple[Metric, ...]
    values: FloatArray
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def take(self, rows: Sequence[int], keys: Iterable[tuple[str, ...]] | None = None) -> "Facts":
        """Return some rows' facts, about other keys if these are given."""
        labels = {name: tuple(texts[row] for row in rows) for name, texts in self.labels.items()}
        own = (self.keys[row] for row in rows) if keys is None else keys
        return Facts(tuple(own), self.metrics, self.values[list(rows)], labels)

    def without(self, names: Container[str]) -> "Facts | None":
        """Return the facts without some metrics and labels; None if nothing is left."""
        kept = _without(self, names)
        return kept if kept.metrics or kept.labels else None


class Import(Frozen):
    """Everything read from one file (or one folder): what is stored together or not at all.

    Attributes
    ----------
    source : the file's own name, for reports
    sha256 : of the bytes as they came, so that the same file is recognised
    format : the reader's name
    original_units : by metric, the unit as the file wrote it, where values were converted
    """

    source: str
    sha256: str
    format: str
    trials: Trials
    machines: Facts | None = None
    inputs: Facts | None = None
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    original_units: Mapping[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> "tuple[Trials | Facts, ...]":
        """The trials, and what is known of machines and inputs."""
        return (self.trials, *(facts for facts in (self.machines, self.inputs) if facts is not None))

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics, wherever they are kept."""
        return tuple(metric for part in self.parts for metric in part.metrics)

    def without(self, names: Container[str]) -> "Import":
        """Return the import without some metrics and labels, wherever they are kept."""
        parameters = tuple(name for name in self.trials.parameters if name not in names)
        own = replace(_without(self.trials, names), parameters=parameters)
        machines, inputs = (facts and facts.without(names) for facts in (self.machines, self.inputs))
        return replace(self, trials=own, machines=machines, inputs=inputs)


Part = TypeVar("Part", Trials, Facts)


def _without(part: Part, names: Container[str]) -> Part:
    kept = [i for i, metric in enumerate(part.metrics) if metric.name not in names]
    metrics, values = tuple(part.metrics[i] for i in kept), np.ascontiguousarray(part.values[:, kept])
    labels = {name: texts for name, texts in part.labels.items() if name not in names}
    return replace(part, metrics=metrics, values=values, labels=labels)


class Arrival(Frozen):
    """Trials of a dataset that came together: by one file, or by `ridgeline measure` for one plan.

    Attributes
    ----------
    title : the file's name, or the plan's
    when : the first of them were stored
    ids : the trials' ids
    """

    title: str
    when: datetime
    ids: frozenset[str]


class Measured(Frozen):
    """All trials of a dataset in the order they were measured, nothing left out: what curation judges.

    Attributes
    ----------
    ids, application, input, machine : one text per trial
    configuration : array of shape (n_trials,); equal numbers mark repeats of one configuration
    run : array of shape (n_trials,); which repeat of its configuration, from 1 on
    metrics : the columns of `values`, responses among them
    values : array of shape (n_trials, n_metrics), NaN where nothing was measured; what is known of
        inputs and machines stands at each of their trials
    labels : texts per trial
    excluded : by rule, the ids of the trials that it leaves out at present
    settings : the labels that were set before a run
    """

    ids: tuple[str, ...]
    application: tuple[str, ...]
    input: tuple[str, ...]
    machine: tuple[str, ...]
    configuration: IntArray
    run: IntArray
    metrics: tuple[Metric, ...]
    values: FloatArray
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excluded: Mapping[str, frozenset[str]] = field(default_factory=dict)
    settings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def column(self, name: str) -> FloatArray:
        """Return the values of one metric, array of shape (n_trials,)."""
        names = [m.name for m in self.metrics]
        if name not in names:
            raise FitError(unknown("metric", name, names, " here"))
        return self.values[:, names.index(name)]


class Unset(Frozen):
    """A setting that runs with some texts do not have, as CUDA has no threads.

    Attributes
    ----------
    metric : the setting
    told : metrics such as `variant=cuda`, one of which is 1 in these runs
    value : what it is taken as there
    """

    metric: str
    told: tuple[str, ...]
    value: float

    def is_among(self, names: Collection[str]) -> bool:
        """Whether metrics with these names hold all that it speaks of."""
        return {self.metric, *self.told} <= {*names}


class Note(str):
    """A sentence of what was done on the way to a frame; to files and to JSON it is its words.

    Attributes
    ----------
    about : "filter", "trials" that are left out, "failures" (those without an outcome), "trials with gaps" or "metrics
        with gaps" that are, "counters" that are predicted from beside what was set, or ""
    brief : the sentence without its reason
    """

    about: str
    brief: str

    def __new__(cls, brief: str, about: str = "", why: str = "") -> "Note":
        """Return the sentence of what was done and why."""
        made = super().__new__(cls, brief + why)
        made.about, made.brief = about, brief
        return made


def notes_about(notes: Iterable[str], *kinds: str) -> list[Note]:
    """Return the notes of some kinds; notes that were read from a file are of none."""
    return [note for note in notes if isinstance(note, Note) and note.about in kinds]


class Frame(Frozen):
    """Trials by metrics, ready to model; rows are in an order that depends on contents alone.

    Attributes
    ----------
    metrics : the columns of X
    X : array of shape (n_trials, n_metrics), finite
    response : the metric to predict
    y : array of shape (n_trials,), finite, in the response's unit
    ids : the trials' ids
    labels : texts per trial; always has "application", "input" and "machine"
    configuration : array of shape (n_trials,); equal numbers mark repeats of one configuration
    notes : what was left out on the way here, and why
    n_repeats : array of shape (n_trials,), how many trials each row stands for; None if each is one
    spread : array of shape (n_trials,), relative half-spread of the response over those trials,
        1.4826 · MAD / |median|, NaN where there is only one; None if each row is one trial
    reference : name of the metric that the response may be modelled as a ratio to, such as the
        host's time; "" if there is none
    unset : settings that some trials do not have, and what stands in X there
    """

    metrics: tuple[Metric, ...]
    X: FloatArray
    response: Metric
    y: FloatArray
    ids: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    configuration: IntArray
    notes: tuple[str, ...] = ()
    n_repeats: IntArray | None = None
    spread: FloatArray | None = None
    reference: str = ""
    unset: tuple[Unset, ...] = ()

    def __len__(self) -> int:
        return len(self.y)

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to other processes: the different texts once, ids as one text, where none has its mark."""
        joined = _MARK.join(self.ids)
        ids = joined if joined.count(_MARK) == len(self) - 1 else self.ids
        labels = {name: coded(texts) for name, texts in self.labels.items()}
        own = {name: value for name, value in self.__dict__.items() if name not in ("what_ran", "names")}
        return {**own, "ids": ids, "labels": labels}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ids, labels = state["ids"], {name: tuple(own) for name, own in state["labels"].items()}
        self.__dict__.update(
            {**state, "ids": tuple(ids.split(_MARK)) if isinstance(ids, str) else ids, "labels": labels}
        )

    def __repr__(self) -> str:
        return f"Frame({count(len(self), 'trial')} × {count(len(self.metrics), 'metric')}, {self.response})"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The metrics' names, in column order."""
        return tuple(m.name for m in self.metrics)

    @cached_property
    def what_ran(self) -> tuple[str, ...]:
        """Each trial as "application · input · machine"; "" where a file names none of these."""
        columns = [self.labels[role] for role in ROLES]
        return tuple(" · ".join(part for part in parts if part) for parts in zip(*columns, strict=True))

    @cached_property
    def found(self) -> dict[str, Any]:
        """What was asked of its trials before and takes long to find again, by a name for it."""
        return {}

    @property
    def reference_values(self) -> FloatArray | None:
        """The column of the reference, array of shape (n_trials,); None if there is none."""
        return self.X[:, self.names.index(self.reference)] if self.reference else None

    def take(self, rows: IntArray) -> "Frame":
        """Return the frame of some rows, in the order given."""
        numbers = rows.tolist()
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            ids=tuple(map(self.ids.__getitem__, numbers)),
            labels={k: tuple(map(v.__getitem__, numbers)) for k, v in self.labels.items()},
            configuration=self.configuration[rows],
            n_repeats=None if self.n_repeats is None else self.n_repeats[rows],
            spread=None if self.spread is None else self.spread[rows],
        )

    def select(self, names: Sequence[str]) -> "Frame":
        """Return the frame with some metrics only, in the order given."""
        if tuple(names) == self.names:
            return self
        missing = [n for n in names if n not in self.names]
        if missing:
            raise FitError(unknown("metric", missing[0], self.names, " here"))
        columns = [self.names.index(n) for n in names]
        reference = self.reference if self.reference in names else ""
        metrics = tuple(self.metrics[c] for c in columns)
        unset = tuple(one for one in self.unset if one.is_among(names))
        return replace(self, metrics=metrics, X=self.X[:, columns], reference=reference, unset=unset)

    def digest(self) -> str:
        """Return the SHA-256 of all that a model or its validation could learn from, in row order.

        That is metrics and their kinds, numbers, labels and configurations, not ids: the same trials
        from another file have the same digest.
        """
        return self._digest

    def is_of(self, digest: str) -> bool:
        """Whether a digest is that of these trials, by this version or by an earlier one, which left out the kinds."""
        return digest == self.digest() or digest == self._digest_of(map(str, self.metrics))

    @cached_property
    def _digest(self) -> str:
        return self._digest_of(f"{m} {m.kind}" if m.kind is not Kind.COUNTER else str(m) for m in self.metrics)

    def _digest_of(self, told: Iterable[str]) -> str:
        sha = hashlib.sha256("\n".join([*told, str(self.response)]).encode())
        for name, texts in sorted(self.labels.items()):
            sha.update(_MARK.join((name, *texts)).encode() + b"\x1e")
        sha.update(np.ascontiguousarray(self.configuration).tobytes())
        sha.update(np.ascontiguousarray(self.X).tobytes())
        sha.update(np.ascontiguousarray(self.y).tobytes())
        if self.reference:
            sha.update(f"reference {self.reference}".encode())
        return sha.hexdigest()


class Side(Frozen):
    """What one machine measured: a frame whose X may have gaps (NaN), and what was set before each run.

    Attributes
    ----------
    setting : by trial id, the parameters as one text, which tells workloads apart beside application and input
    """

    frame: Frame
    setting: Mapping[str, str]


class Sides(Frozen):
    """A host whose counters are known and a target to predict, before their workloads are joined.

    Attributes
    ----------
    host : its metrics, its own responses among them as counters called `<response> on <host>`
    target : its response alone; X has no columns
    host_machine, target_machine : their names
    reference : the host's metric that is the same response in the same unit, "" if there is none
    chosen : whether the host's metrics were chosen by name, so that gaps cost workloads and not metrics
    """

    host: Side
    target: Side
    host_machine: str
    target_machine: str
    reference: str
    chosen: bool


def point_text(point: Mapping[str, float]) -> str:
    """Return a configuration as people write it, such as `core_mhz=1164, mem_mhz=3505`, with all digits."""
    return ", ".join(f"{name}={x:.15g}" for name, x in point.items())


def make_frame(
    X: FloatArray,
    y: FloatArray,
    metrics: Sequence[Metric],
    response: Metric,
    labels: Mapping[str, Sequence[str]] | None = None,
    ids: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    reference: str = "",
    unset: Sequence[Unset] = (),
) -> Frame:
    """Make a frame: rows sorted by labels and values, repeats found.

    Two trials are repeats of one configuration when application, input, machine and all
    parameters agree; where a file names none of these, or one machine alone, each trial is a configuration.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    y : array of shape (n_trials,)
    parameters : per trial, its parameter values as one text; empty if there are none
    reference : the metric that the response may be modelled as a ratio to; "" if there is none
    unset : settings that some trials do not have, and what stands in X there
    """
    n, y = len(y), np.asarray(y, dtype=np.float64)
    X, texts = np.asarray(X, dtype=np.float64), {name: coded(values) for name, values in (labels or {}).items()}
    for role in ROLES:
        texts.setdefault(role, constant("", n))
    configuration = _configurations(texts, coded(parameters) if parameters is not None else constant("", n))
    order = _canonical_order(X, y, [ranked(texts[name]) for name in sorted(texts)], configuration)
    given = tuple(ids) if ids is not None else tuple(f"trial-{i}" for i in range(n))
    return Frame(
        metrics=tuple(metrics),
        X=X[order],
        response=response,
        y=y[order],
        ids=tuple(map(given.__getitem__, order.tolist())),
        labels={name: tuple(CodedTexts(own.codes[order], own.texts)) for name, own in texts.items()},
        configuration=configuration[order],
        notes=tuple(notes),
        reference=reference,
        unset=tuple(unset),
    )


def _configurations(texts: Mapping[str, CodedTexts], settings: CodedTexts) -> IntArray:
    """Number the configurations of trials in the order of their texts; a trial that names nothing is one of its own."""
    columns = [*(texts[role] for role in ROLES), settings]
    told = any(any(own.texts) for own in (texts["application"], texts["input"], settings))
    told = told or len(texts["machine"].texts) > 1
    if told and any("" not in own.texts for own in columns):
        return reduce(combined, map(ranked, columns))
    blank = _MARK * len(ROLES)
    keys = map(_MARK.join, zip(*columns, strict=True))
    return ranked([key if told and key != blank else f"trial {i}" for i, key in enumerate(keys)])


def _canonical_order(X: FloatArray, y: FloatArray, texts: Sequence[IntArray], configuration: IntArray) -> IntArray:
    """Return the rows by configuration, then by texts (the last first), by X from the first column on, and by y.

    A column is looked at only where rows are alike in all before it.
    """
    group = reduce(combined, (configuration, *reversed(texts)))
    order = np.argsort(group, kind="stable")
    group = group[order]
    for column in (*X.T, y):
        same = np.append(group[1:] == group[:-1], False)
        tied = np.flatnonzero(same | np.append(False, same[:-1]))
        if not len(tied):
            break
        values, own = column[order[tied]], group[tied]
        place = np.lexsort((values, own))
        order[tied], values = order[tied][place], values[place]
        apart = (values[1:] != values[:-1]) & ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
        steps = np.zeros(len(order), dtype=np.int64)
        steps[tied[1:]] = apart & (own[1:] == own[:-1])
        group = group + np.cumsum(steps)
    return order.astype(np.int64)
