"""Long lists of names, written down as one text in which blanks part them."""


def in_order(text: str) -> tuple[str, ...]:
    """Return the names in a text."""
    return tuple(text.split())


def vocabulary(text: str) -> frozenset[str]:
    """Return the different names in a text."""
    return frozenset(in_order(text))


def inverted(names: dict[str, str]) -> dict[str, str]:
    """Return by each name in a text what the text is of, in the order of the texts."""
    return {name: what for what, text in names.items() for name in text.split()}
