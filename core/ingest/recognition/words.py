"""The words by which performance tools and people name their columns."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from unicodedata import combining, normalize

from core.ingest._glossary import in_english
from core.ingest._units import dimension, stem
from core.ingest._vocabulary import data_of, in_order

_LISTS = {called: in_order(text) for called, text in data_of(__package__, "words.toml").items()}
WORDS = {name: frozenset(words) for name, words in _LISTS.items()}
APPLICATION = WORDS["application"]
INPUT = WORDS["input"]
MACHINE = _LISTS["machine"]
STATISTIC = WORDS["statistic"]
BETTER = _LISTS["better"]
SPREAD = WORDS["spread"]
ONE_TIME = re.compile("[a-z]{2,}time")
"""A time in one word, as `sorttime`."""

_RATE_WORD = re.compile(r"[kmgtp](fl|i|t|c|l|e)?(op|up|ep)s")
"""Operations, updates, cells or edges a second, in thousands or more."""
_DEVIATION = re.compile("((max|mean|avg|total)_)?(abs|rel)_diff|(max|mean|avg)_(abs|rel|diff)|[ar]tol")
"""How far a result is from the right one."""


def forms(called: str) -> re.Pattern[str]:
    """Return the forms in one of the lists, in letters of either case."""
    return re.compile("|".join(_LISTS[called]), re.IGNORECASE)


HARDWARE, COUNTED, _LAUNCH_WHOLE, MODEL_NAMES = map(forms, ("hardware", "counted", "launch", "model_names"))
NO_MACHINES = forms("no_machines")
_SWITCHED = ("true false", "yes no", "on off", "y n", "t f", "enabled disabled", "with without", "0 1")
MOST_SPELLINGS = 16
"""Texts that the two positions of a switch may have, as in True, true and TRUE."""

_REMARK = re.compile(r"(?<=[^\W_])\s*[(\[][^()\[\]]*[)\]]$")
"""What brackets at the end of a name say of what was measured, as in `latency (lower is better)`."""
_TOKEN = re.compile(r"[pP]\d\d+(?:\.\d+)?|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_NTH = re.compile(
    r"(\d+(?:\.\d+)?)(?:st|nd|rd|th)[\W_]*percentile|percentiles?[\W_]+(\d+(?:\.\d+)?)|"
    r"((?:50|75|9\d)(?:\.9+)?)th(?=[\W_]*(?:latency|time|duration))",
    re.IGNORECASE,
)
"""A percentile in words, as `95th percentile`, `percentile.99.9` and `95th_latency` are."""
_GLUED = re.compile(r"(?<![a-z])(average|avg|mean|median|min|max|total)(?=(?:latency|throughput)(?![a-z]))")
"""A statistic to which what was measured is joined, as in `maxlatency`."""
STAMP = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d([T _]?\d\d[:_-]?\d\d.*)?|\d\d[./]\d\d[./]\d{4}.*|\d{8}T\d{6}Z?|\d\d:\d\d:\d\d.*"
)
"""Dates and times of day."""
HASH = re.compile(r"(?=.*[a-f])(?=.*\d)[0-9a-f]{7,64}(-dirty)?|[0-9a-f]{8}-[0-9a-f]{4}-.*|0x[0-9a-fA-F]{6,}")
"""Hashes, commits and addresses."""
_MADE_UP = re.compile("(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{6,}")
_OF_RESULT = re.compile(r"(.*[/\\])?(results?|outputs?|out)[/\\].+|.+\.(out|log)", re.IGNORECASE)
"""The path of a file that a run wrote."""


def tokens(name: str) -> list[str]:
    """Return the words of a name, in English, in lower case, without accents: `AppName` and `app_name` are alike."""
    return [*_tokens(name)]


@lru_cache(1 << 15)  # each column is held against all others
def _tokens(name: str) -> tuple[str, ...]:
    name = name.replace("std::", "")
    bare = name if name.isascii() else "".join(c for c in normalize("NFD", in_english(name)) if not combining(c))
    if "ercentile" in bare or "th" in bare:
        bare = _NTH.sub(lambda found: f" p{float(found[1] or found[2] or found[3]):g} ", bare)
    if "latency" in bare or "throughput" in bare:
        bare = _GLUED.sub(r"\1 ", bare)
    return tuple(token.lower().replace(".", "") for token in _TOKEN.findall(bare))


def key(name: str) -> str:
    """Return the words of a name joined by underscores, to look it up."""
    return "_".join(_tokens(name))


def speaks(name: str, of: str) -> bool:
    """Whether a name has a word of one of the lists."""
    return not WORDS[of].isdisjoint(tokens(name))


def without_statistic(words: list[str]) -> list[str]:
    """Return the words of a name without those of a statistic, such as mean or min; all if no other is left."""
    return [word for word in words if word not in STATISTIC] or words


def core(name: str) -> list[str]:
    """Return the words of a name that are no statistic's; a `total` beside one is what was measured."""
    words = tokens(stem(name))
    own = [word for word in words if word not in STATISTIC | SPREAD]
    return own or (["total"] if "total" in words[:-1] else [])


