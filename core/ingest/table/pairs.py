"""Logs that say names and values, in each line or in each block of lines: `N=256 threads=4 time=0.5 s`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice, pairwise, product, takewhile

from core.frozen import Frozen
from core.ingest._lookup import by_key
from core.ingest._units import KNOWN, dimension
from core.ingest._vocabulary import data_of, vocabulary
from core.ingest.recognition.words import APPLICATION, INPUT, MACHINE, STAMP, are_all, is_outcome, is_parallel, key
from core.ingest.table.blocked import HEADING, said_in
from core.ingest.table.commands import command_of
from core.ingest.table.dialect import unmarked

_TOLD_LEAST, _TOLD_LONGEST, _TOLD_WHOLE, _NEARLY = 4, 500, 0.25, 0.8
"""Lines that say the same, characters of one, and which share of all lines they are, and nearly all."""
_TOLD_FIRST = 200
"""Lines that show what a text is."""
_MOST_TEXTS = 0.5
"""Texts that vary are fewer than so many for each line: others, such as times of day, are left out."""
_NUM = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_TOLD_NUMBER = re.compile(_NUM)
_PART = re.compile(rf"\d+(?:[:x/-]\d\w*(?:[.,]\d+)?)+|{_NUM}(?![\w.])|[^\W\d][\w/+-]*(?:\.\w+)*|\d[\w.]*|[^\s\w=:]")
_SMALL = vocabulary("a an and at by for from in is it of on over per running ran run the to took using via was with")
"""Words that name nothing beside them."""
_MEASURED = ("time", "power", "energy", "throughput", "frequency", "size", "temperature", "share")
_COLUMNS = APPLICATION | INPUT | frozenset(MACHINE)
"""What a text is called as a column would be."""
Said = tuple[int, str, str]
Pair = tuple[str, str]


def told_in(text: str) -> Iterator[Said]:
    """Yield (line, name, value) of the lines that most often say the same in two words or more, but for what varies.

    A small word or a unit tells a sentence from a row of names and numbers.
    """
    said_in = ((i, own) for i, own in enumerate(text.splitlines(), 1) if own.strip() and len(own) < _TOLD_LONGEST)
    lines = [(i, _PART.findall(own)) for i, own in said_in]
    alike = by_key((tuple(map(_is_number, parts)), (i, parts)) for i, parts in lines if any(map(_is_number, parts)))
    most = max(alike.values(), key=len, default=[])
    columns = [*zip(*(parts for _, parts in most), strict=True)]
    said = dict(_named(columns, len(most)))
    words = [own[0] for own in columns if len(own[0]) > 1 and own[0][:2].isalpha() and len({*own}) == 1]
    words = [word for word in words if word not in KNOWN]  # times beside each other are no sentence
    spoken = any(word.lower() in _SMALL for word in words) or any(" " in texts[0] for texts in said.values())
    if spoken and len(words) > 1 < len(said) and len(most) >= max(_TOLD_LEAST, _TOLD_WHOLE * len(lines)):
        yield from ((line, name, texts[k]) for k, (line, _) in enumerate(most) for name, texts in said.items())


def _is_number(part: str) -> bool:
    return _TOLD_NUMBER.fullmatch(part) is not None


def _named(columns: Sequence[tuple[str, ...]], n: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the numbers of a sentence, with their units, and the texts that vary, each with what it is called."""
    names: Counter[str] = Counter()
    beside = ["", *(own[0] if len({*own}) == 1 else "" for own in columns), ""]
    for before, own, after in zip(beside, columns, beside[2:], strict=False):
        if _is_number(own[0]):
            unit = after if after in KNOWN and dimension(after) in _MEASURED else ""
            name = _of_number(_word(before), "" if unit else _word(after), unit)
            texts = tuple(f"{text} {unit}".strip() for text in own)
        elif 1 < len({*own}) <= _MOST_TEXTS * n and not are_all(STAMP, own):
            name, texts = _of_text(before, own[0]), own
        else:
            continue
        names[name] += 1
        yield name if names[name] == 1 else f"{name} {names[name]}", texts


