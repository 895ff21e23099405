"""A disk that is really full, and a limit on the size of files."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from forks import apart

from memory_magic import Store
from memory_magic.errors import UnwritableError


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 256 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_really_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving until the disk is full: the save that fails says so, everything acknowledged is there, nothing is left."""
    path = small_disk / "memory" / "MEMORY.md"
    monkeypatch.setenv("XDG_STATE_HOME", str(small_disk / "state"))
    store, saved = Store(path), list[str]()

    def save_on_and_on() -> None:
        while True:
            store.save("technical", f"key_{len(saved)}", "x" * 2_000)
            saved.append(f"key_{len(saved)}")

    with pytest.raises(UnwritableError, match="no room on the disk"):
        save_on_and_on()
    assert len(saved) > 5
    assert {fact.key for fact in Store(path).facts()} == set(saved)
    assert sorted(os.listdir(path.parent)) == [".MEMORY.md.lock", "MEMORY.md"]
    history = store._file._file.history()
    for _, file in list(history.versions())[:3]:
        file.unlink()
    for filler in small_disk.glob("state/memory-magic/history/*/*.md"):
        filler.unlink()
    assert store.save("technical", "more", "there is room again").created


def test_a_history_that_has_no_room_is_a_notice(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where only the history's disk is full, the save is made, and its receipt says what could not be kept."""
    path = tmp_path / "MEMORY.md"
    monkeypatch.setenv("XDG_STATE_HOME", str(small_disk))
    store = Store(path)
    store.save("technical", "key", "before")
    with suppress(OSError), (small_disk / "filler").open("ab", buffering=0) as filler:
        while True:
            filler.write(b"x" * 4_096)
    saved = store.save("technical", "key", "after")
    assert saved.notices == ("It is saved, but the version before could not be kept (No space left on device)",)
    assert [fact.body for fact in Store(path).facts()] == ["after"]
    assert sorted(name for name in os.listdir(tmp_path) if "MEMORY" in name) == [".MEMORY.md.lock", "MEMORY.md"]


def save_under_a_limit(folder: str) -> dict[str, list[str]]:
    """In a process of its own: no file may become larger than 8 KiB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))
    path, saved, said = Path(folder) / "MEMORY.md", [], ""
    store = Store(path)
    for number in range(20):
        try:
            store.save("technical", f"key_{number}", "x" * 1_000)
            saved.append(f"key_{number}")
        except UnwritableError as error:
            said = str(error)
            break
    store.save("technical", "key_0", "short")
    return {"saved": saved, "said": [said], "left": sorted(os.listdir(folder)), "keys": [f.key or "" for f in store]}


def test_a_limit_on_the_size_of_files(tmp_path: Path) -> None:
    """RLIMIT_FSIZE cuts a write short: the save is refused, and what was saved before it stays."""
    done = apart(save_under_a_limit, tmp_path)
    assert 3 < len(done["saved"]) < 10
    assert set(done["keys"]) == set(done["saved"])
    assert "Nothing was saved, the memory is as it was: there is no room on the disk" in done["said"][0]
    assert done["left"] == [".MEMORY.md.lock", "MEMORY.md"]