def is_outcome(name: str, unit: str = "") -> bool:
    """Whether a name or its unit is one of an outcome: a time, a power, an energy, a throughput, or all cycles."""
    words = tokens(_REMARK.sub("", stem(name)))
    words = words[:-1] if len(words) > 1 and words[-1].isdigit() else words
    words = words[: next((i for i, word in enumerate(words) if i and word in WORDS["but"]), None)]
    bare = without_statistic(words)
    bare = bare[:-1] if bare[-1:] and bare[-1] in WORDS["taken"] and bare[-2:-1] in (["energy"], ["power"]) else bare
    summed = len(words) > 1 and words[-1] == "sum" and bare[-1] not in ("time", "duration", "energy", "runtime")
    if unit == "%" or summed or is_reduction(words):
        return False
    rate = unit and dimension(unit, "") == "throughput" and not WORDS["limits"] & set(words)
    divided = bare[bare.index("per") - 1] if "per" in bare else ""
    each = divided in WORDS["divided"] or (divided == "cycles" and not words[-1].startswith("ins"))
    each = each and not WORDS["bounds"] & {*words}
    if words and (rate or each or WORDS["buses_rate"] & {*words} or _in(WORDS["whole_outcome"], name, bare)):
        return True
    limit = {"max", "maximum", "limit"} & set(words) and unit in ("W", "MHz", "°C")
    if limit or WORDS["no_outcome"] & set(bare):
        return False
    first, last = (bare[0], bare[-1]) if words else ("", "")
    speed = last == "speed" and not (WORDS["machine_fact"] | WORDS["set_speed"] | {*MACHINE}) & {*bare[-2:-1]}
    if speed or last in WORDS["outcome"] or first in WORDS["leading_outcome"] or _RATE_WORD.fullmatch(last):
        return True
    return dimension(unit, "") in ("time", "power", "energy", "temperature", "throughput") if unit else False


def leads_with_time(name: str) -> bool:
    """Whether a name may be one of a time because it begins so: `time_ensemble`, or `t_wall` as `wall` is one."""
    first, *others = tokens(stem(name)) or [""]
    if not others or WORDS["no_outcome"] & {*others}:
        return False
    timed = first == "t" and (is_outcome(" ".join(others)) or others[0] in WORDS["parts_timed"])
    return timed or first in WORDS["leading_time"]


def _in(known: frozenset[str], name: str, words: list[str]) -> bool:
    return key(name) in known or "_".join(words) in known or (words[-1].isdigit() and "_".join(words[:-1]) in known)


def machine_word(name: str) -> str:
    """Return the word of `MACHINE` that a name is, as `machine_id` and `MCU board name` are; else its own words."""
    own = key(name).removesuffix("_id")
    bare = own.removesuffix("_name").split("_")
    return own if own in MACHINE else bare[-1] if {*bare} <= {*MACHINE} else key(name)


def is_run(name: str) -> bool:
    """Whether a name is one of a repeat's number."""
    words = tokens(name)
    at_start = words[:1] == ["id"] and len(words) == 2 and words[1] in WORDS["run"]  # as in Russian
    named = "_".join(words[:-1]) in WORDS["run"] | WORDS["numbered"]
    return key(name) in WORDS["run"] or at_start or (named and not WORDS["number"].isdisjoint(words[-1:]))


def are_numbered(name: str, texts: tuple[str, ...]) -> bool:
    """Whether texts are numbers beside one word, a repeat's or one that begins the name: `run 1`, `r2`, `第3次`."""
    said = {re.sub(r"[\W_]|\d+", "", text).casefold() for text in texts}
    word = said.pop() if len(said) == 1 else "?"
    named = word in WORDS["run"] | WORDS["numbered"] or name.casefold().startswith(word) or not word.isascii()
    return named and all(len(re.findall(r"\d+", text)) == 1 for text in texts)


