"""What every view of the Design space page is given, and what it computes, kept by keys of model and space."""

import hashlib
from collections.abc import Hashable, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import OptionError, ReadError, RidgelineError
from core.frozen import Frozen
from core.recipes import recipe_label
from core.recipes.auto import Auto
from core.report.compare.race_document import auto_document
from core.report.shared.scorecard import fold_label
from core.report.space.design_points import MeasuredDesigns, measured_designs
from core.space.design_space import DesignSpace
from core.space.holes import Holes
from core.space.sums import Surrogate, surrogate
from core.space.sweep import Design, best_design
from core.space.table import read_space, write_space
from core.space.trial_space import trial_holes
from core.space.wishes import Problem, problems
from core.trial import Frame
from core.workspace import SPACES
from pages._design_space.model import KEY, Asked, Choice, Chosen, ask, parameters_of, tested_on
from pages._model.answer import SHOWN, best, better, judged_on, sentence, verdict_of
from pages._ui.choices import METRICS, act, in_url, pick, set_choice, set_url
from pages._ui.database import frame as load_frame
from pages._ui.database import kept
from pages._ui.drawn import count, literal, percent
from pages._ui.page import guard, show_error
from pages._ui.state import offer_sample

TRIALS, FILE, BUILT = "From the trials", "A TOML file", "Built here"
WITHOUT = "space_without"
SOURCE, TEXT, BUILT_TEXT, FILE_NAME = "space", "_space_file_text", "_space_built_text", "_space_file_name"
_START = '[parameters.simd]\nunit = "count"\nlevels = [8, 16, 32]\n\n[parameters.mshr]\nrange = [1, 3]\nstep = 1\n'


class Source(Frozen):
    """A design space (None if there is none yet) and where it comes from.

    Attributes
    ----------
    why : what is missing
    holes : constraints inferred from trials, those that were switched off included
    """

    kind: str
    space: DesignSpace | None
    why: str = ""
    holes: Holes | None = None


def choose_source(chosen: Chosen | None) -> str:
    """Let the user choose where the design space comes from."""
    offered = [*([TRIALS] if chosen is not None else []), FILE, BUILT, *examples()]
    said = "The parameters, their levels and what constraints leave of them. See the Space view."
    return pick("Design space", offered, SOURCE, said)


def space_of(kind: str, chosen: Chosen | None) -> Source:
    """Return the design space of a source."""
    try:
        if kind == TRIALS and chosen is not None:
            return _of_trials(chosen)
        return Source(kind, _space(kind))
    except (OptionError, ReadError) as error:
        return Source(kind, None, str(error))


