"""What a file is called, for formats that do not say what was measured."""

import re


def stem(name: str) -> str:
    """Return a file's name without folders and endings."""
    own = re.split(r"[/\\]", name)[-1]
    own = own[:-3] if own.lower().endswith(".gz") else own
    return own.rpartition(".")[0] or own
