"""`ridgeline sweep`: what a model says of a whole design space."""

import math
from contextlib import nullcontext
from typing import Any

from core.cli._files import load_model
from core.cli._space import load_space, points_file
from core.cli.base import Arguments, Parser, Report, Verb, flag, progress, timed, whole_from
from core.codec import fields_of
from core.errors import OptionError, count
from core.pipeline import FittedPipeline
from core.report.space.decision import usual_sense
from core.space.design_space import DesignSpace
from core.space.plan import shown
from core.space.sweep import MOST_POINTS, Design, Sweep, best_design, over, point_values, sweep
from core.space.wishes import SENSES


class SweepVerb(Verb):
    """Score every point of a design space with a model."""

    group = "explore a design space"
    examples = ("ridgeline sweep model.json space.toml --top 20",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model model.json")
        flag(parser, "space SPACE.toml")
        flag(parser, "--top K", "how many of the best designs to list", type=whole_from(0), default=20)
        flag(parser, "--best", "whether low or high responses are good; high of rates if not said", choices=SENSES)
        flag(parser, "--pareto OTHER.json", "the front with the response of another model")
        flag(parser, "--pareto-best", "what is good of the other response", choices=SENSES)
        help = "only designs for which another model says a response in this range; either end may be empty"
        flag(parser, "--limit OTHER.json:LOW:HIGH", help, several=True)
        flag(parser, "--out FILE", "write all points: .parquet or .csv")

    @timed
    def run(self, a: Arguments) -> Report:
        """Score and report."""
        model, space = load_model(a.model), load_space(a.space)
        a.best = a.best or usual_sense(model)
        if a.pareto_best and not a.pareto:
            raise OptionError("--pareto-best says what is good of the response of --pareto. Give its model.")
        if space.n_combinations > MOST_POINTS:
            return _best_alone(a, model, space)
        limits = [_limit(text) for text in a.limit]
        asked = over(space, [model, *(other for other, _ in limits)], [a.best], [ends for _, ends in limits])
        with points_file(a.out, model, space) if a.out else nullcontext() as write:
            found = sweep(*asked, top=a.top, watch=write, progress=progress(a))
        front = _front(a, model, space)
        plain = _plain(model, space, found)
        if front:
            plain["pareto"] = [{**_design(space, one), "other": two.value} for one, two in front[1]]
        return Report(_lines(a, model, space, found, front), plain)


Front = tuple[str, list[tuple[Design, Design]]]
"""Another response, and the designs that no other beats in both, as each model sees them."""


def _front(a: Arguments, model: FittedPipeline, space: DesignSpace) -> Front | None:
    if not a.pareto:
        return None
    other = load_model(a.pareto)
    senses = [a.best, a.pareto_best or usual_sense(other)]
    found = sweep(*over(space, [model, other], senses), progress=progress(a))
    return str(other.response), list(zip(found.best, *found.others, strict=True))


def _best_alone(a: Arguments, model: FittedPipeline, space: DesignSpace) -> Report:
    """Return the one best design of a space too large to be scored."""
    if a.out or a.pareto or a.limit:
        raise OptionError(f"{space.n_combinations:.3g} combinations are too many for --out, --pareto and --limit.")
    found = best_design(model, space, a.best)
    if found is None:
        raise OptionError(
            f"{space.n_combinations:.3g} combinations are too many to score, and the model is no sum of small terms, "
            "of which the best could be found without. Use fewer levels, or a spline model."
        )
    plain = {"n_points": None, "best": [_design(space, found)], "response": model.response.name}
    head = f"{space.n_combinations:.3g} combinations, too many to score one by one; the best, found by elimination:"
    return Report([head, _line(space, found)], plain)


def _limit(text: str) -> tuple[FittedPipeline, tuple[float, float]]:
    path, _, rest = text.rpartition(":")
    path, sign, low = path.rpartition(":")
    try:
        ends = (float(low) if low.strip() else -math.inf, float(rest) if rest.strip() else math.inf)
    except ValueError:
        sign = ""
    if not sign or not path or not ends[0] <= ends[1]:
        raise OptionError(f"--limit takes OTHER.json:LOW:HIGH, got '{text}'.")
    return load_model(path), ends


def _plain(model: FittedPipeline, space: DesignSpace, found: Sweep) -> dict[str, Any]:
    return {
        "space": space.name,
        **fields_of(model, "response=response.name unit=response.unit"),
        **fields_of(found, "n_points n_refused n_inside smallest largest"),
        "histogram": {"edges": found.edges.tolist(), "counts": found.counts.tolist()},
        "best": [_design(space, d) for d in found.best],
    }


def _design(space: DesignSpace, d: Design) -> dict[str, Any]:
    return {"point": dict(point_values(space, d)), "prediction": d.value, **fields_of(d, "low high why")}


def _lines(a: Arguments, model: FittedPipeline, space: DesignSpace, found: Sweep, front: Front | None) -> list[str]:
    within = f", {found.n_inside:,} in the trained range" if found.n_inside >= 0 else " within the limits"
    refused = f", {found.n_refused:,} without a prediction" if found.n_refused else ""
    some = math.isfinite(found.smallest)
    ends = f"{model.response} from {found.smallest:.4g} to {found.largest:.4g}" if some else "there is none to choose"
    lines = [f"{count(found.n_points, 'design')}{within}{refused}; {ends}", f"the best ({a.best}):"]
    lines += [_line(space, d) for d in found.best]
    if front:
        lines.append(f"front with {front[0]}: {count(len(front[1]), 'design')}")
        lines += [f"{_line(space, one)}  and {two.value:.4g}" for one, two in front[1]]
    return [*lines, *([f"all points written to {a.out}"] if a.out else [])]


def _line(space: DesignSpace, d: Design) -> str:
    point = ", ".join(f"{name}={shown(level)}" for name, level in point_values(space, d).items())
    interval = f" ({d.low:.4g} to {d.high:.4g})" if math.isfinite(d.low) else ""
    return f"  {d.value:.4g}{interval}  {point}" + (f"  [{d.why}]" if d.why else "")
