"""The lock: whoever holds it and hangs, is stopped, is killed or forks; its file deleted; a place without locks."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from forks import apart, forked, waited

from memory_magic import Store
from memory_magic.errors import BusyError, MemoryMagicError
from memory_magic.storage import exchange, lock
from memory_magic.storage.local import ChangedError, LocalFile

HOLDER = """
import sys, time
from pathlib import Path
from memory_magic.storage import lock
with lock.held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a file with one fact, and little patience for its lock."""
    Store(tmp_path / "MEMORY.md").save("technical", "first", "there")
    monkeypatch.setattr(lock, "SECONDS", 0.2)
    return tmp_path / "MEMORY.md"


@pytest.fixture
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Give another process that holds the lock and does nothing else."""
    command = [sys.executable, "-c", HOLDER, str(path.with_name(".MEMORY.md.lock"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.mark.parametrize("state", ["hung", "stopped"])
def test_a_holder_that_does_not_let_go(path: Path, holder: subprocess.Popen[str], state: str) -> None:
    """A lock that is not free in time: memory_busy, which names the process and what to do; the file is untouched."""
    if state == "stopped":
        holder.send_signal(signal.SIGSTOP)
    before = path.read_bytes()
    with pytest.raises(BusyError) as caught:
        Store(path).save("technical", "second", "waits")
    assert caught.value.code == "memory_busy"
    assert caught.value.sentence == (
        "Another program has been saving for 10 seconds; wait for it or end it, then save again"
    )
    assert caught.value.detail == f"the lock is held by process {holder.pid}"
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == [".MEMORY.md.lock", "MEMORY.md"]


def test_reading_takes_no_lock(path: Path, holder: subprocess.Popen[str]) -> None:
    """Whoever holds the lock keeps nobody from reading."""
    assert [fact.key for fact in Store(path).facts()] == ["first"]


def test_a_killed_holder_lets_go(path: Path, holder: subprocess.Popen[str]) -> None:
    """The system frees the lock of a process that is gone, and the lock file it left is in nobody's way."""
    holder.kill()
    holder.wait()
    assert Store(path).save("technical", "second", "at once").created


def test_a_deleted_lock_file_is_noticed(path: Path) -> None:
    """Whose lock file is gone, or another one now, does not publish: others hold another lock."""
    for replaced in (False, True):
        with LocalFile(path).saving() as saving:
            saving.hold.path.unlink()
            if replaced:
                saving.hold.path.touch()
            with pytest.raises(ChangedError):
                saving.publish(b"# ours\n", {})
    assert b"ours" not in path.read_bytes()
    assert Store(path).save("technical", "second", "still works").created
    assert sorted(os.listdir(path.parent)) == [".MEMORY.md.lock", "MEMORY.md"]


def test_a_save_whose_lock_file_goes_starts_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock file deleted during a save splits the writers; the one that lost its lock begins anew, and is saved."""
    real, deleted = os.fsync, []

    def fsync(descriptor: int) -> None:
        real(descriptor)
        if not deleted:
            deleted.append(True)
            path.with_name(".MEMORY.md.lock").unlink()

    monkeypatch.setattr(os, "fsync", fsync)
    puts, put = [], exchange.put
    monkeypatch.setattr(exchange, "put", lambda new, target: puts.append(new) or put(new, target))
    assert Store(path).save("technical", "second", "after all").created
    assert len(puts) == 1
    assert path.with_name(".MEMORY.md.lock").exists()


def fork_while_held(folder: str) -> dict[str, int]:
    """In a process of its own: fork in the middle of a save; neither side's end may leave the lock taken."""
    path = Path(folder) / "MEMORY.md"
    lock.SECONDS = 1.0
    store = Store(path)
    with LocalFile(path).saving():
        sleeper = forked(lambda: time.sleep(600))
    store.save("technical", "second", "while the child lives")
    os.kill(sleeper, signal.SIGKILL)
    waited(sleeper)

    reading, writing = os.pipe()

    def die_holding() -> None:
        with LocalFile(path).saving():
            grandchild = forked(lambda: time.sleep(600))
            os.write(writing, f"{grandchild}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)

    waited(forked(die_holding))
    orphan = int(os.read(reading, 20))
    store.save("technical", "third", "while the orphan lives")
    os.kill(orphan, signal.SIGKILL)

    def child_saves() -> None:
        Store(path).save("technical", "fourth", "by the child")

    child = forked(child_saves)
    assert waited(child) == 0
    return {"facts": len(store)}


def test_a_fork_while_held(path: Path) -> None:
    """A child forked in the middle of a save holds no lock, whichever of the two ends first."""
    assert apart(fork_while_held, path.parent)["facts"] == 4


@pytest.mark.parametrize("name", ["ENOLCK", "ENOSYS", "EOPNOTSUPP"])
def test_a_place_without_locks(path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file system has no locks, saving goes on, and the receipt says so once."""

    def flock(descriptor: int, operation: int) -> None:
        if operation & fcntl.LOCK_EX:
            raise OSError(getattr(errno, name), "no locks here")

    monkeypatch.setattr(fcntl, "flock", flock)
    store = Store(path)
    told = "This file system has no locks; a save at the same moment is kept as a conflict copy"
    assert store.save("technical", "second", "one").notices == (told,)
    assert store.save("technical", "third", "two").notices == ()
    assert len(store) == 3


@pytest.mark.parametrize("kind", ["symlink", "fifo", "folder"])
def test_what_is_planted_as_the_lock_file(path: Path, kind: str) -> None:
    """A link, a pipe or a folder in the place of the lock is refused or waited out, and nothing behind it is touched."""
    planted, victim = path.with_name(".MEMORY.md.lock"), path.with_name("victim")
    planted.unlink()
    victim.write_text("precious")
    if kind == "symlink":
        planted.symlink_to(victim)
    elif kind == "fifo":
        os.mkfifo(planted)
    else:
        planted.mkdir()
    before = path.read_bytes()
    try:
        Store(path).save("technical", "second", "perhaps")
    except MemoryMagicError:
        assert path.read_bytes() == before
    else:
        assert kind == "fifo"  # it can be locked as well as any other file
        assert len(Store(path)) == 2
    assert victim.read_text() == "precious"
