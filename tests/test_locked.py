"""Locks of files: those of this system, and what is asked of Windows."""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from core import locked


def test_one_alone_or_several_that_share(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    path.write_text("process 7")
    with path.open("a+") as first, path.open() as second, path.open() as third:
        locked.lock(first)
        with pytest.raises(BlockingIOError):
            locked.lock(second, shared=True)
        assert second.read() == "process 7"
        first.close()
        locked.lock(second, shared=True)
        locked.lock(third, shared=True)
        with path.open("a+") as fourth, pytest.raises(BlockingIOError):
            locked.lock(fourth)


class Msvcrt(ModuleType):
    """Windows's locks as they are documented: of bytes from the place on where the file is."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: set[int] = set()

    def locking(self, file: int, mode: int, n_bytes: int) -> None:
        at = os.lseek(file, 0, os.SEEK_CUR)
        assert (mode, n_bytes) == (self.LK_NBLCK, 1)
        if at in self.held:
            raise PermissionError(13, "Permission denied")
        self.held.add(at)


def test_on_windows_a_byte_behind_all_others_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msvcrt", Msvcrt())
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("locked_there", locked.__file__)
    assert spec is not None
    assert spec.loader is not None
    there = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(there)
    path = tmp_path / "x.lock"
    path.write_text("process 7")
    with path.open("a+") as first, path.open() as second:
        first.seek(0)
        there.lock(first)
        assert first.read() == "process 7"
        with pytest.raises(BlockingIOError):
            there.lock(second, shared=True)
        assert second.read() == "process 7"
