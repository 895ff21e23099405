"""10,000 facts: a recall beside SQLite FTS5 in memory, and a save beside a bare durable write of the same bytes.

Run from the repository: ``python benchmarks/scale.py [FACTS]``. Both sides of a ratio are measured in turns, in one
run and on one folder; the figure is the median of the ratios. The aims are at most 6 each.
"""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from memory_magic import Store, changes
from memory_magic.edits import Edit
from memory_magic.formats.markdown import Document
from memory_magic.memory_file import MemoryFile
from memory_magic.settings import MemorySettings
from memory_magic.storage.local import LocalFile, Saving

FACTS, QUERIES, ROUNDS, SAVES = 10_000, 60, 5, 40
LIMIT = 5

Clock = Callable[[], int]


def vocabulary(chance: random.Random) -> list[str]:
    """Make 5,000 words, the most frequent ones first."""
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "ing")]
    found: dict[str, None] = {}
    while len(found) < 5_000:
        found["".join(chance.choices(syllables, k=chance.randint(2, 3)))] = None
    return sorted(found, key=len)


def texts(count: int) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Make facts (title, key, body) and queries of 1 to 5 words, whose words are as unequally frequent as in prose."""
    chance = random.Random(20_261_130)
    words = vocabulary(chance)
    weights = [1 / (rank + 10) for rank in range(len(words))]

    def some(low: int, high: int) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randint(low, high)))

    facts = [(f"{some(3, 7)} {number}", f"key_{number}", some(8, 40)) for number in range(count)]
    return facts, [some(1, 5) for _ in range(QUERIES)]


def write_memory(path: Path, facts: list[tuple[str, str, str]]) -> None:
    """Write the facts as a memory file."""
    stamp = "2026-11-30T20:20:00Z"
    sections = [
        f"## {title}\n<!-- id: m-{number:06x} · created: {stamp} · updated: {stamp} · category: technical"
        f" · key: {key} · source: user_explicit · confidence: 90 -->\n\n{body}\n"
        for number, (title, key, body) in enumerate(facts)
    ]
    path.write_text("# Memory\n\n" + "\n".join(sections), "utf-8")


def full_text_index(facts: list[tuple[str, str, str]]) -> sqlite3.Connection:
    """Give the same facts in SQLite FTS5, in memory, stemmed too."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE facts USING fts5(title, key, body, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO facts VALUES (?, ?, ?)", facts)
    database.execute("INSERT INTO facts(facts) VALUES ('optimize')")
    return database


def taken(call: Callable[[], object]) -> int:
    """Give the nanoseconds of one call."""
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start


def in_turns(ours: list[Callable[[], object]], theirs: list[Callable[[], object]]) -> list[float]:
    """Give the ratio of each pair of calls; who comes first changes."""
    ratios = []
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if number % 2:
            against = taken(other)
            ratios.append(taken(mine) / against)
        else:
            spent = taken(mine)
            ratios.append(spent / taken(other))
    return ratios


def report(name: str, ratios: list[float], aim: float = 6) -> None:
    """Print the median and the quartiles."""
    low, _, high = quantiles(ratios, n=4)
    print(f"{name}: {median(ratios):.2f} (quartiles {low:.2f} to {high:.2f}, {len(ratios)} pairs; aim {aim:g})")


@contextmanager
def parts() -> Iterator[dict[str, list[int]]]:
    """Collect the nanoseconds spent in the parts of a save, while in this context; a part may lie inside another."""
    watched: list[tuple[str, Any, str]] = [
        ("lock, read, change, write: all", MemoryFile, "change"),
        ("  read the file", LocalFile, "_begin"),
        ("  change the facts", Edit, "save"),
        ("  give the bytes, and see that they read as meant", Document, "data"),
        ("  say what has changed", changes, "between"),
        ("  publish it", Saving, "publish"),
        ("    write and flush it", Saving, "_write"),
        ("    keep the replaced version and the record", Saving, "_keep"),
    ]
    spent: dict[str, list[int]] = {name: [] for name, _, _ in watched}

    def timed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any, **values: Any) -> Any:
            start = time.perf_counter_ns()
            try:
                return call(*arguments, **values)
            finally:
                spent[name].append(time.perf_counter_ns() - start)

        return measured

    originals = [(owner, attribute, getattr(owner, attribute)) for _, owner, attribute in watched]
    for name, owner, attribute in watched:
        setattr(owner, attribute, timed(name, getattr(owner, attribute)))
    try:
        yield spent
    finally:
        for owner, attribute, original in originals:
            setattr(owner, attribute, original)


def durable_write(path: Path, data: bytes) -> int:
    """Write the bytes beside the file, flush them to the disk, and put them in its place; gives how many."""
    temporary = path.with_name(f".{path.name}.tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    return len(data)


def measure_recall(store: Store, facts: list[tuple[str, str, str]], queries: list[str]) -> None:
    """Print how a warm recall compares with FTS5."""
    database = full_text_index(facts)
    question = "SELECT title, key, body FROM facts WHERE facts MATCH ? ORDER BY bm25(facts) LIMIT ?"

    def ours(query: str) -> Callable[[], object]:
        return lambda: store.recall(query, limit=LIMIT)

    def theirs(query: str) -> Callable[[], object]:
        match = " OR ".join(f'"{word}"' for word in query.split())
        return lambda: database.execute(question, (match, LIMIT)).fetchall()

    for query in queries:  # warm: both have answered each query once
        ours(query)(), theirs(query)()
    rounds = [query for number in range(ROUNDS) for query in (queries if number % 2 else queries[::-1])]
    report("recall / FTS5", in_turns([ours(query) for query in rounds], [theirs(query) for query in rounds]))
    database.close()


def measure_save(store: Store, beside: Path) -> None:
    """Print how a save compares with the durable write of as many bytes, and what its parts take of it."""
    keys = [f"key_{number * 97 % len(store)}" for number in range(SAVES)]
    data = store.path.read_bytes()

    def save(number: int) -> Callable[[], object]:
        return lambda: store.save("technical", keys[number % SAVES], f"a new value, the number {number}")

    def write() -> object:
        return durable_write(beside, data)

    save(-1)(), write()
    report("save / durable write", in_turns([save(number) for number in range(SAVES)], [write] * SAVES))
    with parts() as spent:
        whole = [taken(save(SAVES + number)) for number in range(SAVES)]
    print("\nof a save, in per cent of its time; indented parts lie inside the one above:")
    for name, times in spent.items():
        print(f"{100 * sum(times) / sum(whole):>6.1f} %  {name}")


def main() -> None:
    """Print both ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FACTS
    facts, queries = texts(count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "MEMORY.md")
        os.environ["XDG_STATE_HOME"] = folder  # earlier versions go there, and with it
        write_memory(path, facts)
        store = Store(path, settings=MemorySettings(soft_cap=0))
        assert len(store) == count
        print(f"{count:,} facts")
        measure_recall(store, facts, queries)
        measure_save(store, Path(folder, "beside.md"))


if __name__ == "__main__":
    main()
