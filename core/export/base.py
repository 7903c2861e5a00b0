"""The contract of an exporter: what it can express, its file and how that is proved; test vectors of every file."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.passes.scales import FittedLog
from core.pipeline import FittedPipeline


class CannotRunError(Exception):
    """What was written cannot be run here; the message says why."""


class FailedRunError(Exception):
    """What was written was run, or compiled, and failed by itself; the message says how."""


class Exporter(ABC):
    """Writes a trained model in one form.

    Attributes
    ----------
    says : what the form can say of which models, in a sentence
    only_values : whether the form knows no interval and no domain, so that a proof compares predictions alone,
        on rows inside the trained range
    """

    label: ClassVar[str]
    suffix: ClassVar[str]
    says: ClassVar[str] = "every model"
    only_values: ClassVar[bool] = False

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return why this form cannot say what the model says, or None if it can, as one that says every model."""
        return None

    @abstractmethod
    def write(self, model: FittedPipeline) -> bytes:
        """Return the file's bytes; the same model gives the same bytes."""

    def said(self, model: FittedPipeline) -> FittedPipeline:
        """Return the model that the form says: the same, but for what `says` and `caveat` tell."""
        return model.unheld() if self.only_values else model

    def caveat(self, model: FittedPipeline) -> str:
        """Return what a user of the file has to know of it, in a sentence, or ""."""
        return ""

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> "Answers":
        """Return what the file says of rows of metrics, by running it in an empty folder.

        Raises
        ------
        CannotRunError
            If it is nothing to run, or what runs it is not here.
        FailedRunError
            If it does not compile, fails its own test, or does not answer every row.
        """
        raise CannotRunError("it is for people to read, and nothing to run")


OUT_OF_RANGE, FAR, REFUSED = 1, 2, 4
"""Bits of flags, in every exported form."""
FURTHEST = 1e15
"""A trained range beyond this says nothing of where trials were; rows are then drawn from -100 to 100."""


TOLERANCE = 1e-12


class Proof(Frozen):
    """How an exported file compares with its model.

    Attributes
    ----------
    largest_relative_difference : of predictions and their bounds; NaN where nothing was run
    n : rows that were compared
    flags_equal : whether refusals and domain flags agree in every row; None for forms that have none
    runner : what compiled or ran it, such as "cc (Debian 12.2.0) 12.2.0"
    why_not : why nothing was run, or ""
    failed : how it failed by itself, as by its own test, or ""
    plain_difference : the same as the largest relative difference, but without a least size of what is divided by
    """

    largest_relative_difference: float
    n: int
    flags_equal: bool | None
    runner: str
    seconds: float
    why_not: str = ""
    failed: str = ""
    plain_difference: float = float("nan")

    @property
    def holds(self) -> bool:
        """Whether the file says the same as the model, to 1e-12."""
        return self.flags_equal is not False and self.largest_relative_difference <= TOLERANCE

    @property
    def sentence(self) -> str:
        """Return the proof as people read it."""
        if self.why_not:
            return self.why_not
        if self.failed:
            return f"it fails by itself: {self.failed}"
        flags = {True: ", the same flags in all", False: ", but other flags in some", None: " inside the trained range"}
        said = f"{self.n:,} rows, largest relative difference {self.largest_relative_difference:.2g}"
        return f"{said}{flags[self.flags_equal]} ({self.runner}, {self.seconds:.1f} s)"


