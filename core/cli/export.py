"""`ridgeline export`: a model in another form, and the proof that it says the same."""

from dataclasses import asdict

from core.cli._files import load_model, write_bytes
from core.cli.base import Arguments, Parser, Report, Verb, flag
from core.errors import OptionError
from core.export import EXPORTERS, Exporter, prove
from core.pipeline import FittedPipeline


class ExportVerb(Verb):
    """Write a model in another form, such as C, Python or SQL."""

    group = "use a model"
    examples = (
        "ridgeline export model.json --to card --out card.html",
        "ridgeline export model.json --to c --out model.h --prove",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "model model.json")
        flag(parser, "--to FORMAT", f"{', '.join(EXPORTERS)}; without it, what each can say")
        flag(parser, "--out FILE", "where to write it")
        flag(parser, "--prove", "compile or run what was written and compare it with the model")
        flag(parser, "--rows N", "rows that --prove compares on", default=10_000)

    def run(self, a: Arguments) -> Report:
        """Write it, or say why this form cannot express this model."""
        model = load_model(a.model)
        if not a.to and a.out:
            raise OptionError(f"{a.out} in which form? Give --to, one of {', '.join(EXPORTERS)}.")
        if not a.to:
            return _formats(model)
        exporter = EXPORTERS.find(a.to)()
        if not a.out and not a.prove:
            raise OptionError("Where should it go? Give --out FILE, or --prove to try it only.")
        reason = exporter.can_express(model)
        if reason:
            raise OptionError(f"This model cannot be written as {a.to}: {reason}.")
        return _written(a, exporter, model)


def _written(a: Arguments, exporter: Exporter, model: FittedPipeline) -> Report:
    proof, lines, plain = None, [], {"model": a.model, "format": a.to, "out": a.out, "caveat": exporter.caveat(model)}
    if a.out:
        write_bytes(a.out, exporter.write(model))
        lines.append(f"written to {a.out}")
    if plain["caveat"]:
        lines.append(f"note: {plain['caveat']}")
    if a.prove:
        proof = prove(exporter, model, max(1, a.rows))
        plain["proof"] = {**asdict(proof), "holds": proof.holds}
        verdict = "not run" if proof.why_not else "holds" if proof.holds else "FAILS"
        lines.insert(0, f"proof {verdict}: {proof.sentence}")
    return Report(lines, plain, failed=proof is not None and not (proof.why_not or proof.holds))


def _formats(model: FittedPipeline) -> Report:
    """Return what each format can say, and whether it can say this model."""
    lines, plain = [], []
    for name, cls in EXPORTERS.items():
        reason = cls().can_express(model)
        lines.append(f"{name:12s} {cls.label}: {cls.says}")
        if reason:
            lines.append(f"{'':12s} not this model: {reason}")
        plain.append({"format": name, "label": cls.label, "suffix": cls.suffix, "says": cls.says, "why_not": reason})
    return Report(lines, {"formats": plain})
