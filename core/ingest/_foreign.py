"""What a file seems to be when it is no table, so that the refusal can say it."""

import re

from core.errors import ReadError
from core.ingest._vocabulary import data_of

_MAGIC = tuple((begins.encode("latin-1"), *said) for begins, *said in data_of(__package__, "foreign.toml")["magic"])
_XML = data_of(__package__, "foreign.toml")["xml"]
_PAGE = re.compile(rb"<(!doctype html|html|head|body|meta|script|div|p|table)\b", re.IGNORECASE)
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MODEL = tuple(re.compile(line, re.MULTILINE) for line in (rb"^Model \d+\s*$", rb"^\[\d+(,\d+)?\]\("))
_TEXT = bytes(byte for byte in range(256) if not CONTROL.match(bytes([byte])))


def has_control(raw: bytes) -> bool:
    """Whether bytes hold a control character that no text has; ten times as fast as a search for the first one."""
    return bool(raw.translate(None, _TEXT))


def refuse_binary(name: str, head: bytes) -> None:
    """Raise ReadError if the first bytes are those of a known binary format."""
    if head[8:12] == b"DUCK" and has_control(head):
        raise ReadError(f"{name} seems to be a DuckDB database, not a table. Export the table as CSV.")
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic) and (has_control(head) or magic == b"%PDF"):
            raise ReadError(f"{name} seems to be {what}, not a table. {remedy}")
    if _mostly_controls(head):
        raise ReadError(f"{name} seems to be a binary file, not a table. Export the table as CSV.")


def refuse_models(name: str, raw: bytes) -> None:
    """Raise ReadError if the text is a model of Eiger's, or the schema of a results file."""
    if b"Model " in raw and all(line.search(raw) for line in _MODEL):  # looked for first, as lines take longer
        raise ReadError(f"{name} is a model of Eiger's, not trials. Use it with: ridgeline predict {name} FILE.csv.")
    start = raw.lstrip()[:2048]
    if start.startswith(b"{") and b'"$schema"' in start and b'"properties"' in raw[:65536]:
        raise ReadError(f"{name} is a JSON Schema: it describes result files, and holds no results. Import those.")


def refuse_markup(name: str, head: bytes) -> None:
    """Raise ReadError if the text begins like HTML, XML or JSON."""
    start = head.lstrip()[:64]
    if re.match(rb"<(!|\?|(?!not )[A-Za-z])", start):
        if not _PAGE.search(head):
            remedy = next(remedy for word, remedy in _XML if word.encode() in head)
            raise ReadError(f"{name} seems to be XML, which is not read. {remedy}")
        raise ReadError(
            f"{name} seems to be a web page, not a table. If it was downloaded, "
            "the site may have sent its login page; download it again."
        )
    if re.match(rb'\{|\[\s*([\[{"\d]|-\d|\]\s*\Z)', start):
        raise ReadError(f"{name} seems to be JSON, not a table. Convert it to CSV with one row per trial.")


def _mostly_controls(head: bytes) -> bool:
    """Whether control characters abound although the zero bytes are not those of UTF-16 or UTF-32."""
    zeros = head.count(0)
    others = len(CONTROL.findall(head)) - zeros
    text_like = zeros in range(int(0.35 * len(head)), int(0.8 * len(head)) + 1)
    return len(head) > 0 and (others > 0.05 * len(head) or (zeros > 0.05 * len(head) and not text_like))
