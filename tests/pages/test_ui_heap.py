"""The heap: what is imported stays out of the collector's way, once per process, and threads share two heaps."""

import platform
import subprocess
import sys

import pytest

SETTLED = """
import gc, sys, threading
from pages._ui import server
server.settle()
server.settle()
started = [t for t in threading.enumerate() if t.name == "settle"]
for thread in started:
    thread.join()
before = len(gc.get_objects())
print(len(started), gc.get_freeze_count() > 100_000, before < 20_000, "pages._model.values" in sys.modules)
"""


@pytest.mark.slow
def test_the_heap_is_frozen_once_with_all_pages_in_it() -> None:
    said = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True, timeout=300)
    assert said.stdout.split() == ["1", "True", "True", "True"]
    assert "leaked" not in said.stderr


SHARED = """
import ctypes, sys, threading
from pages._ui.server import share_arenas
if len(sys.argv) > 1:
    share_arenas()
c, all_at_once = ctypes.CDLL(None), threading.Barrier(8)
c.malloc.restype = ctypes.c_void_p
def hold():
    all_at_once.wait()
    c.malloc(5000)
    all_at_once.wait()
threads = [threading.Thread(target=hold) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
c.malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_threads_share_two_heaps() -> None:
    def arenas(*given: str) -> int:
        command = [sys.executable, "-c", SHARED, *given]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stderr
        return said.count("Arena ")

    assert arenas() > 2
    assert arenas("shared") == 2
