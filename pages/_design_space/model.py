"""The model that the Design space page asks, trained here or saved before, and which trials the page goes by."""

from dataclasses import replace

import pandas as pd

from core.errors import OptionError
from core.frozen import Frozen
from core.models import FAMILIES
from core.option import specs
from core.pipeline import FittedPipeline
from core.race.auto import LEAST
from core.recipes import RECIPES, Recipe, Treated, make_recipe, recipe_label, validate, with_validation
from core.recipes.auto import Auto
from core.report.scaling.race import SCALING
from core.space.columns import not_given
from core.space.design_space import DesignSpace
from core.space.trial_space import category_of, differing, sizes_of_inputs, with_shared
from core.store.cards import Condition, ModelCard
from core.trial import ROLES, Frame, Kind, notes_about
from core.validate.crossval import Validation
from core.validate.folds import DEALT, FoldPlan, default_folds, few_folds, some_configurations
from pages._model.answer import best
from pages._models.values import label_of, saved_model
from pages._ui import database
from pages._ui.choices import pick
from pages._ui.database import kept, recipe_key, store
from pages._ui.forms import more_options, options_form
from pages._ui.jobs import computed, key_of
from pages._ui.page import pick_known
from pages._ui.state import choose_metrics, choose_repeats, choose_response, choose_where

EVERY = "(all together)"
LEAST_MACHINES = 20
"""From so many machines on, each is a design whose parameters are its facts, where nothing else was set."""
MOST_NAMES = 8
"""Applications, inputs or machines up to which, looked at together, their name is a parameter."""


class Chosen(Frozen):
    """The trials and what was chosen of them.

    Attributes
    ----------
    parameters : metrics that were set before the run, or that the user chose to predict from
    where : conditions, those on application, input and machine among them
    declared : whether the parameters are those of the dataset, not ones that the user chose
    notes : what is left out of the trials, and why
    """

    dataset: str
    response: str
    parameters: tuple[str, ...]
    where: tuple[Condition, ...]
    repeats: str
    declared: bool
    notes: tuple[str, ...] = ()

    def frame(self, metrics: tuple[str, ...], response: str = "") -> Frame:
        """Return these trials with some metrics, and this or another response."""
        return database.frame(self.dataset, response or self.response, metrics, self.where, self.repeats)

    @property
    def names(self) -> tuple[str, ...]:
        """All metrics of the dataset, its text parameters, and the metrics `text=value` that tell of these."""
        metrics = tuple(m.name for m in database.metric_names(self.dataset))
        return (*metrics, *texts_of(self.dataset), *database.indicator_names(self.dataset))


def choose_trials(dataset: str) -> Chosen:
    """Let the user choose the response, what to predict from, and the filters, in the sidebar."""
    response = choose_response(dataset)
    metrics, where, repeats = choose_metrics(dataset, response), choose_where(dataset), choose_repeats(dataset)
    return Chosen(dataset, response, metrics or parameters_of(dataset), where, repeats, metrics is None)


def parameters_of(dataset: str) -> tuple[str, ...]:
    """Return the metrics and texts of a dataset that were set before the run; else what its many machines differ in."""
    parameters, facts = (
        tuple(m.name for m in database.metric_names(dataset) if m.kind == kind)
        for kind in (Kind.PARAMETER, Kind.MACHINE)
    )
    many = len(database.labels(dataset).get("machine", ())) >= LEAST_MACHINES
    return (*parameters, *texts_of(dataset)) or (facts if many else ())


def texts_of(dataset: str) -> tuple[str, ...]:
    """Return the texts of a dataset that were set before the run: categories."""
    known = set(database.indicator_names(dataset, (Kind.PARAMETER,)))
    if not known:
        return ()
    texts = database.labels(dataset)
    return tuple(name for name, values in texts.items() if any(f"{name}={value}" in known for value in values))


