"""The tools that a model calls: their definitions for each provider, and one dispatcher that never raises.

There are two vocabularies over one memory: ``notes`` (remember, recall, forget) and ``memory`` (one tool with
actions). What a model is told of them stands in ``wording``, what it gets back in ``answers``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from memory_magic import addressing
from memory_magic import fact as rules
from memory_magic.assistants import answers
from memory_magic.assistants.wording import NOTES, READING, WRITING, Argument, Tool
from memory_magic.errors import (
    EmptyTextError,
    InvalidError,
    MemoryMagicError,
    NotFoundError,
    SecretError,
    UnknownActionError,
    UnwritableError,
)
from memory_magic.fact import Writer
from memory_magic.showing import shown_line
from memory_magic.store import Store

STYLES = ("openai", "openai-responses", "anthropic", "mcp")

_TOOLS = {tool.name: tool for tools in WRITING.values() for tool in tools}
_Given = dict[str, Any]


def definitions(style: str, vocabulary: str = NOTES, store: Store | None = None) -> list[dict[str, Any]]:
    """Give the tools of a vocabulary (``notes`` or ``memory``) as a provider's API takes them.

    ``style`` is ``openai`` (chat completions), ``openai-responses``, ``anthropic`` or ``mcp``. Where models may not
    write to the store (by default the user's own) only what reads is given. Raises InvalidError on an unknown style or
    vocabulary.
    """
    if style not in STYLES:
        raise InvalidError(f"style must be one of {', '.join(STYLES)}")
    if vocabulary not in WRITING:
        raise InvalidError(f"vocabulary must be one of {', '.join(WRITING)}")
    tools = WRITING if may_write(Store() if store is None else store) else READING
    return [_definition(tool, style) for tool in tools[vocabulary]]


def may_write(store: Store) -> bool:
    """Say whether models may change a store, by the settings ``model_writes`` and ``read_only``."""
    return store.settings.model_writes == "apply" and not store.settings.is_read_only()


def call(name: str, arguments: Mapping[str, Any] | str | None = None, store: Store | None = None) -> dict[str, Any]:
    """Do what a model asks for; ``arguments`` is a mapping or JSON, null the same as absent.

    Always gives a value for JSON of at most 8,000 characters: ``ok``, what was asked for and a ``message``, or ``ok``
    as False, ``code`` and a ``message`` that names the argument, without any path. It never raises.
    """
    try:
        tool = _tool(name)
        given = _given(tool, arguments)
        answer = _CALLS[tool.name](Store() if store is None else store, given)
    except MemoryMagicError as error:
        return {"ok": False, "code": error.code, "message": answers.told_line(_sentence(error, name))}
    return {"ok": True, **answer}


def _definition(tool: Tool, style: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {argument.name: _schema(argument) for argument in tool.arguments},
        # The strict modes want every argument named, and null for what is left out.
        "required": [argument.name for argument in tool.arguments],
        "additionalProperties": False,
    }
    named = {"name": tool.name, "description": tool.help}
    if style == "openai":
        return {"type": "function", "function": {**named, "parameters": schema, "strict": True}}
    if style == "openai-responses":
        return {"type": "function", **named, "parameters": schema, "strict": True}
    if style == "anthropic":
        return {**named, "input_schema": schema, "strict": True}
    hints = {"readOnlyHint": not tool.writes, "destructiveHint": tool.writes, "openWorldHint": False}
    return {**named, "title": tool.title, "inputSchema": schema, "annotations": {"title": tool.title, **hints}}


def _schema(argument: Argument) -> dict[str, Any]:
    if not argument.choices:
        kind = argument.type if argument.required else [argument.type, "null"]
        return {"type": kind, "description": argument.help}
    choices = {"type": argument.type, "enum": list(argument.choices)}
    given = choices if argument.required else {"anyOf": [choices, {"type": "null"}]}
    return {**given, "description": argument.help}


def _tool(name: object) -> Tool:
    if not isinstance(name, str) or name not in _TOOLS:
        raise UnknownActionError(f"There is no tool {shown_line(str(name), 60)}; there are {', '.join(_TOOLS)}")
    return _TOOLS[name]


def _given(tool: Tool, arguments: object) -> _Given:
    """Check names and kinds; what is null or blank counts as left out. The store checks what the values mean."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            raise InvalidError("arguments must be one JSON object, and this is no JSON") from None
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, Mapping):
        raise InvalidError(f"arguments must be one JSON object, not {type(arguments).__name__}")
    known = {argument.name: argument for argument in tool.arguments}
    given: _Given = {}
    for name, value in arguments.items():
        if name not in known:
            wanted = ", ".join(known)
            raise InvalidError(f"There is no argument {shown_line(str(name), 60)}; {tool.name} takes {wanted}")
        if value is None:
            continue
        if known[name].type != "string" or rules.checked_text(value, name).strip():
            given[name] = value
    for argument in tool.arguments:
        if argument.required and argument.name not in given:
            wanted = ", ".join(other.name for other in tool.arguments if other.required)
            raise EmptyTextError(f"{argument.name} is missing; {tool.name} needs {wanted}")
    return given


