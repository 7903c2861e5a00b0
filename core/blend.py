"""Several trained models as one: their weighted mean on a common scale, or their weighted sum."""

from collections.abc import Mapping, Sequence

import numpy as np

from core import __version__
from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, holder
from core.models.base import Model, within
from core.pipeline import ClusterModel, FittedPipeline, Provenance
from core.scale import LOG, RAW, ResponseScale
from core.trial import Frame
from core.validate.domain import learn_domain

MEAN, SUM = HOWS = ("mean", "sum")
HALF = 0.5


class Mixture(Frozen):
    """How predictions of several models become one.

    Attributes
    ----------
    weights : by model, positive
    how : "mean" is the weighted mean, of logarithms where `log` (so a geometric mean), in which no
        model counts as further than `bound` from the weighted median; "sum" is Σ weight · prediction
    log : whether the response is positive and differences of it are factors
    bound : on that scale, so ln 2 is a factor of 2; infinite for none
    """

    weights: Mapping[str, float]
    how: str = MEAN
    log: bool = True
    bound: float = float("inf")

    def of(self, predicted: Mapping[str, FloatArray]) -> FloatArray:
        """Return the mixture of predictions, arrays of shape (n,) in the response's unit.

        Where a model refuses (NaN, or not positive where `log`), the others speak for it in proportion;
        where all refuse, it is NaN.
        """
        columns = np.column_stack([predicted[name] for name in self.weights])
        return mixed(columns, np.array(list(self.weights.values())), self.how, self.bound, log=self.log)


def mixed(columns: FloatArray, weights: FloatArray, how: str, bound: float, *, log: bool) -> FloatArray:
    """Return one prediction of shape (n,) from those of several models, shape (n, n_models); see `Mixture`."""
    known = np.isfinite(columns) & ((columns > 0) | (not log) | (how == SUM))
    share = np.where(known, weights, 0.0)
    total = share.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if how == SUM:
            value = (share * np.where(known, columns, 0.0)).sum(axis=1) * (weights.sum() / total)
            return np.where((total > 0) & ((value > 0) | (not log)), value, np.nan)
        z = np.where(known, np.log(np.where(known, columns, 1.0)) if log else columns, 0.0)
        middle = _weighted_median(z, share)[:, None]
        mean = (share * np.clip(z, middle - bound, middle + bound)).sum(axis=1) / total
        return np.where(total > 0, np.exp(mean) if log else mean, np.nan)


def _weighted_median(z: FloatArray, share: FloatArray) -> FloatArray:
    """Return per row the value with half of the weight on either side, the mean of two where that is a tie."""
    order = np.argsort(np.where(share > 0, z, np.inf), axis=1, kind="stable")
    sorted_z = np.take_along_axis(z, order, axis=1)
    reached = np.cumsum(np.take_along_axis(share, order, axis=1), axis=1)
    half = HALF * reached[:, -1:]
    room = 1e-9 * reached[:, -1:]
    low = (reached >= half - room).argmax(axis=1)
    high = (reached > half + room).argmax(axis=1)
    rows = np.arange(len(z))
    return np.asarray(HALF * (sorted_z[rows, low] + sorted_z[rows, high]))


def spread_of(model: FittedPipeline, X: FloatArray) -> FloatArray | None:
    """Return the standard deviation over the trees of a model for rows of metrics, shape (n,); None if it has none."""
    return model.clusters[0].model.spread_among(model.scores(X))


def apart(columns: FloatArray, spreads: Sequence[FloatArray | None], weights: FloatArray, *, log: bool) -> FloatArray:
    """Return what tells how unsure a mixture is, shape (n, 2): standard deviations among its members and their trees'.

    The second is the mean over members of trees, and the first again where there are none.

    Parameters
    ----------
    columns : array of shape (n, n_members), predictions in the response's unit
    spreads : per member, of its trees; None where it has none
    """
    known = np.isfinite(columns) & ((columns > 0) | (not log))
    z = np.where(known, np.log(np.where(known, columns, 1.0)) if log else columns, 0.0)
    share = np.where(known, weights, 0.0)
    share /= np.maximum(share.sum(axis=1), 1e-300)[:, None]
    mean = (share * z).sum(axis=1)
    among = np.sqrt((share * (z - mean[:, None]) ** 2).sum(axis=1))
    own = [s for s in spreads if s is not None]
    return np.column_stack([among, np.mean(own, axis=0) if own else among])


class Blended(Frozen, kw_only=True):
    """How trained models speak together.

    Attributes
    ----------
    names : what each member is called
    columns : per member, the numbers of its metrics among the columns of X
    weights : array of shape (n_members,), positive
    how, bound : see `Mixture`; `bound` is None for none
    log : whether the output is the logarithm of the response
    """

    names: tuple[str, ...]
    columns: tuple[IntArray, ...]
    weights: FloatArray
    how: str
    bound: float | None
    log: bool


