"""What the command line's tests share: reports are held against their schemas."""

from tests.cli.answered import answers_hold

__all__ = ["answers_hold"]
