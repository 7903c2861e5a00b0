"""`ridgeline check`: new measurements held against a model, for pipelines."""

from typing import Any

from core.cli._files import add_facts, facts, load_model, source, write_bytes
from core.cli.base import Arguments, Parser, Report, Verb, flag, names
from core.codec import fields_of, to_plain
from core.errors import OptionError, count
from core.pipeline import FittedPipeline
from core.report.model.check import check_baseline, check_model
from core.report.model.check_rows import without_model
from core.report.model.checked import WORSE, Check, Question, junit, page_of
from core.report.model.predictions import PredictedRows, predict_file


class CheckVerb(Verb):
    """Find measurements worse than a model, a baseline or both let expect; exit code 1 if any, or none judged."""

    group = "use a model"
    examples = (
        "ridgeline check model.json tonight.csv --baseline good.csv",
        "ridgeline check new.csv --baseline old.csv",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model model.json", "not needed beside a baseline, of whose changes it explains some", nargs="?")
        flag(parser, "file new.csv", "the new measurements, with the model's metrics if there is one")
        help = "known good measurements of the same configurations: a paired comparison, which sees far smaller changes"
        flag(parser, "--baseline old.csv", help)
        flag(parser, "--response METRIC", "what is judged where there is no model; the first response if not given")
        help = "columns that tell configurations apart; what holds text, and parameters, if not given"
        flag(parser, "--key A,B,…", help)
        flag(parser, "--by A,B,…", "columns that name what an alarm is about; the kernel or application if not given")
        help = "rows of a configuration with the same value here are repeats of one run, and one measurement"
        flag(parser, "--run COLUMN", help, default="")
        help = "which change is a regression; lower of rates, else higher, if not given"
        flag(parser, "--worse", help, choices=WORSE, default="")
        help = "change in %% beside a baseline up to which there is no alarm"
        flag(parser, "--least PERCENT", help, type=float, default=Question.least)
        help = "share of false alarms among all alarms"
        flag(parser, "--level SHARE", help, type=float, default=Question.level)
        add_facts(parser)
        flag(parser, "--junit FILE", "write a JUnit XML report, a test case per group")
        flag(parser, "--html FILE", "write one HTML page that stands alone")

    def run(self, a: Arguments) -> Report:
        """Check, write the files and report."""
        found = _checked(a) if a.model else _compared(a)
        for path, write in ((a.junit, junit), (a.html, page_of)):
            if path:
                write_bytes(path, write(found, a.file, a.baseline or ""))
        return Report(_lines(found), _plain(a, found), failed=bool(found.alarms) or not found.groups)


def _checked(a: Arguments) -> Check:
    """Return what a model says of the measurements, beside a baseline if there is one."""
    if a.response:
        raise OptionError("The model says what is judged; leave --response out, or leave the model out.")
    model = load_model(a.model)
    new = rows_of(model, a.file, a)
    if a.baseline:
        return check_baseline(model, new, rows_of(model, a.baseline, a), _question(a, new))
    return check_model(model, new, _question(a, new))


def _compared(a: Arguments) -> Check:
    """Return what a baseline alone says of the measurements."""
    if not a.baseline:
        raise OptionError(f"{a.file} alone says nothing: give a model before it, or --baseline old.csv, or both.")
    if a.machines or a.inputs:
        raise OptionError("--machines and --inputs have metrics of a model. Without one, leave them out.")
    old, metrics = without_model(source(a.baseline), a.response or "")
    new, _ = without_model(source(a.file), like=old.response)
    return check_baseline(None, new, old, _question(a, new), metrics)


def _question(a: Arguments, new: PredictedRows) -> Question:
    key, by = (names(own, new.table.names) or () for own in (a.key, a.by))
    return Question(key, by, a.run, a.worse, a.least, a.level)


def rows_of(model: FittedPipeline, path: str, a: Arguments) -> PredictedRows:
    """Return the rows of a file, joined to what --machines and --inputs say, with the model's predictions."""
    return predict_file(model, source(path), *facts(a), written=False)


def _plain(a: Arguments, found: Check) -> dict[str, Any]:
    return {
        **fields_of(a, "model file baseline"),
        "judged_by": "baseline" if found.paired else "model",
        "alarms": [g.name for g in found.alarms],
        "verdict": found.verdict,
        **to_plain(found),
        "by": list(found.question.by),
        "left_out": [{"name": name, "why": why} for name, why in found.left_out],
    }


def _lines(found: Check) -> list[str]:
    left = [f"{count(len(found.left_out), 'configuration')} not judged; {n}: {why}." for n, why in found.left_out[:1]]
    return [found.verdict, *(f"  {g.sentence}" for g in found.alarms), found.method, *left, *found.notes]
