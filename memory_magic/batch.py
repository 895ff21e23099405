"""Many changes in one write: collected while your code runs, applied together at the end."""

from __future__ import annotations

from collections.abc import Callable

from memory_magic.edits import Edit
from memory_magic.errors import InvalidError, MemoryMagicError
from memory_magic.results import Forgotten, Saved


class Batch:
    """Changes to be applied together; see ``Store.batch``. Each takes the arguments of the store's own method.

    Raises InvalidError on a call after the end of the ``with`` block, which would be lost.
    """

    def __init__(self) -> None:
        self.calls: list[Callable[[Edit], Saved | Forgotten]] = []
        self.results: list[Saved | Forgotten] = []
        self.closed = False

    def remember(self, *args: object, **values: object) -> None:
        """As ``Store.remember``."""
        self._add(lambda edit: edit.remember(*args, **values))  # type: ignore[arg-type]

    def save(self, *args: object, **values: object) -> None:
        """As ``Store.save``."""
        self._add(lambda edit: edit.save(*args, **values))  # type: ignore[arg-type]

    def add(self, **values: object) -> None:
        """Store a new fact, exactly; AmbiguousError where its key, title or text is another's already."""
        self._add(lambda edit: edit.add(**values))  # type: ignore[arg-type]

    def amend(self, *args: object, **values: object) -> None:
        """As ``Store.amend``."""
        self._add(lambda edit: edit.amend(*args, **values))  # type: ignore[arg-type]

    def forget(self, *args: object, purge: bool = False, **values: object) -> None:
        """As ``Store.forget``, but for ``purge``, which cannot be all or nothing together with others."""
        if purge:
            raise InvalidError("A purge cannot be part of a batch; call store.forget(..., purge=True) by itself")
        self._add(lambda edit: edit.forget(*args, **values))  # type: ignore[arg-type]

    def confirm(self, target: str, *, version: str | None = None) -> None:
        """As ``Store.confirm``."""
        self._add(lambda edit: edit.confirm(target, version=version))

    def apply(self, edit: Edit) -> list[Saved | Forgotten]:
        """Make the changes in their order; an error carries a note that says which call it was."""
        results = []
        for number, call in enumerate(self.calls, 1):
            try:
                results.append(call(edit))
            except MemoryMagicError as error:
                error.add_note(f"call {number} of the batch; nothing of it was saved")
                raise
        return results

    def _add(self, call: Callable[[Edit], Saved | Forgotten]) -> None:
        if self.closed:
            raise InvalidError("This batch has ended; open another one with store.batch()")
        self.calls.append(call)
