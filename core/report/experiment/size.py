"""How much of an experiment is left, in words."""

from core.execution.pace import duration


def size_sentence(n_fits: int, n_settings: int, n_done: int, seconds: float) -> str:
    """Say how many fits an experiment has, and about how long the rest takes where some were timed.

    Parameters
    ----------
    seconds : that the fits which are done took, each in one process
    """
    settings = "1 setting" if n_settings == 1 else f"{n_settings:,} settings"
    said = f"{n_fits:,} fits of {settings}" + (f"; {n_done:,} are done and kept" if n_done else "")
    if not n_done:
        return f"{said}. Each result is kept, so it can be stopped and gone on with at any time."
    return f"{said}. The rest takes about {duration((n_fits - n_done) * seconds / n_done)} in one process."
