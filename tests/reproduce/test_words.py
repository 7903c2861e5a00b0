"""What is said of the papers stands in one file beside them: each paper has its words, and no words lack a paper."""

import tomllib
from importlib import resources

from core.reproduce import PAPERS


def test_every_paper_has_its_words() -> None:
    told = tomllib.loads(resources.files("core.reproduce").joinpath("papers.toml").read_text(encoding="utf-8"))
    assert told == {
        paper.name: {key: getattr(paper, key) for key in ("title", "citation", "sample", "question", "ours")}
        for paper in PAPERS.values()
    }
    assert list(told) == list(PAPERS)
