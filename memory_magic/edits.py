"""What each write does to a document: validation, the one address, what an update keeps. Pure; the store writes."""

from __future__ import annotations

import secrets as entropy
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_magic import addressing, credentials, display, intake
from memory_magic import fact as rules
from memory_magic.errors import (
    AmbiguousError,
    ConflictError,
    EmptyTextError,
    InvalidError,
    NotFoundError,
    SecretError,
)
from memory_magic.fact import Fact, Writer
from memory_magic.formats.document import Document
from memory_magic.prompt import is_own_section
from memory_magic.results import Forgotten, Saved
from memory_magic.times import later

# The body first: what is found there is found in a title derived from it, too.
_TEXT_FIELDS = ("body", "title", "category", "key", "context", "scope")
_SETTABLE = (*_TEXT_FIELDS, "source", "confidence", "expires")


def random_id() -> str:
    """Give a new id: ``m-`` and six hexadecimal digits."""
    return f"m-{entropy.token_hex(3)}"


@dataclass
class Edit:
    """A document being changed: each call replaces it, or raises and leaves it."""

    document: Document
    now: datetime
    writer: Writer
    new_id: Callable[[], str] = random_id
    reverts: int | None = None  # for the record: the version whose change this one takes back

    def remember(
        self,
        text: object = None,
        body: object = None,
        *,
        title: object = None,
        id: str | None = None,
        auto_context: str | None = None,
        allow_secret: bool = False,
        **values: object,
    ) -> Saved:
        """Store a text, or update the fact that it addresses; what is omitted is kept. See ``Store.remember``."""
        own_title, text = intake.title_and_text(text, body, title)
        given, notices = intake.clean(self.now, title=own_title, body=text, **values)
        if given.get("body") == "" and own_title is None:
            raise EmptyTextError("There is nothing to remember; write the fact behind the command")
        index = self._address(id, given)
        if index is None:
            return self._create(given, notices, auto_context, allow_secret)
        before = self.document.facts[index]
        after = self.document.normal(replace(before, **given))
        touched = set(given)
        if not before.body and given.get("body") and rules.fold(given["body"]) == rules.fold(before.title):
            after = replace(after, body="")  # a fact with a title alone has it as its text
        elif after.body != before.body:
            defaults: dict[str, Any] = {
                "source": self.writer.source,
                "confidence": self.writer.confidence,
                "context": rules.clean_context(auto_context or ""),
            }
            after = replace(after, **{name: value for name, value in defaults.items() if name not in given})
            touched |= set(defaults)
            if own_title is None and _was_derived(before):
                after = replace(after, title=self._free_title(after.body, skip=index))
        if "expires" not in given and before.expires_at and before.expires_at <= self.now:
            after = replace(after, expires=None)
            notices.append("it had expired and now never expires")
        return self._update(index, after, touched, notices, allow_secret)

    def save(
        self,
        category: object = None,
        key: object = None,
        value: object = None,
        *,
        id: str | None = None,
        title: object = None,
        context: object = None,
        source_context: object = None,
        auto_context: str | None = None,
        allow_secret: bool = False,
        **values: object,
    ) -> Saved:
        """Store a fact whole under its category and key; what is omitted falls back to its default."""
        for name, wanted in (("category", category), ("key", key), ("value", value)):
            if wanted is None or (isinstance(wanted, str) and not wanted.strip()):
                raise EmptyTextError(f"{name} is missing; save needs a category, a key and a value")
        context = source_context if context is None else context
        given, notices = intake.clean(
            self.now, category=category, key=key, body=value, title=title, context=context, **values
        )
        given.setdefault("title", rules.title_from_key(given["key"]))
        facts = self.document.facts
        index = (
            addressing.by_id(facts, id) if id is not None else addressing.by_key(facts, given["key"], given["category"])
        )
        if index is None:
            return self._create(given, notices, auto_context, allow_secret)
        before = facts[index]
        given.setdefault("source", self.writer.source)
        given.setdefault("confidence", self.writer.confidence)
        after = replace(Fact(before.id, given["title"], created=before.created, flags=before.flags), **given)
        if "context" not in given:
            same_text = auto_context is not None and after.body == before.body
            after = replace(after, context=before.context if same_text else rules.clean_context(auto_context or ""))
        if before.expires and not after.expires:
            notices.append("it had an expiry and now never expires")
        return self._update(index, replace(after, updated=before.updated), set(_SETTABLE), notices, allow_secret)

    def add(self, *, title: object = None, body: object = None, allow_secret: bool = False, **values: object) -> Saved:
        """Store a new fact, exactly as given; AmbiguousError where its key, title or text is another's already."""
        given = intake.exact(self.now, title=title, body=body, **values)
        if not (given.get("title") or given.get("body")):
            raise EmptyTextError("A new fact needs a title or a body")
        index = self._address(None, given)
        if index is not None:
            what = next((name for name in ("key", "title") if name in given), "text")
            raise AmbiguousError(
                f"{display.named(self.document.facts[index])} has this {what} already; change that one"
            )
        return self._create(given, [], None, allow_secret)

    def amend(
        self, id: str, *, version: str | None = None, title: object = None, allow_secret: bool = False, **values: object
    ) -> Saved:
        """Set these fields of one fact, and nothing else; see ``Store.amend``."""
        index = addressing.by_id(self.document.facts, id)
        before = self.document.facts[index]
        _refuse_changed(before, version)
        given = intake.exact(self.now, title=title, **values)
        after = replace(before, **given)
        if after.body != before.body and title is None and _was_derived(before):
            if not after.body:
                raise EmptyTextError("There is no text left; forget the fact if it is of no use")
            after = replace(after, title=self._free_title(after.body, skip=index))
        return self._update(index, after, set(given), [], allow_secret)

    def forget(
        self,
        target: str | Fact | None = None,
        *,
        key: object = None,
        category: object = None,
        expired: bool = False,
        version: str | None = None,
    ) -> Forgotten:
        """Delete what is named, whole; see ``Store.forget``."""
        facts = self.document.facts
        wanted = None if category is None else str(category).strip()
        if expired:
            if target or key is not None:
                raise InvalidError("expired deletes all expired facts; leave the target out")
            places = [
                i
                for i, f in enumerate(facts)
                if rules.status(f, self.now) == "expired" and wanted in (None, f.category)
            ]
            if not places:
                raise NotFoundError(f"No fact{addressing.in_category(wanted)} has expired; nothing was deleted")
        elif key is not None:
            if target:
                raise InvalidError("Give a target or a key, not both")
            name = rules.clean_key(key)
            places = addressing.with_key(facts, name, wanted)
            for index in places:
                addressing.by_key(facts, name, facts[index].category)
            if not places:
                where = addressing.in_category(wanted)
                raise NotFoundError(f"No fact has the key {name}{where}{addressing.near(facts, name)}")
        else:
            places = addressing.targets(facts, target or "", wanted)
        for index in places:
            _refuse_changed(facts[index], version)
        self.document = self.document.drop(places)
        return Forgotten(tuple(facts[index] for index in places))

    def confirm(self, target: str, *, version: str | None = None) -> Saved:
        """Note that a fact is still true, and move its expiry on by its span."""
        index = addressing.one(self.document.facts, target)
        before = self.document.facts[index]
        _refuse_changed(before, version)
        after = replace(before, confirmed=self.now)
        known = [moment for moment in (before.created, before.updated, before.confirmed) if moment]
        notices = []
        if before.expires_at and known and (length := before.expires_at - max(known)).total_seconds() > 0:
            after = replace(after, expires=later(self.now, length))
        elif before.expires_at:
            notices.append("its expiry stays as it is, since its span is not known")
        return self._replace(index, after, {"confirmed"}, notices)

    def _address(self, id: str | None, given: dict[str, Any]) -> int | None:
        """Find the fact that is meant: by id, else by key, else by its own title, else by its whole text."""
        facts = self.document.facts
        if id is not None:
            return addressing.by_id(facts, id)
        if "key" in given:
            index = addressing.by_key(facts, given["key"], given.get("category"))
            if index is None and not (given.get("body") or given.get("title")):
                raise NotFoundError(
                    f"No fact has the key {given['key']}{addressing.near(facts, given['key'])}; give a text to make one"
                )
            return index
        if "title" in given:
            return addressing.by_title(facts, given["title"])
        if not given.get("body"):
            raise EmptyTextError("There is nothing to remember; write the fact behind the command")
        return addressing.by_text(facts, given["body"])

    def _create(self, given: dict[str, Any], notices: list[str], auto_context: str | None, allow_secret: bool) -> Saved:
        title = given.get("title") or self._free_title(given["body"])
        made = {
            "source": self.writer.source,
            "confidence": self.writer.confidence,
            "context": rules.clean_context(auto_context or ""),
            **given,
            "title": title,
        }
        fact = Fact(id="", created=self.now, updated=self.now, **made)
        self._refuse_clash(fact, None)
        _refuse_secret(fact, None, allow_secret)
        _refuse_section(fact, None)
        fact = replace(fact, id=self._free_id())
        self.document = self.document.put(fact)
        return Saved(self.document.facts[0], created=True, changed=True, notices=tuple(notices))

    def _update(self, index: int, after: Fact, touched: set[str], notices: list[str], allow_secret: bool) -> Saved:
        before, after = self.document.facts[index], self.document.normal(after)
        if replace(after, confirmed=before.confirmed) == before and not touched & self.document.invalid_fields(index):
            return Saved(before, created=False, changed=False, previous=before, notices=tuple(notices))
        self._refuse_clash(after, index)
        _refuse_secret(after, before, allow_secret)
        _refuse_section(after, before)
        return self._replace(index, replace(after, updated=self.now), touched, notices)

    def _replace(self, index: int, after: Fact, touched: set[str], notices: list[str]) -> Saved:
        before = self.document.facts[index]
        self.document = self.document.put(after, index, touched)
        return Saved(self.document.facts[index], created=False, changed=True, previous=before, notices=tuple(notices))

    def _refuse_clash(self, fact: Fact, index: int | None) -> None:
        if fact.key is None:
            return
        before = None if index is None else self.document.facts[index]
        if before is not None and (before.category, before.key) == (fact.category, fact.key):
            return
        others = [i for i in addressing.with_key(self.document.facts, fact.key, fact.category) if i != index]
        if others:
            listed = addressing.listed(self.document.facts, others)
            raise AmbiguousError(f"The key {fact.key} in {fact.category} belongs to {listed}; choose another key")

    def _free_title(self, text: str, skip: int | None = None) -> str:
        """Derive a title from the text that no other fact has."""
        taken = {rules.fold(fact.title) for index, fact in enumerate(self.document.facts) if index != skip}
        return next(title for title in rules.titles_from(text) if rules.fold(title) not in taken)

    def _free_id(self) -> str:
        taken = {fact.id for fact in self.document.facts}
        for _ in range(10_000):
            if (found := self.new_id()) not in taken:
                if not rules.ID.fullmatch(found):
                    raise InvalidError("The id source must give m- and six lower-case hexadecimal digits")
                return found
        raise InvalidError("The id source gives no id that is free")


