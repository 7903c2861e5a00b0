"""The model that the Scaling page asks: trained here as a job, or read from a file."""

import hashlib
from dataclasses import replace

import streamlit as st

from core.errors import ReadError
from core.frozen import Frozen
from core.option import specs
from core.progress import Progress
from core.report.scaling.kept import SCALING
from core.report.scaling.predicted import askable, without_kernel
from core.scaling.fit import fit_scaling
from core.scaling.model_file import is_scaling, read_scaling
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.base import Predictor
from core.scaling.race import CHOSEN, predictor_named
from core.scaling.scaling_model import ScalingModel
from core.scaling.study import usual_folds
from pages._models.values import label_of, saved_scaling
from pages._scaling.study import Asked, choose_folds
from pages._ui.choices import pick
from pages._ui.database import kept, store
from pages._ui.drawn import literal
from pages._ui.forms import options_form
from pages._ui.page import beside, pick_known
from pages._ui.work import computed, key_of

USUAL = "shared_leaves"
_TRAINED = "None: train one"
_HELP = "How a kernel's surface follows from its counters at the base. The view Race tells which one errs least here."


class Trained(Frozen):
    """A model, and how it was trained; one that was made before has no predictor to train with again.

    Attributes
    ----------
    kernels : those of the study that it can be asked for
    """

    model: ScalingModel
    kernels: tuple[str, ...] = ()
    predictor: Predictor | None = None
    folds: str = ""
    name: str = ""


def choose_and_train(asked: Asked) -> Trained | None:
    """Let the user choose a predictor, train it on all kernels, or read a model from a file."""
    choices, row = beside("Predictor")
    with choices:
        predictor = choose_predictor("scaling_predictor", USUAL, asked.study.n_configurations - 2)
        folds = choose_folds(asked.study, "scaling_folds", usual_folds(asked.study, asked.base))
        if (cls := type(predictor)) in PREDICTORS.values() and specs(cls):
            predictor = cls(**options_form(cls, f"with_{PREDICTORS.name_of(cls)}"))
        given = _saved() or _uploaded()
    if given is not None:
        given = replace(given, kernels=askable(asked.study, given.model))
        row.caption(literal(f"Asked is the model {given.name}."))
    found = given or train(asked, predictor, folds)
    if given is None:
        row.caption(literal(f"{getattr(type(predictor), 'label', '')}, trained on all kernels."))
    return found


def choose_predictor(key: str, usual: str, most: int) -> Predictor:
    """Let the user choose a predictor that asks for at most so many further runs; it has its usual options."""
    names = [usual, *(n for n in (*PREDICTORS, CHOSEN) if n != usual and predictor_named(n).n_measurements <= most)]
    name = pick("Predictor", names, key, _HELP, words=lambda n: predictor_named(n).label)
    return predictor_named(name)


def train(asked: Asked, predictor: Predictor, folds: str, without: int | None = None) -> Trained | None:
    """Return the model of all kernels (or all but one), or None while it is trained."""
    study = asked.study
    key = key_of(asked.key, asked.names, asked.base, type(predictor).__name__, predictor, folds, without)
    if without is not None:
        study = without_kernel(study, without)
    title = f"Learning how {study.n_kernels:,} kernels scale"

    def work(progress: Progress) -> ScalingModel:
        return fit_scaling(study, predictor, base=asked.base, folds=folds, dataset=asked.dataset, progress=progress)

    model = computed(f"scaling model {without is None}", title, key, work)
    return None if model is None else Trained(model, askable(asked.study, model), predictor, folds)


def _saved() -> Trained | None:
    cards = {label_of(card): card for card in store().models.all() if card.recipe == SCALING}
    if not cards:
        return None
    help = "From the Models page. It is asked in place of one trained here."
    label = pick_known("A saved model", [_TRAINED, *cards], "scaling_saved", "saved model", help)
    if label not in cards:
        return None
    return Trained(saved_scaling(cards[label].id), name=cards[label].name)


def _uploaded() -> Trained | None:
    help = "Taken away here, or written by `ridgeline scale fit`. It is asked in place of the trained one."
    upload = st.file_uploader("A scaling model", key="scaling_model_file", help=help)
    if upload is None:
        return None
    raw = upload.getvalue()
    if not is_scaling(raw):
        raise ReadError(
            f"{upload.name} is no scaling model. Upload a file that was taken away here or written by "
            "`ridgeline scale fit`."
        )
    return Trained(_read(raw), name=upload.name)


_read = kept(lambda raw: hashlib.sha256(raw).hexdigest(), 4)(read_scaling)