def is_identifier(name: str) -> bool:
    """Whether a name is one of an identifier: its numbers count nothing."""
    words = tokens(name)
    if WORDS["ends"] & set(words) and "to" not in words and words[-1] in ("time", "ts", "at", "ns", words[0]):
        return True
    named = bool(words) and (words[-1] in WORDS["identifier"] or words[0] == "unnamed" or "timestamp" in words)
    return (named and "per" not in words[1:]) or key(name) in WORDS["ranks"]


def is_about_the_run(name: str) -> bool:
    """Whether a name tells of the capture and not of what was measured: a status, an error, a version, a note."""
    words = set(tokens(name))
    about = WORDS["about"] & words and not words & WORDS["bounds"] and not is_input(name)
    whole = key(name) in WORDS["whole_about"] | WORDS["exit_codes"] or _DEVIATION.fullmatch(key(name)) is not None
    return whole or bool(about)


def tells_of_failure(name: str) -> bool:
    """Whether a column says of runs whether they failed, as `status` and `error` do; `correct_bias` is a switch."""
    own = {*tokens(name)} - WORDS["of_runs"]
    return key(name) in WORDS["exit_codes"] or (bool(own) and own <= WORDS["succeeded"] | WORDS["failing"])


def says_failed(name: str, text: str) -> bool:
    """Whether a cell of such a column says that the run failed: FAIL below `status`, any words below `error`."""
    if key(name) in WORDS["exit_codes"]:
        return re.fullmatch(r"-?\d+", text) is not None and int(text) != 0
    if speaks(name, "succeeded"):
        ends = {*tokens(text)[:1], *tokens(text)[-1:]}
        return bool({key(text), text} & WORDS["fails"]) or bool(ends & WORDS["failing"] and not ends & WORDS["fine"])
    return text[:1].isalpha() and key(text) not in WORDS["fine"]


def is_told(name: str) -> bool:
    """Whether a name is one of an outcome that a model said, and that was not measured; rows it expects are known."""
    words = tokens(name)
    rest = "_".join(word for word in words if word not in WORDS["told"])
    told = WORDS["told"] & set(words) or (words[1:] and words[-1] == "model")
    rest = rest.removesuffix("_model")
    return bool(told) and (not rest or is_outcome(rest))


def is_domain(name: str) -> bool:
    """Whether a name is one of a processor's domain (of RAPL), whose energy or power the numbers are."""
    return "_".join(without_statistic(tokens(name))) in WORDS["domains"]


def is_variant(name: str, texts: Sequence[str]) -> bool:
    """Whether a version is one of the program that ran: words such as serial and parallel, no numbers of a release."""
    return key(name) == "version" and len(texts) > 1 and not any(re.search(r"\d\W*\d", text) for text in texts)


def is_counter(name: str) -> bool:
    """Whether a name speaks of what was counted while a program ran; a setting in an object called so does not."""
    inner = name.rpartition(".")[2]
    words = tokens(inner if inner != name and is_setting(inner) else name)
    held = bool(WORDS["held"] & set(words) and {"max", "peak", "delta", "free"} & set(words))
    each = words[-2:-1] == ["per"] and words[-1] in WORDS["each"]
    built = "size" in words and bool(WORDS["built"] & {*words})
    return held or each or built or is_in_use(words) or was_done(words) or bool(WORDS["counter"] & set(words))


def was_done(words: Sequence[str]) -> bool:
    """Whether words say what was done to things while a program ran, as `nodes_visited` does: threads were set."""
    *_, what, last = "", "", *words
    things = what.endswith("s") and what not in WORDS["parallel"]
    return (things and last.endswith("ed") and last not in WORDS["set_so"]) or bool(WORDS["done"] & {*words})


def is_in_use(words: Sequence[str]) -> bool:
    """Whether words are of how many were in use at a time: `active_gpus`, which nobody set."""
    return any(first in WORDS["in_use"] and then in WORDS["used"] for first, then in pairwise(words))


def is_share(name: str) -> bool:
    """Whether a name speaks of a counter only by words that settings have as well, such as a share of reads."""
    return is_counter(name) and WORDS["counter"] & {*tokens(name)} <= WORDS["shares"]


_TESTS = frozenset({("p", "value"), ("t", "statistic"), ("cohens", "d")})
"""What tests of statistics say of two outcomes, in two words."""


def is_comparison(name: str) -> bool:
    """Whether a name says that outcomes are compared: a speed-up, one versus another."""
    words = tokens(name)
    compared = not WORDS["comparing"].isdisjoint(words) or not _TESTS.isdisjoint(pairwise(words))
    said = compared or "speedup" in "".join(words) or words in (["relative"], ["win"], ["diff"], ["speed", "x"])
    of_another = words[-3:-1] in (["pct", "of"], ["percent", "of"]) or (words == ["boost"] and "%" in name)
    return said or of_another or is_reduction(words) or {"overhead", "ratio"} <= set(words)


