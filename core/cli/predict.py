"""`ridgeline predict`: the rows of a CSV through a model file."""

import argparse
import sys

from core.cli._files import read_bytes, source, write_bytes
from core.cli._frame import score_values
from core.cli.base import Arguments, Report, Verb, add_json
from core.export import read_model
from core.report.predictions import predict_file


class PredictVerb(Verb):
    """Predict rows."""

    help = "predict the rows of a CSV with a model file"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verb's arguments."""
        parser.add_argument("model", metavar="model.json")
        parser.add_argument("file", metavar="FILE.csv")
        parser.add_argument("--machines", metavar="FILE", help="CSV of machine metrics, joined by machine")
        parser.add_argument(
            "--inputs", metavar="FILE", help="CSV of deterministic metrics, joined by application, input"
        )
        parser.add_argument("--out", metavar="FILE", help="write the CSV here instead of standard output")
        add_json(parser)

    def run(self, a: Arguments) -> Report:
        """Predict; the CSV goes to `--out` or standard output."""
        model, file = read_model(read_bytes(a.model)), source(a.file)
        assert file is not None
        found = predict_file(model, file, machines=source(a.machines), inputs=source(a.inputs))
        if a.out:
            write_bytes(a.out, found.to_csv().encode())
        elif not a.json:
            sys.stdout.write(found.to_csv())
            return Report()
        plain = {
            "model": a.model,
            "response": model.response.name,
            "unit": model.response.unit,
            "n_rows": len(found),
            "n_in_domain": found.n_in_domain,
            "n_refused": found.n_refused,
            "scores": score_values(found.scores) if found.scores else None,
            "predictions": found.plain(),
        }
        line = f"{len(found)} predictions of {model.response} written to {a.out}, {found.n_in_domain} in the domain"
        return Report([line], plain)
