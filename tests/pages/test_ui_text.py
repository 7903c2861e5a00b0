"""Names are shown letter for letter: what each character of Markdown becomes, and what stays."""

import html
import re

import pytest
from markdown_it import MarkdownIt

from core.report.shared.naming import file_name
from pages._ui.drawn import count, listed, literal, number, percent, short, short_distinct

HOSTILE = [
    "gemm<float, 4>(float*, int*) $x$ y$ [t](u) :red[r]",
    "![x](http://127.0.0.1/a.png)",
    "https://evil.example www.evil.example a@b.co",
    "**b** __i__ `c` ~~s~~ # head | cell \\ &lt;",
    "<script>alert(1)</script>",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_every_markdown_character_is_escaped_and_nothing_else_changes(name: str) -> None:
    escaped = literal(name)
    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u2060", "") == name
    assert not re.search(r"(?<!\\)[`*\[\]<>#$:~!|&@/]", re.sub(r"\\.", "", escaped))


@pytest.mark.parametrize(
    "name", [*HOSTILE, "store_queue (entries)", "a_b_c _x_ snake_case_ 1) x", "1) a", "[a]: (b)", "(a)[b](c)", "_(x)_"]
)
def test_markdown_reads_the_name_and_nothing_more(name: str) -> None:
    drawn = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(literal(name))
    assert re.fullmatch(r"<p>[^<>]*</p>\n", drawn)
    assert html.unescape(drawn[3:-5]).replace("\u2060", "") == name


def test_words_and_brackets_have_no_strokes_that_screen_readers_would_say() -> None:
    assert literal("store_queue (entries)") == "store_queue (entries)"


@pytest.mark.parametrize(
    "text",
    [
        "a -> b",
        "a <-> b",
        "l2 >= 4",
        "x <= 1",
        "x ~= 1",
        "a -- b",
        ":streamlit:",
        ":material_home:",
        "http://a.b",
        "HTTPS://a.b",
        "www.a.b",
        "a@b.co",
    ],
)
def test_what_streamlit_replaces_even_if_escaped_is_broken_up(text: str) -> None:
    assert literal(text).count("\u2060") == 1


def test_nothing_else_is_broken_up() -> None:
    assert "\u2060" not in literal("a->b x-y 1.5 time (us) l2_misses a:b x=1 <T>")


def test_unseen_characters_are_shown_as_codes() -> None:
    assert literal("a\u202eb\u200bc\x00\n") == "a⟨U\\+202E⟩b⟨U\\+200B⟩c⟨U\\+0000⟩⟨U\\+000A⟩"


def test_spaces_that_markdown_would_drop_are_kept() -> None:
    assert literal(" a  b ") == "\u00a0a \u00a0b\u00a0"


def test_short_keeps_both_ends() -> None:
    assert short("a" * 10, 10) == "a" * 10
    assert short("abcdefghijklmnop", 9) == "abcde…nop"
    assert len(short("x" * 500, 48)) == 48


def test_counts_and_numbers_as_people_read_them() -> None:
    assert (count(1, "trial"), count(1056, "trial"), count(2, "entry", "entries")) == (
        "1 trial",
        "1,056 trials",
        "2 entries",
    )
    assert [number(v) for v in (3.0, 0.00012345, 1234567.0, None, float("nan"), 1e300)] == [
        "3",
        "0.000123",
        "1,234,567",
        "–",
        "–",
        "10³⁰⁰",
    ]
    assert number(196.4, 2) == "196"
    assert (percent(12.345), percent(None)) == ("12.3 %", "–")
    assert (percent(0.0), percent(1e-5)) == ("0 %", "< 0.001 %")
    assert (percent(999.4), percent(3064.2), percent(-5e4), percent(1e9)) == (
        "999 %",
        "3,064 %",
        "-50,000 %",
        "1e+09 %",
    )
    assert listed("abcdefgh", 3) == "a, b, c and 5 more"


def test_file_names_come_from_an_allow_list() -> None:
    assert file_name('../../evil"\r\nX-Evil: 1', ".csv") == "evil_X-Evil_1.csv"
    assert file_name("…", ".json") == "ridgeline.json"


def test_the_longest_part_of_a_name_is_cut() -> None:
    name = f"{'k' * 5000} · grid 4096 · gpu"
    assert short(name, 60).endswith("k · grid 4096 · gpu")
    assert len(short(name, 60)) == 60


def test_short_forms_stay_different() -> None:
    names = [f"{'a' * 99}{i}{'b' * 99}" for i in range(3)]
    found = short_distinct([*names, "c"], 20)
    assert len(set(found.values())) == 4
    assert found["c"] == "c"
    assert max(map(len, found.values())) <= 24