def _refuse_changed(fact: Fact, version: str | None) -> None:
    """Refuse what was decided on another state of the fact than the one in the file."""
    if version is not None and version != fact.version:
        raise ConflictError(f"{display.named(fact)} has changed since you looked at it; nothing of yours was saved")


def _was_derived(fact: Fact) -> bool:
    """Say whether the title is one that we derive from the body; a shorter beginning is a title of its own."""
    first = next(rules.titles_from(fact.body)) if fact.body else ""
    return rules.is_derived(fact.title, fact.body) and len(fact.title) >= len(first)


def _refuse_secret(after: Fact, before: Fact | None, allowed: bool) -> None:
    if allowed:
        return
    changed = {name: getattr(after, name) for name in _TEXT_FIELDS}
    changed = {name: value for name, value in changed.items() if before is None or value != getattr(before, name)}
    if not changed.keys().isdisjoint(("body", "title", "key")):
        # "Wifi password" and "hunter2" are harmless words, each alone.
        changed["body under that title"] = f"{after.title}: {after.body}"
        changed["body under that key"] = f"{after.key}: {after.body}" if after.key else None
    for name, value in changed.items():
        if value and (found := credentials.find(value)):
            kind, shown = found[0].kind, credentials.shown(value, found[0])
            finding = f"looks like it holds {kind} ({shown}), and a plain file is no place for one"
            raise SecretError(
                f"The {name} {finding}: keep it in a password manager",
                # For whoever typed it: a page has neither such an option nor a cell.
                detail="or store it on purpose with --allow-secret (allow_secret=True);"
                " the cell and IPython's own history still hold it",
                field=name,
                finding=finding,
            )


def _refuse_section(after: Fact, before: Fact | None) -> None:
    old, new = ({fact.title, fact.body, fact.context} if fact else set() for fact in (before, after))
    if any(map(is_own_section, new - old)):
        raise InvalidError("This is the memory's own section for prompts, pasted back; store only what is new in it")