def choose_slice(chosen: Chosen) -> Chosen:
    """Let the user choose one application, input and machine where there are several: each has a model of its own.

    Inputs that are called by their sizes need none: the sizes are parameters as those that were set. Of few together
    the name is one, where no metric tells them apart.
    """
    where, facts = chosen.where, {m.name for m in database.metric_names(chosen.dataset) if m.kind == Kind.MACHINE}
    for role in ROLES:
        if role == "machine" and facts.intersection(chosen.parameters):
            continue  # each machine is a design
        frame = database.frame(chosen.dataset, chosen.response, (), where)
        if len(values := sorted(set(frame.labels[role]))) < 2:
            continue
        sizes: tuple[str, ...] = ()
        if role == "input" and chosen.declared:
            sizes = sizes_of_inputs(database.frame(chosen.dataset, chosen.response, None, where))
        key, offered = f"space_{role}", [*values, EVERY]
        usual = EVERY if sizes else _usual(frame, role)
        picked = pick(role.capitalize(), offered, key, f"Only the trials of this {role}.", usual=usual)
        if picked != EVERY:
            where = (*where, (role, "=", picked))
        elif chosen.parameters:
            names = sizes or ((role,) if len(values) <= MOST_NAMES else ())
            chosen = replace(chosen, parameters=(*names, *chosen.parameters))
    return _known(replace(chosen, where=where))


@kept(lambda frame, role: (frame.digest(), role), 32)
def _usual(frame: Frame, role: str) -> str:
    """Return the name with the most designs whose response varies; all of them where no fold of it trains a model."""
    told = {"name": list(frame.labels[role]), "design": frame.configuration, "response": frame.y}
    trials = pd.DataFrame(told).groupby("name")
    different = trials.nunique()
    designs = different["design"].where(different["response"] > 1, 0)
    largest = str(designs.idxmax())
    return largest if designs[largest] >= LEAST and trials.size()[largest] > LEAST else EVERY


def _known(chosen: Chosen) -> Chosen:
    """Keep of a dataset's parameters those that every trial knows and no rule hides; what is left out is noted."""
    if not chosen.parameters:
        return chosen
    names = None if chosen.declared else _there(chosen)
    found = database.frame(chosen.dataset, chosen.response, names, chosen.where, chosen.repeats)
    known = {*found.names, *(category_of(name, found) for name in found.names)}
    parameters = tuple(name for name in chosen.parameters if name in known)
    notes = tuple(note for note in found.notes if not notes_about([note], "filter", "counters"))
    return replace(chosen, parameters=parameters, notes=notes)


def _there(chosen: Chosen) -> tuple[str, ...]:
    """Return the parameters without those `text=value` that no longer tell trials apart."""
    labels = database.frame(chosen.dataset, chosen.response, (), chosen.where).labels
    values = {text: set(own) for text, own in labels.items()}
    parts = ((name, *name.partition("=")[::2]) for name in chosen.parameters)
    return tuple(
        name for name, text, value in parts if text not in values or (value in values[text] and len(values[text]) > 1)
    )


FIRST = ("anova", "stargazer")
_ALL = "all designs"
_NUMBERS = (_ALL, *(f"{n} designs" for n in (30, 60, 100, 150, 200, 300, 500, 1000, 2000)))
KEY = "space_model"


class Asked(Frozen):
    """A model that is asked of a space.

    Attributes
    ----------
    key : known by it; the same for the same model
    recipe : to train another one alike; None for a saved model
    frame : trials with its metrics, None if there are none
    learnt : of these, the ones that it was trained on
    tested : whether the test on unseen trials is done
    validation : that test, of a model that is trained here
    """

    model: FittedPipeline
    key: str
    title: str
    space: DesignSpace
    recipe: Recipe | None
    frame: Frame | None
    learnt: Frame | None
    tested: bool = True
    validation: Validation | None = None

    @property
    def full_key(self) -> str:
        """Known by it together with its interval."""
        return f"{self.key} {'tested' if self.tested else 'untested'}"


class Choice(Frozen):
    """A recipe to train with, from so many designs (0 means all); or a saved model."""

    title: str
    recipe: Recipe | None = None
    card: ModelCard | None = None
    n_designs: int = 0


def choose_model(can_train: bool) -> Choice | None:
    """Let the user choose a recipe to train with here, or a saved model."""
    offered = offers(can_train)
    if not offered:
        return None
    said = "Trained here on the trials of the sidebar, or saved on the Model page."
    choice = offered[pick_known("Model", list(offered), KEY, "model", said, words=recipe_label)]
    return choice if choice.recipe is None else replace(choice, n_designs=_choose_number())


def _choose_number() -> int:
    """Let the user choose how many designs to learn from; 0 means all."""
    help = "Some designs, drawn at random: then the others show how well so few tell of them."
    chosen = pick("Learn from", _NUMBERS, "space_learn", help)
    return 0 if chosen == _ALL else int(chosen.split()[0])


