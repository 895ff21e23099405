"""The tools as a model meets them: what it is told, what it may ask for, and what it gets back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import memory_magic
from memory_magic import Store
from memory_magic.assistants import tools
from memory_magic.errors import InvalidError
from memory_magic.settings import MemorySettings

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
SAVE = {
    "action": "save",
    "category": "technical",
    "key": "prod_server_ip",
    "value": "Production runs on 192.168.1.168",
    "source": "tool_call",
    "confidence": 95,
    "expires_days": 7,
    "source_context": "found via ip addr",
}
ALL = [(style, vocabulary) for style in tools.STYLES for vocabulary in ("notes", "memory")]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Give an empty store whose clock stands still and whose ids count up."""
    ids = (f"m-{number:06x}" for number in range(1, 1000))
    return Store(tmp_path / "MEMORY.md", clock=lambda: NOW, new_id=lambda: next(ids), settings=MemorySettings())


def done(name: str, store: Store, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed."""
    result = tools.call(name, arguments, store)
    assert result.pop("ok") is True, result
    return result


def refused(name: str, store: Store, arguments: Any) -> tuple[str, str]:
    """Call a tool that must refuse; give code and message."""
    result = tools.call(name, arguments, store)
    assert result.pop("ok") is False, result
    assert set(result) == {"code", "message"}
    assert str(store.path.parent) not in result["message"]
    return result["code"], result["message"]


def schemas(definition: dict[str, Any]) -> dict[str, Any]:
    inner = definition.get("function", definition)
    return inner.get("parameters") or inner.get("input_schema") or inner["inputSchema"]


# What a model is told


@pytest.mark.parametrize(("style", "vocabulary"), ALL)
def test_every_schema_is_valid_under_the_strict_modes(store: Store, style: str, vocabulary: str) -> None:
    """Every argument is required, null stands for what is left out, and no keyword is used that a provider refuses."""

    def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield schema
        for child in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
            yield from nodes(child)

    for definition in tools.definitions(style, vocabulary, store):
        schema = schemas(definition)
        Draft202012Validator.check_schema(schema)
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
        known = {"type", "description", "properties", "required", "additionalProperties", "enum", "anyOf"}
        assert {key for node in nodes(schema) for key in node} <= known


def test_the_styles_are_those_of_the_providers(store: Store) -> None:
    """The same tools, wrapped as each API takes them."""
    one = {style: tools.definitions(style, store=store)[0] for style in tools.STYLES}
    assert {style: set(definition) for style, definition in one.items()} == {
        "openai": {"type", "function"},
        "openai-responses": {"type", "name", "description", "parameters", "strict"},
        "anthropic": {"name", "description", "input_schema", "strict"},
        "mcp": {"name", "title", "description", "inputSchema", "annotations"},
    }
    assert set(one["openai"]["function"]) == {"name", "description", "parameters", "strict"}
    assert len({json.dumps(schemas(definition)) for definition in one.values()}) == 1


def test_there_are_two_vocabularies(store: Store) -> None:
    """Notes by title, and one tool with actions."""
    names = {
        vocabulary: {
            tool["name"]: list(schemas(tool)["properties"]) for tool in tools.definitions("mcp", vocabulary, store)
        }
        for vocabulary in ("notes", "memory")
    }
    assert names == {
        "notes": {"remember": ["title", "memory", "id"], "recall": ["query", "id", "limit"], "forget": ["id"]},
        "memory": {
            "memory": [
                "action",
                "query",
                "category",
                "key",
                "value",
                "source",
                "confidence",
                "expires_days",
                "source_context",
            ],
        },
    }


@pytest.mark.parametrize("vocabulary", ["notes", "memory"])
@pytest.mark.parametrize(
    "taught",
    ["later conversation", "this turn only", "one tool call finds", "files of the current conversation"]
    + ["Never save a password", "where it is kept", "before you save", "not a bare value", "undo it"],
)
def test_the_descriptions_teach_when_to_save(store: Store, vocabulary: str, taught: str) -> None:
    """In both vocabularies."""
    assert taught in json.dumps(tools.definitions("openai", vocabulary, store))


@pytest.mark.parametrize(
    "taught",
    ["output of a tool 95", "told by the user 80 to 95", "from the conversation 70", "on the web 50", "guessed 30"]
    + ["profile is who the user is", "a stale address is worse than none", "null, never, for preferences"]
    + ["One fact a key", "tools and hosts", "ongoing work", "other the rest", "7 for facts about systems"],
)
def test_the_memory_tool_teaches_source_confidence_category_and_expiry(store: Store, taught: str) -> None:
    """A model that knows how sure to be says so."""
    assert taught in json.dumps(tools.definitions("openai", "memory", store))


@pytest.mark.parametrize("vocabulary", ["notes", "memory"])
def test_no_description_is_longer_than_openai_takes(store: Store, vocabulary: str) -> None:
    """1,024 characters."""
    assert max(len(tool["description"]) for tool in tools.definitions("mcp", vocabulary, store)) <= 1024


def test_mcp_is_told_what_reads_and_what_can_destroy(store: Store) -> None:
    """A client asks its user before the one and not before the other."""
    notes = {tool["name"]: tool["annotations"] for tool in tools.definitions("mcp", store=store)}
    assert {name for name, hints in notes.items() if hints["readOnlyHint"]} == {"recall"}
    assert {name for name, hints in notes.items() if hints["destructiveHint"]} == {"remember", "forget"}


@pytest.mark.parametrize("arguments", [("open-ai",), ("openai", "note")])
def test_an_unknown_style_or_vocabulary_names_those_there_are(arguments: tuple[str, ...]) -> None:
    """A typing error of the person who writes the loop."""
    with pytest.raises(InvalidError, match="must be one of"):
        tools.definitions(*arguments)


def test_without_a_store_it_is_the_users_own(memory: Path) -> None:
    """As every function of the package."""
    assert memory_magic.tools.call("remember", {"title": "Tea", "memory": "Likes tea"})["ok"]
    assert "Likes tea" in memory.read_text("utf-8")


# Remember, recall, forget


def test_a_fact_is_remembered_recalled_and_forgotten(store: Store) -> None:
    """By title and by id, with a receipt each time."""
    made = done("remember", store, title="Prefer terse answers", memory="No preamble.", id=None)
    assert (made["id"], made["created"], made["replaced"]) == ("m-000001", True, None)
    (fact,) = done("recall", store, query="terse", id=None, limit=None)["facts"]
    assert (fact["id"], fact["title"], fact["memory"]) == ("m-000001", "Prefer terse answers", "No preamble.")
    assert (fact["source"], fact["confidence"], fact["updated"]) == ("conversation", 70, "2026-11-30")
    assert done("forget", store, id="prefer TERSE answers")["count"] == 1
    assert store.facts() == []


@pytest.mark.parametrize("by_id", [True, False])
def test_an_update_says_what_it_replaced(store: Store, by_id: bool) -> None:
    """By id, where the title may change too, or by the title."""
    store.remember("Tea", "Likes tea.", source="user_explicit", confidence=90)
    title = "Drinks" if by_id else "tea"
    made = done("remember", store, title=title, memory="Likes coffee.", id="m-000001" if by_id else None)
    assert (made["created"], made["title"], made["replaced"]["memory"]) == (False, title, "Likes tea.")
    assert (store["m-000001"].source, store["m-000001"].confidence) == ("conversation", 70)


def test_what_a_model_writes_is_in_the_history_under_the_tools_name_and_one_undo_away(store: Store) -> None:
    """Remember, save and forget alike."""
    done("remember", store, title="Tea", memory="Likes tea.")
    done("memory", store, **SAVE)
    done("forget", store, id="m-000001")
    assert [entry.writer for entry in store.history().entries] == ["tool forget", "tool memory", "tool remember"]
    for facts in (["Prod server ip", "Tea"], ["Tea"], []):
        store.undo()
        assert sorted(fact.title for fact in store.facts()) == facts


def test_recall_by_id_gives_that_fact_and_an_unknown_one_names_near_ones(store: Store) -> None:
    """An id is exact."""
    store.remember("Tea", "Likes tea.")
    assert done("recall", store, id="m-000001")["facts"][0]["title"] == "Tea"
    code, message = refused("recall", store, {"id": "m-000002"})
    assert code == "memory_not_found"
    assert "m-000001" in message


@pytest.mark.parametrize("target", ["te", "Te*", "m-000009", "tea_key", "m-000001 m-000002", "*", "Tea "])
def test_forget_takes_an_id_or_an_exact_title_and_nothing_else(store: Store, target: str) -> None:
    """A near miss, a wildcard, a key or two ids delete nothing; spaces around a title do not matter."""
    store.remember("Tea", "Likes tea.", key="tea_key")
    store.remember("Cake", "Likes cake.")
    if target == "Tea ":
        assert done("forget", store, id=target)["count"] == 1
    else:
        assert refused("forget", store, {"id": target})[0] == "memory_not_found"
        assert len(store) == 2


def test_forget_of_a_title_that_several_facts_have_lists_them(store: Store) -> None:
    """The model asks again, by id."""
    for number in (1, 2):
        store.path.parent.mkdir(exist_ok=True)
        with store.path.open("a") as file:
            file.write(f"## Tea\n<!-- id: m-00000{number} -->\n\nCup {number}\n\n")
    code, message = refused("forget", store, {"id": "Tea"})
    assert code == "memory_ambiguous"
    assert "m-000001" in message and "m-000002" in message  # noqa: PT018


# The memory tool


def test_a_fact_is_saved_searched_listed_and_forgotten(store: Store) -> None:
    """With its provenance."""
    done("memory", store, **SAVE)
    store.remember("Tea", "Likes tea.", category="preferences")
    (found,) = done("memory", store, action="search", query="server ip")["facts"]
    assert {name: found[name] for name in ("category", "key", "value", "src", "conf", "ctx")} == {
        "category": "technical",
        "key": "prod_server_ip",
        "value": "Production runs on 192.168.1.168",
        "src": "tool_call",
        "conf": 95,
        "ctx": "found via ip addr",
    }
    listed = done("memory", store, action="list")
    assert (listed["categories"], listed["total"]) == ({"preferences": 1, "technical": 1}, 2)
    assert "Production" not in json.dumps(listed)
    assert done("memory", store, action="forget", key="prod_server_ip")["count"] == 1


def test_save_replaces_the_fact_whole_and_says_what_it_was(store: Store) -> None:
    """What is omitted falls back to its default, an expiry too, and the result says so."""
    done("memory", store, **SAVE)
    assert store["m-000001"].expires == NOW + timedelta(days=7)
    made = done("memory", store, action="save", category="technical", key="prod_server_ip", value="It is 10.0.0.1")
    assert made["replaced"]["value"] == SAVE["value"]
    assert "now never expires" in made["message"]
    assert (store["m-000001"].expires, store["m-000001"].context) == (None, "")


@pytest.mark.parametrize("missing", ["category", "key", "value"])
@pytest.mark.parametrize("blank", [None, "", "  "])
def test_each_argument_that_save_misses_has_its_own_message(store: Store, missing: str, blank: str | None) -> None:
    """Null and blank are missing too."""
    code, message = refused("memory", store, {**SAVE, missing: blank})
    assert (code, message.split()[0]) == ("memory_empty_text", missing)


def test_save_rejects_an_unknown_category_and_takes_the_rest(store: Store) -> None:
    """An unknown source becomes conversation, confidence is clamped, and the result says both."""
    assert "category must be one of" in refused("memory", store, {**SAVE, "category": "misc"})[1]
    message = done("memory", store, **{**SAVE, "source": "a guess", "confidence": 101})["message"]
    assert "stored as conversation" in message
    assert "stored as 100" in message
    assert (store["m-000001"].source, store["m-000001"].confidence) == ("conversation", 100)


def test_forget_needs_a_key_and_deleting_nothing_is_an_error(store: Store) -> None:
    """In all categories, unless one is named."""
    assert refused("memory", store, {"action": "forget", "category": "technical"})[1].startswith("key is missing")
    assert refused("memory", store, {"action": "forget", "key": "nothing"})[0] == "memory_not_found"
    for category in ("technical", "projects"):
        done("memory", store, **{**SAVE, "category": category})
    assert refused("memory", store, {"action": "forget", "key": "prod_server_ip", "category": "other"})[0]
    assert done("memory", store, action="forget", key="prod_server_ip")["count"] == 2


@pytest.mark.parametrize("arguments", [{}, {"action": None}, {"action": "dump"}, {"action": "search"}])
def test_an_action_that_is_missing_or_unknown_names_the_argument(store: Store, arguments: dict[str, Any]) -> None:
    """There is no call that gives everything."""
    assert refused("memory", store, arguments)[1].split()[0] == (
        "query" if arguments.get("action") == "search" else "action"
    )
