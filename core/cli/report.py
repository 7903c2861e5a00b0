"""`ridgeline report`: a model, a race, a design decision or a scaling study as one HTML file to keep and print."""

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

from core.cli._files import add_page, check_page, model_bytes, written
from core.cli._frame import add_folds, load_scenario
from core.cli._scaling import add_study, load_study, load_task
from core.cli.base import Arguments, Parser, Report, Verb, add_json, flag, names, progress, timed
from core.cli.designs import add_decision, decided
from core.cli.race import add_race, chosen_entries, chosen_folds
from core.export import model_sha256, read_model, write_model
from core.export.card import write_card
from core.race.entry import entries_for
from core.race.race import race
from core.report.document.race import race_page, space_page
from core.report.document.scaling import scaling_model_page, scaling_page
from core.report.space.decision import runs_sentence, sentence
from core.scaling.model_file import is_scaling, read_scaling
from core.scaling.race import race as scaling_race

PREDICTORS = "shared_leaves,network,median_surface"
"""Of a scaling study, where none are named: the usual one, the paper's and a baseline."""


class ReportVerb(Verb):
    """A model, a race, a design decision or a scaling study as one HTML file to keep and print."""

    group = "keep and serve"
    examples = ("ridgeline report model model.json --out model.html",)
    json = False

    def arguments(self, parser: Parser) -> None:
        """Declare the parts of the verb, each with its own arguments."""
        parts = parser.add_subparsers(required=True, metavar="|".join(PARTS), dest="part")
        children = {name: parts.add_parser(name, help=told) for name, (told, _) in PARTS.items()}
        flag(children["model"], "model model.json")
        add_race(children["race"])
        add_decision(children["space"])
        scale = children["scale"]
        flag(scale, "--predictors A,B,…", "(%(default)s)", default=PREDICTORS)
        add_study(scale)
        add_folds(scale, usual="kfold:10, of whole applications where they have several inputs")
        for child in children.values():
            add_page(child)
            add_json(child)

    @timed
    def run(self, a: Arguments) -> Report:
        """Write the document of the part that was asked for."""
        check_page(a.out)
        raw, said = PARTS[a.part][1](a)
        plain = {"document": a.out, "part": a.part, "bytes": len(raw), "says": said}
        return Report([*([said] if said else []), *written(a.out, raw)], plain)


def _model(a: Arguments) -> tuple[bytes, str]:
    raw, name = model_bytes(a.model), Path(a.model).stem
    if is_scaling(raw):
        return scaling_model_page(read_scaling(raw), name, sha256=model_sha256(raw)), ""
    return write_card(read_model(raw), name), ""


def _race(a: Arguments) -> tuple[bytes, str]:
    frame = load_scenario(a, a.response).frame
    entries = chosen_entries(a, frame)
    found = race(frame, chosen_folds(a, frame), a.seed, entries, progress(a), workers=a.workers)
    raced = {entry.name for entry in entries}
    untried = [entry.label for entry in entries_for(frame) if entry.name not in raced]
    return race_page(frame, found, a.dataset, f"{a.host} → {a.target}" if a.host else "", untried), ""


def _space(a: Arguments) -> tuple[bytes, str]:
    found, models = decided(a)
    digests = {name: model_sha256(write_model(model)) for name, model in models.items()}
    runs = runs_sentence(found, a.least_gain, a.run_cost)
    title = Path(a.space).stem if a.space else str(a.dataset)
    return space_page(found, title, digests, a.dataset or "", runs), sentence(found)


def _scale(a: Arguments) -> tuple[bytes, str]:
    study, folds = load_study(a)
    some, show = names(a.predictors) or None, progress(a)
    tasks = (load_task(a, study, one) for one in a.response)
    races = [scaling_race(study, task, folds, a.seed, names=some, progress=show) for task in tasks]
    return scaling_page(study, races, a.dataset), ""


PARTS: MappingProxyType[str, tuple[str, Callable[[Arguments], tuple[bytes, str]]]] = MappingProxyType(
    {
        "model": ("a model's card; of a scaling model too", _model),
        "race": ("every family on the same folds, and who wins", _race),
        "space": ("the designs to choose under limits", _space),
        "scale": ("how kernels scale, by several predictors on held-out kernels", _scale),
    }
)
