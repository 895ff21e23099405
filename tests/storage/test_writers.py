"""Writers × processes × threads, and readers among them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from forks import apart, forked, waited

from memory_magic import Store
from memory_magic.formats import choice

KEYS = "key_{}_{}_{}"


def text(key: str) -> str:
    """Give the body of a fact, by which a torn one is told from a whole one."""
    return " ".join([f"{key} is whole."] * 20)


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Do some work in so many threads at once; raises what the first of them raised."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def write_and_read(folder: str, processes: int, threads: int, saves: int, name: str = "MEMORY.md") -> dict[str, int]:
    """In a process of its own: children save from threads and tell each acknowledgement; two others read until then."""
    path = Path(folder) / name
    reading, writing = os.pipe()
    stopped = Path(folder) / "stopped"

    def write(process: int) -> None:
        store = Store(path)

        def save(thread: int) -> None:
            for number in range(saves):
                key = KEYS.format(process, thread, number)
                assert store.save("technical", key, text(key)).created
                os.write(writing, f"{key}\n".encode())

        in_threads(threads, save)

    def read() -> None:
        os.close(writing)  # or nobody would ever see its end
        store, seen = Store(path), set[str]()
        while not stopped.exists():
            facts = {fact.key: fact.body for fact in store.facts()}
            assert all(body == text(key or "") for key, body in facts.items())
            assert seen <= set(facts)
            seen = {key for key in facts if key}
            if path.exists():
                raw = path.read_bytes()
                assert raw.endswith(b"\n")
                assert all(fact.body == text(fact.key or "") for fact in choice.parse(path, raw.decode()).facts)

    readers = [forked(read) for _ in range(2)]
    writers = [forked(lambda number=number: write(number)) for number in range(processes)]
    os.close(writing)
    told = b""
    while piece := os.read(reading, 1 << 16):
        told += piece
    assert [waited(child) for child in writers] == [0] * processes
    stopped.touch()
    assert [waited(child) for child in readers] == [0, 0]
    facts = choice.parse(path, path.read_text("utf-8")).facts
    present = [fact.key for fact in facts]
    acknowledged = told.decode().split()
    attempted = {KEYS.format(p, t, n) for p in range(processes) for t in range(threads) for n in range(saves)}
    assert set(acknowledged) <= set(present) <= attempted
    assert len(acknowledged) == len(attempted)
    assert len({fact.id for fact in facts}) == len(present) == len(set(present))
    left = sorted(file.name for file in Path(folder).iterdir() if file.name not in (name, "stopped"))
    assert left == [f".{name}.lock"]
    numbers = [entry.version for entry in Store(path).history()]
    assert numbers[0] == len(attempted)
    assert numbers == sorted(set(numbers), reverse=True)
    assert len(numbers) == len(attempted) or len(attempted) > 300  # more than that does not fit into the 50 MB
    return {"facts": len(facts)}


@pytest.mark.parametrize(
    ("processes", "threads", "saves", "name"),
    [
        (8, 1, 25, "MEMORY.md"),
        (3, 3, 5, "MEMORY.md"),
        (1, 7, 4, "MEMORY.md"),
        (4, 1, 20, "notes.json"),
        (2, 3, 5, "notes.json"),
    ],
)
def test_writers_lose_nothing(
    tmp_path: Path, processes: int, threads: int, saves: int, name: str, request: pytest.FixtureRequest
) -> None:
    """Every acknowledged save is there, none twice, and no reader has ever seen less than whole facts."""
    saves *= request.config.getoption("--fault-runs")
    done = apart(write_and_read, tmp_path, processes, threads, saves, name, timeout=120 + processes * threads * saves)
    assert done["facts"] == processes * threads * saves


def fight(folder: str, processes: int, saves: int, name: str = "MEMORY.md") -> dict[str, int]:
    """In a process of its own: children save the same key again and again."""
    path = Path(folder) / name

    def write(process: int) -> None:
        for number in range(saves):
            Store(path).save("technical", "contended", f"by {process}, number {number}")

    writers = [forked(lambda number=number: write(number)) for number in range(processes)]
    assert [waited(child) for child in writers] == [0] * processes
    (fact,) = choice.parse(path, path.read_text("utf-8")).facts
    assert fact.body in {f"by {process}, number {saves - 1}" for process in range(processes)}
    entries = list(Store(path).history())
    # A chain: what each change found is what the one before it left.
    chain = [(entry.changes[0].before, entry.changes[0].after) for entry in reversed(entries)]
    assert chain[0][0] is None
    assert all(after.strip() == before.strip() for (_, after), (before, _) in pairwise(chain))
    return {"entries": len(entries)}


@pytest.mark.parametrize("name", ["MEMORY.md", "notes.json"])
def test_writers_of_one_fact_make_a_chain(tmp_path: Path, name: str) -> None:
    """Many writers of the same key leave one fact, and a history in which every change follows on the one before."""
    assert apart(fight, tmp_path, 4, 8, name)["entries"] == 32


def test_seven_threads(tmp_path: Path) -> None:
    """Seven calls at once on one store: seven facts."""
    store = Store(tmp_path / "MEMORY.md")
    in_threads(7, lambda number: store.remember(f"Fact {number}", "from a thread") and None)
    assert {fact.title for fact in store.facts()} == {f"Fact {number}" for number in range(7)}
    assert sorted(os.listdir(tmp_path)) == [".MEMORY.md.lock", "MEMORY.md"]


def test_a_save_starts_from_the_file_as_it_is(tmp_path: Path) -> None:
    """What a store has read before is not what it changes: another one's save in between stays."""
    one, other = Store(tmp_path / "MEMORY.md"), Store(tmp_path / "MEMORY.md")
    one.save("technical", "first", "read by both")
    assert len(one.facts()) == len(other.facts()) == 1
    other.save("technical", "second", "unseen by the first")
    one.save("technical", "third", "on top of both")
    other.save("technical", "first", "changed")
    assert {fact.key: fact.body for fact in one.facts()} == {
        "first": "changed",
        "second": "unseen by the first",
        "third": "on top of both",
    }
