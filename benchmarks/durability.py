"""What is lost when a save is disturbed, and what a save costs: writes the tables of docs/durability.md.

Run from the repository, with the extra ``test`` installed: ``python benchmarks/durability.py [OUTPUT]``. The trials are
those of the tests, in larger numbers; each of them checks what has become of every save and every edit, and stops the
run where one is lost. It takes some minutes.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from statistics import median, quantiles
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "storage"))
sys.path.insert(0, str(ROOT / "tests"))

import pytest
import saves
import test_crash
import test_editors
import test_faults
import test_power
import test_writers
from faults import ERRORS
from forks import apart
from saves import SITUATIONS, Situation

from memory_magic import Store, changes
from memory_magic.edits import Edit
from memory_magic.formats.markdown import Document
from memory_magic.memory_file import MemoryFile
from memory_magic.storage.local import LocalFile, Saving

FACTS, PAIRS = 200, 200
PAGE = """\
# What survives

Each row is a number of trials in which saves were disturbed. After each one, everything that was acknowledged was
looked for: *lost* counts the saves and edits that were neither in the file, nor in a conflict copy beside it, nor,
where an editor had overwritten them on purpose, in the history; *torn* counts the times that a file or a fact was
found that was neither the old nor the new one. This page is written by `python benchmarks/durability.py` and by
nothing else.

| disturbed by | trials | | lost | torn |
| --- | --- | --- | --- | --- |
{trials}

An editor that writes in place and is held up for longer than 20 ms between two of its own writes can be met in the
middle; such edits are left out of these rows. A save waits two seconds where a file has lost more than half of its
size. On a system without an atomic exchange (`renameat2`) an instant remains, between a link and a rename, in which
a file that an editor renames into place goes unseen; the trials keep the editor out of that instant.

## What it costs

The ratios are the medians of pairs taken in turns, in one run and on one disk.

{costs}
"""
ORDERS = ("before", "inside", "after")
Row = tuple[str, int, str]


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder of its own, with the history in it."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(Path(name, "state")))
        memory = Path(name, "memory")
        memory.mkdir()
        yield memory


@contextmanager
def situation(name: str) -> Iterator[Situation]:
    """Give one of the situations in which a save is disturbed."""
    with saves.quick_folder() as quick, pytest.MonkeyPatch.context() as patch:
        yield Situation(name, quick, patch)


def writers() -> Iterator[Row]:
    """Many processes save at once, and two more read meanwhile."""
    for processes, threads, count in ((8, 1, 50), (3, 4, 20)):
        with folder() as memory:
            done = apart(test_writers.write_and_read, memory, processes, threads, count, timeout=600)
        assert done["facts"] == processes * threads * count
        each = f"{count} saves" if threads == 1 else f"{threads} threads × {count} saves"
        name = f"{processes} processes × {each}, and two readers"
        yield name, done["facts"], f"{done['facts']} facts"


def ends() -> Iterator[Row]:
    """End a process, or the power, in the middle of a save."""
    with folder() as memory:
        done = apart(test_crash.kill_savers, memory, 1000, 7, timeout=1800)
    yield "`kill -9` at a random instant", done["runs"], f"{done['unfinished']} in the middle of a save"
    runs = sum(apart(test_crash.crash_at_every_call, name, when)["runs"] for name in SITUATIONS for when in ORDERS)
    yield "a crash before, inside and after every system call", runs, f"{len(SITUATIONS)} situations"
    points = 0
    for name in SITUATIONS:
        with pytest.MonkeyPatch.context() as patch:
            test_power.test_power_loss_at_any_point(name, patch)
        with situation(name) as one:
            points += len(one.calls)
    yield "a power loss behind every system call, by a model that drops what was not synced", points, "every cut of it"


def faults() -> Iterator[Row]:
    """Let a system call fail, or press the stop button at it."""
    failed = interrupted = 0
    for name in SITUATIONS:
        with situation(name) as one:
            calls = len(one.calls)
            for error in ERRORS:
                test_faults.fail(one, range(1, calls + 1), error)
                failed += calls
            for when in ORDERS:
                test_faults.test_every_call_may_be_interrupted(one, when)
                interrupted += calls
    yield "an error of every system call", failed, ", ".join(ERRORS)
    yield "the stop button before, inside and after every system call", interrupted, "no temporary file, no lock held"


def editors() -> Iterator[Row]:
    """Let an editor save the same file at the same time, without a lock."""
    for way, name in (("exchange", ""), ("linked", ", on a system without an atomic exchange")):
        for pattern, function in test_editors.PATTERNS.items():
            with folder() as memory:
                done = apart(test_editors.edit_while_saving, memory, pattern, way, 100, timeout=600)
            about = (function.__doc__ or "").split(":")[0].removeprefix("Save as ").strip(" .")
            held = done["edits"] - done["stalled"]
            yield f"an editor that saves as {about}{name}", held, f"{done['saves']} saves meanwhile"


def table(rows: Iterator[Row]) -> list[str]:
    """Run the trials and give their rows; each of them has looked for every save and every edit."""
    lines = []
    for name, count, about in rows:
        print(f"{name}: {count}", file=sys.stderr)
        lines.append(f"| {name} | {count:,} | {about} | 0 | 0 |")
    return lines


def taken(call: Callable[[], object]) -> float:
    """Give the milliseconds of one call."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def write_durably(path: Path, data: bytes) -> None:
    """Write, fsync, rename, and fsync the folder."""
    temporary = path.with_name(f".{path.name}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    os.replace(temporary, path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def rewrite_json(path: Path, number: int) -> None:
    """Read a JSON file of as many facts, change one, and write it durably: a store with no lock, check or history."""
    facts = json.loads(path.read_bytes())
    facts[number % len(facts)]["body"] = f"a new value, the number {number}"
    write_durably(path, json.dumps(facts, ensure_ascii=False, indent=1).encode())


@contextmanager
def timed() -> Iterator[dict[str, list[float]]]:
    """Collect the milliseconds spent in the parts of a save."""
    watched: list[tuple[str, Any, str]] = [
        ("all", MemoryFile, "change"),
        ("read", LocalFile, "_begin"),
        ("parse", MemoryFile, "_look"),
        ("change", Edit, "save"),
        ("check", Document, "data"),
        ("compare", changes, "between"),
        ("write", Saving, "_write"),
        ("look", Saving, "_put"),
        ("keep", Saving, "_keep"),
        ("stamp", Saving, "_stamp"),
        ("sync", Saving, "_sync_folder"),
    ]
    spent: dict[str, list[float]] = {name: [] for name, _, _ in watched}

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **values: Any) -> Any:
            start = time.perf_counter()
            try:
                return call(*arguments, **values)
            finally:
                spent[name].append(1000 * (time.perf_counter() - start))

        return wrapper

    with pytest.MonkeyPatch.context() as patch:
        for name, owner, attribute in watched:
            patch.setattr(owner, attribute, wrapped(name, getattr(owner, attribute)))
        yield spent


