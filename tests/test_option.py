"""Options parse, check and explain themselves."""

import pytest

from core.errors import OptionError
from core.option import Options, option, specs


class Example(Options):
    k: int = option(3, help="clusters", low=1, high=9)
    threshold: float = option(0.1, help="gain", low=0)
    rotate: bool = option(True, help="rotate")
    scale: str = option("log", help="scale", choices=("log", "raw"))
    pool: tuple[str, ...] = option(("a",), help="pool", choices=("a", "b"))
    components: int | None = option(0, help="components", low=0)


def test_texts_become_values() -> None:
    made = Example.parse({"k": "4", "threshold": "1e-3", "rotate": "no", "pool": "a, b", "components": "none"})
    assert made == Example(k=4, threshold=0.001, rotate=False, pool=("a", "b"), components=None)


def test_values_become_texts_that_mean_them() -> None:
    class Open(Options):
        pool: tuple[str, ...] = option((), help="pool", absent="auto")
        least: float | None = option(None, help="gain", absent="auto")
        rotate: bool = option(True, help="rotate")

    for made, written in ((Open(), ["auto", "auto", "True"]), (Open(("a", "b"), 0.5, False), ["a, b", "0.5", "False"])):
        texts = {spec.name: spec.text(getattr(made, spec.name)) for spec in specs(Open)}
        assert list(texts.values()) == written
        assert Open.parse(texts) == made


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"k": "0"}, "Option k must be at least 1, got 0."),
        ({"k": "1" + "0" * 400}, "Option k must be at most 9, got more than 1e+308."),
        ({"k": "-1" + "0" * 400}, "Option k must be at least 1, got less than -1e+308."),
        ({"k": "x"}, "Option k must be a whole number, got 'x'."),
        ({"k": "2.5"}, "Option k must be a whole number, got '2.5'."),
        ({"threshold": "nan"}, "Option threshold must be a number, got nan."),
        ({"rotate": "maybe"}, "Option rotate must be true or false, got 'maybe'."),
        ({"scale": "ln"}, "Option scale must be one of log, raw; got 'ln'."),
        ({"pool": "a,c"}, "Option pool must be one of a, b; got 'c'."),
        ({"z": "1"}, "There is no option 'z'; the options are: k, threshold"),
    ],
)
def test_wrong_texts_give_one_sentence(texts: dict[str, str], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        Example.parse(texts)
    assert str(caught.value).startswith(sentence)


def test_values_are_checked_too() -> None:
    with pytest.raises(OptionError, match="at most 9"):
        Example(k=10)
    with pytest.raises(OptionError, match="must be a int"):
        Example(k=True)
    assert Example(threshold=1).threshold == 1


def test_specs_tell_forms_what_to_draw() -> None:
    found = {s.name: s for s in specs(Example)}
    assert found["pool"].kind is tuple
    assert found["components"].optional
    assert (found["k"].low, found["k"].high, found["k"].label) == (1, 9, "K")
