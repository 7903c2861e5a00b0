"""The four papers, made again: every figure and table type on the samples or on trials of one's own, as one document.

A paper is a value in a file of its own: its artefacts, each a function from trials to what came of it; what it is
called and asks stands in `papers.toml`. `artefact` has these values, `document` runs them and writes the page.
"""

from core.reproduce.amd import AMD
from core.reproduce.eiger import EIGER
from core.reproduce.halwpe import HALWPE
from core.reproduce.stargazer import STARGAZER

PAPERS = {paper.name: paper for paper in (EIGER, STARGAZER, HALWPE, AMD)}
"""By the name that the command line calls them."""
