"""The one door to the memory: what the reader has, and remember, save, forget, confirm, undo, redo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import TypeVar

from memory_magic import likeness
from memory_magic.batch import Batch
from memory_magic.changes import PURGE, REDO, UNDO
from memory_magic.edits import Edit
from memory_magic.errors import NotFoundError, UnwritableError
from memory_magic.fact import Fact
from memory_magic.prompt import TITLES, Section
from memory_magic.reader import Reader
from memory_magic.results import Forgotten, Saved
from memory_magic.timeline import Reverted

_Result = TypeVar("_Result")


class Store(Reader):
    """The facts of one file. Safe to use from several threads; any number of processes may share the file."""

    # Writing

    def remember(
        self,
        text: str | None = None,
        body: str | None = None,
        *,
        title: str | None = None,
        id: str | None = None,
        category: str | None = None,
        key: str | None = None,
        source: str | None = None,
        confidence: float | str | None = None,
        expires: str | date | None = None,
        expires_days: float | None = None,
        context: str | None = None,
        scope: str | None = None,
        auto_context: str | None = None,
        allow_secret: bool = False,
    ) -> Saved:
        """Store a text (one argument) or a title and a body (two), or update the fact that is addressed.

        The address is the ``id``, else the ``key`` (within ``category`` if given), else the title, else the whole
        text. What is omitted is kept; but where the body changes, source, confidence and context become the
        writer's, and an expiry that has passed is cleared. Fields alone are updated by id or key.

        Raises EmptyTextError, TooLongError, InvalidError, NotFoundError (an unknown id), AmbiguousError,
        SecretError, and what writing raises: BusyError, UnwritableError, UnreadableError, ConflictError.
        """
        values = {
            "category": category,
            "key": key,
            "source": source,
            "confidence": confidence,
            "expires": expires,
            "expires_days": expires_days,
            "context": context,
            "scope": scope,
        }
        return self._saved(
            lambda edit: edit.remember(
                text, body, title=title, id=id, auto_context=auto_context, allow_secret=allow_secret, **values
            ),
            "remember",
        )

    def save(
        self,
        category: str | None = None,
        key: str | None = None,
        value: str | None = None,
        *,
        id: str | None = None,
        title: str | None = None,
        source: str | None = None,
        confidence: float | str | None = None,
        expires: str | date | None = None,
        expires_days: float | None = None,
        context: str | None = None,
        source_context: str | None = None,
        scope: str | None = None,
        auto_context: str | None = None,
        allow_secret: bool = False,
    ) -> Saved:
        """Store a fact whole under its category and key: what is omitted falls back to its default.

        Without a title of its own the fact gets the key in words. Raises as ``remember`` does, and EmptyTextError
        that names the one of category, key and value that is missing.
        """
        values = {
            "source": source,
            "confidence": confidence,
            "expires": expires,
            "expires_days": expires_days,
            "scope": scope,
        }
        return self._saved(
            lambda edit: edit.save(
                category,
                key,
                value,
                id=id,
                title=title,
                context=context,
                source_context=source_context,
                auto_context=auto_context,
                allow_secret=allow_secret,
                **values,
            ),
            "save",
        )

    def amend(
        self,
        id: str,
        *,
        version: str | None = None,
        title: str | None = None,
        body: str | None = None,
        category: str | None = None,
        key: str | None = None,
        source: str | None = None,
        confidence: float | str | None = None,
        expires: str | date | None = None,
        context: str | None = None,
        scope: str | None = None,
        allow_secret: bool = False,
    ) -> Saved:
        """Set these fields of the fact with this id, and leave the others as they are: nothing is clamped or cleared.

        An empty key takes the key away, ``expires="never"`` the expiry. A title that was derived from the text follows
        it. With ``version`` (``fact.version``) a fact that has changed meanwhile is a ConflictError. Raises as
        ``remember`` does, and InvalidError on a confidence out of range or an unknown source.
        """
        values = {
            "body": body,
            "category": category,
            "key": key,
            "source": source,
            "confidence": confidence,
            "expires": expires,
            "context": context,
            "scope": scope,
        }
        return self._saved(
            lambda edit: edit.amend(id, version=version, title=title, allow_secret=allow_secret, **values), "amend"
        )

    def forget(
        self,
        target: str | Fact | None = None,
        *,
        key: str | None = None,
        category: str | None = None,
        expired: bool = False,
        purge: bool = False,
        version: str | None = None,
    ) -> Forgotten:
        """Delete the facts with these ids, this exact title or this key; or all that have expired.

        ``undo`` takes it back, unless ``purge`` also removes them from the history; an id that is only left there
        can be purged too. With ``version`` (``fact.version``) a fact that has changed meanwhile is a ConflictError.
        Raises EmptyTextError, NotFoundError with near matches, AmbiguousError with the ids, and what writing raises.
        """
        try:
            gone = self._change(
                lambda edit: edit.forget(target, key=key, category=category, expired=expired, version=version),
                PURGE if purge else "forget",
            )
        except NotFoundError:
            gone = Forgotten(tuple(self._kept_facts(target))) if purge else Forgotten(())
            if not gone.facts:
                raise
        if purge:
            try:
                self._file.purge(gone.facts)
            except UnwritableError as error:
                sentence = "It is deleted, but its text is still in the history; forget its id with purge once more"
                raise UnwritableError(sentence, path=error.path, detail=error.detail) from None
            return replace(gone, notices=(*gone.notices, "It is gone from the history too"))
        return replace(gone, notices=(*gone.notices, "Undo (%memory undo) takes it back"))

    def confirm(self, target: str, *, version: str | None = None) -> Saved:
        """Note that a fact (id, title or key) is still true: sets ``confirmed`` and moves its expiry on by its span.

        With ``version`` (``fact.version``) a fact that has changed meanwhile is a ConflictError.
        """
        return self._change(lambda edit: edit.confirm(target, version=version), "confirm")

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Collect changes and apply them in one write at the end, all or nothing; no lock while your code runs.

        Where one of them fails, or your code raises, nothing is written. The results are in ``batch.results``.
        """
        batch = Batch()
        try:
            yield batch
        finally:
            batch.closed = True
        if batch.calls:
            batch.results = self._change(batch.apply, "batch")

    # History

    def undo(self, version: int | None = None) -> Reverted:
        """Take back the latest change that stands, or the named one, fact by fact; whatever else has changed is kept.

        Once more goes one change further back. Raises NotFoundError where there is none, ConflictError where the
        same fact has changed again since, and what writing raises.
        """
        return self._revert(version, UNDO)

    def redo(self, version: int | None = None) -> Reverted:
        """Take back the latest undo that stands, or the named one; raises as ``undo`` does."""
        return self._revert(version, REDO)

    def _revert(self, version: int | None, what: str) -> Reverted:
        entry, notices, number = self._file.revert(version, what)
        return Reverted(entry, what, self._file.now(), notices, number)

    def _kept_facts(self, target: str | Fact | None) -> Iterator[Fact]:
        """Give a fact that is left in the history only."""
        wanted = target.id if isinstance(target, Fact) else str(target).strip()
        for entry in self._file.entries():
            for change in entry.changes:
                if change.id == wanted:
                    yield next(fact for fact in change.facts() if fact)
                    return

    # The way of the data

    def _change(self, call: Callable[[Edit], _Result], what: str) -> _Result:
        result, notices, number = self._file.change(call, what)
        return _told(result, notices, number)

    def _saved(self, call: Callable[[Edit], Saved], what: str) -> Saved:
        def with_hints(edit: Edit) -> Saved:
            saved = call(edit)
            facts = edit.document.facts
            hints = likeness.hints(saved, facts, edit.now)
            return replace(saved, notices=(*saved.notices, *hints, *self._advice(len(facts))))

        return self._change(with_hints, what)


def prompt_section(store: Reader | None = None, style: str = TITLES) -> Section:
    """Give the section for a system prompt of a store, or of the user's own; see ``Store.prompt_section``."""
    return (Store() if store is None else store).prompt_section(style)


def _told(result: _Result, notices: tuple[str, ...], number: int | None) -> _Result:
    """Give a receipt the notices and the number of its change; of a batch, the last one tells of the whole."""
    if isinstance(result, list):
        last = len(result) - 1
        result[:] = [_told(one, notices if place == last else (), number) for place, one in enumerate(result)]
    elif isinstance(result, Forgotten) or (isinstance(result, Saved) and result.changed):
        return replace(result, notices=(*result.notices, *notices), change=number)
    elif isinstance(result, Saved):
        return replace(result, notices=(*result.notices, *notices))
    return result
