"""The rows of a folder of Parquet files in batches: columns of numbers and of texts, whatever the files' types."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from core.errors import StoreError
from core.frozen import Frozen
from core.progress import Progress, silent
from core.store._parquet.place import File, Place, find_place, first_line

NUMBER, TEXT = "number", "text"
_BATCH = 65_536
_AT_ONCE = 8


class Folder(Frozen):
    """A folder whose files have been looked into.

    Attributes
    ----------
    columns : by name, NUMBER or TEXT
    n_rows : per file
    left_out : columns that hold neither numbers nor texts, with what they hold
    statistics : what the files say of their own contents, for the fingerprint
    """

    place: Place
    columns: Mapping[str, str]
    n_rows: tuple[int, ...]
    left_out: tuple[tuple[str, str], ...]
    statistics: str

    @property
    def n_trials(self) -> int:
        """How many rows all files have."""
        return sum(self.n_rows)

    def is_number(self, column: str) -> bool:
        """Whether a column holds numbers."""
        return self.columns[column] == NUMBER

    def within(self, wanted: Mapping[str, str]) -> "Folder":
        """Return the folder without files whose own folders say another text for a column; one file stays."""
        said = [{column: (text or "").strip() for column, text in file.keys.items()} for file in self.place.files]
        keep = [i for i, own in enumerate(said) if all(own.get(k, text) == text for k, text in wanted.items())] or [0]
        place = replace(self.place, files=tuple(self.place.files[i] for i in keep))
        return replace(self, place=place, n_rows=tuple(self.n_rows[i] for i in keep))

    @property
    def fingerprint(self) -> str:
        """The SHA-256 by which its contents are known."""
        return self.place.fingerprint(self.statistics)


def open_folder(url: str) -> Folder:
    """Look into a folder: the beginnings and ends of its files, not what is between.

    Raises
    ------
    StoreError
        If it is not there, a file is damaged or has other columns than the rest, or there are no rows.
    """
    place = find_place(url)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        heads = list(pool.map(lambda file: _head(place, file), place.files))
    types, left_out = _types(place, heads[0])
    columns = dict(types)
    for file, head in zip(place.files[1:], heads[1:], strict=True):
        columns = _agreed(place, file, columns, dict(_types(place, head)[0]))
    columns |= _partitions(place)
    if not sum(head.n_rows for head in heads):
        raise StoreError(f"The Parquet files of {place.shown} hold no rows.")
    statistics = "\n".join(head.statistics for head in heads)
    return Folder(place, columns, tuple(head.n_rows for head in heads), left_out, statistics)


def batches(folder: Folder, columns: Sequence[str], progress: Progress = silent) -> Iterator[Any]:
    """Yield the rows of all files as record batches: numbers as doubles without NaN (null), texts as dictionaries.

    Raises
    ------
    StoreError
        If a file cannot be read to its end; it names the file.
    """
    done = 0
    for file in folder.place.files:
        keys = file.keys
        try:
            with _opened(folder.place, file) as parquet:  # one column at least, which tells how many rows there are
                own = [name for name in columns if name not in keys] or parquet.schema_arrow.names[:1]
                for batch in parquet.iter_batches(_BATCH, columns=own, use_threads=True):
                    yield _plain(batch, folder, columns, keys)
                    done += len(batch)
                    progress(done / folder.n_trials, f"{done:,} of {folder.n_trials:,} rows read")
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise StoreError(_damaged(folder.place, file, error)) from None


class _Head(Frozen):
    """What the end of a file says."""

    file: File
    schema: Any
    n_rows: int
    statistics: str


def _opened(place: Place, file: File) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(file.path if place.local else place.system.open(file.path, "rb"), memory_map=False)


def _head(place: Place, file: File) -> _Head:
    try:
        with _opened(place, file) as parquet:
            told = parquet.metadata
            return _Head(file, parquet.schema_arrow, told.num_rows, _statistics(told))
    except FileNotFoundError:
        raise StoreError(f"{file.name} of {place.shown} is not there any more. Try again.") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise StoreError(_damaged(place, file, error)) from None


def _damaged(place: Place, file: File, error: BaseException) -> str:
    where = f"{file.name} of {place.shown}"
    return f"{where} cannot be read as Parquet: {first_line(error)}. Write it again, or take it out of the folder."


def _statistics(told: Any) -> str:
    """Return how many rows each group has, and where its columns lie and end."""
    groups = (told.row_group(i) for i in range(told.num_row_groups))
    return ";".join(f"{g.num_rows}:{_ranges(g)}" for g in groups)


def _ranges(group: Any) -> str:
    found = (group.column(j).statistics for j in range(group.num_columns))
    return ",".join(f"{s.min}..{s.max}/{s.null_count}" if s is not None and s.has_min_max else "-" for s in found)


def _types(place: Place, head: _Head) -> tuple[list[tuple[str, str]], tuple[tuple[str, str], ...]]:
    names = head.schema.names
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise StoreError(f"{head.file.name} of {place.shown} has column '{twice}' twice. Give each its own name.")
    kinds = [(field.name, _kind(field.type), str(field.type)) for field in head.schema]
    kept = [(name, kind) for name, kind, _ in kinds if kind]
    return kept, tuple((name, held) for name, kind, held in kinds if not kind)


def _kind(type: Any) -> str:
    """Return NUMBER, TEXT, or "" for what is neither, such as lists."""
    import pyarrow.types as t

    own = type.value_type if t.is_dictionary(type) else type
    if t.is_integer(own) or t.is_floating(own) or t.is_decimal(own):
        return NUMBER
    words = (t.is_string, t.is_large_string, t.is_string_view, t.is_boolean, t.is_temporal, t.is_null)
    return TEXT if any(test(own) for test in words) else ""


def _agreed(place: Place, file: File, before: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    first = place.files[0].name
    if own.keys() != before.keys():
        lacking, has = (file.name, first) if before.keys() - own.keys() else (first, file.name)
        name = min(before.keys() - own.keys() or own.keys() - before.keys())
        raise StoreError(
            f"{lacking} of {place.shown} has no column '{name}', which {has} has. Files of one folder have the same "
            f"columns: take {file.name} out of the folder, or write it again."
        )
    for name, kind in own.items():
        if kind != before[name]:
            raise StoreError(
                f"Column '{name}' holds {kind}s in {file.name} of {place.shown} and {before[name]}s in {first}. "
                "Write one of the files again."
            )
    return before


def _partitions(place: Place) -> dict[str, str]:
    """Return the columns that folders' names make."""
    all_keys = [file.keys for file in place.files]
    for file, keys in zip(place.files, all_keys, strict=True):
        if keys.keys() != all_keys[0].keys():
            raise StoreError(
                f"{file.name} of {place.shown} lies in folders that say {', '.join(keys) or 'nothing'}, and others in "
                f"such that say {', '.join(all_keys[0]) or 'nothing'}. Put all files into folders of one kind."
            )
    return {name: _kind_of_texts([keys[name] for keys in all_keys]) for name in all_keys[0]}


