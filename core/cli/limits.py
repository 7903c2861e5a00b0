"""`ridgeline limits`: what limits each kernel of a dataset, by published rules over its counters."""

from dataclasses import asdict
from typing import Any

from core.cli._files import load_model
from core.cli._frame import add_where, conditions
from core.cli.base import Arguments, Parser, Report, Verb, add_dataset, flag, open_store
from core.errors import count
from core.report.trials.bottleneck.kernels import Limits, limits

_MOST = 100
"""Kernels that are listed."""


class LimitsVerb(Verb):
    """Say what limits each kernel: memory, compute, latency, occupancy, by rules over its counters."""

    group = "look at files and trials"
    examples = ("ridgeline limits --dataset profiled",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "kernel KERNEL", "all of the dataset if none is named", nargs="*")
        add_dataset(parser)
        help = "a model of this dataset: how its prediction follows the counters of each subsystem"
        flag(parser, "--model FILE.json", help)
        add_where(parser)

    def run(self, a: Arguments) -> Report:
        """Judge and report."""
        model = load_model(a.model) if a.model else None
        with open_store(a) as store:
            trials, metrics = store.trials(a.dataset, conditions(a, store)), store.metric_names(a.dataset)
        found = limits(trials, metrics, a.kernel, model)
        return Report(_lines(found), {"dataset": a.dataset, **_plain(found)})


def _lines(found: Limits) -> list[str]:
    lines, verdicts = [found.sentence()], found.verdicts
    if not any(one.rule for one in verdicts) and not found.elasticities:
        return lines
    told_first = sorted(range(len(verdicts)), key=lambda i: not verdicts[i].rule)
    for i in told_first[:_MOST]:
        kernel, one = found.kernels[i], verdicts[i]
        lines.append(f"{kernel.name}: {one.limit}" + (f"; {one.because}" if one.because else ""))
        if found.elasticities:
            told = ", ".join(f"{name} {value:+.3g}" for name, value in found.elasticities[i].items())
            lines.append(f"  the prediction rises, in % per % of the counters of: {told or 'none'}")
    if (more := len(verdicts) - _MOST) > 0:
        lines.append(f"and {count(more, 'more kernel')}: name some, or take all with --json")
    groups = ", ".join(f"{family} {len(names)}" for family, names in found.subsystems.items())
    ruled = [one for one in verdicts if one.rule]
    advice = dict.fromkeys(f"{one.limit}: {one.advice}" for one in ruled)
    rules = dict.fromkeys(f"rule: {one.rule}; {one.source}" for one in ruled)
    return [*lines, *advice, *rules, f"counters by subsystem: {groups or 'none'}"]


def _plain(found: Limits) -> dict[str, Any]:
    kernels = [
        {"kernel": kernel.name, "n_trials": kernel.n_trials, **asdict(one)}
        for kernel, one in zip(found.kernels, found.verdicts, strict=True)
    ]
    for row, follows in zip(kernels, found.elasticities, strict=False):
        row["elasticities"] = follows
    return {"kernels": kernels, "subsystems": found.subsystems}
