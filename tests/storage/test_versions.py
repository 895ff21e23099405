"""The history on the disk: what is kept, for how long, at what cost, and for whose eyes."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from saves import other_file_system

from memory_magic import Store
from memory_magic.storage import history, stamp
from memory_magic.storage.history import History
from memory_magic.storage.stamp import Print, Stamp

NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)


def kept(store: Store) -> History:
    """Give the history of a store's file."""
    return store._file._file.history()


def filled(folder: History, ages: list[timedelta], size: int = 10) -> dict[int, datetime]:
    """Put versions of these ages into a history, the oldest first; gives when each was kept."""
    folder.prepare()
    times = {number: NOW - age for number, age in enumerate(sorted(ages, reverse=True), 1)}
    for number, moment in times.items():
        folder.note(number, {"what": "save", "changes": []}, b"x" * size)
        os.utime(folder.folder / f"{number:08d}.json", (moment.timestamp(), moment.timestamp()))
    return times


def test_what_is_kept_for_how_long(tmp_path: Path) -> None:
    """Every version of the last day, one an hour for a week, one a day before that: the latest of each."""
    folder = History(tmp_path / "MEMORY.md")
    times = filled(folder, [timedelta(minutes=20 * step) for step in range(3 * 24 * 12)])
    folder.prune(NOW)
    left = {number for number, _ in folder.versions()}
    assert left == {record["version"] for record in folder.records()}
    expected = defaultdict(list)
    for number, moment in times.items():
        age = NOW - moment
        if age <= timedelta(days=1):
            expected[number].append(number)
        elif age <= timedelta(days=7):
            expected[moment.strftime("%Y-%m-%d %H")].append(number)
        else:
            expected[moment.strftime("%Y-%m-%d")].append(number)
    assert left == {max(numbers) for numbers in expected.values()}
    folder.prune(NOW)
    assert {number for number, _ in folder.versions()} == left


def test_a_version_from_the_future_stays(tmp_path: Path) -> None:
    """A clock that was ahead, or has jumped back, costs no version."""
    folder = History(tmp_path / "MEMORY.md")
    filled(folder, [timedelta(days=-300, minutes=step) for step in range(5)])
    folder.prune(NOW)
    assert len(list(folder.versions())) == 5


def test_fifty_megabytes_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit any more goes, the oldest first."""
    assert history.MAX_BYTES == 50 << 20
    folder = History(tmp_path / "MEMORY.md")
    filled(folder, [timedelta(minutes=step) for step in range(40)], size=1_000)
    monkeypatch.setattr(history, "MAX_BYTES", history._PRUNE_EVERY + 10_500)
    folder.prune(NOW)
    left = [number for number, _ in folder.versions()]
    assert left == list(range(40, 40 - len(left), -1))
    assert 8 <= len(left) <= 10


def test_a_save_looks_for_what_has_had_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving is what prunes: once a megabyte was kept, old versions of one hour become one."""
    monkeypatch.setattr(history, "_PRUNE_EVERY", 1)
    store = Store(tmp_path / "MEMORY.md")
    for number in range(6):
        store.save("technical", "key", f"value {number}")
    folder = kept(store)
    moment = (datetime.now(UTC) - timedelta(days=3)).replace(minute=30).timestamp()
    for number in range(1, 6):
        os.utime(folder.folder / f"{number:08d}.json", (moment + number, moment + number))
    store.save("technical", "key", "now")
    assert [number for number, _ in folder.versions()] == [7, 6, 5]


@pytest.mark.parametrize("name", ["MEMORY.md", "notes.json"])
def test_the_replaced_file_itself_is_kept(tmp_path: Path, name: str) -> None:
    """Keeping a version costs no copy: it is the very file that was replaced, by its inode."""
    store = Store(tmp_path / name)
    store.save("technical", "key", "before")
    before, data = store.path.stat().st_ino, store.path.read_bytes()
    store.save("technical", "key", "after")
    (number, file), *_ = kept(store).versions()
    assert (number, file.stat().st_ino, file.read_bytes()) == (2, before, data)


def test_a_history_on_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Across file systems the bytes are copied, and the replaced file waits beside the target for one save."""
    with other_file_system(tmp_path) as state:
        monkeypatch.setenv("XDG_STATE_HOME", str(state))
        store, versions = Store(tmp_path / "MEMORY.md"), []
        for number in range(4):
            store.save("technical", "key", f"value {number}")
            versions.append(store.path.read_bytes())
        assert [file.read_bytes() for _, file in kept(store).versions()][:3] == versions[2::-1]
    assert sorted(os.listdir(tmp_path)) == [".MEMORY.md.lock", ".MEMORY.md.replaced", "MEMORY.md"]
    assert (tmp_path / ".MEMORY.md.replaced").read_bytes() == versions[-2]


@pytest.mark.parametrize("umask", [0, 0o077])
def test_nobody_else_can_look(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folders of the history are 0700 and its own files 0600, whatever the umask."""
    state = tmp_path / "state"
    state.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    before = os.umask(umask)
    try:
        store = Store(tmp_path / "memory" / "MEMORY.md")
        for number in range(3):
            store.save("technical", "key", f"value {number}")
    finally:
        os.umask(before)
    modes = {file: stat.S_IMODE(file.stat().st_mode) for file in state.rglob("*")}
    assert {modes[file] for file in modes if file.is_dir()} == {0o700}
    assert {modes[file] for file in modes if file.is_file()} == {0o600}
    assert len(modes) > 8


def test_a_state_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a place for the history the save is made, and the receipt says what could not be kept."""
    (tmp_path / "state").write_text("not a folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = Store(tmp_path / "memory" / "MEMORY.md")
    for number in range(3):
        saved = store.save("technical", "key", f"value {number}")
        assert saved.notices == ("It is saved, but the version before could not be kept (File exists)",)
    assert [fact.body for fact in store.facts()] == ["value 2"]
    assert sorted(os.listdir(store.path.parent)) == [".MEMORY.md.lock", "MEMORY.md"]


def test_a_shorter_stamp_over_a_longer_one(tmp_path: Path) -> None:
    """The stamp is written over in place: what is left of a longer one behind it does not make it unreadable."""
    print_ = Print(1, 2, 3, "4")
    long = Stamp(print_, 7, 8, "/" + "Память/" * 200 + "x", print_)
    for written in (long, replace(long, replaced=None, replaced_path=""), long):
        stamp.store(tmp_path, written)
        assert stamp.load(tmp_path) == written
