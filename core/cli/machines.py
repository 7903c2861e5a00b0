"""`ridgeline machines`: which machine is best for one's workloads, how surely, and what further runs are worth."""

from collections.abc import Sequence

from core.cli._frame import add_seed, add_where, load_frame, table_lines
from core.cli.base import Arguments, Parser, Report, Verb, add_dataset, flag, names, progress, timed
from core.codec import fields_of, to_plain
from core.errors import OptionError
from core.ingest import more_is_better
from core.progress import Progress, part
from core.race.machines import GOALS, Ranking, rank
from core.race.workloads import Buying, buying, workloads
from core.registry import unknown
from core.report.compare import machines as words
from core.trial import Frame, notes_about


class MachinesVerb(Verb):
    """Rank machines for your workloads, measured or predicted, each with the probability of being the best."""

    group = "use a model"
    examples = ("ridgeline machines --dataset mine --response time --price K40=0.9 --price V100=2.5",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        add_dataset(parser, "trials of applications on machines")
        flag(parser, "--response METRIC", "what is compared, such as a time; the only one if not given", default="")
        flag(parser, "--for A,B,…", "your applications; all if not given", dest="applications")
        help = "how often an application runs, beside 1 of the others; several times"
        flag(parser, "--weight APPLICATION=N", help, several=True)
        help = "what one unit of the response costs on a machine (of a time in seconds: a second); several times"
        flag(parser, "--price MACHINE=N", help, several=True)
        help = "the weighted sum of the workloads' responses, or their geometric mean, as of rates if not given"
        flag(parser, "--goal", help, choices=GOALS, default="")
        flag(parser, "--more", "more is better, as is taken for granted of rates")
        flag(parser, "--less", "less is better, though the response is a rate")
        flag(parser, "--buy MACHINE", "how many runs on this machine are worth buying: the error against their number")
        add_where(parser)
        add_seed(parser)
        parser.set_defaults(metrics=None, repeats=None)

    @timed
    def run(self, a: Arguments) -> Report:
        """Rank and report."""
        if a.more and a.less:
            raise OptionError("--more and --less say the opposite of each other: give one of the two.")
        frame, show = load_frame(a), progress(a)
        found = rank(
            frame,
            names(a.applications, {*frame.labels["application"]}) or (),
            weights=_numbers(a.weight, "--weight"),
            more=a.more or (not a.less and more_is_better(frame.response.unit, frame.response.name)),
            goal=a.goal,
            prices=_numbers(a.price, "--price"),
            seed=a.seed,
            progress=part(show, 0.0, 0.6 if a.buy else 1.0),
        )
        bought = _bought(a, frame, part(show, 0.6, 1.0)) if a.buy else None
        table = words.machines_table(found, frame.response)
        lines = [words.machines_sentence(found, frame.response), *table_lines(table)]
        said = [words.trust_sentence(found), words.runs_sentence(found)]
        said += [words.buying_sentence(bought)] if bought else []
        lines += filter(None, said)
        lines += [f"note: {note}" for note in _notes(frame)]
        lines += table_lines(words.buying_table(bought)) if bought else []
        return Report(lines, _plain(found, bought, frame))


def _bought(a: Arguments, frame: Frame, show: Progress) -> Buying:
    found = workloads(frame)
    if a.buy not in found.machines:
        raise OptionError(unknown("machine", a.buy, found.machines))
    return buying(found, a.buy, seed=a.seed, progress=show)


def _notes(frame: Frame) -> list[str]:
    """Return which trials were left out; of metrics it does not matter."""
    return [note.brief for note in notes_about(frame.notes, "trials", "failures", "trials with gaps")]


def _numbers(texts: Sequence[str], flag: str) -> dict[str, float]:
    """Return `NAME=NUMBER`, several of them."""
    told = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        try:
            told[name] = float(number)
        except ValueError:
            sign = ""
        if not sign or not name:
            raise OptionError(f"{flag} takes NAME=NUMBER, got '{text}'.")
    return told


def _plain(found: Ranking, bought: Buying | None, frame: Frame) -> dict[str, object]:
    order = [s.machine for s in found.standings]
    beats = {a: {b: float(found.beats[i, j]) for j, b in enumerate(order) if i != j} for i, a in enumerate(order)}
    plain = {
        "response": to_plain(frame.response),
        "sentence": words.machines_sentence(found, frame.response),
        **fields_of(found, "goal more applications n_workloads"),
        "machines": [to_plain(s) for s in found.standings],
        "beats": beats,
        "trust": to_plain(found.trust),
        "runs": [dict(zip(("workload", "machine", "share"), run, strict=True)) for run in found.runs[:20]],
        "notes": _notes(frame),
    }
    if bought:
        curve = [
            {"runs": n, "transfer": float(t), "alone": float(o)}
            for n, t, o in zip(bought.sizes, bought.transfer.mean(axis=0), bought.alone.mean(axis=0), strict=True)
        ]
        plain["buy"] = {"machine": bought.machine, "enough": bought.enough, "curve": curve}
    return plain
