"""What was asked for outlasts a page that is drawn anew: files for a minute, answers until they are sent."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import forward_msg_queue, media_file_manager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages._ui import server


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit as the dashboard's server has it, for the time of a test."""
    for owner, name in ((media_file_manager.MediaFileManager, "_drop_deferred_id"), (QUEUE, "clear")):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    monkeypatch.setattr(media_file_manager.MediaFileManager, "_delete_file", FILES._delete_file)
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "somebody")
    server.keep_asked()


QUEUE, FILES = forward_msg_queue.ForwardMsgQueue, media_file_manager.MediaFileManager


def test_a_file_is_made_of_a_button_that_is_gone_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(server.time, "monotonic", lambda: now[0])
    files = FILES(MemoryMediaFileStorage("/media"))
    file_id = files.add_deferred(lambda: b"content", "text/plain", "0.1", "a.txt")
    files.clear_session_refs()
    files.remove_orphaned_files()
    address = files.execute_deferred(file_id)
    for _ in range(4):
        files.remove_orphaned_files()
    assert files._storage.get_file(address.rpartition("/")[2]).content == b"content"
    now[0] += 61
    files.remove_orphaned_files()
    with pytest.raises(Exception, match="not found"):
        files.execute_deferred(file_id)


def test_an_answer_is_sent_though_a_page_begins() -> None:
    queue = QUEUE()
    answer, drawn = ForwardMsg(), ForwardMsg()
    answer.backend_operation_response.request_id = "1"
    drawn.delta.new_element.text.body = "gone"
    queue.enqueue(drawn)
    queue.enqueue(answer)
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.flush() == [answer]
    assert queue.is_empty()
