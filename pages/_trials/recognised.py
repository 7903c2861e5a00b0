"""The screen on which files are recognised: what each was taken for, what is in doubt, and every column to correct."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.ingest import READERS, Dropped, Question, RecognisedTable, Recognition
from core.ingest.recognition.recognition import Join, below
from core.report.trials import recognised
from pages._trials.files import in_page_words
from pages._trials.receipts import draw_refused, draw_report
from pages._ui.choices import act
from pages._ui.drawn import count, listed, literal, short

_MOST_CARDS, _MOST_QUESTIONS, _MANY_COLUMNS, _ROW, _MOST_ROWS = 4, 3, 60, 24, 14
_MAY_RESPOND = ("counter", "derived", "deterministic", "label")


def draw_columns(dropped: Dropped, key: str) -> Recognition:
    """Show every column with what it was taken for, to be changed, and return the files as the user wants them."""
    found = recognised.corrected(dropped.recognition, _said(key))
    for i, table in enumerate(found.tables):
        if len(found.tables) > 1:
            st.markdown(f"**{literal(_files(table.files))}**")
        _edit(dropped, table, i, key)
    return recognised.corrected(dropped.recognition, _said(key))


def draw_tables(dropped: Dropped, found: Recognition, key: str) -> None:
    """Show a card per table, ask what is in doubt, and say what is wrong."""
    with st.grid(min(len(found.tables), 2), min_column_width=220, border=True):
        for table in found.tables[:_MOST_CARDS]:
            _card(table, found.joins)
    if len(found.tables) > _MOST_CARDS:
        st.caption(f"And {count(len(found.tables) - _MOST_CARDS, 'more table')} below.")
    if not any(table.named("response") for table in found.tables):
        _ask_response(found, key)
    _ask(recognised.open_questions(found), key)
    for problem in found.problems:
        text = in_page_words(f"{problem.says} {problem.remedy}").strip()
        st.caption(f":orange[:material/info:] {literal(text)}")
    _remarks(dropped, key)


def unnamed_machine(found: Recognition) -> bool:
    """Whether some trials do not say where they ran."""
    return any(not table.named("machine") and not table.given.machine_name for table in found.tables)


def _said(key: str) -> recognised.Corrections:
    """Return what was said of these files."""
    found: recognised.Corrections = st.session_state.setdefault(f"{key}_said", recognised.Corrections())
    return found


def _card(table: RecognisedTable, joins: Sequence[Join]) -> None:
    with st.container(gap="xxsmall"):
        label = READERS[table.format].label if table.format in READERS else table.format
        st.markdown(f"**{literal(_files(table.files))}**")
        what = [count(table.rows, "row"), table.holds, count(len(table.columns), "column"), label]
        st.caption(literal(" · ".join(what)))
        for first, what, n in below(joins):
            if first in table.files:
                st.caption(literal(f"+ {what}: {count(n, 'row')} below"))
        for join in joins:
            if join.files[0] in table.files and join.adds != "trials":
                st.caption(literal(_joined(join)))


def _files(files: Sequence[str]) -> str:
    return short(listed(list(files), 3), 80)


def _joined(join: Join) -> str:
    rows = f"{join.n_joined:,} joined, {join.n_missing:,} without a row there, {join.n_extra:,} left over"
    return f"+ {join.files[1]} by {', '.join(join.by) or 'name'}: {rows}"


def _ask_response(found: Recognition, key: str) -> None:
    names = list(dict.fromkeys(c.name for t in found.tables for c in t.columns if c.role in _MAY_RESPOND))
    label = ":orange[:material/help: Which column is to be predicted?]"
    help = "These files hold no time. Choose an outcome such as cycles, or add the file that has the times."
    look: Any = {"index": None, "placeholder": "none yet", "on_change": _respond, "args": (key,)}
    st.selectbox(label, names, key=f"{key}_response", help=help, **look)


def _respond(key: str) -> None:
    name = st.session_state[f"{key}_response"]
    if name is not None:
        _say(key, recognised.merged(st.session_state[f"{key}_said"], recognised.Corrections({name: "response"})))


def _ask(asked: Sequence[tuple[str, Sequence[Question]]], key: str) -> None:
    for asks, questions in asked[:_MOST_QUESTIONS]:
        _question(asks, questions, key)
    if len(asked) > _MOST_QUESTIONS:
        with st.expander(f"{count(len(asked) - _MOST_QUESTIONS, 'more question')}", key=f"{key}_questions"):
            for asks, questions in asked[_MOST_QUESTIONS:]:
                _question(asks, questions, key)


def _question(asks: str, questions: Sequence[Question], key: str) -> None:
    columns = [question.column for question in questions]
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(f":orange[:material/help: {literal(asks)}]", width="stretch")
        help = "For all of them; one that differs can be changed in the table below." if columns[1:] else None
        for choice in questions[0].choices:
            act(literal(choice), f"{key}_ask_{columns[0]}_{choice}", "", _answer, key, columns, choice, help=help)


def _answer(key: str, columns: Sequence[str], choice: str) -> None:
    _say(key, st.session_state[f"{key}_said"].with_answer(columns, choice))


def _say(key: str, said: recognised.Corrections) -> None:
    """Take what was said outside the editor, which begins again with it."""
    st.session_state[f"{key}_said"] = said
    st.session_state[f"{key}_round"] = st.session_state.get(f"{key}_round", 0) + 1


def _edit(dropped: Dropped, table: RecognisedTable, i: int, key: str) -> None:
    """Let the user change roles and units; the editor starts again where other columns are shown or asked about."""
    group, part = recognised.EVERYTHING, ""
    groups = recognised.groups_of(table.columns)
    if len(table.columns) > _MANY_COLUMNS:
        left, right = st.columns(2)
        said = {name: f"{name} ({len(own):,})" for name, own in groups.items()}.__getitem__
        group = left.selectbox("Columns", list(groups), key=f"{key}_group_{i}", format_func=said) or recognised.REST
        part = right.text_input("Search", key=f"{key}_search_{i}", placeholder="part of a name") or ""
    editor = f"{key}_columns_{i}_{st.session_state.get(f'{key}_round', 0)}_{group}_{part}"
    if editor not in st.session_state or f"{editor}_start" not in st.session_state:
        own = [c for c in (groups[recognised.EVERYTHING] if part else groups[group]) if part.lower() in c.name.lower()]
        st.session_state[f"{editor}_start"] = recognised.columns_table(own, recognised.values_of(dropped, i))
    start = st.session_state[f"{editor}_start"]
    fixed = [recognised.NAME, recognised.SHAPE, recognised.RANGE, recognised.WHY]
    alt = f"The columns of {_files(table.files)}: what each is taken for, its unit, range and why"
    look: Any = {"row_height": _ROW, "height": _ROW * min(len(start), _MOST_ROWS) + 40, "column_config": _columns()}
    after = st.data_editor(start, key=editor, hide_index=True, disabled=fixed, width="stretch", alt=alt, **look)
    st.session_state[f"{key}_said"] = recognised.merged(_said(key), recognised.edits(start, after))


def _columns() -> dict[str, Any]:
    return {
        recognised.NAME: st.column_config.TextColumn(width=170, pinned=True),
        recognised.ROLE: st.column_config.SelectboxColumn(
            options=list(recognised.ROLE_NAMES.values()), required=True, width=110, help="What it is: change it here."
        ),
        recognised.UNIT: st.column_config.TextColumn(
            width=60, max_chars=24, help="As the numbers are; change it here."
        ),
        recognised.SHAPE: st.column_config.BarChartColumn(width=70, help="How the values are distributed"),
        recognised.RANGE: st.column_config.TextColumn(width=130),
        recognised.WHY: st.column_config.TextColumn(width=320),
    }


def _remarks(dropped: Dropped, key: str) -> None:
    """Fold away what was noticed, skipped and left out."""
    imports = [imported for alike in dropped.imports for imported in alike]
    read = [*imports, *(own.table for own in dropped.joined)]
    sources, warnings = [one.source for one in read], [w for one in read for w in one.warnings]
    texts, skipped = recognised.folded(warnings, sources), [s for i in imports for s in i.skipped]
    parts = [count(len(texts), "remark")] * bool(texts) + [f"{count(len(skipped), 'place')} skipped"] * bool(skipped)
    if parts:
        with st.expander(", ".join(parts), key=f"{key}_report"):
            draw_report(skipped, warnings, key, sources)
    if dropped.refused:
        draw_refused(dropped.refused, key)
