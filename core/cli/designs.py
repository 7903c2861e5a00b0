"""`ridgeline designs`: which few designs to choose under limits, how sure that is, and whether more runs pay.

`ridgeline report space` asks with the same flags, by `add_decision` and `decided`.
"""

import argparse
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.cli._files import load_model, write_bytes
from core.cli._frame import add_seed, add_where, load_scenario, table_lines
from core.cli._space import add_space, evidence_of, space_of
from core.cli.base import Arguments, Parser, Report, Verb, flag, only_dataset, open_store, progress, timed
from core.errors import OptionError
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn, part
from core.race.auto import Automatic, automatic
from core.recipes.auto import Auto
from core.report.space import learning
from core.report.space.decision import ANY, NOTHING, decision_table, doubts, plain, runs_sentence, sentence, usual_sense
from core.space.applications import ask_over, several_of
from core.space.believed import believe_in
from core.space.design_space import DesignSpace
from core.space.designs import Decision, decide
from core.space.mix import HOWS, over
from core.space.offered import Question
from core.space.plan import make_plan, shown, write_plan
from core.space.plans import Evidence
from core.space.wishes import HIGH, LOW, Problem, Wishes, problems, read_wishes, spoken
from core.trial import Kind


class DesignsVerb(Verb):
    """Recommend few designs under limits, with the probability that each is the best."""

    group = "explore a design space"
    examples = (
        "ridgeline designs space.toml --model model.json --limit 'width*depth <= 32'",
        "ridgeline designs --dataset runs",
        "ridgeline designs gpu.toml --model model.json --dataset NAME --minimise 'cycles over applications by worst'",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_decision(parser)
        help = "also what was known after each arrival of results: best so far, expected gain (with --dataset)"
        flag(parser, "--history", help)
        help = "write the ten runs that are expected to gain most as a plan; of several applications each with all"
        flag(parser, "--next PLAN.csv", help)

    @timed
    def run(self, a: Arguments) -> Report:
        """Decide and report."""
        found, _ = decided(a)
        runs = runs_sentence(found, a.least_gain, a.run_cost)
        how = f"{found.offered.how}; {found.offered.n_feasible:,} may be offered"
        lines = [sentence(found), *table_lines(decision_table(found)), f"{how[0].upper()}{how[1:]}."]
        lines += found.question.notes
        told = {**plain(found), "runs": runs}
        if a.history:
            past = _history(a, found)
            lines += [learning.history_sentence(past), *table_lines(learning.history_table(past))]
            told["history"] = learning.history_plain(past)
        if a.next:
            lines.append(_planned(found, a.next))
        lines += filter(None, (runs, *doubts(found)))
        if (problem := found.question.wishes.problem) and not a.problem:
            lines.append(f"For another problem: --problem {next(iter(problem))}=VALUE.")
        return Report(lines, told)


def _planned(found: Decision, path: str) -> str:
    """Write the further runs as a plan and return what was written."""
    if not len(found.further):
        if found.gains:
            raise OptionError("--next has nothing to write: every design that may be the best is measured already.")
        raise OptionError("--next follows from one goal and the models' errors: give --dataset and one goal.")
    write_bytes(path, write_plan(make_plan(found.question.space, found.further)).encode())
    return f"{len(found.further)} further runs written to {path}"


def _history(a: Arguments, found: Decision) -> learning.History:
    """Return what was known after each arrival in the dataset."""
    wishes, goal = found.question.wishes, found.question.wishes.goals[0]
    if a.dataset is None:
        raise OptionError("--history tells of trials. Give the --dataset that they are in.")
    if len(wishes.goals) > 1 or wishes.limits or goal.text not in found.question.responses:
        raise OptionError("--history tells of one goal that is a response, without limits on what models predict.")
    evidence = found.question.responses[goal.text].evidence
    assert evidence.frame is not None, "a dataset gives trials"
    with open_store(a) as store:
        arrivals = store.datasets.arrivals(a.dataset)

    def ask(one: learning.Part, asked: bool, progress: Progress) -> learning.Round:
        return learning.round_of(one, wishes, evidence.fit, asked, progress)

    return learning.history_of(evidence.frame, arrivals, ask, progress(a))


def add_decision(parser: Parser) -> None:
    """Declare the space, the models, goals and limits of a decision."""
    add_space(parser)
    help = (
        "what predicts a response; formulas call it by NAME, or as the model does; without one the automatic model is "
        "learnt, without counters, of each response that formulas name, else of the first"
    )
    flag(parser, "--model [NAME=]model.json", help, several=True)
    help = (
        "a formula such as time or time*power, up to three; without one the first model's response, high of rates; "
        f"'time over applications by {'|'.join(HOWS)} [with gemm=2, …]' is good for all applications of the dataset, "
        "on whose trials the model's recipe is trained again"
    )
    goals: dict[str, Any] = {"dest": "goals", "action": "append", "default": [], "metavar": "FORMULA"}
    parser.add_argument("--minimise", **goals, type=lambda text: (text, LOW), help=help)
    parser.add_argument("--maximise", **goals, type=lambda text: (text, HIGH), help="likewise")
    help = "a condition such as 'power < 250', or 'area = 3.1*l2_kib + 40*cores <= 600', which defines area too"
    flag(parser, "--limit CONDITION", help, several=True)
    help = "where sizes are parameters: what designs are for, such as n=4096, or any; else what most were measured for"
    flag(parser, "--problem NAME=VALUE", help, several=True)
    flag(parser, "--outside", "offer designs outside the evidence too")
    flag(parser, "--top K", "how many designs", default=5)
    flag(parser, "--dataset NAME", "the trials behind the models, for probabilities and what further runs would gain")
    add_where(parser)
    help = "share of the goal that ten further runs must be expected to gain"
    flag(parser, "--least-gain SHARE", help, default=NOTHING)
    flag(parser, "--run-cost COST", "of one more run, in the unit of the goal", type=float)
    add_seed(parser)


def decided(a: Arguments) -> tuple[Decision, dict[str, FittedPipeline]]:
    """Return the decision that the flags ask for, and the models by the names that formulas call them."""
    if a.top < 1:
        raise OptionError(f"--top takes a number from 1 on, got {a.top}.")
    if math.isnan(a.least_gain) or not (a.run_cost is None or a.run_cost >= 0):
        raise OptionError("--least-gain takes a share, and --run-cost what a run costs, from 0 on.")
    learnt = {} if a.model else _learnt(a)
    models = {name: one.model for name, one in learnt.items()} or _models(a.model)
    notes = tuple(f"{name} is told by the automatic model. {one.verdict.says}" for name, one in learnt.items())
    if len(dict(a.goals)) < len({*a.goals}):
        raise OptionError("--minimise and --maximise take different formulas: one cannot be both small and large.")
    goals = dict(a.goals) or {name: usual_sense(model) for name, model in list(models.items())[:1]}
    role = next(filter(None, map(over, (*goals, *a.limit))), "")
    space = space_of(a, next(iter(models.values())).response.name, models.values(), role)
    if role:
        found = _over(a, role, goals, models, space)
        return replace(found, question=replace(found.question, notes=(*notes, *found.question.notes))), models
    wishes = read_wishes(goals, a.limit, tuple(models), space)
    used = {name: model for name, model in models.items() if name in wishes.names}
    if not used:
        raise OptionError(f"No goal and no limit has a response in it; there is {', '.join(models)}.")
    evidence = {name: evidence_of(a, model, model.response.name, space) for name, model in used.items()}
    for name in evidence.keys() & learnt.keys():
        evidence[name] = replace(evidence[name], tested=learnt[name].test_of(evidence[name].measured))
    wishes = wishes.for_first(_problems(a, wishes, space, evidence))
    responses = {name: believe_in(own, wishes.space, seed=a.seed) for name, own in evidence.items()}
    return decide(Question(wishes, responses, a.outside, notes), a.top, seed=a.seed, progress=progress(a)), used


def _problems(a: Arguments, wishes: Wishes, space: DesignSpace, evidence: Mapping[str, Evidence]) -> Sequence[Problem]:
    """Return the problem that was chosen, or those that were measured; none where any is as good."""
    if a.problem == [ANY]:
        return ()
    asked = {}
    for text in a.problem:
        name, _, value = (part.strip() for part in text.partition("="))
        levels = {shown(level): level for p in space.parameters if p.name == name for level in p.levels}
        if value not in levels:
            known = f"{name} is one of {', '.join(levels)}" if levels else f"parameters are {', '.join(space.names)}"
            raise OptionError(f"--problem takes NAME=VALUE of a parameter, got '{text}'; {known}.")
        asked[name] = levels[value]
    frames = [one.frame for one in evidence.values() if one.frame is not None]
    measured = problems(space, frames, growing=not wishes.trades)
    agreeing = [one for one in measured if all(one.get(name, level) == level for name, level in asked.items())]
    return [{**one, **asked} for one in agreeing or [{}]] if asked else measured


def _over(
    a: Arguments, role: str, goals: dict[str, str], models: dict[str, FittedPipeline], space: DesignSpace
) -> Decision:
    """Decide for several applications, on models that are trained here."""
    if a.dataset is None:
        raise OptionError(f"A goal over {role}s needs trials of each. Give --dataset.")
    evidence = {name: evidence_of(a, m, m.response.name, space) for name, m in models.items()}
    several = several_of(role, {name: one.frame for name, one in evidence.items() if one.frame is not None})
    wishes, told = read_wishes(goals, a.limit, tuple(models), space, several), progress(a)
    wishes = wishes.for_first(_problems(a, wishes, space, evidence))
    question = ask_over(wishes, several, evidence, a.outside, a.seed, part(told, 0.0, 0.7))
    return decide(question, a.top, seed=a.seed, progress=part(told, 0.7, 1.0))


def _learnt(a: Arguments) -> dict[str, Automatic]:
    """Return automatic models, of what is known before a run, of the responses that goals and limits name."""
    a.dataset = a.dataset or only_dataset(a)
    with open_store(a) as store:
        found = [m.name for m in store.metric_names(a.dataset) if m.kind is Kind.RESPONSE]
    if not found:
        raise OptionError(f"Dataset '{a.dataset}' has no response to learn. Give --model model.json.")
    words = set(re.findall(r"\w+", " ".join([*dict(a.goals), *a.limit])))
    named = [name for name in found if spoken(name) in words] or found[:1]
    if not any(map(over, (*dict(a.goals), *a.limit))):  # what is written wrong is told before minutes go into models
        read_wishes(dict(a.goals) or {spoken(named[0]): LOW}, a.limit, [*map(spoken, named)], space_of(a, named[0]))
    own = argparse.Namespace(**vars(a) | {"metrics": None, "repeats": None, "no_counters": True})
    return {
        spoken(name): automatic(load_scenario(own, name).frame, replace(Auto(), seed=a.seed), a.dataset, told)
        for told, name in in_turn(progress(a), named)
    }


def _models(texts: list[str]) -> dict[str, FittedPipeline]:
    found: dict[str, FittedPipeline] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        model = load_model(path if sign else text)
        name = name.strip() if sign else spoken(model.response.name)
        if name in found:
            raise OptionError(f"Two models are called '{name}'. Name one: --model NAME=model.json.")
        found[name] = model
    return found
