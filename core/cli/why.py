"""`ridgeline why`: what each metric adds to one prediction, or why a group is predicted wrong."""

from dataclasses import asdict
from typing import Any

import numpy as np

from core.cli._files import add_facts, load_model
from core.cli._group import add_group, explain_group
from core.cli.base import Arguments, Parser, Report, Verb
from core.cli.check import rows_of
from core.codec import fields_of
from core.errors import OptionError
from core.report.model.nearest import nearest_trials
from core.report.model.predictions import PredictedRows
from core.report.model.why import Why, effect, sentence, shortened, why
from core.report.shared.naming import quantity

_NEAREST = 3


class WhyVerb(Verb):
    """Explain a prediction."""

    help = "say what each metric adds to the prediction of one row, or why a group of trials is predicted wrong"
    group = "use a model"
    examples = (
        "ridgeline why model.json new.csv --row 3",
        "ridgeline why model.json --group application",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("model", metavar="model.json", help="with --group also a recipe or family")
        parser.add_argument("file", metavar="FILE.csv", nargs="?", help="rows with the model's metrics")
        parser.add_argument("--row", type=int, default=1, metavar="N", help="which row of it, from 1 (%(default)s)")
        help = "explain the difference from this row of the same file, not from the average"
        parser.add_argument("--against", type=int, metavar="N", help=help)
        help = "CSV of the rows that are the average; the training trials that the model keeps if not given"
        parser.add_argument("--background", metavar="FILE", help=help)
        help = "metrics listed by themselves (%(default)s)"
        parser.add_argument("--top", type=int, default=12, metavar="N", help=help)
        add_facts(parser)
        add_group(parser)

    def run(self, a: Arguments) -> Report:
        """Explain and report."""
        if bool(a.file) == bool(a.group):
            raise OptionError("What is explained is a row of a FILE.csv or a --group; give one of the two.")
        if a.group:
            return explain_group(a)
        if a.against is not None and a.background:
            raise OptionError("A row is compared with --against another or with a --background; give one of the two.")
        model = load_model(a.model)
        rows = rows_of(model, a.file, a)
        x = _row(rows, a.row)
        if a.against is not None:
            found = why(model, x, _row(rows, a.against)[None], f"row {a.against} of {a.file}")
        elif a.background:
            X = rows_of(model, a.background, a).X
            X = X[np.isfinite(X).all(axis=1)]
            found = why(model, x, X, f"the {len(X)} rows of {a.background}")
        else:
            found = why(model, x)
        near = nearest_trials(model, x[None], _NEAREST)[0]
        lines = [*_lines(found, a.top, a.against is not None), *(f"  near: {one}" for one in near)]
        plain = {"model": a.model, "row": a.row, **_plain(found), "nearest": [asdict(one) for one in near]}
        return Report(lines, plain)


def _row(rows: PredictedRows, number: int) -> Any:
    if not 1 <= number <= len(rows):
        raise OptionError(f"{rows.table.source} has the rows 1 to {len(rows)}, got {number}.")
    return rows.X[number - 1]


def _plain(found: Why) -> dict[str, Any]:
    return {
        **fields_of(found, "response=response.name unit=response.unit scale factors=log base prediction held"),
        "sentence": sentence(found),
        **fields_of(found, "method background"),
        "contributions": [
            {
                "metric": found.metrics[j].name,
                "value": float(found.row[j]),
                "background_median": float(found.middle[j]),
                "contribution": float(found.contributions[j]),
                "standard_error": float(found.errors[j]),
            }
            for j in found.order
        ],
    }


def _lines(found: Why, top: int, against: bool) -> list[str]:
    names, values = shortened(found, top)
    base, value = (quantity(found.unscaled(v), found.response) for v in (found.base, found.prediction))
    begin = f"  {base:>12}  {found.background}" if against else f"  {base:>12}  average of {found.background}"
    steps = [f"  {effect(found, v):>12}  {name}" for name, v in zip(names, values.tolist(), strict=True)]
    return [sentence(found), begin, *steps, f"  {value:>12}  this row", found.method]