def begins_with_sentences(lines: Sequence[str]) -> bool:
    """Whether nearly all lines, the first among them, say the same: none is a header."""
    said = [*islice(filter(str.strip, lines), _TOLD_FIRST)]
    if not said or not any(map(_is_number, _PART.findall(said[0]))):
        return False
    told = {line for line, _, _ in told_in("\n".join(said))}
    return 1 in told and len(told) > _NEARLY * len(said)


def _word(text: str) -> str:
    """Return a word that may name what stands beside it; "" for others."""
    return text if text[:1].isalpha() and text.lower() not in _SMALL else ""


def _of_text(before: str, text: str) -> str:
    """Return what a text is called: by the word before it, where a column would be called so, or it is a size."""
    if text[:1].isdigit():
        return _word(before) or "size"
    word = key(_word(before))
    return word if word in _COLUMNS else "benchmark"


def _of_number(before: str, after: str, unit: str) -> str:
    """Return what a number is called: by its outcome, by what is counted behind it, or by the word before it."""
    if unit:
        return before if is_outcome(before) else dimension(unit)
    return after or before or "number"


_LEAST = 3
"""Records under which nothing shows that names come again, but for two with `_MANY` names each."""
_MANY = 8
_FIRST = 4
"""Lines that show what a text is."""
_MOST_NAMES, _LONGEST = 200, 2_000
"""Names, and characters of a line that is looked at."""
_WHOLE = 0.8
"""Share of the records that have each of the names by which they are known."""
_SPOKEN = 0.25
"""Share of the lines, from the first record to the last word, that say one of these names."""
_BETWEEN = re.compile(r"\s*[,;|\t]\s*|\s{2,}|\s-\s(?=[A-Za-z_])")
_BEFORE_NAME = re.compile(r"\s+(?=[A-Za-z_][\w./%-]*\s?[=:]\s?[^\s=])")
_NAME, _UNIT = r"[A-Za-z_](?:[\w./%-]|::\w)*", r"(?:\s?[(\[][^()\[\]]{1,12}[)\]])?"
_VALUE = r"""\s*[=:]\s*([^\s=:(){}\[\]"'][^\s=(){}\[\]"']*(?: [^\s=(){}\[\]"']+){0,2})"""
_SAID = re.compile(rf"({_NAME}(?: \([^()=:]{{1,24}}\))?(?: [\w./%-]+){{0,5}}{_UNIT}){_VALUE}")
_SAID_BEHIND = re.compile(rf".*[\s:\]>]({_NAME}){_VALUE}")
"""The same behind a prefix, as in `[INFO] N=256`."""
_NUMBER, _DIGIT = re.compile(r"[+-]?\.?\d"), re.compile(r"\d")
_REMARKED = re.compile(r"(\d(?: ?[a-zµ%/]+)?)(?:\s+\([^()]*\))+$")
"""What is remarked behind a number, as in `tps = 714.2 (without initial connection time)`."""
_REMARKS = re.compile(r"(.*\S) \(([^()]*)\)")
"""A name with what is remarked on it, as `timer (GPU)`."""
_FRAMED = re.compile(r"\|([^|]*)\|")
"""A line in a frame, as `|  Number of variables:  14399  |`."""
_BOLD = re.compile(r"(\*\*|__)(\w[^*]*?:)\1")
"""A name that a document makes bold, as `**Threads:** 4` does."""
_EQUALS = re.compile(r"=\s{2,}")
_BRACKETED = re.compile(r"([^\[]*\d)\s*\[([^\[\]]+)\]\s*(?:\(.*\)|\w+)?")
"""A number with its unit in brackets, as in `Time per request: 1.2 [ms] (mean)`."""
_MARKED = re.compile(r"\s*(?:[>*•·‣✓✔–-]{1,3}|[-=]>|#{1,4}) +")
"""A mark of a list, or of a quotation, before what a line says."""
_NAMED_NUMBER = rf"({_NAME}(?: {_NAME}){{0,2}})(?:[:=] ?| )([+-]?\.?\d[\w.+-]*%?(?: [A-Za-z/%µ]{{1,6}}(?=$|,))?)"
_NAMED_NUMBERS = re.compile(_NAMED_NUMBER)
_OF_NAMED_NUMBERS = re.compile(rf"{_NAMED_NUMBER}(?:,? +{_NAMED_NUMBER})*")
"""What stands between bars in `Epoch 01 loss 75.6 | train 2.6s`, or alone: `block size 64, time 15.7 ms`."""
_INNER = re.compile(
    rf"(?<=\d)( ?[A-Za-zµ]*) \(((?:{_NAME}[:=] ?[+-]?\.?\d[\w.+-]*%?(?: ?[A-Za-zµ]+)?(?:, |(?=\)$)))+)\)$"
)
"""Parts, or statistics, behind what they are of, as in `sort time: 0.5 s (split: 0.1, merge: 0.4)`."""
_THREE = re.compile(rf"(?:{_NAME}\s+[+-]?\.?\d[\w.+-]*%?(?:\s+|$)){{3,}}")
_LABELLED = re.compile(r"(?:([^:`]{1,40}): +)?`?([^`]+)`?")
_HEADING = re.compile(
    r"(?:#+|=+>|[-*•]) +(.+?):?\s*|([=-])\2+ ?(\w[^=]*[^\s=-]) ?\2\2+|={3,} ?(\w[^=]*[^\s=-])|"
    r"\*\*(.+?)\*\*:?\s*|(\w[^=:]{0,60}[\w)]):\s*"
)
_TITLE = re.compile(r"(?:#+|=+>) ")
_SIZED = re.compile(r"([A-Za-z][\w ]*?) (\d\S*)")
"""A heading that says a name and its number, as `size 256` does."""
_LASTED = re.compile(
    r"(?:(?:[A-Z][a-z]+ )?[Tt]ime (?:for|of|with) )?(.+?)(?:: +| took | is )"
    r"((?:\d+h)?(?:\d+m)?\.?\d[\d.e+-]* ?(?:[munµμ]?s|(?:milli|micro)?seconds))"
    r"(?: ± .*)?(?: per loop)?(?: \([^()]*\))?\.?"
)
"""How long it took, behind settings, a size or a number of things: `n = 1000, p = 4: 0.25 s`, `2 threads: 0.5 s`.

Julia and IPython remark on it.
"""
_THINGS = re.compile(r"(?:([A-Za-z][A-Za-z ]*) )?(\d[\d,_]*) ([A-Za-z]{3,})")
"""How many of something there were, behind what was done: `Sorting 1000 elements`."""
_WAS = re.compile(r"([A-Za-z][\w ]*)(?<=[Tt]ime) (?:is|was) (\.?\d[\d.e+-]* [a-zµμ]+)\.?")
"""What MATLAB says: `Elapsed time is 0.5 seconds.`"""
_FROM = re.compile(r"(?:\./)?([\w./+-]+)\.[a-z]{2,5}:(?:\d+:)?\s*(?=\S)")
"""The file that grep found a line in, and where."""
_TAGGED = re.compile(
    r"(?:\[([A-Za-z][^\[\]=:]*)\]:?|([A-Za-z][\w +/-]*):|([A-Za-z][^=:→>]*?)\s*(?:→|[-=]>))\s+"
    r"(?=[A-Za-z_][\w ./%()-]{0,40}[=:]\s?[^\s=])"
)
"""What a line is of, before its names and values, as in `[naive] N=256` and `naive → N: 256`."""
_WIDE = re.compile(r"(=\d+)\s{2,}(?=[A-Za-z])")
"""Wide blanks behind what was set, as in `N=256  best 0.5 ms, mean 0.6 ms`."""
_LED = re.compile(rf"({_NAME})\s{{2,}}(?={_NAME}\s?=\s?[^\s=])")
"""What ran, wide blanks before its names and values, as in `squeezenet  min = 8.84  max = 8.89`."""
_WORDS = re.compile(r"[A-Za-z][\w+ -]*")
"""What may be a heading below a blank line."""
CODE = re.compile(r"(?m)^[ \t]*(?:def \w+\(|class \w+[(:{]|import \w+|from [\w.]+ import|#include\b)")
"""What source code has."""


