"""Long lists of names, written down as one text in which blanks part them."""


def in_order(text: str) -> tuple[str, ...]:
    """Return the names in a text."""
    return tuple(text.split())


def vocabulary(text: str) -> frozenset[str]:
    """Return the different names in a text."""
    return frozenset(in_order(text))


def inverted(text: str) -> dict[str, str]:
    """Return by each name of a text such as `s: sec seconds; W: watts;` what it is a name of, in their order."""
    entries = (entry.partition(":") for entry in text.split(";"))
    return {name: " ".join(what.split()) for what, _, names in entries for name in names.split()}
