"""Every page opens a database that can only be read, says so, and stores nothing."""

from pathlib import Path

import pytest

from core.store import Store, _connection
from core.workspace import APP
from tests.pages.toys import sound, toy_import

PAGES = sorted(path.stem for path in (APP.parent / "pages").glob("*.py"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_and_is_marked(name: str, database: Path, open_page, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(database) as store:
        store.add("toy", toy_import())
    before = database.read_bytes()
    monkeypatch.setattr(_connection, "may_write", lambda path: False)
    at = sound(open_page(name))
    assert any("can only be read here" in m.value for m in at.markdown), [m.value for m in at.markdown][:5]
    assert database.read_bytes() == before
