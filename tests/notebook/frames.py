"""What the tests of frames share: a store of a few facts, or of a file written by hand, at a fixed time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from memory_magic import Store

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
HOST, TEA, NOTE = "m-00000a", "m-00000b", "m-00000c"

HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(1)> </td> $x^2$ & \"quotes\" 'too'"
BY_HAND = """---
front: matter
---

Prose before the first section.

## Likes tea
Green only.

## Likes tea
<!-- category: preferences · expires: 2026-12-05 -->

## Wrong in every field
<!-- id: m-1a2b3c · category: wiki page · source: rumour · confidence: 150 · key: Server-IP · expires: soon -->
kept

## One of two
<!-- id: m-2a2b3c · expires: 2026-12-01T00:00:00 -->

## The other of two
<!-- id: m-2a2b3c · expires: 2026-12-01T00:00:00+14:00 -->

## \n<!-- id: m-3a2b3c · created: 2026-11-30T20:20:00.123456+00:00 · updated: 2099-01-01 -->

## Router
<!-- id: m-4a2b3c -->
the password is swordfish-42
"""
TROUBLE = {
    "by hand": BY_HAND,
    "a list of bullets": "- likes tea\n- likes coffee\n",
    "conflict markers": "<<<<<<< HEAD\n## A\na\n=======\n## A\nb\n>>>>>>> theirs\n",
    "yolop": "# yolop memory\n\n## A\n## B\n",
    "nothing": "",
    "only comments": "<!-- nothing yet -->\n",
    "CRLF": "\ufeff# Memory\r\n\r\n## A\r\n<!-- id: m-1a2b3c -->\r\n\r\none\r\ntwo\r\n",
}


def store_of(folder: Path, text: str = "") -> Store:
    """Give a store at the fixed time, on a file with this text, or on none yet."""
    path = folder / "MEMORY.md"
    if text:
        path.write_bytes(text.encode())
    ids = iter(f"m-{number:06x}" for number in range(10, 10_000))
    return Store(path, clock=lambda: NOW, new_id=lambda: next(ids))


def three_facts(folder: Path) -> Store:
    """Give a store with a fact that has every field, one that has a text only, and one with a title of its own."""
    store = store_of(folder)
    every = {"category": "technical", "key": "host", "confidence": 40, "expires": "2026-12-04", "scope": "project:x"}
    store.remember("Host", "lives in the cellar", source="tool_call", context="seen in a.ipynb", **every)
    store.remember("likes green tea")
    store.remember("Note", "as it is", expires="2026-12-01T06:00:00Z")
    return store
