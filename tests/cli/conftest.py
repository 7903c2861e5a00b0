"""What the command line's tests share: reports are held against their schemas, and none is late where it is slow."""

import math

import pytest

from core.cli import base
from tests.cli.answered import answers_hold

__all__ = ["answers_hold"]


@pytest.fixture(autouse=True)
def _no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine write no more to standard error than an idle one does."""
    monkeypatch.setattr(base, "EVERY_S", math.inf)