class BlendModel(Blended, Model, kw_only=True):
    """Trained models that speak together; each member predicts the response from metrics as they are."""

    members: tuple[FittedPipeline, ...]

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the mixture of the members' predictions, NaN where every one of them refuses."""
        said = [m.inverse(m.predict_scaled(X[:, own]), X[:, own]) for m, own in self._pairs()]
        bound = float("inf") if self.bound is None else self.bound
        value = mixed(np.column_stack(said), self.weights, self.how, bound, log=self.log)
        return np.log(value) if self.log else value

    def doubts(self, X: FloatArray) -> FloatArray:
        """Return how far the members are apart, and how far the trees within them, shape (n, 2)."""
        pairs = [(member, X[:, own]) for member, own in self._pairs()]
        said = [(member.inverse(member.predict_scaled(rows), rows), spread_of(member, rows)) for member, rows in pairs]
        values, spreads = zip(*said, strict=True)
        return apart(np.column_stack(values), spreads, self.weights, log=self.log)

    @property
    def trees_and_nodes(self) -> tuple[int, int]:
        """Those of all its members."""
        pairs = [own.model.trees_and_nodes for member in self.members for own in member.clusters]
        return sum(trees for trees, _ in pairs), sum(nodes for _, nodes in pairs)

    def formula(self, names: Sequence[str]) -> str:
        """Return the mixture in the members' names."""
        if self.how == SUM:
            text = " + ".join(f"{w:.3g}·{n}" for n, w in self._by_weight())
            return f"ln({text})" if self.log else text
        text = " + ".join(f"{w:.3g}·{f'ln({n})' if self.log else n}" for n, w in self._by_weight())
        if self.bound is None:
            return text
        far = f"a factor of {np.exp(self.bound):.3g}" if self.log else f"{self.bound:.3g}"
        return f"{text}, none counted as further than {far} from their weighted median"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the metrics that the members look at, those of the weightiest member first."""
        order = np.argsort(-self.weights, kind="stable").tolist()
        return tuple(dict.fromkeys(names[j] for i in order for j in self.columns[i].tolist()))

    def check(self, width: int) -> None:
        """Hold members, columns and weights against each other."""
        n = len(self.members)
        _hold(n > 0 and len(self.names) == len(self.columns) == n and self.weights.shape == (n,), "has loose parts")
        _hold(bool((self.weights > 0).all()), "has a weight that is not positive")
        most = 700.0 if self.log else float("inf")  # beyond, the factor is no number
        bounded = self.bound is None or 0 <= self.bound <= most
        _hold(self.how in HOWS and bounded, "mixes in a way that is unknown")
        for member, own in self._pairs():
            _hold(own.shape == (len(member.metrics),), "gives a member other columns than it has metrics")
            _hold(within(own, width), "tells of a column that is not there")

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return the rows of which no member says anything, with the reason of the weightiest."""
        first = int(np.argmax(self.weights))
        rows = np.flatnonzero(~np.isfinite(self.predict(X)))
        if not len(rows):
            return {}
        why = self.members[first].predict(X[np.ix_(rows, self.columns[first])]).why
        said = [text.removeprefix("no prediction: ") or "it is not positive" for text in why]
        return {int(i): f"no member has one; {self.names[first]}: {text}" for i, text in zip(rows, said, strict=True)}

    def _pairs(self) -> list[tuple[FittedPipeline, IntArray]]:
        return list(zip(self.members, self.columns, strict=True))

    def _by_weight(self) -> list[tuple[str, float]]:
        return sorted(zip(self.names, self.weights.tolist(), strict=True), key=lambda pair: -pair[1])


_hold = holder("The model file does not hold together: its blend")


def blend(models: Mapping[str, FittedPipeline], mixture: Mixture, frame: Frame, name: str) -> FittedPipeline:
    """Return trained models of one response as one model, without an interval.

    Parameters
    ----------
    models : by the names that the mixture has weights for
    frame : the trials that they were trained on
    name : what the recipe of the whole is called

    Raises
    ------
    FitError
        If there is no model.
    """
    if not models:
        raise FitError("A blend needs at least one model, got none.")
    names = tuple(n for n in frame.names if any(n in m.names for m in models.values()))
    used = frame.select(names)
    place = {metric: j for j, metric in enumerate(names)}
    order = list(mixture.weights)
    model = BlendModel(
        names=tuple(order),
        members=tuple(models[n] for n in order),
        columns=tuple(np.array([place[m] for m in models[n].names], dtype=np.int64) for n in order),
        weights=np.array([mixture.weights[n] for n in order]),
        how=mixture.how,
        bound=mixture.bound if np.isfinite(mixture.bound) else None,
        log=mixture.log,
    )
    return FittedPipeline(
        metrics=used.metrics,
        response=frame.response,
        scale=ResponseScale(LOG if mixture.log else RAW),
        features=names,
        clusters=(ClusterModel(model, len(frame)),),
        domain=learn_domain(used.X, used.what_ran, used.y),
        notes=(*frame.notes, *_member_notes(models, order)),
        provenance=_provenance(models, mixture, frame, name),
        unset=used.unset,
    )


def _member_notes(models: Mapping[str, FittedPipeline], order: Sequence[str]) -> list[str]:
    known = {note for model in models.values() for note in model.notes}
    shared = {note for note in known if all(note in model.notes for model in models.values())}
    return [f"{n}: {note}" for n in order for note in models[n].notes if note not in shared]


def _provenance(models: Mapping[str, FittedPipeline], mixture: Mixture, frame: Frame, name: str) -> Provenance:
    """Return what the whole was made by; each member's own file says what that was made by."""
    options = {"how": mixture.how, **{f"weight of {n}": round(w, 6) for n, w in mixture.weights.items()}}
    seed = max(model.provenance.seed for model in models.values())
    return Provenance(name, options, seed, __version__, frame.digest(), len(frame))
