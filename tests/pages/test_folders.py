"""A folder of Parquet files on the pages: whole counts, a sample that says so, all rows at a glance, nothing to change."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.store.folders import FolderRoles, open_folder
from core.trial import Kind, Metric
from tests.pages.toys import charts, numbers, sound

N = 3_000


@pytest.fixture
def huge(database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dataset of which fewer trials are drawn than there are."""
    from core.store import folders as store_folders
    from pages._ui.database import store

    rng = np.random.default_rng(0)
    work, clock = 10 ** rng.uniform(2, 5, N), rng.choice([1.0, 2.0, 3.0], N)
    table = {
        "app": [f"a{i % 5}" for i in range(N)],
        "gpu": [f"gpu{int(c)}" for c in clock],
        "work": work,
        "clock": clock,
        "misses": rng.lognormal(size=N),
        "time": work / clock * np.exp(0.05 * rng.standard_normal(N)),
    }
    (tmp_path / "huge").mkdir()
    pq.write_table(pa.table(table), tmp_path / "huge" / "a.parquet")
    metrics = [(name, Metric(name)) for name in ("work", "clock", "misses")]
    roles = FolderRoles(
        application=("app",), machine="gpu", metrics=(*metrics, ("time", Metric("time", Kind.RESPONSE, "s")))
    )
    store().folders.add("huge", open_folder(str(tmp_path / "huge")), roles)
    monkeypatch.setattr(store_folders, "MOST_DRAWN", 1_000)


def test_trials_count_all_rows_and_show_a_sample(huge, open_page) -> None:
    at = sound(open_page("trials", dataset="huge"))
    assert [m.value for m in at.metric] == ["3,000", "5", "5", "3", "3", "1"]
    said = " ".join(c.value for c in at.caption)
    assert "which is only read" in said
    assert "1,000 trials of 3,000, drawn by hash" in said


def test_curation_is_refused_before_anything_is_chosen(huge, open_page) -> None:
    at = sound(open_page("trials", dataset="huge", trials_view="Curate"))
    assert "only read" in at.info[0].value


def test_explore_has_a_view_of_all_rows(huge, open_page) -> None:
    at = sound(open_page("explore", dataset="huge"))
    assert "1,000 of 3,000 trials, by hash" in at.caption[0].value
    at = sound(open_page("explore", dataset="huge", view="All rows"))
    assert [s.value for s in at.header] == [
        "Metrics",
        "Distribution of time",
        "Metrics with each other",
        "Metrics with time",
    ]
    assert len(charts(at)) == 3
    assert numbers(charts(at)[0]["data"][0]["y"]).sum() == N


def test_a_model_says_what_it_learnt_from(huge, open_page) -> None:
    at = sound(open_page("model", dataset="huge"))
    assert any("1,000 of 3,000 trials, by hash" in text.value for text in (*at.caption, *at.markdown))
