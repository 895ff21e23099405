"""What a tool never does: raise, tell a secret or a path, tell too much, or write where models may only read."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic import Store, errors
from memory_magic.assistants import tools
from memory_magic.settings import MemorySettings

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
GITHUB = "ghp_" + "a1B2c3D4" * 4
SAVE = {"action": "save", "category": "technical", "key": "host", "value": "Production runs on 10.0.0.1"}
NOTE = {"title": "Tea", "memory": "Likes tea."}
CODES = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "code")}
WRITES = [
    ("remember", NOTE),
    ("forget", {"id": "m-000001"}),
    ("memory", SAVE),
    ("memory", {"action": "forget", "key": "host"}),
]
READS = [("recall", {"query": "tea"}), ("memory", {"action": "search", "query": "tea"}), ("memory", {"action": "list"})]
CALLS = [*WRITES, *READS]


def store_at(path: Path, **settings: Any) -> Store:
    return Store(path, clock=lambda: NOW, settings=MemorySettings(**settings))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a folder of the user's" / "MEMORY.md"


@pytest.fixture
def store(path: Path) -> Store:
    return store_at(path)


def size(result: Any) -> int:
    return len(json.dumps(result, ensure_ascii=False))


# Arguments


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("remember", {"title": "Tea"}, "memory is missing"),
        ("remember", {"title": None, "memory": "x"}, "title is missing"),
        ("remember", {**NOTE, "title": "  "}, "title is missing"),
        ("remember", {**NOTE, "memory": ["x"]}, "memory must be text, not list"),
        ("remember", {**NOTE, "memory": 42}, "memory must be text, not int"),
        ("remember", {**NOTE, "memory": "x" * 20_001}, "The memory has 20,001 characters"),
        ("remember", {**NOTE, "title": "x" * 121}, "The title has 121 characters"),
        ("remember", {**NOTE, "memory": "half \ud800"}, "memory holds half a character"),
        ("remember", {**NOTE, "id": "m-ffffff"}, "No fact has the id m-ffffff"),
        ("remember", {**NOTE, "allow_secret": True}, "There is no argument allow_secret"),
        ("recall", {"limit": 0}, "limit must be"),
        ("recall", {"limit": "many"}, "limit must be"),
        ("recall", {"limit": [5]}, "limit must be"),
        ("recall", {"limit": True}, "limit must be"),
        ("recall", {"query": {"a": 1}}, "query must be text, not dict"),
        ("recall", {"id": "m-ffffff"}, "No fact has the id m-ffffff"),
        ("forget", {}, "id is missing"),
        ("memory", {**SAVE, "confidence": "sure"}, "confidence must be a number"),
        ("memory", {**SAVE, "confidence": [95]}, "confidence must be a number"),
        ("memory", {**SAVE, "confidence": True}, "confidence must be a number"),
        ("memory", {**SAVE, "expires_days": "7"}, "expires_days must be a number of days"),
        ("memory", {**SAVE, "expires_days": 0}, "expires_days must be more than 0"),
        ("memory", {**SAVE, "expires_days": float("nan")}, "expires_days must be more than 0"),
        ("memory", {**SAVE, "expires_days": 10**400}, "expires_days must be a number of days"),
        ("memory", {**SAVE, "key": "k" * 10_000}, "key must be"),
        ("memory", {**SAVE, "key": "Server-IP"}, "key must be"),
        ("memory", {**SAVE, "source_context": "c" * 501}, "The source_context has 501 characters"),
        ("memory", {**SAVE, "value": "v" * 20_001}, "The value has 20,001 characters"),
        ("memory", {"action": ["save"]}, "action must be text, not list"),
        ("recall", "[1, 2]", "arguments must be one JSON object, not list"),
        ("recall", "{not json", "arguments must be one JSON object, and this is no JSON"),
        ("recall", "[" * 100_000, "arguments must be one JSON object, and this is no JSON"),
        ("recall", 7, "arguments must be one JSON object, not int"),
        ("dump", {}, "There is no tool dump"),
        (None, {}, "There is no tool None"),
    ],
)
def test_a_wrong_argument_is_named(store: Store, name: Any, arguments: Any, named: str) -> None:
    """A result that says which, never an exception; and nothing was written."""
    result = tools.call(name, arguments, store)
    assert (result["ok"], result["code"] in CODES) == (False, True)
    assert named in result["message"]
    assert not store.path.exists()


@pytest.mark.parametrize("confidence", ["95", 95.0, 95, " 95 "])
def test_a_number_may_come_as_text(store: Store, confidence: Any) -> None:
    """As models write it."""
    assert tools.call("memory", {**SAVE, "confidence": confidence}, store)["ok"]
    assert store.facts()[0].confidence == 95


@pytest.mark.parametrize(
    "arguments", [None, "", "{}", {}, {"query": None, "id": None, "limit": None}, '{"limit": "5"}']
)
def test_what_is_left_out_null_or_blank_is_the_same(store: Store, arguments: Any) -> None:
    """The strict modes send null for it."""
    store.remember("Tea")
    assert tools.call("recall", arguments, store)["total"] == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.just("m-000001"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    [
        "title",
        "memory",
        "id",
        "query",
        "limit",
        "action",
        "category",
        "key",
        "value",
        "source",
        "confidence",
        "expires_days",
        "source_context",
        "x",
    ]
)


@given(
    st.sampled_from(["remember", "recall", "forget", "memory", "x"]),
    VALUES | st.dictionaries(NAMES, VALUES) | st.dictionaries(NAMES, VALUES).map(json.dumps),
    st.sampled_from(["save", "search", "forget", "list", None]),
)
def test_no_call_ever_raises(tmp_path_factory: pytest.TempPathFactory, name: str, arguments: Any, action: Any) -> None:
    """Any JSON at all gives a value that JSON and UTF-8 can hold."""
    store = store_at(tmp_path_factory.getbasetemp() / "any" / "MEMORY.md")
    if action and isinstance(arguments, dict):
        arguments["action"] = action
    result = tools.call(name, arguments, store)
    assert result["ok"] in (True, False)
    assert len(json.dumps(result, ensure_ascii=False).encode("utf-8", "strict")) < 32_000
    assert size(result) <= 8_000


# How much


def test_a_result_has_at_most_15_facts_and_says_what_is_left(store: Store) -> None:
    """Whatever limit is asked for."""
    with store.batch() as batch:
        for number in range(40):
            batch.remember(f"Tea {number}", "Likes tea.")
    for name, arguments in (("recall", {"query": "tea", "limit": 100}), ("recall", {"limit": 99.0}), *READS[1:2]):
        result = tools.call(name, arguments, store)
        assert (len(result["facts"]), result["total"]) == (15, 40)
        assert result["message"].startswith("15 of 40")
    assert len(tools.call("recall", {}, store)["facts"]) == 5


@pytest.mark.parametrize("text", ["word " * 400, "言葉" * 700, '"\\\n' * 600])
def test_a_result_has_at_most_8000_characters_of_whole_facts(store: Store, text: str) -> None:
    """What does not fit is counted."""
    with store.batch() as batch:
        for number in range(15):
            batch.remember(f"Tea {number}", text)
    for name, arguments in (("recall", {"limit": 15}), ("memory", {"action": "search", "query": "tea"})):
        result = tools.call(name, arguments, store)
        assert size(result) <= 8_000
        assert 0 < len(result["facts"]) < 15
        assert result["message"].startswith(f"{len(result['facts'])} of 15")
        assert {fact.get("memory", fact.get("value")) for fact in result["facts"]} == {store.facts()[0].body}


def test_a_fact_too_long_for_any_result_is_named_and_does_not_hide_the_others(store: Store) -> None:
    """Nothing is cut in the middle."""
    store.remember("Tea", "Likes tea.")
    store.remember("Tea book", "tea " * 4_000)
    result = tools.call("recall", {"query": "tea"}, store)
    assert [fact["title"] for fact in result["facts"]] == ["Tea"]
    assert f"Too long to be told here: {store.facts()[0].id} “Tea book” (16,000 characters)" in result["message"]


def test_receipts_stay_small(store: Store) -> None:
    """Where what was replaced is long."""
    store.remember("Tea", "old " * 5_000)
    result = tools.call("remember", NOTE, store)
    assert size(result) < 4_000
    assert result["replaced"]["memory"].endswith("(19,000 more characters)")


# Secrets, and what is hidden


@pytest.mark.parametrize("field", ["title", "memory", "category", "key", "value", "source_context"])
def test_a_model_cannot_store_a_secret(store: Store, field: str) -> None:
    """In no field, and the result repeats nothing of it and offers no way around."""
    name = "remember" if field in NOTE else "memory"
    result = tools.call(name, {**(NOTE if name == "remember" else SAVE), field: GITHUB}, store)
    assert not result["ok"]
    assert field in result["message"]
    assert GITHUB[:12] not in result["message"]
    assert "allow" not in result["message"]
    assert not store.path.exists()


def test_a_fact_with_a_secret_is_in_no_result(store: Store) -> None:
    """A hand edit put it there; the result says that something is left out, and nothing of it."""
    store.path.parent.mkdir()
    store.path.write_text(
        f"## Tea token\n<!-- id: m-000001 · key: tea -->\n\n{GITHUB}\n\n## Wifi password\n\nhunter2 tea\n\n## Tea\n",
        "utf-8",
    )
    calls = [*READS, ("recall", {}), ("recall", {"id": "m-000001"}), ("remember", {**NOTE, "id": "m-000001"})]
    results = [tools.call(name, arguments, store) for name, arguments in calls]
    assert [fact["title"] for fact in results[0]["facts"]] == ["Tea"]
    assert "2 facts left out: what looks like a credential is told to no model" in results[0]["message"]
    assert GITHUB[:12] not in str(results)
    assert "hunter2" not in str(results)


def test_an_expired_fact_is_told_to_no_model(store: Store) -> None:
    """Not even by its id: a stale address is worse than none."""
    store.path.parent.mkdir()
    store.path.write_text("## Host\n<!-- id: m-000001 · expires: 2026-11-29 -->\n\n10.0.0.1\n", "utf-8")
    for arguments in ({"query": "host"}, {"id": "m-000001"}, {}):
        result = tools.call("recall", arguments, store)
        assert (result["ok"], result["facts"]) == (True, [])
        assert "10.0.0.1" not in str(result)
        assert "xpired" in result["message"] or "query" in arguments


def test_hidden_characters_reach_no_model(store: Store) -> None:
    """Lines stay, since a result is JSON; in messages, receipts and errors that name a title as well."""
    store.remember("Tea\U000e0041 time\u200b", "Likes\u202e tea\U000e0041\u200b.\nGreen.")
    assert tools.call("recall", {}, store)["facts"][0]["memory"] == "Likes tea.\nGreen."
    calls = [("recall", {"query": "teatime"}), ("forget", {"id": "Tea tim"}), ("forget", {"id": store.facts()[0].id})]
    results = json.dumps([tools.call(name, arguments, store) for name, arguments in calls], ensure_ascii=False)
    assert results.count("Tea time") >= 3
    assert not set(results) & {"\U000e0041", "\u200b"}


# Where models may only read


@pytest.mark.parametrize("settings", [{"model_writes": "off"}, {"read_only": True}])
def test_only_reading_is_left_where_models_may_not_write(path: Path, settings: dict[str, Any]) -> None:
    """In the definitions and in the calls; the user's own magics go on writing, unless all is read-only."""
    store_at(path).remember("Tea", "Likes tea.", key="host", category="technical")
    text, store = path.read_text("utf-8"), store_at(path, **settings)
    assert [tool["name"] for tool in tools.definitions("anthropic", store=store)] == ["recall"]
    (tool,) = tools.definitions("anthropic", "memory", store)
    assert tool["input_schema"]["properties"]["action"]["enum"] == ["search", "list"]
    assert list(tool["input_schema"]["properties"]) == ["action", "query", "category"]
    for name, arguments in WRITES:
        result = tools.call(name, arguments, store)
        assert result["code"] == "memory_unwritable"
        assert "may only read" in result["message"]
    assert [tools.call(name, arguments, store)["ok"] for name, arguments in READS] == [True] * 3
    assert path.read_text("utf-8") == text


