"""What a page asks of the memory, answered: a JSON request in, a JSON answer out, over whatever carries them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from zlib import crc32

from memory_magic.display import quoted
from memory_magic.errors import ConflictError, InvalidError, MemoryMagicError, TooLongError, UnknownActionError
from memory_magic.fact import CATEGORIES, Fact, masked, status
from memory_magic.results import Forgotten, Saved
from memory_magic.rows import Row, keyed, row
from memory_magic.showing import visible
from memory_magic.store import Store

Answer = dict[str, Any]

_EDITABLE = ("title", "body", "category", "key", "confidence", "expires")
_GIVEN = ("title", "category", "key", "confidence", "expires", "context", "scope")
_NAMES = {"body": "text", "expires": "expiry"}


def answer(store: Store, request: object) -> Answer:
    """Do what a request says, ``{"action": NAME, …}``: see ``_ACTIONS`` for the names, what each needs and may have.

    Gives ``{"ok": True, …}``, or ``{"ok": False, "code", "message"}`` with a sentence that names no path; where a fact
    has changed since the page saw it, also the ``row`` that it is now. Writes give ``message``, ``notices``, the
    ``rows`` as they are now, and ``change``, the number that ``undo`` takes.
    """
    given = dict(request) if isinstance(request, Mapping) else {}
    try:
        name = given.pop("action", None)
        if not isinstance(name, str) or name not in _ACTIONS:
            raise UnknownActionError(f"There is no such action; there are {', '.join(_ACTIONS)}")
        call, needs, may = _ACTIONS[name]
        return {"ok": True, **call(store, **_checked(name, given, needs, may))}
    except MemoryMagicError as error:
        found = {"ok": False, "code": error.code, "message": visible(error.sentence)}
        changed = _changed_row(store, given) if error.code == ConflictError.code else None
        return {**found, "row": changed} if changed else found


def about(store: Store, notices: tuple[str, ...]) -> dict[str, Any]:
    """Give what a page needs to know beside the facts: vocabulary, limits, the time, and what a recall has to tell."""
    return {
        "categories": list(CATEGORIES),
        "note_chars": store.settings.note_chars,
        "now": store.now().isoformat(),
        "notices": _shown(notices),
    }


def _checked(name: str, given: dict[str, Any], needs: Mapping[str, type], may: Mapping[str, type]) -> dict[str, Any]:
    """Give the arguments, each of its type; raises InvalidError that names the one that is not."""
    takes = {**needs, **may}
    for argument, kind in takes.items():
        if argument not in given and argument in may:
            continue
        if not isinstance(given.get(argument), kind) or isinstance(given[argument], bool):
            raise InvalidError(f"{name} needs {argument}, which is {_KINDS[kind]}")
    if unknown := given.keys() - takes.keys():
        raise InvalidError(
            f"{name} takes {', '.join(takes) or 'nothing'}, not {quoted(str(min(unknown, key=str)), 40)}"
        )
    return given


def _fields(fields: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    for name, value in fields.items():
        if name not in known:
            raise InvalidError(f"There is no field {quoted(str(name), 40)} to set here; there are {', '.join(known)}")
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            raise InvalidError(f"{name} must be text or a number")
    return dict(fields)


def _list(store: Store, seen: str | None = None) -> Answer:
    """Give all facts, newest first, with a digest; or nothing but the digest where it is the one that was seen.

    To a caller that has seen none, each row tells its ``text`` too: the body or, where there is none, the title.
    """
    found = store.recall(limit=1)
    known, now = about(store, found.notices), found.now
    facts = keyed(store.facts())
    held = "\n".join(f"{name} {fact.version} {status(fact, now)}" for name, fact in facts.items())
    digest = f"{crc32(held.encode()):08x}"
    if digest == seen:
        return {**known, "seen": digest}
    rows = [row(fact, now, name) for name, fact in facts.items()]
    if seen is None:
        rows = [_with_text(shown) for shown in rows]
    return {**known, "seen": digest, "order": list(facts), "rows": rows}


def _text(store: Store, id: str) -> Answer:
    """Give the whole text of one fact, as it may be shown."""
    return {"text": visible(masked(store[id]).text)}


def _add(store: Store, text: str, fields: dict[str, Any] | None = None) -> Answer:
    limit = store.settings.note_chars
    if len(text.strip()) > limit:
        raise TooLongError(f"The note has {len(text.strip()):,} characters; {limit:,} are allowed here")
    saved = store.remember(text, **_fields(fields or {}, _GIVEN))
    return _written(store, "Remembered" if saved.created else "Updated", saved)


def _edit(store: Store, id: str, fields: dict[str, Any], version: str | None = None) -> Answer:
    values = _fields(fields, _EDITABLE)
    saved = store.amend(id, version=version, **values)
    return _written(store, f"Saved the {' and the '.join(_NAMES.get(name, name) for name in values)} of", saved)


def _confirm(store: Store, id: str, version: str | None = None) -> Answer:
    return _written(store, "Still true:", store.confirm(store[id].id, version=version))


def _forget(store: Store, id: str | None = None, version: str | None = None, facts: list[Any] | None = None) -> Answer:
    """Forget one fact, or these, ``[{"id", "version"}, …]``, in one change, all or none."""
    named = facts or []
    if id is not None:
        named = [*named, {"id": id} if version is None else {"id": id, "version": version}]
    if not named:
        raise InvalidError("No fact is selected; nothing was forgotten")
    with store.batch() as batch:
        for fact in named:
            if not isinstance(fact, dict):
                raise InvalidError("facts must be objects with id and version")
            one = _checked("forget", fact, {"id": str}, {"version": str})
            batch.forget(store[one["id"]], version=one.get("version"))
    last = batch.results[-1]
    gone = [fact for result in batch.results if isinstance(result, Forgotten) for fact in result.facts]
    what = f"{len(gone)} facts" if len(gone) > 1 else _title(gone[0])
    return {"message": f"Forgot {what}", "notices": _shown(last.notices), "rows": [], "change": last.change}


def _undo(store: Store, change: int | None = None) -> Answer:
    done = store.undo(change)
    return {"message": repr(done), "notices": [], "rows": [], "change": done.change}


def _redo(store: Store, change: int | None = None) -> Answer:
    done = store.redo(change)
    return {"message": repr(done), "notices": [], "rows": [], "change": done.entry.reverts}


def _written(store: Store, what: str, saved: Saved) -> Answer:
    message = f"{what} {_title(saved.fact)}" if saved.changed else f"Nothing to save: {_title(saved.fact)} is as it was"
    return {
        "message": message,
        "notices": _shown(saved.notices),
        "rows": [_with_text(row(saved.fact, store.now()))],
        "change": saved.change,
    }


def _changed_row(store: Store, given: Mapping[str, Any]) -> Row | None:
    """Give the fact as it is now, where it is another one than the page has seen."""
    try:
        fact = store[str(given.get("id"))]
    except MemoryMagicError:
        return None
    return None if fact.version == given.get("version") else row(fact, store.now())


def _with_text(shown: Row) -> Row:
    return {**shown, "text": shown["body"] or shown["title"]}


def _title(fact: Fact) -> str:
    return quoted(masked(fact).title, 60)


def _shown(notices: tuple[str, ...]) -> list[str]:
    return [visible(notice) for notice in notices]


_KINDS = {str: "text", int: "a whole number", dict: "an object of fields and values", list: "a list"}
_ACTIONS: dict[str, tuple[Callable[..., Answer], dict[str, type], dict[str, type]]] = {
    "list": (_list, {}, {"seen": str}),
    "text": (_text, {"id": str}, {}),
    "add": (_add, {"text": str}, {"fields": dict}),
    "edit": (_edit, {"id": str, "fields": dict}, {"version": str}),
    "forget": (_forget, {}, {"id": str, "version": str, "facts": list}),
    "confirm": (_confirm, {"id": str}, {"version": str}),
    "undo": (_undo, {}, {"change": int}),
    "redo": (_redo, {}, {"change": int}),
}