def choose_options(choice: Choice) -> Choice:
    """Let the user set a recipe's options."""
    if choice.recipe is None:
        return choice
    name = choice.recipe.name
    cls = RECIPES[name] if name in RECIPES else FAMILIES[name]
    if not specs(cls):
        return choice
    with more_options(f"space_{name}_options", "Options of the model"):
        values = options_form(cls, f"space_{name}", apart=False)
    recipe = RECIPES[name](**values) if name in RECIPES else Treated(family=FAMILIES[name](**values))
    return replace(choice, recipe=recipe)


def offers(can_train: bool) -> dict[str, Choice]:
    """Return what can be chosen, by title."""
    names = [*FIRST, *(n for n in [*RECIPES, *FAMILIES] if n not in FIRST)] if can_train else []
    found = {name: Choice(recipe_label(name), recipe=make_recipe(name)) for name in names}
    cards = [card for card in store().models.all() if card.recipe != SCALING]
    found |= {f"Saved: {label_of(card)}": Choice(f"Saved: {label_of(card)}", card=card) for card in cards}
    return found


def ask(
    choice: Choice, space: DesignSpace, chosen: Chosen | None, response: str = "", *, test: bool = True
) -> Asked | None:
    """Return the model of a choice, or None while it is being trained.

    Parameters
    ----------
    response : to train for another response than that of the sidebar
    test : whether it is tested on unseen trials too, so that it has an interval

    Raises
    ------
    RidgelineError
        If it cannot be trained, or not read.
    """
    if choice.card is not None:
        model = saved_model(choice.card.id)
        space = _with_shared(space, model, chosen)
        frame = _frame_for(model, chosen, space)
        return Asked(model, choice.card.id, choice.title, space, None, frame, frame)
    assert choice.recipe is not None, "neither a recipe nor a saved model"
    assert chosen is not None, "a recipe without trials"
    frame = chosen.frame(_columns(space, chosen), response)
    learnt = some_configurations(frame, choice.n_designs) if choice.n_designs else frame
    recipe, key = choice.recipe, key_of(learnt.digest(), recipe_key(choice.recipe))
    if isinstance(recipe, Auto):
        found = best(learnt, recipe, chosen.dataset)  # comes with its test
        if found is None:
            return None
        test = found.test_of(learnt)
        return Asked(found.model, key, choice.title, space, recipe, frame, learnt, validation=test)
    title = f"Training {choice.title} on {len(learnt):,} trials for {frame.response.name}"
    model = computed(f"fit {response}".strip(), title, key, lambda p: recipe.fit(learnt, p))
    if model is None:
        return None
    tested = _tested(recipe, learnt, key) if test else None
    if tested is not None:
        model = with_validation(model, tested, 0, chosen.dataset, learnt)
    return Asked(model, key, choice.title, space, recipe, frame, learnt, tested is not None, tested)


def tested_on(frame: Frame) -> FoldPlan:
    """Return the folds of what is compared beside, where each leaves enough to learn from; of few designs more."""
    return few_folds(frame) if len(set(frame.configuration.tolist())) >= 2 * DEALT else default_folds(frame)


def _tested(recipe: Recipe, learnt: Frame, key: str) -> Validation | None:
    """Return what the recipe is worth on unseen trials, None while that is being found out: sliders need not wait."""
    plan = tested_on(learnt)
    title = f"Testing {recipe_label(recipe.name)} on unseen trials, for its interval"
    return computed("validate", title, key, lambda p: validate(recipe, learnt, plan, 0, p))


def _columns(space: DesignSpace, chosen: Chosen) -> tuple[str, ...]:
    known = {*chosen.names, *chosen.parameters}
    found = tuple(name for name in space.names if name in known and name != chosen.response)
    if not found:
        raise OptionError(
            f"No parameter of the design space is a metric of dataset '{chosen.dataset}', so nothing can be learnt "
            "here. Choose a saved model, the design space of the trials, or another dataset."
        )
    return found


def _with_shared(space: DesignSpace, model: FittedPipeline, chosen: Chosen | None) -> DesignSpace:
    """Return the space with what a saved model predicts from besides, where all chosen trials have the same."""
    lacking = not_given(space, model)
    if chosen is None or not lacking:
        return space
    metrics = {m.name for m in database.metric_names(chosen.dataset)}
    return with_shared(space, lacking, chosen.frame(tuple(name for name in lacking if name in metrics)))


def _frame_for(model: FittedPipeline, chosen: Chosen | None, space: DesignSpace) -> Frame | None:
    """Return the chosen trials with a saved model's metrics, if they have them all and its response."""
    names = differing(model.names, space)
    if chosen is None or not {*names, model.response.name} <= set(chosen.names):
        return None
    return chosen.frame(names, model.response.name)