def _kind_of_texts(texts: Sequence[str | None]) -> str:
    try:
        return NUMBER if [float(text) for text in texts if text is not None] else TEXT
    except ValueError:
        return TEXT


def _plain(batch: Any, folder: Folder, columns: Sequence[str], keys: Mapping[str, str | None]) -> Any:
    """Return a batch with the columns asked for, of two types only."""
    import pyarrow as pa

    arrays = [
        _of_key(keys[name], folder.columns[name], len(batch))
        if name in keys
        else _number(batch.column(name))
        if folder.columns[name] == NUMBER
        else _text(batch.column(name))
        for name in columns
    ]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _number(array: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not pa.types.is_float64(array.type):
        array = pc.cast(array, pa.float64(), safe=False)
    if pc.any(pc.is_nan(array)).as_py():
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, pa.float64()), array)
    return array


def _text(array: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(array.type):
        array = pc.cast(array, pa.string()).dictionary_encode()
    return array.cast(pa.dictionary(pa.int32(), pa.string()))


def _of_key(value: str | None, kind: str, n: int) -> Any:
    import pyarrow as pa

    if kind == NUMBER:
        return pa.array(np.full(n, np.nan if value is None else float(value)), from_pandas=True)
    codes = pa.array(np.zeros(n, dtype=np.int32), mask=np.full(n, value is None))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value or ""]))
