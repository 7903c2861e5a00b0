"""From trials to a study: axes, holes, repeats, irregular grids, and what is told."""

import re
from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, OptionError
from core.scaling.gather import study_from_measured
from core.scaling.study import family, groups_for, groups_of, kernel_folds
from core.scaling.surfaces import default_base, fill_holes, relative_surfaces
from core.trial import Kind, Measured, Metric
from tests.scaling.made import TIME, made_study

CLOCK, CORES = Metric("clock", Kind.PARAMETER, "MHz"), Metric("cores", Kind.PARAMETER)


def measured(rows: list[tuple[str, float, float, float, float]], excluded: tuple[int, ...] = ()) -> Measured:
    """Rows of kernel, clock, cores, time, counter."""
    n = len(rows)
    return Measured(
        ids=tuple(map(str, range(n))),
        application=tuple(r[0] for r in rows),
        input=("",) * n,
        machine=("m",) * n,
        configuration=np.arange(n),
        run=np.ones(n, dtype=np.int64),
        metrics=(CLOCK, CORES, TIME, Metric("flops")),
        values=np.array([r[1:] for r in rows], dtype=float),
        excluded={"rule": frozenset(map(str, excluded))},
    )


def full(names: str = "abcd") -> list[tuple[str, float, float, float, float]]:
    return [
        (k, c, n, (i + 1) / (c * n), 10.0 * (i + 1)) for i, k in enumerate(names) for c in (1, 2, 4) for n in (2, 8)
    ]


def test_kernels_and_configurations() -> None:
    study = study_from_measured(measured(full()), ["time_s"])
    assert study.kernels == ("a", "b", "c", "d")
    assert [a.name for a in study.axes] == ["clock", "cores"]
    assert study.grid.tolist() == [[1, 2], [1, 8], [2, 2], [2, 8], [4, 2], [4, 8]]
    assert study.is_complete_grid
    assert study.surface("time_s")[1, 3] == 2 / 16
    assert study.counts.shape == (4, 1, 1)  # static
    assert study.counts_at(5)[:, 0].tolist() == [10, 20, 30, 40]
    assert study.notes == ()


def test_an_amount_of_work_tells_kernels_apart_and_is_no_axis() -> None:
    """One program of three sizes had no kernels to learn from; its size was an axis."""
    one, three = (
        measured([(k, s, n, s * (1 / n + 0.1), 1.0) for k in names for s in (100, 400, 1600) for n in (1, 2, 4, 8)])
        for names in (("",), "abc")
    )
    metrics = (Metric("dofs", Kind.PARAMETER), *one.metrics[1:])
    study = study_from_measured(replace(one, metrics=metrics), ["time_s"])
    assert study.kernels == ("dofs 100", "dofs 1600", "dofs 400")
    assert [axis.name for axis in study.axes] == ["cores"]
    assert "times grow with dofs, an amount of work: kernels are told apart by it" in study.notes
    assert [fold.name for fold in kernel_folds(study, "loo")] == list(study.kernels)
    three = replace(three, metrics=metrics)
    assert study_from_measured(three, ["time_s"]).kernels[:4] == (
        "a · dofs 100",
        "a · dofs 1600",
        "a · dofs 400",
        "b · dofs 100",
    )
    assert study_from_measured(three, ["time_s"], axes=["dofs", "cores"]).kernels == ("a", "b", "c")


def test_of_one_program_texts_alone_tell_kernels_apart() -> None:
    rows = [("", c, n, (i + 1) / (c * n), 1.0) for i in range(3) for c in (1, 2) for n in (2, 8)]
    texts = tuple(text for text in ("lua", "luajit", "pypy") for _ in range(4))
    study = study_from_measured(replace(measured(rows), labels={"interp": texts}, settings=("interp",)), ["time_s"])
    assert study.kernels == ("lua", "luajit", "pypy")
    assert len(kernel_folds(study, "loo")) == 3


def test_order_of_trials_changes_nothing() -> None:
    rows = full()
    one, other = (study_from_measured(measured(r), ["time_s"]) for r in (rows, rows[::-1]))
    np.testing.assert_array_equal(one.values, other.values)


def test_holes_repeats_and_excluded_trials_are_told() -> None:
    rows = full()
    gone = rows[3]
    study = study_from_measured(
        measured(
            [*rows[:3], *rows[4:], (*rows[5][:3], 9.0, 10.0), (*rows[5][:3], 99.0, 10.0), gone],
            excluded=(len(rows) + 1,),
        ),
        ["time_s"],
    )
    assert np.isnan(study.surface("time_s")[0, 3])
    assert study.surface("time_s")[0, 5] == np.median([rows[5][3], 9.0, 99.0])
    told = " | ".join(study.notes)
    assert "1 excluded trial left out" in told
    assert "1 cell measured more than once" in told
    assert "1 of 24 cells were not measured" in told


