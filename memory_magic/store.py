"""The one door to the memory: remember, save, recall, search, forget, confirm."""

from __future__ import annotations

import os
import time
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
from memory_magic.edits import Edit, random_id
from memory_magic.errors import BusyError, ConflictError, EmptyTextError, InvalidError, UnreadableError, UnwritableError
from memory_magic.fact import Fact, Writer
from memory_magic.formats import markdown
from memory_magic.formats.markdown import Document
from memory_magic.results import Forgotten, Found, Saved
from memory_magic.storage.local import LOCK_SECONDS, ChangedError, LocalFile, Snapshot
from memory_magic.times import whole_seconds
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
        self._writer, self._new_id = writer, new_id
        self._clock = clock or (lambda: datetime.now(UTC))
        self._file = LocalFile(_path(path, self._settings))
        self._seen: View | None = None

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
            )
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
            )
        )

    def forget(
        self, target: str | None = None, *, key: str | None = None, category: str | None = None, expired: bool = False
    ) -> Forgotten:
        """Delete the facts with these ids, this exact title or this key; or all that have expired.

        Raises EmptyTextError, NotFoundError with near matches, AmbiguousError with the ids, and what writing raises.
        """
        return self._change(lambda edit: edit.forget(target, key=key, category=category, expired=expired))

    def confirm(self, target: str) -> Saved:
        """Note that a fact (id, title or key) is still true: sets ``confirmed`` and moves its expiry on by its span."""
        return self._change(lambda edit: edit.confirm(target))

    @contextmanager
    def batch(self) -> Iterator[Batch]:
        """Collect changes and apply them in one write at the end, all or nothing; no lock while your code runs.

        Where one of them fails, or your code raises, nothing is written. The results are in ``batch.results``.
        """
        batch = Batch()
        yield batch
        if batch.calls:
            batch.results = self._change(lambda edit: [call(edit) for call in batch.calls])

    # Reading

    def facts(self) -> list[Fact]:
        """Give all facts, expired ones too, newest first."""
        return list(self._view().newest_first)

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
        view, now = self._view(), self._now()
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
        counts = Counter(fact.category for fact in self._view().document.facts)
        known = [name for name in rules.CATEGORIES if name in counts]
        return {name: counts[name] for name in known + sorted(set(counts) - set(known))}

    def __getitem__(self, id: str) -> Fact:
        """Give the fact with this id; raises NotFoundError (a KeyError) or AmbiguousError."""
        facts = self._view().document.facts
        return facts[addressing.by_id(facts, id)]

    def __len__(self) -> int:
        return len(self._view().document.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts())

    # The way of the data

    def _now(self) -> datetime:
        return whole_seconds(self._clock())

    def _view(self) -> View:
        seen = self._seen
        snapshot = self._file.read(seen.snapshot if seen else None)
        return self._look(snapshot)

    def _look(self, snapshot: Snapshot) -> View:
        """Read a snapshot; what was read of the last one is kept where it is the same."""
        seen, now, chars = self._seen, self._now(), self._settings.note_chars
        if seen and seen.holds_for(chars) and (snapshot is seen.snapshot or snapshot.data == seen.snapshot.data):
            self._seen = seen if snapshot is seen.snapshot else seen.at(snapshot)
        else:
            document = self._parse(snapshot.data or b"", seen.document if seen else None)
            self._seen = View(snapshot, document, now, chars)
        return self._seen

    def _parse(self, data: bytes, before: Document | None) -> Document:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            detail = f"line {line}"
            raise UnreadableError(
                "The memory file is not UTF-8; save it as UTF-8", path=self.path, detail=detail
            ) from None
        if text[:200].count("\0") * 4 > len(text[:200]):
            raise UnreadableError(
                "The memory file is not UTF-8 text (it may be UTF-16); save it as UTF-8", path=self.path
            )
        return markdown.parse(text, before)

    def _change(self, call: Callable[[Edit], _Result]) -> _Result:
        """Apply a change to the file as it is now, and start again where somebody else was quicker."""
        if self._settings.is_read_only():
            raise UnwritableError("The memory is read-only here (setting read_only); nothing was saved", path=self.path)
        if not self.path.parent.exists():
            call(Edit(markdown.parse(""), self._now(), self._writer))  # a call that cannot succeed makes no folder
        deadline = time.monotonic() + LOCK_SECONDS
        with self._file.locked():
            while time.monotonic() < deadline:
                view = self._look(self._file.read())
                if line := view.document.conflict_line:
                    raise ConflictError(
                        "The memory file holds Git conflict markers; resolve them, nothing was saved",
                        path=self.path,
                        detail=f"line {line}",
                    )
                edit = self._edit(view.document)
                result = call(edit)
                if edit.document is view.document:
                    return result
                data = edit.document.checked().encode("utf-8")
                try:
                    notices = self._file.replace(data, view.snapshot)
                except ChangedError:
                    continue
                self._seen = None
                self._remember_view(edit.document, data)
                return _with_notices(result, notices)
        raise BusyError(
            "The memory file kept changing for 10 seconds; save it in the editor and try again", path=self.path
        )

    def _remember_view(self, document: Document, data: bytes) -> None:
        """Keep what was just written as read, if it is still what the file holds."""
        snapshot = self._file.read()
        if snapshot.data == data:
            self._seen = View(snapshot, document, self._now(), self._settings.note_chars)

    def _edit(self, document: Document) -> Edit:
        return Edit(document, self._now(), self._writer, self._new_id)

    def _saved(self, call: Callable[[Edit], Saved]) -> Saved:
        saved = self._change(call)
        notices = list(saved.notices)
        facts = self._view().document.facts
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
