"""The one door to the memory: remember, save, recall, search, forget, confirm."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

from memory_magic import addressing, settings
from memory_magic import fact as rules
from memory_magic.batch import Batch
from memory_magic.changes import PURGE, REDO, UNDO
from memory_magic.edits import Edit, random_id
from memory_magic.errors import EmptyTextError, InvalidError, NotFoundError
from memory_magic.fact import Fact, Writer
from memory_magic.memory_file import MemoryFile
from memory_magic.results import Forgotten, Found, Saved
from memory_magic.timeline import Reverted, Timeline
from memory_magic.view import View

SEARCH_LIMIT = 15
PYTHON = Writer("python")
PERSON = Writer("person", source="user_explicit", confidence=90)

_Result = TypeVar("_Result")


class Store:
    """The facts of one file. Safe to use from several threads; any number of processes may share the file.

    ``path`` is a Markdown file; without it, the user's own (see ``settings.store_path``). ``writer`` is who writes,
    ``clock`` gives aware UTC, ``new_id`` gives ``m-`` and six hexadecimal digits.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        writer: Writer = PYTHON,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] = random_id,
        settings: settings.MemorySettings | None = None,
    ) -> None:
        self._settings = settings or _current_settings()
        self._file = MemoryFile(
            _path(path, self._settings), self._settings, writer, clock or (lambda: datetime.now(UTC)), new_id
        )

    @property
    def path(self) -> Path:
        """The file that holds the facts."""
        return self._file.path

    def __repr__(self) -> str:
        """Name the file, not what is in it."""
        return f"Store({str(self.path)!r})"

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

    def forget(
        self,
        target: str | None = None,
        *,
        key: str | None = None,
        category: str | None = None,
        expired: bool = False,
        purge: bool = False,
    ) -> Forgotten:
        """Delete the facts with these ids, this exact title or this key; or all that have expired.

        ``undo`` takes it back, unless ``purge`` also removes them from the history; an id that is only left there
        can be purged too. Raises EmptyTextError, NotFoundError with near matches, AmbiguousError with the ids, and
        what writing raises.
        """
        try:
            gone = self._change(
                lambda edit: edit.forget(target, key=key, category=category, expired=expired),
                PURGE if purge else "forget",
            )
        except NotFoundError:
            gone = Forgotten(tuple(self._kept_facts(target or ""))) if purge else Forgotten(())
            if not gone.facts:
                raise
        if purge:
            self._file.purge({fact.id for fact in gone.facts})
            return replace(gone, notices=(*gone.notices, "It is gone from the history too"))
        return replace(gone, notices=(*gone.notices, "%memory undo takes it back"))

    def confirm(self, target: str) -> Saved:
        """Note that a fact (id, title or key) is still true: sets ``confirmed`` and moves its expiry on by its span."""
        return self._change(lambda edit: edit.confirm(target), "confirm")

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Collect changes and apply them in one write at the end, all or nothing; no lock while your code runs.

        Where one of them fails, or your code raises, nothing is written. The results are in ``batch.results``.
        """
        batch = Batch()
        yield batch
        if batch.calls:
            batch.results = self._change(lambda edit: [call(edit) for call in batch.calls], "batch")

    # History

    def history(self, id: str | None = None) -> Timeline:
        """Give the changes made through this package, the latest first; with an id, those of one fact.

        Raises NotFoundError where the fact has no history.
        """
        entries = self._file.entries()
        if id is not None:
            entries = [entry for entry in entries if any(change.id == id for change in entry.changes)]
            if not entries and id not in {fact.id for fact in self.facts()}:
                raise NotFoundError(f"No fact and no change has the id {id}")
        return Timeline(tuple(entries), self._file.now(), id)

    def undo(self, version: int | None = None) -> Reverted:
        """Take back the latest change that stands, or the named one, fact by fact; whatever else has changed is kept.

        Once more goes one change further back. Raises NotFoundError where there is none, ConflictError where the
        same fact has changed again since, and what writing raises.
        """
        return self._revert(version, UNDO)

    def redo(self) -> Reverted:
        """Take back the latest undo; raises as ``undo`` does."""
        return self._revert(None, REDO)

    def _revert(self, version: int | None, what: str) -> Reverted:
        entry, notices = self._file.revert(version, what)
        return Reverted(entry, what, self._file.now(), notices)

    def _kept_facts(self, id: str) -> Iterator[Fact]:
        """Give a fact that is left in the history only."""
        for entry in self._file.entries():
            for change in entry.changes:
                if change.id == id.strip():
                    yield next(fact for fact in change.facts() if fact)
                    return

    # Reading

    def facts(self) -> list[Fact]:
        """Give all facts, expired ones too, newest first."""
        return list(self._file.view().newest_first)

    def recall(
        self,
        query: str | None = None,
        *,
        id: str | None = None,
        limit: int | None = None,
        category: str | None = None,
        expired: bool = False,
    ) -> Found:
        """Find facts by words, or one by its id, or the most recent ones; ``expired`` gives the expired ones instead.

        Raises NotFoundError with the nearest ids on an unknown id, InvalidError on a limit that is not 1 or more.
        """
        view, now = self._file.view(), self._file.now()
        limit = self._settings.recall_limit if limit is None else _checked_limit(limit)
        words = (query or "").strip()
        named = words if id is None and rules.ID.fullmatch(words) else id
        if named is not None:
            facts = view.document.facts
            return self._found(view, [facts[addressing.by_id(facts, named)]], 1, now)
        wanted = None if category is None else category.strip()

        def keep(fact: Fact) -> bool:
            return (rules.status(fact, now) == "expired") is expired and wanted in (None, fact.category)

        if not words:
            return self._found(view, [fact for fact in view.newest_first if keep(fact)], limit, now)
        ranking = view.index.search(words, keep)
        found = self._found(view, ranking.facts, limit, now)
        return replace(found, query=words, approximate=ranking.approximate, near=ranking.near)

    def search(self, query: str, *, limit: int = SEARCH_LIMIT, category: str | None = None) -> Found:
        """Find up to 15 facts by words; raises EmptyTextError without any."""
        if not (isinstance(query, str) and query.strip()):
            raise EmptyTextError("search needs a query; say which words to look for")
        return self.recall(query, limit=min(_checked_limit(limit), SEARCH_LIMIT), category=category)

    def categories(self) -> dict[str, int]:
        """Count the facts of each category in use, the known ones first."""
        counts = Counter(fact.category for fact in self._file.view().document.facts)
        known = [name for name in rules.CATEGORIES if name in counts]
        return {name: counts[name] for name in known + sorted(set(counts) - set(known))}

    def __getitem__(self, id: str) -> Fact:
        """Give the fact with this id; raises NotFoundError (a KeyError) or AmbiguousError."""
        facts = self._file.view().document.facts
        return facts[addressing.by_id(facts, id)]

    def __len__(self) -> int:
        return len(self._file.view().document.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts())

    # The way of the data

    def _change(self, call: Callable[[Edit], _Result], what: str) -> _Result:
        result, notices = self._file.change(call, what)
        return _with_notices(result, notices)

    def _saved(self, call: Callable[[Edit], Saved], what: str) -> Saved:
        saved = self._change(call, what)
        notices = list(saved.notices)
        facts = self._file.view().document.facts
        if saved.created and (other := addressing.similar(facts, saved.fact)):
            place = [index for index, fact in enumerate(facts) if fact is other]
            notices.append(
                f"it is much like {addressing.listed(facts, place)}; forget one of them if they mean the same"
            )
        return replace(saved, notices=(*notices, *self._advice(len(facts))))

    def _found(self, view: View, facts: Sequence[Fact], limit: int, now: datetime) -> Found:
        notices = list(self._advice(len(view.document.facts)))
        if line := view.document.conflict_line:
            notices.insert(
                0, f"The file holds Git conflict markers (line {line}): resolve them before anything is saved"
            )
        return Found(tuple(facts[:limit]), len(facts), now, notices=tuple(notices))

    def _advice(self, count: int) -> tuple[str, ...]:
        cap = self._settings.soft_cap
        if not cap or count <= cap:
            return ()
        return (
            f"There are {count} facts, more than {cap}: forget what is stale,"
            " promote stable guidance to a skill or to AGENTS.md",
        )


def _current_settings() -> settings.MemorySettings:
    return settings.current()


def _path(path: str | os.PathLike[str] | None, chosen: settings.MemorySettings) -> Path:
    return settings.store_path(path, chosen)


def _checked_limit(limit: object) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidError("limit must be a whole number of at least 1")
    return limit


def _with_notices(result: _Result, notices: tuple[str, ...]) -> _Result:
    if notices and isinstance(result, (Saved, Forgotten)):
        return replace(result, notices=(*result.notices, *notices))
    return result