_data = cache(partial(data_of, __package__, "lines.toml"))


@cache
def _lines(name: str) -> list[tuple[re.Pattern[str], list[tuple[str, str]]]]:
    """Return the lines that programs print, with what each says; or, "loose", what lines may say that none knows."""
    return [(re.compile(form), says) for form, says in _data()[name]]


@cache
def _any_of(name: str) -> re.Pattern[str]:
    """Return what programs print beside these, "asides", or what holds no more when they have ended, "passing"."""
    return re.compile("|".join(_data()[name]))


class Records(Frozen):
    """What a log says again and again.

    Attributes
    ----------
    begins : the name with which each record begins
    names : in the order in which they come first
    rows : a text for each name, "" where a record does not say it
    lines : of the log, where each record begins
    alone : the numbers of threads and the like that a sequential run does not say, and which are 1 there
    left : of the log, lines with numbers that are sentences of another form
    """

    begins: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    alone: tuple[str, ...] = ()
    left: tuple[int, ...] = ()


def records_of(text: str) -> Records | None:
    """Return the records of a log; None where no names come again and again with numbers.

    A record begins where the first of the names does that come as often as most of what is said. What is said before
    the first record holds until it is said anew: a size above the runs of all thread counts.
    """
    if ((pairs := _records(text, [*_said(text)])) and all(map(all, pairs.rows))) or CODE.search(text):
        return pairs
    told = by_key((line, (name, value)) for line, name, value in told_in(text))
    spoken = [*_said(text, told)]
    sentences = _records(text, spoken)
    if sentences and (pairs is None or len(sentences.rows) >= len(pairs.rows)):
        known = {line for line, _, _ in spoken}
        others = (i for i, own in enumerate(text.splitlines(), 1) if any(map(_is_number, _PART.findall(own))))
        return replace(sentences, left=tuple(i for i in others if i not in known))
    return pairs or _records(text, [*_said(text, loosely=True)])


