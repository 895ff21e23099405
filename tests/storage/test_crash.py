"""A process that is gone in the middle of a save: at every system call, and killed at any instant."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from pathlib import Path

import faults
import pytest
import saves
from faults import injected
from forks import apart, forked, waited
from saves import OF_NOTES, SITUATIONS, Situation

from memory_magic import Store
from memory_magic.formats import choice


def crash_at_every_call(name: str, when: str) -> dict[str, int]:
    """In a process of its own: fork a child for each call of the save, which ends there, and look at what is left."""
    runs = 0

    def attempt(number: int) -> list[faults.Call]:
        nonlocal runs
        runs += 1

        def work() -> None:
            with injected(faults.ending(number, when, faults.crash)):
                situation.save()

        assert waited(forked(work)) == 9, number
        return situation.calls

    def check() -> None:
        situation.keeps_the_old()
        situation.holds()
        situation.keeps_the_old()

    with saves.quick_folder() as folder, pytest.MonkeyPatch.context() as patch:
        situation = Situation(name, folder, patch)
        saves.each(situation, range(1, len(situation.calls) + 1), attempt, check)
    return {"runs": runs}


@pytest.mark.parametrize("when", ["before", "inside", "after"])
@pytest.mark.parametrize("name", SITUATIONS + OF_NOTES)
def test_a_crash_at_every_call(name: str, when: str) -> None:
    """A process that ends at any call of a save leaves the old or the new file, and the old version somewhere."""
    assert apart(crash_at_every_call, name, when)["runs"] > 50


def test_a_record_that_a_crash_cut_short_is_left_out(tmp_path: Path) -> None:
    """Half a record in the history, and half a stamp, cost nothing but themselves."""
    store = Store(tmp_path / "MEMORY.md")
    for number in range(3):
        store.save("other", "key", str(number))
    folder = store._file._file.history().folder
    record = folder / "00000002.json"
    record.write_bytes(record.read_bytes()[:40])
    (folder / "stamp.json").write_bytes((folder / "stamp.json").read_bytes()[:40])
    assert [entry.version for entry in store.history()] == [3, 1]
    assert Store(store.path).save("other", "key", "3").previous.body == "2"
    assert [entry.version for entry in store.history()] == [4, 3, 1]


def test_what_a_crash_left_is_swept_into_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files of ours older than a minute go into the history; fresh ones and foreign ones stay."""
    Store(tmp_path / "MEMORY.md").save("other", "key", "value")
    old, fresh = tmp_path / ".MEMORY.md.1.aaaaaaaa.tmp", tmp_path / ".MEMORY.md.2.bbbbbbbb.tmp"
    kept = tmp_path / ".MEMORY.md.3.cccccccc.tmp.kept"
    foreign = [tmp_path / name for name in (".OTHER.md.1.aaaaaaaa.tmp", "MEMORY.md.tmp", ".MEMORY.md.swp", "x.tmp")]
    for file in (old, kept, *foreign):
        file.write_text(f"# {file.name}\n")
    (tmp_path / ".MEMORY.md.4.dddddddd.tmp").mkdir()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    fresh_at = now + 61
    fresh.write_text("# fresh\n")
    real = os.lstat

    def lstat(path: object) -> os.stat_result:
        status = real(path)  # the kernel gives no file a change time of one's own choosing
        return os.stat_result([*status[:9], fresh_at]) if Path(str(path)) == fresh else status

    monkeypatch.setattr(os, "lstat", lstat)
    store = Store(tmp_path / "MEMORY.md")
    store.save("other", "key", "another")
    assert not old.exists()
    assert not kept.exists()
    assert all(file.exists() for file in (fresh, *foreign))
    history = store._file._file.history()
    recovered = {file.read_text("utf-8") for _, file in history.versions()}
    assert {f"# {old.name}\n", f"# {kept.name}\n"} < recovered
    assert len(store.history()) == 2


def save_and_tell(path: str, name: str, pipe: int) -> None:
    """Save one fact after the other, and write each one's key into the pipe before and after its save."""
    store = Store(path)
    number = 0
    while True:
        number += 1
        os.write(pipe, f"+{name}_{number}\n".encode())
        store.save("technical", f"{name}_{number}", "x" * 300)
        os.write(pipe, f"={name}_{number}\n".encode())


def read_until(pipe: int, seconds: float) -> bytes:
    """Read what comes through a pipe for some seconds."""
    told, deadline = b"", time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            told += os.read(pipe, 1 << 16)
    return told


def kill_savers(folder: str, runs: int, seed: int, name: str = "MEMORY.md") -> dict[str, int]:
    """In a process of its own: kill a process that saves, at a random instant, again and again; check each time."""
    path = Path(folder) / name
    random_ = random.Random(seed)
    Store(path).save("technical", "first", "warms everything up")
    acknowledged, attempted = {"first"}, {"first"}
    unfinished = 0
    for run in range(runs):
        reading, writing = os.pipe()
        child = forked(lambda: save_and_tell(str(path), f"run{run}", writing))  # noqa: B023 -- forked at once
        os.close(writing)
        told = read_until(reading, random_.uniform(0.001, 0.06))
        os.kill(child, signal.SIGKILL)
        assert waited(child) == -signal.SIGKILL
        while piece := os.read(reading, 1 << 16):
            told += piece
        os.close(reading)
        lines = told.decode().split()
        attempted |= {line[1:] for line in lines if line[0] == "+"}
        acknowledged |= {line[1:] for line in lines if line[0] == "="}
        unfinished += bool(lines) and lines[-1][0] == "+"
        facts = choice.parse(path, path.read_text("utf-8")).facts
        present = [fact.key for fact in facts]
        assert acknowledged <= set(present) <= attempted, (run, acknowledged - set(present))
        assert len(set(present)) == len(present)
        assert len({fact.id for fact in facts}) == len(facts)
        assert all(fact.body == "x" * 300 for fact in facts if fact.key != "first")
        if len(facts) > 60:  # so that a save stays as short as it mostly is
            Store(path).forget(" ".join(fact.id for fact in facts if fact.key != "first"))
            acknowledged, attempted = {"first"}, {"first"}
    Store(path).save("technical", "last", "still works")
    return {"runs": runs, "unfinished": unfinished}


@pytest.mark.parametrize(("name", "share"), [("MEMORY.md", 1), ("notes.json", 3)])
def test_sigkill_at_any_instant(tmp_path: Path, name: str, share: int, request: pytest.FixtureRequest) -> None:
    """Whatever instant a saving process is killed at: acknowledged ⊆ present ⊆ attempted, and no id twice."""
    runs = request.config.getoption("--crash-runs") // share
    done = apart(kill_savers, tmp_path, runs, 20_261_130, name, timeout=60 + 2 * runs)
    assert done["runs"] == runs
    assert done["unfinished"] > runs // 10