# What goes wrong below


def trouble(path: Path, kind: str) -> None:
    path.parent.mkdir()
    if kind == "a folder":
        path.mkdir()
    elif kind == "not text":
        path.write_bytes(b"## Tea\n\n\xff\xfe\n")
    elif kind == "a file as folder":
        path.parent.rmdir()
        path.parent.write_text("in the way")
    elif kind == "a loop":
        path.symlink_to(path)
    elif kind == "conflict markers":
        path.write_text("<<<<<<< HEAD\n## Tea\n=======\n>>>>>>> other\n")
    elif kind == "no permission":
        path.write_text("## Tea\n")
        path.chmod(0)
        path.parent.chmod(0o500)


@pytest.mark.parametrize(
    "kind", ["a folder", "not text", "a file as folder", "a loop", "conflict markers", "no permission"]
)
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_no_error_tells_a_path_or_the_systems_words(path: Path, kind: str, name: str, arguments: Any) -> None:
    """Code and sentence, as the person reads it without the brackets."""
    trouble(path, kind)
    result = tools.call(name, arguments, store_at(path))
    path.parent.chmod(0o700)
    assert result["ok"] or result["code"] in CODES
    for word in (
        str(path.parent),
        "MEMORY.md",
        os.strerror(13),
        os.strerror(20),
        os.strerror(21),
        os.strerror(40),
        "Errno",
    ):
        assert word not in result["message"]