def _records(text: str, said: Sequence[Said]) -> Records | None:
    """Return the records of what a log says as (line, name, value)."""
    times = Counter(name for _, name, _ in said)
    most = max(times.values(), key=lambda n: (n * [*times.values()].count(n), n), default=0)
    begins = next((name for _, name, _ in said if times[name] == most), "")
    if most < (2 if [*times.values()].count(2) >= _MANY else _LEAST) or len(times) > _MOST_NAMES:
        return None
    first = next(i for i, (_, name, _) in enumerate(said) if name == begins)
    above = {name for _, name, _ in said[:first]}
    held: dict[str, str] = {}
    found: list[tuple[int, dict[str, str]]] = []
    for line, name, value in said:
        if name == begins:
            found.append((line, {**held}))
        if name in above:
            held[name] = value
        elif found:
            found[-1][1].setdefault(name, value)
    remarked = [(name, own[1]) for name in times if (own := _REMARKS.fullmatch(name)) and own[1] in times]
    apart = {name: bare for name, bare in remarked if all((name in row) != (bare in row) for _, row in found)}
    for (name, bare), (_, row) in product(apart.items(), found):
        row[bare] = row.pop(name, row.get(bare, ""))
    names = tuple(name for name in times if name not in apart)
    usual = [name for name in names if sum(name in own for _, own in found) >= _WHOLE * most]
    numbers = [n for n in usual if all(_NUMBER.match(own.get(n, "0")) for _, own in found)]
    varied = any(len({own.get(n) for _, own in found}) >= min(_LEAST, len(found)) for n in numbers)
    if len(usual) < 2 or not varied or sum(len(own) for _, own in found) < _WHOLE * most * len(usual):
        return None
    between = text.splitlines()[found[0][0] - 1 : said[-1][0]]
    lines = [own for own in between if own.strip() and not _any_of("asides").match(own)]
    if len({line for line, name, _ in said if name in usual}) < _SPOKEN * len(lines):
        return None
    alone = tuple(n for n in names if is_parallel(n) and _is_more_than_one({own.get(n, "") for _, own in found}))
    rows = tuple(tuple(own.get(name, "1" * (name in alone)) for name in names) for _, own in found)
    return Records(begins, names, rows, tuple(line for line, _ in found), alone)


def _is_more_than_one(said: set[str]) -> bool:
    """Whether some records do not say a number, and the others say whole ones above 1."""
    return "" in said and len(said) > 2 and all(own.isdecimal() and int(own) > 1 for own in said - {""})