def _sentence(error: MemoryMagicError, name: str) -> str:
    if not isinstance(error, SecretError):
        return error.sentence
    field = error.field.replace("body", "memory")
    if name == "memory":
        field = {"context": "source_context"}.get(field, field.replace("memory", "value"))
    return f"The {field} {error.finding}: no model can store it; leave it out, and save where it is kept instead"


def _pen(store: Store, name: str) -> Store:
    """Give the store as the tool writes to it; raises UnwritableError where models may not."""
    if not may_write(store):
        raise UnwritableError("Assistants may only read this memory; nothing was changed, tell the user so")
    return store.by(Writer(f"tool {name}"))


def _remember(store: Store, given: _Given) -> answers.Answer:
    body = rules.clean_body(given["memory"], "memory")
    return answers.saved(_pen(store, "remember").remember(given["title"], body, id=given.get("id")), answers.as_note)


def _recall(store: Store, given: _Given) -> answers.Answer:
    limit = _whole_number(given.get("limit", store.settings.recall_limit))
    return answers.found(store.recall(given.get("query"), id=given.get("id"), limit=limit), answers.as_note)


def _whole_number(limit: object) -> int:
    """Give a limit as a whole number, also where a model wrote it as 5.0 or "5"; raises InvalidError."""
    if isinstance(limit, str):
        limit = float(limit) if limit.isdecimal() else None
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 1 or limit != limit // 1:
        raise InvalidError("limit must be a whole number of at least 1")
    return int(min(limit, answers.LIMIT_FACTS))


def _forget(store: Store, given: _Given) -> answers.Answer:
    pen, facts, wanted = _pen(store, "forget"), store.facts(), given["id"].strip()
    if any(fact.id == wanted for fact in facts):
        place: int | None = addressing.by_id(facts, wanted)
    else:
        place = addressing.by_title(facts, wanted)
    if place is None:
        near = addressing.near(facts, wanted)
        raise NotFoundError(f"No fact has this id or title: {shown_line(wanted, 60)}{near}; nothing was forgotten")
    return answers.forgotten(pen.forget(facts[place]))


def _memory(store: Store, given: _Given) -> answers.Answer:
    action = given.pop("action")
    if action not in _ACTIONS:
        raise UnknownActionError(f"action must be one of {', '.join(_ACTIONS)}, not {shown_line(action, 60)}")
    return _ACTIONS[action](store, given)


def _save(store: Store, given: _Given) -> answers.Answer:
    pen = _pen(store, "memory")
    given.pop("query", None)
    if "value" in given:
        given["value"] = rules.clean_body(given["value"], "value")
    if "source_context" in given:
        given["source_context"] = rules.clean_context(given["source_context"], "source_context")
    return answers.saved(pen.save(**given), answers.as_entry)


def _search(store: Store, given: _Given) -> answers.Answer:
    if "query" not in given:
        raise EmptyTextError("query is missing; search needs words to look for")
    found = store.search(given["query"], limit=answers.LIMIT_FACTS, category=given.get("category"))
    return answers.found(found, answers.as_entry)


def _forget_key(store: Store, given: _Given) -> answers.Answer:
    pen = _pen(store, "memory")
    if "key" not in given:
        raise EmptyTextError("key is missing; forget needs the key of a fact")
    return answers.forgotten(pen.forget(key=given["key"], category=given.get("category")))


def _list(store: Store, _given: _Given) -> answers.Answer:
    return answers.categories(store.categories())


_ACTIONS: dict[str, Callable[[Store, _Given], answers.Answer]] = {
    "save": _save,
    "search": _search,
    "forget": _forget_key,
    "list": _list,
}
_CALLS: dict[str, Callable[[Store, _Given], answers.Answer]] = {
    "remember": _remember,
    "recall": _recall,
    "forget": _forget,
    "memory": _memory,
}