def test_irregular_grid_sparse_configurations_and_kernels() -> None:
    rows = [r for r in full("abcdefgh") if (r[1], r[2]) != (4, 8)]
    rows += [("a", 9.0, 9.0, 1.0, 10.0), ("a", 10.0, 9.0, 1.0, 10.0), ("lonely", 1.0, 2.0, 1.0, 5.0)]
    study = study_from_measured(measured(rows), ["time_s"])
    assert not study.is_complete_grid
    assert [9.0, 9.0] not in study.grid.tolist()
    told = " | ".join(study.notes)
    assert "have them: (clock=9, cores=9), (clock=10, cores=9)" in told
    assert "the grid is irregular: 5 configurations" in told
    assert study.n_kernels == 9


def test_counters_at_the_base_alone_are_enough() -> None:
    rows = [r if (r[1], r[2]) == (4, 8) else (*r[:4], np.nan) for r in full()]
    study = study_from_measured(measured(rows), ["time_s"])
    base = study.configuration("clock=4,cores=8")
    assert study.counts_at(base)[:, 0].tolist() == [10, 20, 30, 40]
    assert np.isnan(study.counts_at(0)).all()


def test_refusals() -> None:
    with pytest.raises(FitError, match=r"'time_s' of b is 0, and a surface needs positive values.*rule zero"):
        study_from_measured(measured([("b", 1, 2, 0.0, 1), *full()]), ["time_s"])
    with pytest.raises(FitError, match="no parameter that varies"):
        study_from_measured(measured([r for r in full() if r[1:3] == (1, 2)]), ["time_s"])
    with pytest.raises(FitError, match="at least 3 kernels"):
        study_from_measured(measured(full("ab")), ["time_s"])
    study = study_from_measured(measured(full()), ["time_s"])
    with pytest.raises(OptionError, match="the nearest is clock=4, cores=8"):
        study.configuration("clock=5,cores=9")
    with pytest.raises(OptionError, match="'cores' is missing"):
        study.configuration("clock=4")
    with pytest.raises(OptionError, match="no axis"):
        study.configuration("volts=4")
    with pytest.raises(OptionError, match="highest, middle or lowest"):
        study.configuration("fast")


def test_bases_by_name_and_by_default() -> None:
    study = study_from_measured(measured(full()), ["time_s"])
    assert [study.configuration(t) for t in ("lowest", "highest")] == [0, 5]
    assert default_base(study) == 5
    values = study.values.copy()
    values[0, 0, 5] = np.nan
    assert default_base(replace(study, values=values)) == 4


def test_a_configuration_is_shown_as_it_can_be_asked_for() -> None:
    caches = {1: 25165824.0, 2: 41943040.0, 4: 0.1 + 0.2}
    rows = [(kernel, caches[int(clock)], *rest) for kernel, clock, *rest in full()]
    study = study_from_measured(measured(rows), ["time_s"])
    said = [study.shown(i) for i in range(study.n_configurations)]
    assert said[-1] == "clock=41943040, cores=8"
    assert said[0] == "clock=0.3, cores=2"
    assert [study.configuration(text) for text in said] == list(range(study.n_configurations))


def test_families_by_name() -> None:
    assert family("fadd_dram_10_90_64p") == "fadd_dram"
    assert family("gemm") == "gemm"
    assert family("2mm_x") == "2mm_x"
    study = made_study(6)
    assert groups_of(study, "family") == ("compute", "stream", "mixed") * 2
    with pytest.raises(FitError, match="no label 'suite'"):
        groups_of(study, "suite")


def test_holes_are_filled_from_what_kernels_have_in_common() -> None:
    logs = np.log(made_study(40, noise=0.0).surface("time_s"))
    rng = np.random.default_rng(1)
    holes = rng.random(logs.shape) < 0.15
    filled = fill_holes(np.where(holes, np.nan, logs))
    np.testing.assert_array_equal(filled[~holes], logs[~holes])
    assert np.abs(filled - logs)[holes].mean() < 0.05
    means = np.nanmean(np.where(holes, np.nan, logs), axis=1, keepdims=True)
    assert np.abs(filled - logs)[holes].mean() < 0.2 * np.abs(means - logs)[holes].mean()


