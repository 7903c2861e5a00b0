"""The model card: one HTML file that says what a model is, where it holds, how good it is; to send to a colleague."""

from dataclasses import replace
from hashlib import sha256
from typing import ClassVar

from core.codec import MAX_BYTES
from core.export._card_page import card_page, code_snippets
from core.export.base import Exporter
from core.export.json import Json, most_bytes
from core.pipeline import FittedPipeline
from core.report.model.card import card


class Card(Exporter):
    """A page that stands alone: no script, nothing from outside, figures drawn in it, light and dark, to print."""

    label: ClassVar[str] = "Model card (HTML)"
    suffix: ClassVar[str] = ".html"

    def write(self, model: FittedPipeline) -> bytes:
        """Return the page's bytes."""
        return write_card(model)


def write_card(model: FittedPipeline, name: str = "", saved: str = "", note: str = "") -> bytes:
    """Return the card of a model that was saved under a name, with what people say of it.

    Parameters
    ----------
    saved : when, as a text
    """
    small = most_bytes(model) <= 4 * MAX_BYTES  # larger ones are no file, and take long to write
    digest = sha256(Json().write(model)).hexdigest() if small else ""
    said = card(model, name, saved, note, digest)
    return card_page(replace(said, use=(*said.use, *code_snippets(model)))).encode()
