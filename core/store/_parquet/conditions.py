"""Filters on rows that pass by: the same comparisons as on stored trials."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.store._parquet.draw import Mask
from core.store._parquet.roles import FolderRoles, texts_of, values_of
from core.store._parquet.rows import Folder
from core.store._read import compare_numbers, compare_texts
from core.store.cards import Condition


def keeping(roles: FolderRoles, where: Sequence[Condition]) -> Callable[[Any], Mask]:
    """Return what tells which rows of a batch fulfil all conditions.

    A condition on an unknown column keeps all rows; whoever filters the rows after refuses it.
    """
    texts = roles.text_columns()
    numbers = {metric.name: column for column, metric in roles.metrics}

    def keep(batch: Any) -> Mask:
        found = np.ones(len(batch), dtype=np.bool_)
        for column, sign, value in where:
            if column == "machine" and roles.machine_name:
                found &= compare_texts(np.array([roles.machine_name], dtype=object), sign, value)
            elif column in texts:
                own = texts_of(batch, texts[column])
                found &= compare_texts(np.array(own.texts, dtype=object), sign, value)[own.codes]
            elif column in numbers:
                found &= compare_numbers(values_of(batch, [numbers[column]])[:, 0], column, sign, value)
        return found

    return keep


def told_by_folders(folder: Folder, roles: FolderRoles, where: Sequence[Condition]) -> dict[str, str]:
    """Return the texts that columns must have for any row to fulfil all conditions, as folders' names can tell."""
    texts = {name: columns[0] for name, columns in roles.text_columns().items() if len(columns) == 1}
    same = {texts[column]: value for column, sign, value in where if sign == "=" and column in texts}
    return {column: value for column, value in same.items() if not folder.is_number(column)}
