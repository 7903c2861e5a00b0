"""Sentences that differ only in their file are said once; all others stay."""

from core.report.trials.recognised import folded, folded_skips
from core.trial import Skipped

FILES = ["d/a.csv", "d/b.csv", "d/c d.csv + d/e.csv"]


def test_alike_of_several_files_is_said_once_in_order() -> None:
    sentences = [
        "d/a.csv: took turns.",
        "d/a.csv does not say.",
        "of no file.",
        "d/b.csv: took turns.",
        "d/b.csv does not say.",
        "d/c d.csv: took turns.",
        "d/e.csv: another.",
        "of no file.",
        "d/x.csv: took turns.",
    ]
    assert folded(sentences, FILES) == [
        "d/a.csv and 2 more: took turns.",
        "d/a.csv (and 1 more) does not say.",
        "of no file.",
        "d/e.csv: another.",
        "d/x.csv: took turns.",
    ]


def test_one_file_keeps_its_sentences() -> None:
    assert folded(["run.csv: x.", "run.csv.gz: x."], ["run.csv"]) == ["run.csv: x.", "run.csv.gz: x."]


def test_folding_twice_is_folding_once() -> None:
    once = folded(["d/a.csv: x.", "d/b.csv: x."], FILES)
    assert folded(once, FILES) == once


def test_places_differ_by_more_than_their_file() -> None:
    skipped = [Skipped(f"d/{f}.csv line {n}", "no number") for f in "ab" for n in (3, 4)]
    skipped += [Skipped("d/a.csv", "no table"), Skipped("d/b.csv", "no table"), Skipped("line 9", "no number")]
    assert folded_skips(skipped, FILES) == [
        ("d/a.csv (and 1 more) line 3", "no number"),
        ("d/a.csv (and 1 more) line 4", "no number"),
        ("d/a.csv and 1 more", "no table"),
        ("line 9", "no number"),
    ]


def test_a_thousand_files_are_quick() -> None:
    names = [f"folder/run{i:04}.csv" for i in range(2000)]
    assert folded([f"{name}: took turns, and more was said of it." for name in names], names) == [
        "folder/run0000.csv and 1,999 more: took turns, and more was said of it."
    ]


def test_minutes_that_differ_are_a_day() -> None:
    said = [f"run{i}.csv was already imported on 2026-11-21 10:3{i}; nothing was stored" for i in range(3)]
    files = [f"run{i}.csv" for i in range(3)]
    assert folded(said, files) == ["run0.csv (and 2 more) was already imported on 2026-11-21; nothing was stored"]
    alike = [text.replace("10:31", "10:30") for text in said[:2]]
    assert folded(alike, files) == [
        "run0.csv (and 1 more) was already imported on 2026-11-21 10:30; nothing was stored"
    ]