def test_kernels_without_the_base_are_left_out_of_its_surfaces() -> None:
    study = made_study(10)
    values = study.values.copy()
    values[0, 3, 7] = np.nan
    found = relative_surfaces(replace(study, values=values), "time_s", 7)
    assert 3 not in found.kernels.tolist()
    np.testing.assert_array_equal(found.log[:, 7], 0)
    np.testing.assert_allclose(np.exp(found.log[0]) * study.surface("time_s")[0, 7], study.surface("time_s")[0])


def test_a_configuration_that_no_kernel_of_the_base_has_is_named() -> None:
    study = made_study(3)
    values = study.values.copy()
    values[0, :2, 4] = np.nan
    values[0, 2, 7] = np.nan
    said = f"None of the 2 kernels that have 'time_s' at the base {study.shown(7)} has it at {study.shown(4)}. Choose"
    with pytest.raises(FitError, match=re.escape(said)):
        relative_surfaces(replace(study, values=values), "time_s", 7)


def test_kernels_that_share_hardly_a_configuration_are_scattered() -> None:
    study, alone = made_study(3), made_study(1)
    values = study.values.copy()
    apart = np.arange(study.n_configurations) % 3 != np.arange(3)[:, None]
    values[:, apart] = np.nan
    assert replace(study, values=values).is_scattered
    assert not study.is_scattered
    assert not alone.is_scattered


def test_a_text_parameter_is_never_averaged_over() -> None:
    """Cores as texts: trials of a kernel at a clock differ in a setting, so they are no repeats."""
    made = measured(full("abcdefgh"))
    cores = tuple(("few", "many")[int(x > 4)] for x in made.column("cores"))
    labels = {"cores": cores, "sample": tuple(map(str, range(len(made))))}
    texts = replace(made, metrics=(CLOCK, TIME, made.metrics[3]), values=made.values[:, [0, 2, 3]], labels=labels)
    study = study_from_measured(replace(texts, settings=("cores",)), ["time_s"])
    assert study.kernels[:4] == ("a · few", "a · many", "b · few", "b · many")
    assert study.n_configurations == 3
    assert "cores is set before a run and is no number: kernels are told apart by it" in study.notes
    assert not any("more than once" in note for note in study.notes)
    for folds in ("kfold:4", "holdout:25%", "loo"):
        for fold in kernel_folds(study, folds):
            assert {study.kernels[i][0] + " · few" for i in fold.test} <= {study.kernels[i] for i in fold.test}
    assert len(np.unique(groups_for(study, "kfold:4"))) == 8


def test_repeats_that_a_label_tells_apart_stay_repeats() -> None:
    rows = full()
    made = measured([*rows, *rows])
    night = ("first",) * len(rows) + ("second",) * len(rows)
    again = replace(made, labels={"night": night}, configuration=np.tile(np.arange(len(rows)), 2))
    study = study_from_measured(again, ["time_s"])
    assert study.kernels == ("a", "b", "c", "d")
    assert "24 cells measured more than once: the median counts" in study.notes


def test_an_axis_that_few_trials_have_has_to_be_named() -> None:
    made = measured(full("abcdefgh"))
    values = made.values.copy()
    values[:30, 1] = np.nan  # 18 of 48 have cores
    study = study_from_measured(replace(made, values=values), ["time_s"])
    assert [axis.name for axis in study.axes] == ["clock"]


def test_axes_that_no_trial_has_together_are_a_sentence() -> None:
    made = measured(full("abcdefgh"))
    values = made.values.copy()
    values[:24, 0], values[24:, 1] = np.nan, np.nan
    with pytest.raises(FitError, match="No trial has a value of each of clock, cores"):
        study_from_measured(replace(made, values=values), ["time_s"])


def test_kernels_of_a_configuration_each_are_told_before_room_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.scaling.gather.MOST_VALUES", 100)
    alone = [(f"k{i}", float(i), 2.0, 1.0 + i, 3.0) for i in range(20)]
    with pytest.raises(FitError, match="20 trials are too few of 20 kernels at 20 configurations"):
        study_from_measured(measured(alone), ["time_s"])
    assert study_from_measured(measured(full("abcdefgh")), ["time_s"]).n_kernels == 8


def test_kernels_that_share_no_configuration_with_most_are_left_out() -> None:
    """Of another machine, whose clocks are its own: no base tells what these would take."""
    others = [(k, c + 0.5, n, t, x) for k, c, n, t, x in full("xy")]
    study = study_from_measured(measured([*full(), *others]), ["time_s"])
    assert study.kernels == ("a", "b", "c", "d")
    assert study.n_configurations == 6
    assert "2 kernels left out because they share no configuration with most: x, y" in study.notes
    assert relative_surfaces(study, "time_s", default_base(study)).known.all()
