"""The reading half of the store: facts, recall, search, history. It takes no lock and never writes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from datetime import UTC, datetime
from operator import index
from pathlib import Path
from typing import Any, Self

from memory_magic import addressing
from memory_magic import fact as rules
from memory_magic.changes import Entry
from memory_magic.edits import Edit, random_id
from memory_magic.errors import EmptyTextError, InvalidError, NotFoundError
from memory_magic.fact import PYTHON, Fact, Writer
from memory_magic.memory_file import MemoryFile
from memory_magic.overview import Categories, Overview
from memory_magic.prompt import TITLES, Section
from memory_magic.results import Found
from memory_magic.review import Review, review
from memory_magic.settings import MemorySettings, current, store_path
from memory_magic.showing import shown_line
from memory_magic.timeline import Provenance, Timeline
from memory_magic.view import View

SEARCH_LIMIT = 15


class Reader:
    """The facts of one file, to be read. Safe to use from several threads.

    ``path`` is a Markdown file or, where it ends in ``.json``, a notes array; without it, the user's own (see
    ``settings.store_path``). ``writer`` is who writes, ``clock`` gives aware UTC, ``new_id`` gives ``m-`` and six
    hexadecimal digits.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        writer: Writer = PYTHON,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] = random_id,
        settings: MemorySettings | None = None,
    ) -> None:
        self._settings = settings or current()
        self._file = MemoryFile(
            store_path(path, self._settings), self._settings, writer, clock or (lambda: datetime.now(UTC)), new_id
        )

    @property
    def path(self) -> Path:
        """The file that holds the facts."""
        return self._file.path

    @property
    def settings(self) -> MemorySettings:
        """The settings that count here."""
        return self._settings

    def first(self, count: int) -> list[Fact]:
        """Give the facts that stand first in the file, without reading the others: new ones stand there.

        Those that have no id in the file are left out, and what is there twice is not flagged.
        """
        sections = self._file.view().document.sections[:count]
        return [section.fact for section in sections if section.fact.id]

    def now(self) -> datetime:
        """Give the time of the store's clock, in UTC and whole seconds."""
        return self._file.now()

    def by(self, writer: Writer) -> Self:
        """Give the same store for another writer, whom the history then names."""
        made = copy(self)
        made._file = self._file.by(writer)  # noqa: SLF001 -- one of its own kind
        return made

    def draft(self) -> Edit:
        """Give the file as it is now, to be changed in memory only: to see what changes would do, and what refuses."""
        return Edit(self._file.view().document, self._file.now(), self._file.writer)

    def __repr__(self) -> str:
        """Name the file, not what is in it."""
        return f"{type(self).__name__}({str(self.path)!r})"

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

        Raises NotFoundError with the nearest ids on an unknown id, InvalidError on a limit that is not 1 or more and on
        words that are no text. Where there is nothing, the message says why.
        """
        view, now = self._file.view(), self._file.now()
        limit = self._settings.recall_limit if limit is None else _checked_limit(limit)
        words = "" if query is None else rules.checked_text(query, "query").strip()
        named = words if id is None and rules.ID.fullmatch(words) else id
        if named is not None:
            facts = view.document.facts
            return self._found(view, [facts[addressing.by_id(facts, named)]], 1, now)
        wanted = None if category is None else rules.checked_text(category, "category").strip()

        def keep(fact: Fact) -> bool:
            return (rules.status(fact, now) == "expired") is expired and wanted in (None, fact.category)

        if not words:
            kept = [fact for fact in view.newest_first if keep(fact)]
            return self._found(view, kept, limit, now, empty="" if kept else _why_empty(view, wanted, expired))
        ranking = view.index.search(words, keep)
        if (not ranking.facts or ranking.approximate) and words in {fact.id for fact in view.document.facts}:
            return self.recall(id=words)  # that of a note may be any text, such as a word that facts have
        named_so = {fact.title: fact for fact in view.document.facts} if ranking.near else {}
        missing = wanted is not None and all(fact.category != wanted for fact in view.document.facts)
        return self._found(
            view,
            ranking.facts,
            limit,
            now,
            query=words,
            approximate=ranking.approximate,
            near=tuple(rules.masked(named_so[title]).title for title in ranking.near),
            empty=_why_empty(view, wanted, expired) if missing else "",
        )

    def search(self, query: str, *, limit: int = SEARCH_LIMIT, category: str | None = None) -> Found:
        """Find up to 15 facts by words; raises EmptyTextError without any."""
        if not (isinstance(query, str) and query.strip()):
            raise EmptyTextError("search needs a query; say which words to look for")
        return self.recall(query, limit=min(_checked_limit(limit), SEARCH_LIMIT), category=category)

    def categories(self) -> dict[str, int]:
        """Count the facts of each category in use, the known ones first."""
        return _counted(self._file.view())

    def prompt_section(self, style: str = TITLES) -> Section:
        """Give the section for a system prompt: ``titles`` for models that have the tools, ``notes`` for others.

        It is empty where there is nothing to tell. Raises InvalidError on another style.
        """
        chosen = self._settings
        return self._file.view().section(style, chosen.disclosed_titles, chosen.prompt_chars, self._file.now())

    def overview(self) -> Overview:
        """Give a look at the whole: the file, its facts, what to look at, the last change."""
        view = self._file.view()
        return Overview(
            self.path,
            self._file.now(),
            view.newest_first,
            _counted(view),
            self._settings.soft_cap,
            view.document.prose_line if view.document.sections else None,
            next(iter(self._file.entries()), None),
            self._file.copies(),
            self._trouble(view) + self._advice(len(view.document.facts)),
        )

    def review(self) -> Review:
        """Give the facts that are doubtful, the most doubtful first: see ``review.review``."""
        return review(self._file.view().newest_first, self._file.now())

    def why(self, target: str) -> Provenance:
        """Say where a fact (id, title or key) comes from, and what has become of it.

        A fact that is gone is known by its id, as long as the history has it. Raises NotFoundError, AmbiguousError
        where several facts are meant, EmptyTextError on a blank target.
        """
        facts, now = self._file.view().document.facts, self._file.now()
        try:
            fact = facts[addressing.one(facts, target)]
        except NotFoundError:
            kept = self._changes_of(target.strip())
            if not kept:
                raise
            return Provenance(None, Timeline(kept, now, target.strip()), now)
        return Provenance(fact, self.history(fact.id), now)

    def __getitem__(self, id: str) -> Fact:
        """Give the fact with this id; raises NotFoundError (a KeyError) or AmbiguousError."""
        facts = self._file.view().document.facts
        return facts[addressing.by_id(facts, id)]

    def __contains__(self, item: object) -> bool:
        """Say whether a fact, or the fact with an id, is in the file."""
        return any(item in (fact, fact.id) for fact in self._file.view().document.facts)

    def __bool__(self) -> bool:
        """Give True: a store is there even if nothing is in it, as in ``store or Store()``."""
        return True

    def __len__(self) -> int:
        return len(self._file.view().document.sections)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts())

    def history(self, id: str | None = None) -> Timeline:
        """Give the changes made through this package, the latest first; with an id, those of one fact.

        Raises NotFoundError where the fact has no history.
        """
        entries = tuple(self._file.entries()) if id is None else self._changes_of(id)
        if id is not None and not entries and id not in {fact.id for fact in self.facts()}:
            raise NotFoundError(f"No fact and no change has the id {shown_line(str(id), 60)}")
        return Timeline(entries, self._file.now(), id)

    def _changes_of(self, id: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self._file.entries() if any(change.id == id for change in entry.changes))

    def _found(self, view: View, facts: Sequence[Fact], limit: int, now: datetime, **values: Any) -> Found:
        notices = self._trouble(view) + self._advice(len(view.document.facts))
        return Found(tuple(facts[:limit]), len(facts), now, notices=notices, **values)

    def _trouble(self, view: View) -> tuple[str, ...]:
        if trouble := view.document.trouble:
            return (f"The file holds {trouble.holds} ({trouble.where}): {trouble.remedy} before anything is saved",)
        return ()

    def _advice(self, count: int) -> tuple[str, ...]:
        cap = self._settings.soft_cap
        if not cap or count <= cap:
            return ()
        return (
            f"There are {count} facts, more than {cap}: forget what is stale,"
            " promote stable guidance to a skill or to AGENTS.md",
        )


def _checked_limit(limit: object) -> int:
    try:
        number = 0 if isinstance(limit, bool) else index(limit)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if number < 1:
        raise InvalidError("limit must be a whole number of at least 1")
    return number


def _counted(view: View) -> Categories:
    counts = Counter(fact.category for fact in view.document.facts)
    known = [name for name in rules.CATEGORIES if name in counts]
    return Categories({name: counts[name] for name in known + sorted(set(counts) - set(known))})


def _why_empty(view: View, category: str | None, expired: bool) -> str:
    """Say why no fact is shown; ``expired`` says that those which have expired were asked for, else the others."""
    counts = _counted(view)
    if not counts:
        return ""
    if category is not None and category not in counts:
        return f"No fact in the category {shown_line(category, 60)}; there are {', '.join(map(shown_line, counts))}"
    where = "" if category is None else f" in the category {shown_line(category, 60)}"
    if expired:
        return f"No fact{where} has expired"
    count = sum(counts.values()) if category is None else counts[category]
    if count == 1:
        return f"The only fact{where} has expired; %recall --expired shows it"
    return f"All {count} facts{where} have expired; %recall --expired shows them"
