"""What a user says of the form of a table, beside what its columns are."""

from dataclasses import dataclass

from core.errors import OptionError

HEADERS = ("", "yes", "no")


@dataclass(frozen=True)
class Form:
    """How a table is laid out; what is left open is found.

    Attributes
    ----------
    header : "yes" if the first row names the columns, "no" if there is no such row
    names : the columns' names, in their order, in place of the file's
    sheet : of a workbook
    separator : between cells
    """

    header: str = ""
    names: tuple[str, ...] = ()
    sheet: str = ""
    separator: str = ""

    def __post_init__(self) -> None:
        if self.header not in HEADERS:
            raise OptionError(f"Option header must be 'yes', 'no' or '' to find it out; got '{self.header}'.")


AS_FOUND = Form()
