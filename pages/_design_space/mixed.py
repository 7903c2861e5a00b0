"""What designs are to be good for: the application that was chosen, or all of them by their mean or the worst.

`choose` lets the user choose here, and hands what was chosen to `recommended`, which asks `core/space/mix.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from core.errors import OptionError
from core.frozen import Frozen
from core.race.reuse import recipe_again
from core.space.applications import several_of
from core.space.mix import GEOMEAN, MEAN, SLOWDOWN, WORST, Several, over, with_mix
from core.space.plans import Evidence
from core.trial import ROLES
from core.validate.folds import some_configurations
from pages._design_space.model import Asked, Choice, Chosen
from pages._ui import database
from pages._ui.choices import line, pick
from pages._ui.work import key_of

_ALONE = "this one alone"
_WAYS = {"geometric mean": GEOMEAN, "weighted mean": MEAN, "the worst": WORST, "the worst slow-down": SLOWDOWN}


class Over(Frozen):
    """All applications, as one.

    Attributes
    ----------
    weights : as they were written
    evidence : by what formulas call a response
    """

    several: Several
    how: str
    weights: str
    evidence: Mapping[str, Evidence]
    key: str

    def goal(self, text: str) -> str:
        """Return a goal over all of them; of parameters alone, or of one application, it stays as it is."""
        shared = set(re.findall(r"\w+", text)) & set(self.several.responses)
        return text if over(text) or not shared else with_mix(text, self.several.role, self.how, self.weights)


def choose(models: Mapping[str, Asked], choice: Choice, chosen: Chosen | None, everybody: Chosen | None) -> Over | None:
    """Let the user choose over what goals are, where trials are of several applications; None for one alone.

    Parameters
    ----------
    everybody : the trials before one application was chosen
    """
    if chosen is None or everybody is None:
        return None
    labels = database.frame(everybody.dataset, everybody.response, (), everybody.where).labels
    role = next((role for role in ROLES if len(set(labels[role])) > 1), None)
    if role is None or any(role in one.space.names for one in models.values()):
        return None
    said = f"A model of each {role}, or one that knows the {role}: whichever errs less on designs that none measured."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = pick(f"Good for which {role}s", [_ALONE, *_WAYS], "space_over", said)
        if way == _ALONE:
            return None
        help = f"Of {role}s, such as gemm=2, fft=0.5; the others weigh 1, and 0 leaves one out."
        placeholder = ", ".join(f"{name}=1" for name in sorted(set(labels[role]))[:2])
        weights = line("Weights", "space_weights", help, f"such as {placeholder}")
    where = tuple(condition for condition in chosen.where if condition[0] != role)
    all_of_them = replace(chosen, where=where)
    evidence = {name: _evidence(one, choice, all_of_them, role) for name, one in models.items()}
    frames = {name: one.frame for name, one in evidence.items() if one.frame is not None}
    several = several_of(role, frames)
    keys = [part for name, one in models.items() for part in (frames[name].digest(), one.key)]
    return Over(several, _WAYS[way], weights, evidence, key_of("over", *keys))


def evidence_of(asked: Asked) -> Evidence:
    """Return what a model was learnt from, if it can be learnt again."""
    fit = asked.recipe.fit if asked.recipe is not None else None
    try:
        return Evidence(asked.model, asked.learnt, fit or recipe_again(asked.model).fit)
    except OptionError:
        return Evidence(asked.model, asked.learnt)


def _evidence(asked: Asked, choice: Choice, everybody: Chosen, role: str) -> Evidence:
    """Return the trials of all applications, as many designs of each as the model of one learns from."""
    own = evidence_of(asked)
    names = own.frame.names if own.frame is not None else asked.model.names
    frame = everybody.frame(names, asked.model.response.name)
    return replace(own, frame=some_configurations(frame, n, by=role) if (n := choice.n_designs) else frame)
