"""What can go wrong with the database itself, told apart from what is wrong with what is stored."""

from core.errors import StoreError


class OwnedError(StoreError):
    """Another process owns the database; what is to be stored can go through its inbox."""


class DatabaseError(StoreError):
    """The database itself could not: a full disk, damage, no permission. What was to be stored may be right."""
