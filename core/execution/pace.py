"""How fast it goes, and how long it takes still."""

import time


class Pace:
    """Counts from a beginning, so that what was done before does not look quick."""

    def __init__(self, done: int, total: int) -> None:
        self.first, self.total, self.began = done, total, time.monotonic()

    def left(self, done: int) -> str:
        """Return such as ", about 40 s left"; "" where too little is known."""
        new, spent = done - self.first, time.monotonic() - self.began
        if new < 3 or spent < 3 or done >= self.total:
            return ""
        return f", about {duration((self.total - done) * spent / new)} left"


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