class Answers(Frozen):
    """What some form of a model says of rows.

    Attributes
    ----------
    value, low, high : arrays of shape (n,), NaN where refused, or where there is no interval
    flags : array of shape (n,), bits
    runner : what ran it
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    flags: IntArray
    runner: str = ""


Vector = tuple[list[float], float, float, float, int]
"""A row of metrics with what the model says of it: value, low, high, flags."""


def vectors(model: FittedPipeline) -> list[Vector]:
    """Return some 30 rows that try every way a prediction can go, the same for the same model."""
    low, high = _range(model)
    rng = np.random.default_rng(0)
    middle = _between(model, np.full((1, len(low)), 0.5))
    some = _between(model, rng.uniform(size=(8, len(low))))
    near = trials(model)[0]
    near = near[:: max(1, len(near) // 8)][:8]
    missing = np.where(np.arange(len(low)) == 0, np.nan, middle)
    X = np.vstack([low, high, middle, some, near, *_edges(model)[:8], _beyond(model, rng, 4), -high, 0 * low, missing])
    said = answers(model.alone(), X)
    return list(zip(*(c.tolist() for c in (X, said.value, said.low, said.high, said.flags)), strict=True))


def rows(model: FittedPipeline, n: int, *, inside: bool = False) -> FloatArray:
    """Return n rows: three quarters in the trained range, the rest at and beyond its edges, some refused."""
    rng = np.random.default_rng(1)
    width = len(model.metrics)
    X = _between(model, rng.uniform(size=(n, width)))
    near = trials(model)[0]
    if len(near):
        X[: n // 4] = near[np.arange(n // 4) % len(near)]
    if not inside:
        last = n - n // 4
        X[last:] = _beyond(model, rng, n - last)
        X[-max(1, n // 100) :, rng.integers(width)] = np.nan
    return X


def answers(model: FittedPipeline, X: FloatArray) -> Answers:
    """Return what the model itself says of rows."""
    with np.errstate(all="ignore"):
        found, domain = model.predict(X), model.domain
        far = domain.too_far(domain.leverage(X)) & np.isfinite(X).all(axis=1)
        flags = OUT_OF_RANGE * domain.beyond(X).any(axis=1) + FAR * far + REFUSED * np.isnan(found.value)
    return Answers(found.value, found.low, found.high, flags.astype(np.int64))


def _range(model: FittedPipeline) -> tuple[FloatArray, FloatArray]:
    """Return the trained range, or something of a human size where a file says nothing of it."""
    low, high = model.domain.low, model.domain.high
    wild = (np.abs(low) > FURTHEST) & (np.abs(high) > FURTHEST)
    return np.where(wild, -100.0, low), np.where(wild, 100.0, high)


def _between(model: FittedPipeline, share: FloatArray) -> FloatArray:
    """Return rows at shares of the trained range, of its logarithm where the model takes one."""
    low, high = _range(model)
    first = model.passes[0] if model.passes else None
    wide = (low > 0) & (high > 100 * low)
    if isinstance(first, FittedLog):
        wide |= np.array([s == "log" for s in first.scales]) & (low > 0)
    safe_low, safe_high = np.where(wide, low, 1.0), np.where(wide, high, 1.0)
    found: FloatArray = np.where(wide, safe_low * (safe_high / safe_low) ** share, low + share * (high - low))
    return np.clip(found, low, high)


def trials(model: FittedPipeline) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the training trials that the model keeps, if it keeps some, with what they are called."""
    kept = model.domain.landmarks
    return kept.rows.reshape(-1, len(model.metrics)), kept.labels


def _edges(model: FittedPipeline) -> list[FloatArray]:
    """Return the middle with one metric at an edge, both edges of each metric in turn."""
    low, high = _range(model)
    middle = _between(model, np.full((1, len(low)), 0.5))[0]
    return [np.where(np.arange(len(low)) == j, edge, middle) for j in range(len(low)) for edge in (low, high)]


def _beyond(model: FittedPipeline, rng: "np.random.Generator", n: int) -> FloatArray:
    """Return rows of which some metrics leave the trained range, by up to half of it."""
    low, high = _range(model)
    inside = _between(model, rng.uniform(size=(n, len(low))))
    away = np.where(rng.uniform(size=inside.shape) < 0.7, high, low - (high - low) * 0.5)
    moved = away + rng.uniform(size=inside.shape) * (high - low) * 0.5
    return np.where(rng.uniform(size=inside.shape) < 1 / np.sqrt(len(low)), moved, inside)
