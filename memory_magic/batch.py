"""Many changes in one write: collected while your code runs, applied together at the end."""

from __future__ import annotations

from collections.abc import Callable

from memory_magic.edits import Edit
from memory_magic.results import Forgotten, Saved


class Batch:
    """Changes to be applied together; see ``Store.batch``. Each takes the arguments of the store's own method."""

    def __init__(self) -> None:
        self.calls: list[Callable[[Edit], Saved | Forgotten]] = []
        self.results: list[Saved | Forgotten] = []

    def remember(self, *args: object, **values: object) -> None:
        """As ``Store.remember``."""
        self.calls.append(lambda edit: edit.remember(*args, **values))  # type: ignore[arg-type]

    def save(self, *args: object, **values: object) -> None:
        """As ``Store.save``."""
        self.calls.append(lambda edit: edit.save(*args, **values))  # type: ignore[arg-type]

    def forget(self, *args: object, **values: object) -> None:
        """As ``Store.forget``."""
        self.calls.append(lambda edit: edit.forget(*args, **values))  # type: ignore[arg-type]

    def confirm(self, target: str) -> None:
        """As ``Store.confirm``."""
        self.calls.append(lambda edit: edit.confirm(target))
