"""The scale that a response is modelled on, and the way back to its unit."""

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import FitError

LARGEST = 1e150
"""Beyond this a number has no square, and below its inverse the square is 0: neither has a variance or a distance."""
DECADE = 10.0
"""A positive response that spans more is modelled in logarithms."""

RAW, LOG, RATIO, LOG_RATIO = SCALES = ("raw", "log", "ratio", "log_ratio")
PLAIN_SCALES = (RAW, LOG)
"""Those that need no reference."""
CHOICES = ("auto", *SCALES)
"""What users may ask for."""
HELP = (
    "auto takes the logarithm of a positive response that spans more than a decade; with a host, the logarithm of "
    "its ratio to the host's; ratio is that ratio itself"
)


class RowScale(Frozen):
    """A scale together with the reference of some rows.

    Attributes
    ----------
    reference : array of shape (n,), positive, in the response's unit; None for `raw` and `log`
    factor, power : the response is factor · (what the model says)^power; both 1 unless a model was
        rescaled to another target
    """

    name: str
    reference: FloatArray | None = None
    factor: float = 1.0
    power: float = 1.0

    @property
    def whole(self) -> "ResponseScale":
        """The same without the reference of these rows."""
        return ResponseScale(self.name, self.factor, self.power)

    def forward(self, y: FloatArray) -> FloatArray:
        """Return responses of these rows on the model's scale."""
        with np.errstate(divide="ignore", invalid="ignore"):
            y = y if self.factor == 1 else y / self.factor
            y = y if self.power == 1 else y ** (1 / self.power)
            value = y if self.reference is None else y / self.reference
            return np.log(value) if self.name in (LOG, LOG_RATIO) else value

    def inverse(self, z: FloatArray) -> FloatArray:
        """Return the model's output for these rows in the response's unit; too large for a number becomes inf."""
        with np.errstate(over="ignore", invalid="ignore"):
            value: FloatArray = np.exp(z) if self.name in (LOG, LOG_RATIO) else z
            if self.reference is not None:
                value = np.where(self.reference > 0, value * self.reference, np.nan)
            value = value if self.power == 1 else value**self.power
            return value if self.factor == 1 else value * self.factor


class ResponseScale(Frozen):
    """Raw, the natural logarithm, the ratio to a reference, or the ratio's logarithm.

    A model in logarithms predicts the median, and never below 0.

    Attributes
    ----------
    factor, power : the response is factor · (what the model says)^power; see `RowScale`
    """

    name: str = RAW
    factor: float = 1.0
    power: float = 1.0

    @property
    def relative(self) -> bool:
        """Whether the response is modelled as a ratio to a reference of the same row."""
        return self.name in (RATIO, LOG_RATIO)

    @property
    def log(self) -> bool:
        """Whether differences on this scale are factors of the response."""
        return self.name in (LOG, LOG_RATIO)

    @property
    def plain(self) -> "ResponseScale":
        """The scale without the reference, factor and power: raw or log."""
        return ResponseScale(LOG if self.log else RAW)

    def of(self, reference: FloatArray | None) -> RowScale:
        """Return the scale of rows with a reference of shape (n,), which plain scales do not look at."""
        if self.relative and reference is None:
            raise FitError(f"The scale {self.name} needs the reference of each row, and there is none.")
        return RowScale(self.name, reference if self.relative else None, self.factor, self.power)

    def forward(self, y: FloatArray) -> FloatArray:
        """Return the response on a plain scale; see `of` for relative ones."""
        return self.of(None).forward(y)

    def inverse(self, z: FloatArray) -> FloatArray:
        """Return the output of a model of a plain scale in the response's unit; see `of` for relative ones."""
        return self.of(None).inverse(z)


def choose_scale(name: str, y: FloatArray, reference: FloatArray | None = None) -> ResponseScale:
    """Return the scale that a name of `CHOICES` means for these responses.

    `auto` is `log_ratio` where there is a reference and all is positive, else the logarithm for a
    positive response that spans more than a decade.

    Raises
    ------
    FitError
        If a logarithm is asked for and a response is not positive, or a ratio and there is no
        reference or one that is not positive.
    """
    if name == "auto":
        found = logarithm_of(y, reference)
        return ResponseScale(RAW if found == LOG and y.max() / y.min() <= DECADE else found)
    if name in (LOG, LOG_RATIO) and y.min() <= 0:
        raise FitError(
            f"A response of {y.min():g} has no logarithm. Choose the raw scale, or leave out trials at or below 0."
        )
    if name in (RATIO, LOG_RATIO):
        _check_reference(name, reference)
    return ResponseScale(name)


def check_response(y: FloatArray, name: str = "") -> None:
    """Raise FitError if a response, by its name if it has one, is too large or too near 0 to have a square."""
    sizes = np.abs(y)
    beyond = (sizes > LARGEST) | ((sizes > 0) & (sizes < 1 / LARGEST))
    if beyond.any():
        called, value = f"The response '{name}'" if name else "The response", y[beyond.argmax()]
        raise FitError(
            f"{called} is {value:g}; numbers beyond {LARGEST:g} and below {1 / LARGEST:g} have no square. "
            "Give it another unit, or leave out that trial."
        )


def logarithm_of(y: FloatArray, reference: FloatArray | None = None) -> str:
    """Return the scale of logarithms that these responses have, "raw" where one is not positive."""
    if y.min() <= 0:
        return RAW
    return LOG_RATIO if reference is not None and reference.min() > 0 else LOG


def _check_reference(name: str, reference: FloatArray | None) -> None:
    if reference is None:
        raise FitError(
            f"The scale {name} divides by a reference, such as the host's time, and these trials have none. "
            "Choose a host and a target, or the scale log or raw."
        )
    if reference.min() <= 0:
        raise FitError(
            f"A reference of {reference.min():g} is nothing to divide by. Leave out trials whose reference is "
            "at or below 0, or choose the scale log or raw."
        )
