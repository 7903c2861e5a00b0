"""Parameters that are texts: offered as indicators, chosen by name, and predicted from the text column of a CSV."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import PredictError, StoreError
from core.export import read_model, write_model
from core.ingest import Mapping, SourceFile, find_reader, read_table
from core.recipes import make_recipe
from core.report.model.predictions import predict_file, predict_table
from core.store import Store
from core.trial import Kind, notes_about
from core.validate.folds import default_folds

LAYOUTS = ("row", "column", "tile")


def table(n: int = 90, *, layouts: tuple[str, ...] = LAYOUTS, scale: float = 1.0) -> str:
    rng = np.random.default_rng(0)
    lines = ["width,layout,note,time_s"]
    for i in range(n):
        width, k = rng.choice([1, 2, 4, 8]), i % len(layouts)
        lines.append(f"{width},{layouts[k]},n{i % 3},{scale * (1 + k) * (1 + 4 / width):.9g}")
    return "\n".join(lines) + "\n"


def stored(path: Path, text: str, **mapping: object) -> Store:
    file = SourceFile("runs.csv", text.encode())
    given = {"parameters": ("width", "layout"), "labels": ("note",), "responses": (("time_s", "s"),), "complete": True}
    store = Store.open(path / "db.duckdb")
    store.add("runs", find_reader(file, "csv").read(file, Mapping(**{**given, **mapping})))
    return store


def test_text_parameters_are_in_the_default_choice(tmp_path: Path) -> None:
    with stored(tmp_path, table()) as store:
        frame = store.frame("runs", "time_s")
        names = store.indicator_names("runs")
    assert names == ("layout=column", "layout=row", "layout=tile")
    assert frame.names == (*names, "width")
    assert all(m.kind is Kind.PARAMETER for m in frame.metrics)
    for j, name in enumerate(names):
        assert frame.X[:, j].tolist() == [float(f"layout={t}" == name) for t in frame.labels["layout"]]


def test_labels_that_were_not_set_before_the_run_are_not_offered(tmp_path: Path) -> None:
    with stored(tmp_path, table()) as store, pytest.raises(StoreError, match=r"no metric 'note=n1'.*layout=tile"):
        store.frame("runs", "time_s", ["width", "note=n1"])


def test_they_are_chosen_by_value_or_whole(tmp_path: Path) -> None:
    with stored(tmp_path, table()) as store:
        assert store.frame("runs", "time_s", ["layout=row", "width"]).names == ("layout=row", "width")
        assert store.frame("runs", "time_s", ["layout"]).names == ("layout=column", "layout=row", "layout=tile")


def test_text_parameters_predict_beside_counters(tmp_path: Path) -> None:
    text = "layout,cycles_seen,time_s\n" + "".join(f"{LAYOUTS[i % 3]},{i},{1 + i % 3}\n" for i in range(12))
    with stored(tmp_path, text, parameters=("layout",), labels=()) as store:
        assert store.frame("runs", "time_s").names == ("cycles_seen", "layout=column", "layout=row", "layout=tile")


def test_text_parameters_alone_are_enough(tmp_path: Path) -> None:
    text = "layout,time_s\n" + "".join(f"{LAYOUTS[i % 3]},{1 + i % 3}\n" for i in range(12))
    with stored(tmp_path, text, parameters=("layout",), labels=()) as store:
        assert store.frame("runs", "time_s").names == ("layout=column", "layout=row", "layout=tile")


def test_many_values_and_one_value_are_not_offered_and_an_empty_one_is_a_level(tmp_path: Path) -> None:
    lines = [f"{i % 8},v{i},same,{'a' if i % 2 else ''},{i + 1}" for i in range(40)]
    text = "width,many,one,gap,time_s\n" + "\n".join(lines) + "\n"
    with stored(tmp_path, text, parameters=("width", "many", "one", "gap"), labels=()) as store:
        assert store.indicator_names("runs") == ("gap=a", "gap=none")


def test_filters_leave_the_values_that_are_left(tmp_path: Path) -> None:
    with stored(tmp_path, table()) as store:
        frame = store.frame("runs", "time_s", where=[("layout", "!=", "tile")])
    assert frame.names == ("layout=column", "layout=row", "width")


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["stargazer", "forest", "anova"])
def test_prediction_from_a_file_with_the_text_column(tmp_path: Path, recipe: str) -> None:
    with stored(tmp_path, table()) as store:
        model = make_recipe(recipe).fit(store.frame("runs", "time_s"))
    file = SourceFile("new.csv", b"layout,width\ntile,2\nrow,8\ncolumn,1\ndiagonal,2\n,4\n")
    found = predict_file(model, file).predictions
    np.testing.assert_allclose(found.value[:3], [9, 1.5, 10], rtol=0.05)
    assert np.isnan(found.value[3:]).all()
    assert found.why[3] == "no prediction: layout is 'diagonal', which no trial of the training has"
    assert found.in_domain.tolist() == [True, True, True, False, False]


def test_a_row_with_an_empty_cell_is_predicted_where_that_was_a_level(tmp_path: Path) -> None:
    with stored(tmp_path, table(layouts=("row", "", "tile"))) as store:
        model = make_recipe("anova").fit(store.frame("runs", "time_s"))
    found = predict_file(model, SourceFile("new.csv", b"layout,width\n,2\nnone,2\nrow,8\nother,8\n")).predictions
    np.testing.assert_allclose(found.value[:3], [6, 6, 1.5], rtol=0.05)
    assert found.why[3] == "no prediction: layout is 'other', which no trial of the training has"


def test_texts_that_the_model_does_not_tell_apart_are_predicted_alike_if_it_learnt_from_some(tmp_path: Path) -> None:
    new = SourceFile("new.csv", b"layout,width\nrow,2\ncolumn,2\ndiagonal,2\n,2\n")
    with stored(tmp_path, table()) as store:
        chosen = ["width", "layout=row", "layout=tile"]
        some = make_recipe("ridge").fit(store.frame("runs", "time_s", chosen))
        every = make_recipe("ridge").fit(store.frame("runs", "time_s", chosen, where=[("layout", "!=", "column")]))
    found, known = predict_file(some, new).predictions, some.predict(np.array([[2.0, 1, 0], [2, 0, 0], [2, 0, 0]]))
    assert some.names == ("width", "layout=row", "layout=tile")
    np.testing.assert_allclose(found.value[:3], known.value, rtol=1e-12)
    assert found.why == ("", "", "", "no prediction: layout is missing")
    told = predict_file(every, new).predictions.why
    assert [text.partition(", ")[0] for text in told[:3]] == [
        "",
        "no prediction: layout is 'column'",
        "no prediction: layout is 'diagonal'",
    ]


def test_indicator_columns_in_the_file_count_as_they_are(tmp_path: Path) -> None:
    with stored(tmp_path, table()) as store:
        model = make_recipe("stargazer").fit(store.frame("runs", "time_s", ["width", "layout=row"]))
    file = SourceFile("new.csv", b"layout=row,width\n1,8\n0,8\n")
    value = predict_file(model, file).predictions.value
    assert value[0] < value[1]


def test_inputs_and_machines_facts_that_are_texts_are_predictors(tmp_path: Path) -> None:
    machines = {"g1": "nv", "g2": "nv", "g3": "amd", "g4": "amd"}
    rows = [(a, s, g, v) for a in "xy" for s in ("tiny", "large") for g, v in machines.items()]
    text = "app,size,gpu,vendor,time_s\n" + "".join(f"{','.join(row)},{i + 1}\n" for i, row in enumerate(rows))
    with Store.open(tmp_path / "db.duckdb") as store:
        store.add("runs", find_reader(SourceFile("t.csv", text.encode())).read(SourceFile("t.csv", text.encode())))
        frame = store.frame("runs", "time_s")
        chosen = store.frame("runs", "time_s", ["size"]).names
        model = make_recipe("forest").fit(frame)
        assert store.indicator_names("runs", (Kind.PARAMETER,)) == ()
    kinds = {m.name: m.kind for m in frame.metrics}
    assert kinds == {
        "application=x": Kind.DETERMINISTIC,  # both ran at both sizes on every machine
        "application=y": Kind.DETERMINISTIC,
        "size=large": Kind.DETERMINISTIC,
        "size=tiny": Kind.DETERMINISTIC,
        "vendor=amd": Kind.MACHINE,
        "vendor=nv": Kind.MACHINE,
    }
    assert chosen == ("size=large", "size=tiny")
    new = SourceFile("new.csv", b"app,size,gpu,vendor\nx,tiny,g9,nv\nx,huge,g9,nv\n")
    found = predict_file(model, new).predictions
    assert np.isfinite(found.value).tolist() == [True, False]
    assert (found.why[1], bool(found.in_domain[1])) == (
        "no prediction: size is 'huge', which no trial of the training has",
        False,
    )


def test_names_of_programs_are_found_whatever_their_column_is_called(tmp_path: Path) -> None:
    rows = [(a, n, k * n) for k, a in enumerate(("naive", "blocked"), 1) for n in (1, 2, 4, 8)]
    text = "algorithm,n,time_s\n" + "".join(f"{a},{n},{t}\n" for a, n, t in rows)
    file = SourceFile("runs.csv", text.encode())
    with Store.open(tmp_path / "db.duckdb") as store:
        store.add("runs", find_reader(file, "csv").read(file))
        model = make_recipe("ridge").fit(store.frame("runs", "time_s"))
    asked = SourceFile("new.csv", b"algorithm,n\nnaive,4\nblocked,4\nstrassen,4\n")
    found = predict_file(model, asked).predictions
    assert found.value[1] > found.value[0]
    assert found.why[2] == "no prediction: application is 'strassen', which no trial of the training has"
    streamed, _ = predict_table(model, read_table(asked))
    np.testing.assert_array_equal(streamed.predictions.value, found.value)
    with pytest.raises(PredictError, match=r"'application', which the model needs. Call the column so that holds"):
        predict_file(model, SourceFile("new.csv", b"n\n4\n"))


def test_a_size_that_never_changes_tells_no_applications_apart(tmp_path: Path) -> None:
    rows = [
        (a, n, f, k * n / f) for k, a in enumerate(("lu", "chol"), 1) for n in (9600,) for f in (500, 900, 1400, 2000)
    ]
    text = "bench,N,freq_mhz,time_s\n" + "".join(f"{a},{n},{f},{t:.6g}\n" for a, n, f, t in rows)
    file = SourceFile("runs.csv", text.encode())
    with Store.open(tmp_path / "db.duckdb") as store:
        store.add("runs", find_reader(file, "csv").read(file))
        frame = store.frame("runs", "time_s")
        assert {"application=lu", "application=chol"} <= set(frame.names)
        assert str(default_folds(frame)).startswith("kfold")


@pytest.mark.parametrize(("sizes", "named"), [((512, 1024, 2048), True), ((512, 2000, 5000, 9000, 12000), False)])
def test_programs_that_ran_at_the_same_sizes_are_told_apart_by_their_names(
    tmp_path: Path, sizes: tuple[int, ...], *, named: bool
) -> None:
    ran = {"naive": (512, 1024, 2048), "blocked": sizes}
    rows = [(a, n, t, k * n**3 / t) for k, a in enumerate(ran, 1) for n in ran[a] for t in (1, 2, 4)]
    text = "program,n,threads,time_s\n" + "".join(f"{a},{n},{t},{s:.6g}\n" for a, n, t, s in rows)
    file = SourceFile("runs.csv", text.encode())
    with Store.open(tmp_path / "db.duckdb") as store:
        store.add("runs", find_reader(file, "csv").read(file))
        frame = store.frame("runs", "time_s")
    assert ("application=naive" in frame.names) is named
    assert str(default_folds(frame)) == ("kfold:10" if named else "by:input")


OPENMP = [f"{n},OpenMP,{t},{n * 4 / t:.3f}" for n in (1, 2, 3, 4) for t in (1, 2, 4)]


@pytest.mark.parametrize("cell", ["-", "0"])
def test_a_setting_that_one_way_has_not_is_kept_for_the_others(tmp_path: Path, cell: str) -> None:
    """Settings made with some texts alone, whatever role the text has."""
    rows = [*OPENMP, *(f"{n},CUDA,{cell},{n / 9:.3f}" for n in (1, 2, 3, 4))]
    for column, role in (("how", "parameters"), ("method", "application")):
        text = "\n".join([f"width,{column},threads,time_s", *rows])
        set_ = ("width", "threads", column)[: 2 + (role == "parameters")]
        (tmp_path / role).mkdir()
        with stored(tmp_path / role, text, **{"labels": (), role: (column,), "parameters": set_}) as store:
            frame = store.frame("runs", "time_s")
        assert len(frame) == 16
        threads = frame.X[:, frame.names.index("threads")]
        cuda = np.array([own == "CUDA" for own in frame.labels[column if role == "parameters" else role]])
        assert set(threads[cuda]) == {2.0}
        assert sorted(set(threads[~cuda])) == [1.0, 2.0, 4.0]
        told = column if role == "parameters" else role
        how = "0" if cell == "0" else "not set"
        why = "it has no meaning there, so models are given its usual value, 2"
        assert f"'threads' is {how} where {told} is CUDA: {why}" in frame.notes
        model = read_model(write_model(make_recipe("ols").fit(frame)))
        asked = SourceFile("new.csv", f"width,{column},threads\n3,CUDA,{cell}\n3,OpenMP,-\n3,CUDA,2\n".encode())
        said = predict_file(model, asked).predictions
        assert said.value[0] == said.value[2]
        assert said.why[1] == "no prediction: metric 'threads' is missing"


def test_a_setting_with_gaps_of_its_own_is_left_out_as_before(tmp_path: Path) -> None:
    rows = [*OPENMP, *(f"{n},CUDA,{'-' if n < 3 else 1},{n / 9:.3f}" for n in (1, 2, 3, 4))]
    text = "\n".join(["width,how,threads,time_s", *rows])
    with stored(tmp_path, text, labels=(), parameters=("width", "how", "threads")) as store:
        frame = store.frame("runs", "time_s")
    assert "threads" not in frame.names
    assert not any("is not set" in note for note in frame.notes)


def test_counters_beside_what_was_set_are_told_and_can_be_left_out(tmp_path: Path) -> None:
    """What has not run has none of them; names that only counters tell apart are then predicted from."""
    rows = [
        f"{app},{n},{n * k + n % 3},7,{n * k / 7:.3f}" for app, k in (("a", 3), ("b", 50)) for n in (1, 2, 4, 8, 16)
    ]
    given = {"application": ("app",), "labels": (), "parameters": ("threads",)}
    with stored(tmp_path, "\n".join(["app,threads,misses,lights,time_s", *rows]), **given) as store:
        frame, without = (store.frame("runs", "time_s", counted=counted) for counted in (True, False))
        by_name = store.frame("runs", "time_s", ("misses", "threads"))
    assert {"misses", "lights", "threads"} <= {*frame.names}
    assert notes_about(frame.notes, "counters") == [
        "for what has not run, learn without counters (--no-counters), which only a run gives: misses"
    ]
    assert {*without.names} == {"threads", "application=a", "application=b"}
    assert not notes_about(without.notes, "counters") + notes_about(by_name.notes, "counters")


def test_few_times_of_zero_are_left_out_and_said(tmp_path: Path) -> None:
    """A clock's least step; where they are many, or no times, zeros are what they are."""
    for few, unit, left in ((1, "s", 23), (6, "s", 24), (1, "misses", 24)):
        times = [0.0 if i < few else 1.0 + i for i in range(24)]
        text = "\n".join(["width,how,time_s", *(f"{i % 6},{'ab'[i % 2]},{t}" for i, t in enumerate(times))])
        (home := tmp_path / f"{few}{unit}").mkdir()
        given = {"labels": (), "parameters": ("width", "how"), "responses": (("time_s", unit),)}
        with stored(home, text, **given) as store:
            frame = store.frame("runs", "time_s")
        assert len(frame) == left
        said = "1 trial with a 'time_s' of 0 is left out, shorter than its clock could tell"
        assert (said in frame.notes) is (left == 23)


