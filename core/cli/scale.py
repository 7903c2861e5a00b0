"""`ridgeline scale`: how kernels scale over the configurations of a machine, from one run of each."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.cli import _scaling
from core.cli._files import source, write_bytes, written
from core.cli._frame import add_folds, options_told, settings_of
from core.cli._scores import score_values
from core.cli.base import Arguments, Parser, Report, Verb, add_json, flag, names, progress, timed
from core.codec import fields_of
from core.errors import OptionError, count
from core.export import model_sha256
from core.ingest.files import read_bytes
from core.report.scaling.race import doubt_of, kernels_table, warnings
from core.report.shared.csv_text import to_csv
from core.report.shared.naming import fixed
from core.scaling.base_map import BaseMap, base_map, errors_by_clusters
from core.scaling.model_file import read_kernels, read_scaling, write_scaling
from core.scaling.predictors import PREDICTORS
from core.scaling.predictors.network import Network
from core.scaling.race import Race, fit_scaling, predictor_named, race
from core.scaling.scaling_model import plain_answer
from core.scaling.study import Study
from core.scaling.validation import ScalingValidation, validate_scaling


class ScaleVerb(Verb):
    """How kernels scale over cores, clocks and bandwidth, from one run of each."""

    group = "learn how kernels scale"
    examples = (
        "ridgeline scale fit shared_leaves --dataset NAME --response time_ms --response power_w --out gpu.json",
        "ridgeline scale race --dataset NAME --response time_ms --folds by:family",
    )
    json = False

    def arguments(self, parser: Parser) -> None:
        """Declare the parts of the verb, each with its own arguments."""
        parts = parser.add_subparsers(required=True, metavar="validate|race|fit|predict", dest="part")
        validate = parts.add_parser("validate", help="predict held-out kernels and score them")
        _scaling.add_predictor(validate)
        flag(validate, "--all-bases", "the paper's method from every base instead")
        flag(validate, "--clusters 2,4,…", "also the error against the number of clusters")
        run = parts.add_parser("race", help="every predictor on the same folds")
        flag(run, "--predictors A,B,…", "which; all if not given")
        fit = parts.add_parser("fit", help="train a model and write it as JSON")
        _scaling.add_predictor(fit)
        flag(fit, "--out FILE", "write the model as JSON")
        for child in (validate, run, fit):
            _scaling.add_study(child)
            add_folds(child, usual="kfold:10, of whole applications where they have several inputs")
            add_json(child)
        predict = parts.add_parser("predict", help="surfaces of kernels that were measured at the base")
        flag(predict, "model model.json")
        flag(predict, "file KERNELS.csv")
        flag(predict, "--at POINT", "one configuration, measured or between: AXIS=VALUE,…")
        flag(predict, "--out FILE", "write the CSV here instead of standard output")
        add_json(predict)

    def told(self, words: Sequence[str]) -> list[str]:
        """Return the options of the predictor that is named."""
        return options_told(words, "scale fit PREDICTOR", PREDICTORS)

    def run(self, a: Arguments) -> Report:
        """Do the part that was asked for."""
        return {"validate": _validate, "race": _race, "fit": _fit, "predict": _predict}[a.part](a)


def _each(
    a: Arguments, study: Study, told: Mapping[str, Any], one: Callable[[str], tuple[dict[str, Any], list[str]]]
) -> Report:
    """Return a study and, of each response, what `one` says of it."""
    found = [one(response) for response in a.response]
    lines = [*_scaling.study_lines(study), *(line for _, own in found for line in own)]
    plain = {"dataset": a.dataset, **told, **_scaling.study_plain(study)}
    return Report(lines, plain | {"responses": [own for own, _ in found]})


@timed
def _validate(a: Arguments) -> Report:
    study, folds = _scaling.load_study(a)
    name = a.predictor or ("network" if a.all_bases or a.clusters else _scaling.USUAL)
    predictor = predictor_named(name, settings_of(a), a.seed)

    def one(response: str) -> tuple[dict[str, Any], list[str]]:
        if a.all_bases:
            network = _network(predictor)
            bases = base_map(study, response, network, folds, a.seed, inputs=a.inputs, progress=progress(a))
            plain, lines = _map_plain(bases), _map_lines(response, study, bases)
        else:
            task = _scaling.load_task(a, study, response)
            found = validate_scaling(study, task, predictor, folds, a.seed, name=name, progress=progress(a))
            plain, lines = _validation_plain(study, found), _validation_lines(study, found)
        clusters = _clusters(a, study, response, predictor, folds) if a.clusters else []
        lines += [
            f"  {c['n_clusters']} clusters: {fixed(c['mape'], 2)} %, best possible {fixed(c['best_cluster_mape'], 2)} %"
            for c in clusters
        ]
        return {"response": response, **plain, **({"clusters": clusters} if clusters else {})}, lines

    return _each(a, study, {"predictor": name, "folds": folds}, one)


def _network(predictor: object) -> Network:
    if not isinstance(predictor, Network):
        raise OptionError("--all-bases and --clusters are of the paper's method: use the predictor network.")
    return predictor


def _clusters(a: Arguments, study: Study, response: str, predictor: object, folds: str) -> list[dict[str, Any]]:
    try:
        counts = [int(part) for part in a.clusters.split(",")]
    except ValueError:
        raise OptionError(f"--clusters takes numbers such as 2,4,8; got '{a.clusters}'.") from None
    base = _scaling.base_of(a, study)
    found = errors_by_clusters(study, response, base, counts, _network(predictor), folds, a.seed, progress(a))
    return [fields_of(c, "n_clusters mape=error best_cluster_mape=best_cluster") for c in found]


def _validation_plain(study: Study, v: ScalingValidation) -> dict[str, Any]:
    return {
        "base": study.shown(v.task.base),
        "inputs": list(v.task.inputs),
        "scores": score_values(v.scores),
        **fields_of(v, "mean_surface_mape best_cluster_mape groups"),
        "kernels": dict(zip(study.kernels, v.by_kernel.tolist(), strict=True)),
        "configurations": v.by_configuration.tolist(),
    }


def _validation_lines(study: Study, v: ScalingValidation) -> list[str]:
    return [
        f"{v.predictor}, {v.task.response} from {study.shown(v.task.base)} by {v.folds}: "
        f"mean error {fixed(v.mape, 2)} %, median {fixed(v.scores.median_ape, 2)} %{_covers(v.scores.coverage_90)}",
        f"  the mean surface has {fixed(v.mean_surface_mape, 2)} %, "
        f"the best possible cluster {fixed(v.best_cluster_mape, 2)} %",
        *filter(None, [doubt_of(v.task.response, v.mape, v.mean_surface_mape)]),
    ]


def _covers(coverage: float | None) -> str:
    """Return the coverage of intervals; it needs residuals of other folds than those that it is measured on."""
    known = "coverage not measured (one fold)" if coverage is None else f"90 % intervals cover {fixed(coverage, 1)} %"
    return f", {known}"


def _map_plain(found: BaseMap) -> dict[str, Any]:
    names = "axes grid mape=error spread as_good_as_the_best=as_good mean_surface_mape=mean_surface"
    return fields_of(found, f"{names} best_cluster_mape=best_cluster n_predictions")


def _map_lines(response: str, study: Study, found: BaseMap) -> list[str]:
    order = found.error.argsort()
    told = [(fixed(found.error[j], 2), fixed(found.spread[j], 2), study.shown(j)) for j in order[:5].tolist()]
    rows = [f"  {error:>6} ± {spread} %  {where}" for error, spread, where in told]
    worst, good = int(order[-1]), len(found.as_good) - 1
    tied = [f"  {good} others are no worse than the first by more than noise"] if good else []
    return [
        f"{response} from each of {len(found.error)} bases by {found.folds} ({found.n_predictions:,} predictions):",
        *rows,
        *tied,
        f"  worst {fixed(found.error[worst], 2)} %  {study.shown(worst)}",
    ]


@timed
def _race(a: Arguments) -> Report:
    study, folds = _scaling.load_study(a)

    def one(response: str) -> tuple[dict[str, Any], list[str]]:
        task = _scaling.load_task(a, study, response)
        found = race(study, task, folds, a.seed, names=names(a.predictors) or None, progress=progress(a))
        return _race_plain(study, response, found), _race_lines(study, folds, found)

    return _each(a, study, {"folds": folds}, one)


def _race_plain(study: Study, response: str, found: Race) -> dict[str, Any]:
    first = found.reference
    return {
        "response": response,
        "base": study.shown(first.task.base),
        **fields_of(first, "mean_surface_mape best_cluster_mape"),
        "winner": next((e.name for e in found.entries if not e.n_measurements), None),
        "entries": [
            {
                "predictor": e.name,
                "n_measurements": 1 + e.n_measurements,
                "scores": score_values(e.validation.scores),
                "seconds": round(e.seconds, 3),
            }
            for e in found.entries
        ],
    }


def _race_lines(study: Study, folds: str, found: Race) -> list[str]:
    task = found.reference.task
    rows = [
        f"  {fixed(e.validation.mape, 2):>6} %  {e.name}: {e.label}"
        + (f" (measured at {count(1 + e.n_measurements, 'configuration')})" if e.n_measurements else "")
        for e in found.entries
    ]
    best = found.reference.best_cluster_mape
    question = f"{task.response} from {study.shown(task.base)} by {folds}"
    return [f"{question}; the best possible cluster has {fixed(best, 2)} %:", *rows]


@timed
def _fit(a: Arguments) -> Report:
    study, folds = _scaling.load_study(a)
    predictor = predictor_named(a.predictor or _scaling.USUAL, settings_of(a), a.seed)
    how = {"base": _scaling.base_of(a, study), "inputs": a.inputs, **fields_of(a, "seed dataset")}
    model = fit_scaling(study, predictor, responses=a.response, folds=folds, progress=progress(a), **how)
    raw = write_scaling(model)
    answers = [plain_answer(answer) for answer in model.answers]
    lines = [
        *_scaling.study_lines(study),
        f"from {study.shown(model.base)}, validated by {folds}:",
        *(
            f"  {x['response']}: {x['predictor']}, mean error {fixed(x['mape'], 2)} %, the mean surface has "
            f"{fixed(x['mean_surface_mape'], 2)} %{_covers(x['coverage_90'])}"
            for x in answers
        ),
        *warnings(model),
        *written(a.out, raw),
    ]
    learnt = {"base": model.base_point, "answers": answers, "model_sha256": model_sha256(raw)}
    return Report(lines, {"dataset": a.dataset, **_scaling.study_plain(study), **learnt})


def _predict(a: Arguments) -> Report:
    model = read_scaling(read_bytes(a.model))
    found = [model.predict(kernel) for kernel in read_kernels(source(a.file), model)]
    plain = {"model": a.model, "kernels": [_scaling.at_plain(model, p, a.at) for p in found]}
    if a.at and a.out:
        raise OptionError("--at prints one configuration, and --out writes all of them: give one of the two.")
    if a.at:
        return Report([_scaling.at_line(model, p, a.at) for p in found], plain)
    table = to_csv(kernels_table(model, found))
    if a.out:
        write_bytes(a.out, table.encode())
    elif not a.json:
        sys.stdout.write(table)
        return Report()
    return Report(
        [f"{count(len(found), 'kernel')} over {count(len(model.grid), 'configuration')} written to {a.out}"], plain
    )