def record_of(text: str) -> tuple[int, dict[str, str]] | None:
    """Return what a log says of one run, as (the first line that does, values by name); None where it says no number.

    What is said again with another value changed while the run went on, and is left out.
    """
    found: dict[str, tuple[int, str, str]] = {}
    changed: set[str] = set()
    for line, name, value in _said(text):
        if found.setdefault(name.casefold(), (line, name, value))[2] != value:
            changed.add(name.casefold())
    kept = [own for key, own in found.items() if key not in changed]
    told = len(found) <= _MOST_NAMES and any(_NUMBER.match(value) for _, _, value in kept)
    return (kept[0][0], {name: value for _, name, value in kept}) if told else None


def said_above(lines: Sequence[str]) -> dict[str, str]:
    """Return the values by name that lines above a table say, or commands there; the nearest of what is said again."""
    found: dict[str, str] = {}
    for line in lines[-_TOLD_FIRST:]:
        record, bare = record_of(line), unmarked(line)
        said = record[1] if record else dict(command_of(bare)) or said_in([bare])
        found |= {name: value for name, value in said.items() if name != HEADING}
    return found


def begins_with_pairs(lines: list[str]) -> bool:
    """Whether a text is a log from its first lines on, headings aside: each of four says something.

    Two are enough that say the same names, two at least.
    """
    said = (line for line in lines if line.strip() and not _TITLE.match(line))
    named = (tuple(name for name, _ in command_of(line.strip()) or _pairs(line)) for line in islice(said, _FIRST))
    first = [*takewhile(bool, named)]
    return len(first) == _FIRST or (len(first) > 1 and len(first[0]) > 1 and first[0] == first[1])


def _said(text: str, sentences: Mapping[int, list[Pair]] | None = None, *, loosely: bool = False) -> Iterator[Said]:
    """Yield (line, name, value) of all that a text says, or its sentences, and a command's own before what it printed.

    Headings count where there are several and none comes twice, and so do tags and files before what lines say where
    each comes again. Source code says nothing. Said loosely are names without a mark between them and their numbers,
    and words alone below a blank line are a heading.
    """
    ran: list[Said] = []
    last = ""
    lines = [] if CODE.search(text) else [own if len(own) < _LONGEST else "" for own in text.splitlines()]
    lines, files = _apart(lines, _FROM, all(map(_FROM.match, filter(str.strip, lines))))
    tags = _apart(lines, _TAGGED)[1]
    headings = [found[found.lastindex or 0] if (found := _HEADING.fullmatch(own)) else "" for own in lines]
    if loosely:
        alone = [_WORDS.fullmatch(own.strip()) and not before.strip() for before, own in pairwise(["", *lines])]
        headings = [own.strip() if bare else told for own, bare, told in zip(lines, alone, headings, strict=True)]
    times = Counter(filter(None, headings))
    sizes = {heading: _sized(heading) for heading in times}
    named = {
        (*(value for name, value in own if name == "benchmark"), own[-1][0]) if own else () for own in sizes.values()
    }
    numbered = len(named) == 1 and named != {()}
    for line, (own, heading) in enumerate(zip(lines, headings, strict=True), 1):
        if not own.strip() or _any_of("passing").match(own):
            continue
        above, last = last, own.strip() or last
        pairs = (sentences or {}).get(line, [])
        if not pairs and (command := command_of(own.strip())):
            ran = [(line, name, value) for name, value in command]
            continue
        if sentences is None:
            pairs = (_printed(own.strip(), above, "loose") if loosely else []) or _pairs(own, above)
        if times[heading] == 1 < len(times) and not pairs:
            yield (line, *sizes[heading][-1]) if numbered else (line, HEADING, heading)
        if len({name for name, _ in pairs}) == len(pairs):
            yield from ran if pairs else ()
            ran = [] if pairs else ran
            yield from ((line, name, value) for name, value in pairs)
        told = {"tag": tags[line - 1], "file": files[line - 1]} if sentences is None and len(pairs) > 1 else {}
        yield from ((line, name, value) for name, value in told.items() if value)


def _apart(lines: list[str], form: re.Pattern[str], there: bool = True) -> tuple[list[str], list[str]]:
    """Return lines without what stands before each, and that, where there are several that each come again."""
    found = [form.match(own) if there else None for own in lines]
    texts = [next(filter(None, own.groups()), "") if own else "" for own in found]
    times = Counter(filter(None, texts))
    again = [own for own, n in times.items() if n > 1]
    bare = [own[begins.end() :] if begins else own for own, begins in zip(lines, found, strict=True)]
    told = len(again) > 1 and sum(map(times.__getitem__, again)) >= _WHOLE * times.total()
    return bare, [own if told and own in again else "" for own in texts]