def test_a_zero_beside_one_other_value_is_a_level(tmp_path: Path) -> None:
    rows = [f"{n},{how},{gap},{n + gap}" for n in (1, 2, 3) for how, gap in (("on", 64), ("off", 0))]
    with stored(
        tmp_path, "\n".join(["width,how,gap,time_s", *rows]), labels=(), parameters=("width", "how", "gap")
    ) as store:
        frame = store.frame("runs", "time_s")
    assert set(frame.X[:, frame.names.index("gap")]) == {0.0, 64.0}


@pytest.mark.parametrize("differ", [False, True])
def test_counts_that_are_the_same_for_all_programs_tell_none_apart(tmp_path: Path, *, differ: bool) -> None:
    rows = [
        (a, n, 64 * n + differ * 3 * k, (k + 1) ** 2 * n / 7)
        for k, a in enumerate(("crc32", "memcpy", "sha256"))
        for n in (64, 512, 4096, 32768)
    ]
    text = "name,size,bytes_processed_count,time_ms\n" + "".join(f"{a},{n},{b},{t:.6g}\n" for a, n, b, t in rows)
    file = SourceFile("runs.csv", text.encode())
    with Store.open(tmp_path / "db.duckdb") as store:
        store.add("runs", find_reader(file, "csv").read(file))
        frame = store.frame("runs", "time_ms")
    assert ("application=crc32" in frame.names) is not differ
    assert str(default_folds(frame)).startswith("by:application" if differ else "kfold")