def cost() -> list[str]:
    """Measure a save at 200 facts in turns with the bare durable write of as many bytes, and with a JSON rewrite."""
    with folder() as memory:
        store = Store(memory / "MEMORY.md")
        with store.batch() as batch:
            for number in range(FACTS):
                batch.save("technical", f"key_{number}", f"value {number} " + "and some words more " * 10)
        data = store.path.read_bytes()
        plain = [{name: str(getattr(fact, name)) for name in fact.__slots__} for fact in store.facts()]
        beside, as_json = memory / "beside.md", memory / "facts.json"
        as_json.write_text(json.dumps(plain))
        times: dict[str, list[float]] = {"save": [], "write": [], "json": []}
        for number in range(PAIRS + 10):
            calls: list[tuple[str, Callable[[], object]]] = [
                ("save", partial(store.save, "technical", f"key_{number * 37 % FACTS}", f"a new value {number}")),
                ("write", partial(write_durably, beside, data)),
                ("json", partial(rewrite_json, as_json, number)),
            ]
            for name, call in calls[number % 3 :] + calls[: number % 3]:
                times[name].append(taken(call))
        measured = {name: values[10:] for name, values in times.items()}  # the first ones warm everything up
        with timed() as spent:
            for number in range(PAIRS):
                store.save("technical", f"key_{number}", f"another value {number}")
    return [*ratios(measured), "", *parts(spent)]


def ratios(times: dict[str, list[float]]) -> list[str]:
    """Give the rows of what a save costs beside the other two."""
    lines = ["| a save at 200 facts, beside | median of the ratios | quartiles |", "| --- | --- | --- |"]
    for name, about in (
        ("write", "write + fsync + rename + fsync of the folder, of the same bytes"),
        ("json", "the rewrite of a JSON file of the same facts, as durable, without lock, checks and history"),
    ):
        found = [mine / other for mine, other in zip(times["save"], times[name], strict=True)]
        low, _, high = quantiles(found, n=4)
        lines.append(f"| {about} | {median(found):.2f} | {low:.2f} to {high:.2f} |")
    return lines


def parts(spent: dict[str, list[float]]) -> list[str]:
    """Give the rows of what the parts of a save take of it."""
    whole = sum(spent["all"])
    share = {name: 100 * sum(values) / whole for name, values in spent.items()}
    named = {
        "write: the temporary file, with its fsync": share["write"],
        "sync: the fsync of the folder": share["sync"],
        "publish: the exchange, and a look at what came out": share["look"],
        "read: the stamp, the file, and a look at the version replaced before": share["read"],
        "parse: what has changed in the file since it was last read": share["parse"],
        "change: find the fact, validate, look for credentials, write its section": share["change"],
        "check: that every section still reads as it is meant": share["check"],
        "history: what has changed, the replaced version, the record, the stamp": share["compare"]
        + share["keep"]
        + share["stamp"],
    }
    rest = {"lock, and all that is between the parts": 100 - sum(named.values())}
    lines = ["| part of a save | of its time |", "| --- | --- |"]
    return lines + [f"| {name} | {value:.0f} % |" for name, value in (named | rest).items()]


def main() -> None:
    """Run everything and write the page."""
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "durability.md"
    with redirect_stdout(StringIO()):
        trials = [line for rows in (writers, ends, faults, editors) for line in table(rows())]
        costs = cost()
    page = PAGE.format(trials="\n".join(trials), costs="\n".join(costs))
    output.parent.mkdir(exist_ok=True)
    output.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
