"""The frozen heap: what is imported stays out of the collector's way, once per process."""

import subprocess
import sys

import pytest

SETTLED = """
import gc, sys, threading
from pages._ui import heap
heap.settle()
heap.settle()
started = [t for t in threading.enumerate() if t.name == "settle"]
for thread in started:
    thread.join()
before = len(gc.get_objects())
print(len(started), gc.get_freeze_count() > 100_000, before < 20_000, "pages._model.controls" in sys.modules)
"""


@pytest.mark.slow
def test_the_heap_is_frozen_once_with_all_pages_in_it() -> None:
    said = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True, timeout=300)
    assert said.stdout.split() == ["1", "True", "True", "True"]
    assert "leaked" not in said.stderr
