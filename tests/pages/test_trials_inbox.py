"""What the Trials page says of the inbox."""

from core.store.inbox import Inbox
from pages._ui.database import store
from tests.pages.toys import sound


def test_an_empty_inbox_is_not_spoken_of(toy, open_page) -> None:
    at = sound(open_page("trials"))
    assert not any("inbox" in block.value for block in at.caption)


def test_a_file_set_aside_is_shown_with_its_reason_and_can_be_tried_again(toy, open_page) -> None:
    folder = Inbox(store().path).path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run7.json").write_text('{"metrics": {"cycles": 1}}')
    Inbox(store().path).drain(store())
    at = sound(open_page("trials"))
    shown = next(
        block.value for block in at.dataframe if "why" in block.value.columns and "file" in block.value.columns
    )
    assert len(shown) == 1
    assert shown["why"].iloc[0]
    sound(at.button(key="inbox_retry").click().run())
