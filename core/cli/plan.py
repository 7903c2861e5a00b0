"""`ridgeline plan`: which points of a design space to measure, as CSV."""

import sys
from collections.abc import Sequence
from typing import Any

from core.cli._files import load_model, write_bytes
from core.cli._frame import add_seed, add_set, add_where, options_told, settings_of
from core.cli._space import add_space, evidence_of, space_of
from core.cli.base import Arguments, Parser, Report, Verb, flag, only_dataset, open_store, progress
from core.errors import OptionError
from core.space.plan import make_plan, write_plan
from core.space.plans import ALIASES, METHODS, count, find_method
from core.space.plans.next import Next
from core.trial import Kind


class PlanVerb(Verb):
    """Choose points of a design space to measure."""

    group = "explore a design space"
    examples = ("ridgeline plan space.toml -n 300 --seed 1 --out plan.csv",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_space(parser)
        size = parser.add_mutually_exclusive_group(required=True)
        flag(size, "-n --number N", "how many points", type=int)
        flag(size, "--fraction F", "as many as this fraction of the space", type=float)
        help = "as many as the grid that keeps this fraction of each parameter's levels"
        flag(size, "--per-dimension F", help, type=float)
        help = f"{', '.join(METHODS)}; also {' and '.join(f'{a} for {b}' for a, b in ALIASES.items())} (%(default)s)"
        flag(parser, "--method METHOD", help, default="uniform")
        flag(parser, "--model model.json", "for next: the model that is to be made better")
        flag(parser, "--dataset NAME", "what is measured already; never proposed again")
        flag(parser, "--response METRIC", "of the dataset; the model's, or its only one, if not given")
        add_where(parser)
        add_set(parser, "the method")
        add_seed(parser)
        flag(parser, "--first N", "number of the first run", default=1)
        flag(parser, "--out FILE", "write the CSV here instead of standard output")

    def told(self, words: Sequence[str]) -> list[str]:
        """Return the options of the method that is named."""
        return options_told([ALIASES.get(word, word) for word in words], "plan --method METHOD", METHODS)

    def run(self, a: Arguments) -> Report:
        """Choose; the CSV goes to `--out` or standard output."""
        if not a.space:
            a.dataset = a.dataset or only_dataset(a)
        elif a.dataset is None and a.response:
            raise OptionError("Give the --dataset of which it is the --response.")
        model = load_model(a.model) if a.model else None
        method = find_method(a.method).parse(settings_of(a))
        response = a.response or (model.response.name if model else "" if isinstance(method, Next) else _any(a))
        space = space_of(a, response, filter(None, [model]))
        evidence = evidence_of(a, model, response, space)
        n = count(space, a.number, a.fraction, a.per_dimension)
        plan = make_plan(space, method.draw(space, n, a.seed, evidence, progress(a)), a.first)
        text = write_plan(plan)
        if a.out:
            write_bytes(a.out, text.encode())
        elif not a.json:
            sys.stdout.write(text)
            return Report()
        about = {"space": space.name or a.space, "method": METHODS.name_of(type(method)), "n_points": len(plan)}
        plain: dict[str, Any] = {**about, "seed": a.seed, "parameters": list(plan.names), "out": a.out}
        if not a.out:
            plain["points"] = [
                {"run": r, **dict(zip(plan.names, p, strict=True))} for r, p in zip(plan.runs, plan.points, strict=True)
            ]
        where = f" written to {a.out}" if a.out else ""
        return Report([f"{len(plan)} of {_size(space)} points by {plain['method']}, seed {a.seed},{where}"], plain)


def _any(a: Arguments) -> str:
    """Return the response that most trials have, by which those that were measured are known; "" without a dataset."""
    if a.dataset is None:
        return ""
    with open_store(a) as store:
        cards = [card for card in store.metrics(a.dataset) if card.metric.kind is Kind.RESPONSE]
    return max(cards, key=lambda card: card.n_values).metric.name if cards else ""


def _size(space: Any) -> str:
    try:
        return f"{space.n_points:,}"
    except OptionError:
        return f"at most {space.n_combinations:,}"