def examples() -> dict[str, str]:
    """Return the spaces that come with the program: title and TOML."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SPACES.glob("*.toml"))]
    return {f"Example: {read_space(text).name}": text for text in texts}


def ask_file() -> None:
    """Let the user give a design space as a file."""
    help = "A TOML file: a table per parameter with levels, range or values, and a list of constraints."
    upload = st.file_uploader("Design space, a TOML file", key="space_upload", help=help)
    if upload is None:
        return
    with guard():
        text = upload.getvalue().decode("utf-8-sig", errors="replace")
        if text != st.session_state.get(TEXT):
            read_space(text, upload.name)
            st.session_state[TEXT], st.session_state[FILE_NAME] = text, upload.name
            st.rerun()


def edit_instead(space: DesignSpace) -> None:
    """Let the table that is filled in here begin with a space, and show it."""
    st.session_state[BUILT_TEXT] = write_space(space)
    set_choice(SOURCE, BUILT)


def built_space() -> DesignSpace:
    """Return the space of the table that is filled in here."""
    return read_space(st.session_state.get(BUILT_TEXT, _START), "The table")


def switch_hole(text: str) -> None:
    """Switch a constraint that was inferred from the trials off, or on again."""
    off = in_url(WITHOUT)
    set_url(WITHOUT, [t for t in off if t != text] if text in off else [*off, text])


def _space(kind: str) -> DesignSpace | None:
    if kind == FILE:
        text = st.session_state.get(TEXT)
        return read_space(text, st.session_state.get(FILE_NAME, "The file")) if text else None
    return built_space() if kind == BUILT else read_space(examples()[kind])


def _of_trials(chosen: Chosen) -> Source:
    if not chosen.parameters:
        return Source(TRIALS, None)
    frame = chosen.frame(chosen.parameters)
    holes = _holes(frame, chosen.dataset)
    return Source(TRIALS, holes.constrained(in_url(WITHOUT)), holes=holes)


_SEARCHING = "Looking for combinations that never occur"
_holes = kept(lambda frame, title: (frame.digest(), title), 16, _SEARCHING)(trial_holes)


_LABELS = {"auto": "Automatic model", "formula": "Readable formula"}


def _say_worth(asked: Asked, dataset: str) -> None:
    """Say what a model that was trained here is worth, with the way to what errs less; a job finds that out.

    It begins when the test on unseen trials is done, which sliders wait for more.
    """
    frame, recipe = asked.learnt, asked.recipe
    if frame is None or recipe is None or not asked.tested or (found := best(frame, recipe, dataset)) is None:
        return
    plan = tested_on(frame)
    verdict = verdict_of(frame, recipe, found, plan, asked.validation)
    if verdict is None:
        return
    plain = auto_document(found)
    entries, own = {name: plain[entry]["mape"] for name, entry in SHOWN}, verdict.mape
    smaller = [  # what is typically less off, but more on average, looks worse beside it
        name for name in better(plain, recipe, verdict) if None in (own, entries[name]) or entries[name] < own
    ]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(sentence(verdict, judged_on(found, frame)), width="stretch")
        for name in smaller:
            look: Any = {"type": "primary" if name == smaller[0] else "secondary"}
            said, help = f"{_LABELS[name]}: {percent(entries[name])}", "Mean error, tested alike"
            act(said, f"take_{name}", "", set_choice, KEY, name, help=help, **look)
    if found.plan != plan and not isinstance(recipe, Auto):  # which is tested where it is compared
        compared, tested = fold_label(str(found.plan)), fold_label(str(plan))
        st.caption(f"This comparison holds out {compared}; the held-out error above, {tested}.")


_MOST_METRICS = 30


class Shown(Frozen):
    """What was chosen above the views.

    Attributes
    ----------
    everybody : the trials before one application was chosen
    row : where is said what is asked, and what is under way, so that it pushes no control aside
    """

    source: Source
    chosen: Chosen | None
    everybody: Chosen | None
    choice: Choice | None
    row: DeltaGenerator

    def space(self) -> DesignSpace | None:
        """Return the design space; where there is none, say what is missing, and show a way on."""
        if self.source.space is None:
            _without_space(self.source, self.chosen)
        return self.source.space

    def asked(self) -> Asked | None:
        """Return the model that is asked of the space; None where there is none, or while it is trained."""
        if (space := self.space()) is None:
            return None
        if self.choice is None:
            st.info("There is no model yet: choose a dataset in the sidebar to train one here, or save one there.")
            return None
        with self.row:
            if (asked := ask(self.choice, space, self.chosen)) is not None:
                _say(asked, self.chosen)
                _say_worth(asked, self.chosen.dataset if self.chosen is not None else "")
        return asked


def _say(asked: Asked, chosen: Chosen | None) -> None:
    """Say in a line how large the space is and how good the model."""
    model, space = asked.model, asked.space
    scores = model.validation.get("scores", {})
    mean, median = scores.get("mape"), scores.get("median_ape")
    known = isinstance(mean, int | float) and isinstance(median, int | float)
    tested = f"mean held-out error {percent(mean)}, median {percent(median)}" if known else "not tested yet"
    designs = f"{_size_of(space)} of {count(len(space.parameters), 'parameter')}"
    learnt = f"{recipe_label(model.provenance.recipe)}, trained on {count(model.provenance.n_trials, 'trial')}"
    whose = " ".join(value for _, _, value in chosen.where) if chosen is not None else ""
    st.caption(literal(f"{whose}: {designs}; {model.response} by {learnt}, {tested}.".removeprefix(": ")))


def _size_of(space: DesignSpace) -> str:
    """Return how many designs a space has, or at most has."""
    try:
        return count(space.n_points, "design")
    except RidgelineError:
        return f"at most {space.n_combinations:.3g} designs"


def _without_space(source: Source, chosen: Chosen | None) -> None:
    """Say what is missing, and show a way on."""
    if source.kind == FILE and not source.why:
        ask_file()
    elif source.kind != TRIALS or chosen is None:
        st.info(literal(source.why or "There is no design space yet."))
    elif chosen.parameters:
        show_error(source.why)
    elif parameters_of(chosen.dataset):
        st.info("No parameter has a value in every one of these trials. Choose some under Metrics in the sidebar.")
    else:
        said = "has no parameters that were set before a run, so it spans no design space."
        st.info(literal(f"Dataset {chosen.dataset} {said}"))
        with st.container(horizontal=True):
            offer_sample("design_space", "space_sample", ":material/tune:")
            _offer_metrics(chosen)


def _offer_metrics(chosen: Chosen) -> None:
    names = load_frame(chosen.dataset, chosen.response, None, chosen.where).names
    said = literal(f"Metrics that {chosen.dataset} is modelled from by default; change them in the sidebar.")
    if len(names) <= _MOST_METRICS and st.button("Use its metrics as parameters", key="use_metrics", help=said):
        set_url(METRICS, names)
        st.rerun()


def space_key(space: DesignSpace) -> str:
    """Return a text that is the same for the same space."""
    return hashlib.sha256(write_space(space).encode()).hexdigest()


def _by_model(asked: Asked, space: DesignSpace, *more: str) -> Hashable:
    return (asked.full_key, space_key(space), *more)


@kept(_by_model, 16)
def surrogate_of(asked: Asked, space: DesignSpace) -> Surrogate:
    """Return a model over a space.

    Raises
    ------
    OptionError
        If the model has a column that no parameter gives.
    """
    return surrogate(asked.model, space)


def measured_of(asked: Asked, space: DesignSpace) -> MeasuredDesigns | None:
    """Return the designs that were measured; None without trials that have all parameters."""
    frame = asked.frame
    if frame is None:
        return None
    known = {*frame.names, *frame.labels}
    return _measured(space, frame) if all(p.name in known or len(p.levels) == 1 for p in space.parameters) else None


_measured = kept(lambda space, frame: (frame.digest(), space_key(space)), 8)(measured_designs)


def problems_of(*asked: Asked, growing: bool = True) -> tuple[Problem, ...]:
    """Return the problems that were measured, that of most designs first; none where no parameter belongs to one."""
    return _problems(asked[0].space, [one.frame for one in asked if one.frame is not None], growing)


@kept(lambda space, frames, growing: (space_key(space), *(frame.digest() for frame in frames), growing), 8)
def _problems(space: DesignSpace, frames: Sequence[Frame], growing: bool) -> tuple[Problem, ...]:
    return problems(space, frames, growing=growing)


@kept(_by_model, 32)
def best_of(asked: Asked, space: DesignSpace, sense: str) -> Design | None:
    """Return the exactly best design; None if the model does not allow to find it at once."""
    return best_design(asked.model, space, sense)