def is_reduction(words: Sequence[str]) -> bool:
    """Whether words end in by how much an outcome is less than another, as `energy_reduction_x` does."""
    last = words[:-1] if words[-1:] and words[-1] in ("x", "pct", "percent", "factor", "ratio") else words
    return len(last) > 1 and last[-1] in ("reduction", "saved", "saving", "savings")


def is_efficiency(name: str, outcomes: Iterable[str] = ()) -> bool:
    """Whether a name is one of the speed-up of each thread.

    It does not say what is efficient, or the scaling is, or what an outcome is of, as `MPI efficiency` by `MPI time`.
    """
    words, known = {*tokens(name)}, WORDS["efficiency"] | WORDS["scaling"]
    return bool(words & WORDS["efficiency"]) and any(words <= known | {*tokens(own)} for own in ("", *outcomes))


def is_parallel(name: str) -> bool:
    """Whether a name is one of how many run at once."""
    return speaks(name, "parallel")


def is_setting(name: str) -> bool:
    """Whether a name speaks of what is set before a run."""
    words = tokens(name)
    if was_done(words) or is_in_use(words) or is_comparison(name) or words[:1] in (["avg"], ["average"]):
        return False
    spoken = {word for word in words if len(word) > 1 or len(words) == 1}
    spoken |= {f"{words[-2]}s"} if words[-1:] == ["count"] and len(words) > 1 else set()
    return bool(WORDS["setting"] & spoken) or is_launch(name) or (bool(words) and words[-1] == "f" and len(words) > 1)


def is_launch(name: str) -> bool:
    """Whether a name speaks of how a kernel was launched, the shape of its grid or its registers, or was configured."""
    outer, _, inner = name.partition(".")
    return bool(_LAUNCH_WHOLE.fullmatch(key(name))) or (bool(inner) and outer.lower() in WORDS["configurations"])


def is_machine_fact(name: str) -> bool:
    """Whether a name speaks of what a machine has, and not of what it did: clocks, caches, cores, bandwidth."""
    words = set(tokens(name))
    clock_rate = "rate" in words and bool(words & {"clock", "freq"})
    counted = WORDS["counter"] & words - ({"used"} if "cache" in words else set())
    return bool(WORDS["machine_fact"] & words) and not WORDS["observed"] & words and (clock_rate or not counted)


def is_input(name: str) -> bool:
    """Whether a name speaks of the problem that was solved."""
    words = tokens(name)
    if is_comparison(name) or SPREAD & {*words}:
        return False
    sized = bool({"size", "length", "problem", "elements", "input", "dataset"} & set(words))
    of_a_cache = re.search(r"\bl\d|l\d_", name.lower())
    return key(name) in INPUT or (sized and not of_a_cache and not (WORDS["other_sizes"] | WORDS["built"]) & set(words))


def are_switched(texts: tuple[str, ...]) -> bool:
    """Whether texts are the two positions of a switch: True and False, yes and no, a flag's name and X."""
    lowered = {text.lower() for text in texts if text} if len(texts) <= MOST_SPELLINGS else set()
    if len(lowered) == 1 and "" in texts:
        return lowered <= WORDS["ticked"]
    if len(lowered) != 2:
        return False
    others = lowered - WORDS["unset"]
    named = len(others) == 1 and all(len(text) > 1 for text in others)
    return any(lowered == set(pair.split()) for pair in _SWITCHED) or named


def are_all(form: re.Pattern[str], texts: tuple[str, ...]) -> bool:
    """Whether the first of some texts are all written in one form."""
    some = [text for text in texts[:50] if text]
    return bool(some) and all(map(form.fullmatch, some))


def are_hashes(texts: tuple[str, ...]) -> bool:
    """Whether texts are hashes, or paths to names that a program made up.

    These are of one length, of letters in either case, most with a digit, and differ from each other at every place.
    """
    ends = [text.rpartition("/")[2] for text in texts[:50] if text]
    alike = len(ends) > 3 and len({*map(len, ends)}) == 1 and all(map(_MADE_UP.fullmatch, ends))
    mixed = 2 * sum(bool(re.search(r"\d", text)) for text in ends) > len(ends)
    return are_all(HASH, texts) or (alike and mixed and all(len({*own}) > 2 for own in zip(*ends, strict=True)))


def are_of_results(texts: tuple[str, ...]) -> bool:
    """Whether texts are paths of files that runs wrote, by their folder or their ending."""
    return are_all(_OF_RESULT, texts)
