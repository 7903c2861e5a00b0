"""Taking a model of a race away: learnt from all trials, with its interval, saved or as JSON."""

import streamlit as st

from core.export import write_model
from core.pipeline import FittedPipeline
from core.race.race import fitted_winner
from pages._compare.result import Result
from pages._model.answer import refused, save
from pages._ui.choices import act
from pages._ui.drawn import offer
from pages._ui.work import computed, key_of, known

_WANTED = "_wanted_race_models"


def draw(result: Result, name: str) -> None:
    """Offer to make the model, then to save and to download it."""
    key = _key(result, name)
    if made(result, name) is None and key not in _wanted():
        help = "Learns it from all trials, with the interval that the race has found."
        act("Keep this model …", "make_model", "save", _wanted().add, key, help=help)
        return
    model = make(result, name)
    if model is not None:
        _offer(model, result, name)


def make(result: Result, name: str) -> FittedPipeline | None:
    """Return a model of the race learnt from all trials; None while a job learns it."""
    return computed(
        "keep",
        f"Learning {result.line(name).label} from all trials",
        _key(result, name),
        lambda progress: fitted_winner(result.frame, result.race, result.entries, result.dataset, name, progress),
    )


def _offer(model: FittedPipeline, result: Result, name: str) -> None:
    if refused(model, _key(result, name)):
        return
    usual = f"{result.dataset} {result.title} {result.line(name).label}"
    keys = (f"race_model_name_{name}_{result.title}", "save_race_model", "download_race_model")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offer(usual, keys, lambda title: save(model, title), lambda: write_model(model))


def made(result: Result, name: str) -> FittedPipeline | None:
    """Return a model of the race, if it was made before."""
    found: FittedPipeline | None = known("keep", _key(result, name))
    return found


def _key(result: Result, name: str) -> str:
    several = result.race.together(name)
    weights = () if several is None else tuple(several.weights.items())
    return key_of(result.race.trials_sha256, result.race.folds, result.race.seed, name, weights)


def _wanted() -> set[str]:
    wanted: set[str] = st.session_state.setdefault(_WANTED, set())
    return wanted
