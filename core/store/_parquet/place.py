"""Where a folder of Parquet files is, and which files are in it at present: local, or any URL that fsspec knows."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from core.errors import StoreError
from core.frozen import Frozen

_ENDINGS = (".parquet", ".parq", ".pq")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_STAMPS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")
"""What file systems call the mark that changes with a file."""


class File(Frozen):
    """One file of a folder.

    Attributes
    ----------
    path : as its file system calls it
    name : from the folder on
    stamp : what changes when the file does, beside its size
    """

    path: str
    name: str
    size: int
    stamp: str

    @property
    def keys(self) -> dict[str, str | None]:
        """What the folders on the way to it say, as in `machine=gpu1`."""
        pairs = (part.partition("=") for part in self.name.split("/")[:-1])
        return {unquote(k): None if v == _NO_VALUE else unquote(v) for k, sign, v in pairs if sign and k}


class Place(Frozen):
    """A folder and its files, in the order of their names.

    Attributes
    ----------
    system : its fsspec file system
    local : whether its files can be opened by their paths
    """

    url: str
    files: tuple[File, ...]
    system: Any
    local: bool

    @property
    def shown(self) -> str:
        """The folder's address without what signs one in."""
        return without_secrets(self.url)

    def listing(self) -> dict[str, tuple[int, str]]:
        """Return size and stamp by the files' names."""
        return {f.name: (f.size, f.stamp) for f in self.files}

    def fingerprint(self, more: str = "") -> str:
        """Return the SHA-256 of the listing and what else tells the contents."""
        return hashlib.sha256(json.dumps([self.listing(), more], sort_keys=True).encode()).hexdigest()


def without_secrets(url: str) -> str:
    """Return an address without the name and password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


def find_place(url: str) -> Place:
    """Return the files below a folder; those whose names begin with a point or a line below are left out.

    Raises
    ------
    StoreError
        If there is no such folder, it cannot be reached, or it holds no Parquet files.
    """
    from fsspec.implementations.local import LocalFileSystem

    system, root = _system(url)
    try:
        found = system.find(root, detail=True)
        alone = not found and system.isfile(root)
        if alone:
            found = {root: system.info(root)}
        elif not found and not system.isdir(root):
            raise FileNotFoundError(root)
    except FileNotFoundError:
        raise StoreError(
            f"There is no folder {url}. It may have been moved, or the disk it is on is not there."
        ) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise StoreError(f"The folder {url} cannot be listed: {first_line(error)}.") from None
    base = root.rpartition("/")[0] if alone or root in found else root
    files = tuple(_file(path, base, told) for path, told in sorted(found.items()) if _is_wanted(path, base))
    if not files:
        raise StoreError(f"The folder {url} holds no Parquet files: their names end in .parquet.")
    return Place(url, files, system, isinstance(system, LocalFileSystem))


def changes(place: Place, before: Mapping[str, tuple[int, str]]) -> str:
    """Return what is different from an earlier listing, in words; "" if nothing is."""
    now = place.listing()
    new, gone = len(now.keys() - before.keys()), len(before.keys() - now.keys())
    other = sum(tuple(before[name]) != now[name] for name in now.keys() & before.keys())
    counts = ((new, "new"), (gone, "gone"), (other, "changed"))
    return ", ".join(f"{n} {'file is' if n == 1 else 'files are'} {what}" for n, what in counts if n)


def _system(url: str) -> tuple[Any, str]:
    import fsspec

    try:
        system, root = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise StoreError(f"The folder {url} needs another package: {first_line(error)}.") from None
    except ValueError as error:
        raise StoreError(f"The address {url} is none that Ridgeline knows: {first_line(error)}.") from None
    return system, str(root).rstrip("/") or "/"


def _is_wanted(path: str, base: str) -> bool:
    parts = path[len(base) :].strip("/").split("/")
    return path.lower().endswith(_ENDINGS) and not any(part.startswith((".", "_")) for part in parts)


def _file(path: str, base: str, told: Mapping[str, Any]) -> File:
    stamp = next((str(told[key]) for key in _STAMPS if told.get(key) is not None), "")
    return File(path, path[len(base) :].strip("/"), int(told.get("size") or 0), stamp)


def first_line(error: BaseException) -> str:
    """Return the beginning of what an error says, or what it is called."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
