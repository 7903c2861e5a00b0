"""Names that people recognise."""

import re

import numpy as np
import pytest

from core.report.shared.naming import (
    component_terms,
    component_title,
    component_titles,
    dataset_name,
    fewer,
    fixed,
    grouping_labels,
    predictors,
    short_numbers,
    telling,
    trial_names,
)
from core.trial import Metric, make_frame
from core.workspace import ROOT

METRICS = ("loads", "branches", "shifts", "roots")


@pytest.mark.parametrize(
    ("loadings", "title"),
    [
        ([0.9, 0.8, -0.7, 0.1], "RC1: loads, branches (+), shifts (−)"),
        ([0.9, 0.2, 0.1, 0.0], "RC1: loads"),
        ([-0.9, 0.2, 0.1, 0.0], "RC1: loads (−)"),
        ([0.3, 0.29, 0.28, 0.27], "RC1: loads"),
        ([0.9, 0.9, 0.9, 0.9], "RC1: loads, branches, shifts"),
        ([0.9, 0.53, 0.1, -0.55], "RC1: loads (+), roots (−)"),
    ],
)
def test_a_component_is_named_by_its_top_loadings(loadings: list[float], title: str) -> None:
    assert component_title("RC1", METRICS, np.array(loadings)) == title


def test_in_a_term_a_component_says_what_it_is_made_of() -> None:
    loadings = np.array([[0.9, 0.2], [0.8, 0.1], [-0.7, -0.9], [0.1, 0.0]])
    assert component_terms(("RC1", "RC2"), METRICS, loadings) == ("RC1[loads, branches]", "RC2[−shifts]")
    assert component_terms(("loads", "roots"), METRICS, np.empty((0, 0))) == ("loads", "roots")


def test_of_a_long_name_the_part_stays_that_others_do_not_share() -> None:
    counters = [f"smsp__sass_thread_inst_executed_op_{what}_pred_on.sum" for what in ("dadd", "dmul", "ffma")]
    assert telling([*counters, "time_s"], 24) == (
        "…op_dadd_pred_on.sum",
        "…op_dmul_pred_on.sum",
        "…op_ffma_pred_on.sum",
        "time_s",
    )
    alike = ["first_of_many_words_in_here", "first_of_many_words_in_here_too"]
    assert telling(alike, 12) == ("first_of…", "…here_too")
    same = ["one_of_the_many", "one_of_the_many_"]
    assert telling(same, 9) == tuple(same), "two that would be cut alike stay whole"
    assert telling(["w" * 40], 12) == ("w" * 40,)


def test_without_loadings_features_keep_their_names() -> None:
    assert component_titles(("a", "b"), ("a", "b"), np.empty((0, 0))) == ("a", "b")


def test_trials_are_named_by_what_ran_where() -> None:
    labels = {"application": ["fft", "", ""], "input": ["large", "", ""], "machine": ["k40", "k20", ""]}
    X = np.zeros((3, 1))
    frame = make_frame(X, np.arange(3.0), [Metric("m")], Metric("y"), labels=labels, ids=["1", "2", "3"])
    assert sorted(trial_names(frame)) == ["3", "fft · large · k40", "k20"]


def test_labels_that_tell_trials_apart_come_with_roles_first() -> None:
    labels = {"machine": ["a", "b", "a"], "vendor": ["x", "y", "y"], "same": ["s"] * 3}
    frame = make_frame(np.zeros((3, 1)), np.arange(3.0), [Metric("m")], Metric("y"), labels=labels)
    assert grouping_labels(frame) == ("machine", "vendor")
    assert grouping_labels(frame, most=1) == ()


def test_fixed_decimals_give_way_where_they_tell_nothing() -> None:
    told = {
        (25.5, 1): "25.5",
        (0.0, 2): "0.00",
        (1e-5, 3): "1e-05",
        (8.11967318791858944e17, 3): "8.12e+17",
        (-3.7e6, 3): "-3.7e+06",
    }
    assert {key: fixed(*key) for key in told} == told
    assert fixed(float("nan"), 1) == "–"


def test_verbs_write_no_decimals_of_their_own() -> None:
    """Shares from 0 to 100 and seconds have theirs; anything else may be huge or tiny."""
    bounded = re.compile(r"\{(100 \* |share:|seconds:|c\.worst_share:|_WAIT_S:)")
    found = [
        (path.name, form[0])
        for path in (ROOT / "core" / "cli").glob("*.py")
        for form in re.finditer(r"\{[^{}]*:[^{}]*\.\d+f\}", path.read_text(encoding="utf-8"))
        if not bounded.match(form[0])
    ]
    assert found == []


def test_a_title_keeps_whole_names() -> None:
    title = "RC1: loads, branches (+), shifts (−)"
    assert fewer(title, len(title)) == title
    assert fewer(title, 30) == "RC1: loads, branches (+), …"
    assert fewer(title, 3) == "RC1: loads, …"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "0 metrics"),
        (("loads",), "1 metric"),
        (("loads", "isa=ARM", "isa=X86", "roots"), "2 metrics and isa"),
        (("variant=o1", "variant=o2", "loads", "isa=ARM"), "1 metric, variant and isa"),
        (("isa=ARM", "isa=X86"), "isa"),
    ],
)
def test_metrics_are_counted_and_texts_named(names: tuple[str, ...], said: str) -> None:
    assert predictors(names) == said


@pytest.mark.parametrize(
    ("numbers", "texts"),
    [
        ([1, 2_637_000, 3.248], ["1", "2,637,000", "3.25"]),
        ([10001, 10001.4, 10001.6], ["10,001", "10,001.4", "10,001.6"]),
        ([0.12341, 0.12342], ["0.12341", "0.12342"]),
        ([5.0, 5.0], ["5", "5"]),
    ],
)
def test_numbers_have_as_many_digits_as_tell_them_apart(numbers: list[float], texts: list[str]) -> None:
    assert short_numbers(numbers) == texts


@pytest.mark.parametrize(
    ("file", "name"), [("runs.zip/a/b.csv", "runs"), ("runs/b.csv", "runs"), ("b.csv.gz", "b"), ("plain", "plain")]
)
def test_a_dataset_is_called_like_its_archive_its_folder_or_its_file(file: str, name: str) -> None:
    assert dataset_name(file) == name


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ("exp2-java-arm-1024.csv exp2-java-arm-128.csv exp2-java-x86-128.csv", "exp2-java"),
        ("threads1.csv threads16.csv.gz", "threads"),
        ("matmul.csv matrix.csv", "matmul"),
        ("1.csv 2.csv", "1"),
        ("runs/a.csv runs/b.csv", "runs"),
    ],
)
def test_a_dataset_of_several_files_is_called_as_their_names_begin(files: str, name: str) -> None:
    assert dataset_name(*files.split()) == name