def _pairs(line: str, above: str = "") -> list[tuple[str, str]]:
    """Return the names and values of a line, between commas, bars and wide blanks, or else between blanks.

    What stands above names the time of a benchmark that has no name before it.
    """
    bare = line[begins.end() if (begins := _MARKED.match(line)) else 0 :].strip() if len(line) < _LONGEST else ""
    bare = framed[1].strip() if (framed := _FRAMED.fullmatch(bare)) else bare
    if known := _printed(bare, above):
        return known
    if took := _LASTED.fullmatch(bare):
        set_before = _sized(took[1].removesuffix(" time")) or ("=" in took[1].rpartition(",")[2] and _pairs(took[1]))
        if set_before:
            return [*set_before, ("time", took[2])]
    if told := _BRACKETED.fullmatch(bare):
        bare = f"{told[1]} {told[2]}" if told[2] in KNOWN else told[1]
    bare = _INNER.sub(_with_unit, _BOLD.sub(r"\2", bare))
    bare = _EQUALS.sub("= ", _REMARKED.sub(r"\1", bare))
    ways = ([_pair(part) for part in mark.split(bare)] for mark in (_BETWEEN, _BEFORE_NAME))
    found = _listed(bare) or max(([pair for pair in way if pair] for way in ways), key=len)
    led = _LED.match(bare) if len(found) > 1 else None
    return [*([("benchmark", led[1])] if led else []), *found]


def _with_unit(found: re.Match[str]) -> str:
    """Return a unit and the parts behind it, each in it but for those that have their own."""
    return f"{found[1]}, " + re.sub(r"(?<=[.\d])(?=, |$)", found[1], found[2])


def _sized(text: str) -> list[tuple[str, str]]:
    """Return the name and number that a text says, as `size 256` and `4 threads` do, and what stands before these."""
    if sized := _SIZED.fullmatch(text):
        return [(sized[1], sized[2])]
    things = _THINGS.fullmatch(text)
    before = [("benchmark", things[1])] if things and things[1] else []
    return [*before, (things[3] if things[3].endswith("s") else f"{things[3]}s", things[2])] if things else []


def _printed(bare: str, above: str, lines: str = "lines") -> list[tuple[str, str]]:
    """Return what programs that time others, and benchmarks of databases and servers, say in a line; else nothing."""
    for form, says in _lines(lines) if _DIGIT.search(bare) else ():
        if found := form.fullmatch(f"{above}\n{bare}" if r"\n" in form.pattern else bare):
            return [(found.expand(name), value) for name, text in says if (value := found.expand(text))]
    return []


def _listed(bare: str) -> list[tuple[str, str]]:
    """Return the names and numbers of a line that has nothing else between its bars, or three between commas or blanks.

    Before commas may stand settings or a label. There are none in other lines.
    """
    bare = _WIDE.sub(r"\1, ", bare)
    told = _LABELLED.fullmatch(bare) if bare.count(", ") > 1 else None
    parts = [part.strip() for part in (told[2] if told else bare).split(" | ")]
    if not (told or len(parts) > 1 or _THREE.fullmatch(bare)) or not all(map(_OF_NAMED_NUMBERS.fullmatch, parts)):
        return []
    set_before = _pairs(told[1]) if told and "=" in (told[1] or "") else []
    return [*set_before, *(pair for part in parts for pair in _NAMED_NUMBERS.findall(part))]


def _pair(part: str) -> tuple[str, str] | None:
    if not (found := _SAID.fullmatch(part) or _SAID_BEHIND.fullmatch(part) or _WAS.fullmatch(part)):
        return None
    small = found[1] in ("of", "is", "was")  # as in `a GFLOP/s rating of=1.1`
    if found[2].startswith("//"):  # of `http://…`
        return None
    name = " ".join(part[: found.start(1)].split()[-2:]) if small else found[1].strip()
    return (name, found[2].rstrip(".:,| ")) if name else None
