"""Values that never change: the base of every class whose attributes are given once and stay."""

from dataclasses import dataclass, field
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Frozen:
    """Base whose every subclass is a frozen dataclass, as if the decorator stood there."""

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, **how)(cls)
