"""`ridgeline reproduce`: a paper's figures and tables on its sample, or on trials of one's own, as one HTML file."""

from core.cli._files import add_page, check_page, written
from core.cli._frame import add_seed
from core.cli.base import Arguments, Parser, Report, Verb, flag, open_store, progress, timed
from core.errors import count
from core.reproduce import PAPERS
from core.reproduce.artefact import Trials, sample_store
from core.reproduce.document import Reproduction, reproduce, reproduction_page, reproduction_plain


class ReproduceVerb(Verb):
    """Make a paper's figures and tables on its sample or your trials, beside those printed, as one HTML file."""

    group = "keep and serve"
    examples = ("ridgeline reproduce stargazer --out stargazer.html",)

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "paper", "whose figures and tables", metavar="|".join(PAPERS), choices=PAPERS)
        flag(parser, "--dataset NAME", "trials of the database; the paper's sample if not given")
        flag(parser, "--response METRIC", "the first response if not given", default="")
        add_seed(parser)
        add_page(parser)

    @timed
    def run(self, a: Arguments) -> Report:
        """Make it, write the document and report."""
        check_page(a.out)
        paper = PAPERS[a.paper]
        with open_store(a) if a.dataset else sample_store(paper.sample) as store:
            found = reproduce(paper, Trials(store, a.dataset or paper.sample, a.response), a.seed, progress(a))
        return Report([*_lines(found), *written(a.out, reproduction_page(found))], reproduction_plain(found))


def _lines(found: Reproduction) -> list[str]:
    lines = [f"{found.paper.title} on {found.dataset}: {found.response}, {count(found.n_trials, 'trial')}"]
    for artefact, made in found.made:
        lines.append(f"{artefact.title}{f' cannot be had: {made.absent}' if made.absent else ''}")
        lines += [f"  {c.what}: {c.here} (paper: {c.paper})" for c in made.compared]
    return lines
