"""Reading: it sees every change, takes an error for an error, and never writes; and what saving leaves alone."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from types import SimpleNamespace

import faults
import pytest
from faults import ERRORS, injected
from saves import store_at

from memory_magic import Store
from memory_magic.errors import MemoryMagicError, UnreadableError
from memory_magic.storage import exchange, reading

CHANGING = {"write", "pwrite", "mkdir", "rename", "replace", "unlink", "remove", "link", "symlink", "ftruncate"}
CHANGING |= {"truncate", "chmod", "fchmod", "fchown", "utime", "rmdir", faults.LOCK, faults.EXCHANGE}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Give a store with three facts."""
    store = Store(tmp_path / "MEMORY.md")
    for name in ("tea", "coffee", "cocoa"):
        store.save("preferences", name, f"{name} is fine")
    return store


def look_everywhere(store: Store) -> None:
    """Read in every way there is."""
    store.facts()
    store.recall("tea")
    store.search("coffee")
    store.history()
    store.categories()
    len(store)


def test_a_read_never_writes(store: Store) -> None:
    """No call that changes anything is made by reading, and nothing has changed, not even a time stamp."""

    def state() -> dict[Path, tuple[int, ...]]:
        folders = (store.path.parent, store._file._file.history().folder)
        files = [file for folder in folders for file in (folder, *folder.iterdir())]
        return {f: (f.stat().st_ino, f.stat().st_size, f.stat().st_mtime_ns, f.stat().st_ctime_ns) for f in files}

    before = state()
    with injected() as calls:
        for _ in range(3):
            look_everywhere(store)
            look_everywhere(Store(store.path))
    assert calls
    assert [str(call) for call in calls if call.name in CHANGING] == []
    opened = [call for call in calls if call.name == "open"]
    assert [str(call) for call in opened if call.args[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)] == []
    assert state() == before


def test_reading_where_nothing_is_makes_nothing(tmp_path: Path) -> None:
    """A missing file is an empty store, and stays missing, with its folder."""
    store = Store(tmp_path / "new" / "MEMORY.md")
    look_everywhere(store)
    assert os.listdir(tmp_path) == []


def test_a_read_costs_one_stat_when_nothing_changed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the file is old enough to be trusted, a look at it is one call."""
    monkeypatch.setattr(reading, "_GRANULARITY_NS", -1)
    store.facts()
    with injected() as calls:
        store.facts()
    assert [call.name for call in calls] == ["stat"]


@pytest.mark.parametrize("error", ERRORS)
def test_a_read_error_is_not_an_empty_store(store: Store, error: str) -> None:
    """Whichever call of a read fails: it says so, or gives everything."""
    with injected() as calls:
        store_at(store.path).facts()
    for number in range(1, len(calls) + 1):
        fresh = store_at(store.path)
        with injected(faults.failing(number, error)):
            try:
                found = len(fresh.facts())
            except UnreadableError:
                found = 3
        assert found == 3, calls[number - 1]
        assert len(fresh.facts()) == 3


def test_a_change_under_the_same_size_and_time(store: Store) -> None:
    """Content changed in place, with size and mtime as before, is seen: the change time tells."""
    for old, new in (("tea is", "tea ix"), ("tea ix", "tea iy")):
        store.facts()
        status, data = store.path.stat(), store.path.read_bytes()
        store.path.write_bytes(data.replace(old.encode(), new.encode()))
        os.utime(store.path, ns=(status.st_atime_ns, status.st_mtime_ns))
        after = store.path.stat()
        assert (after.st_size, after.st_mtime_ns) == (status.st_size, status.st_mtime_ns)
        assert any(fact.body.startswith(new) for fact in store.facts())


def test_a_change_within_one_time_stamp(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where time stamps are as coarse as 10 ms, a change right after a read, under the same ones, is seen."""
    real = reading.version_of

    def coarse(status: os.stat_result) -> reading.Version:
        device, inode, size, mtime, ctime = real(status)
        return device, inode, size, mtime // 10_000_000 * 10_000_000, ctime // 10_000_000 * 10_000_000

    monkeypatch.setattr(reading, "version_of", coarse)
    data = store.path.read_bytes()
    for number in range(50):
        store.path.write_bytes(data.replace(b"tea is fine", f"tea is f{number:03d}".encode()))
        assert any(fact.body == f"tea is f{number:03d}" for fact in store.facts())


def test_a_new_inode_with_the_same_text(store: Store) -> None:
    """An editor that saves without a change costs no fact and no notice."""
    new = store.path.with_name("new")
    new.write_bytes(store.path.read_bytes())
    new.replace(store.path)
    assert len(store) == 3
    assert store.save("preferences", "juice", "too").notices == ()


def test_a_clock_that_jumped_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every time stamp in the future, reads see every change and saves go on."""
    monkeypatch.setattr(reading, "time", SimpleNamespace(time_ns=lambda: 10**18, sleep=time.sleep))
    for number in range(3):
        data = store.path.read_bytes()
        store.path.write_bytes(data + f"\n## Edit {number}\n\ntyped in\n".encode())
        os.utime(store.path, (4e9, 4e9))
        assert len(store.facts()) == 4 + 2 * number
        assert store.save("preferences", f"juice_{number}", "too").created
        assert len(store.facts()) == 5 + 2 * number


SECTION = "## Kept\n<!-- id: m-abcdef · category: other -->\n\nas it is"
FILES = {
    "crlf": f"# Memory\n\n{SECTION}\n\n## More\n\ntext\n".replace("\n", "\r\n").encode(),
    "bom": b"\xef\xbb\xbf" + f"# Memory\n\n{SECTION}\n".encode(),
    "bom and crlf": b"\xef\xbb\xbf" + f"# Memory\n\n{SECTION}\n".replace("\n", "\r\n").encode(),
    "nul": f"# Memory\n\n{SECTION}\0\0 more\n".encode(),
    "no last newline": f"# Memory\n\n{SECTION}".encode(),
    "fence": f"{SECTION}\n\n```\n## no title\n```\n\n~~~~\n## nor this\n~~~~\n".encode(),
    "unclosed fence": f"{SECTION}\n\n```\ntext\n".encode(),
    "unclosed comment": f"{SECTION}\n\n<!-- never closed\n".encode(),
    "duplicate id": f"{SECTION}\n\n{SECTION}, twice\n".encode(),
    "mixed ends and trailing spaces": f"{SECTION}  \r\nmixed\n\t\n \n".encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_untouched_sections_stay_byte_for_byte(tmp_path: Path, name: str) -> None:
    """A save, a change and a deletion of another fact leave every byte of what was there."""
    path = tmp_path / "MEMORY.md"
    path.write_bytes(FILES[name])
    store = Store(path)
    new = store.save("technical", "new", "on top").fact
    store.save("technical", "new", "changed")
    old = FILES[name]
    start = old.index(b"## Kept")
    assert path.read_bytes().startswith(old[:start])
    assert path.read_bytes().endswith(old[start:])
    store.forget(new.id)
    assert path.read_bytes() == old


@pytest.mark.parametrize(
    "data", [b"## A\n\n\xff\xfe\n", "# Memory\n".encode("utf-16")], ids=["invalid UTF-8", "UTF-16"]
)
def test_what_cannot_be_read_is_not_written(tmp_path: Path, data: bytes) -> None:
    """Bytes that are no UTF-8 raise memory_unreadable, and stay."""
    path = tmp_path / "MEMORY.md"
    path.write_bytes(data)
    for call in (Store(path).facts, lambda: Store(path).save("technical", "new", "text")):
        with pytest.raises(UnreadableError):
            call()
    assert path.read_bytes() == data


def test_more_than_64_mib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too large is told, not read and not replaced."""
    assert reading.MAX_BYTES == 64 << 20
    path = tmp_path / "MEMORY.md"
    with path.open("wb") as file:
        file.truncate(reading.MAX_BYTES + 1)
    for call in (Store(path).facts, lambda: Store(path).save("technical", "new", "text")):
        with pytest.raises(UnreadableError, match="64 MiB"):
            call()
    assert path.stat().st_size == reading.MAX_BYTES + 1


def test_a_hundred_thousand_facts(tmp_path: Path) -> None:
    """So many are slow, and right: one more is saved, one is changed, one goes, and all the others stay."""
    path, count = tmp_path / "MEMORY.md", 100_000
    sections = (f"## Fact {n}\n<!-- id: m-{n:06x} · key: key_{n} -->\n\nbody {n}\n\n" for n in range(count))
    path.write_text("# Memory\n\n" + "".join(sections), "utf-8")
    lines = path.read_text("utf-8").splitlines()
    store = Store(path)
    store.save("other", f"key_{count // 2}", "changed")
    store.save("other", "one_more", "new")
    store.forget(f"m-{count - 1:06x}")
    assert len(store) == count
    after = set(path.read_text("utf-8").splitlines())
    missing = [line for line in lines if line not in after]
    assert missing == [
        f"## Fact {count // 2}",
        *(f"<!-- id: m-{count // 2:06x} · key: key_{count // 2} -->", f"body {count // 2}"),
        *(f"## Fact {count - 1}", f"<!-- id: m-{count - 1:06x} · key: key_{count - 1} -->", f"body {count - 1}"),
    ]


class SharingViolationError(PermissionError):
    """What Windows answers while another program has the file open."""

    winerror = 32


def test_a_sharing_violation_is_retried(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice refused because another program has it open, the replacement is tried again, and the save is made."""
    real, refused = os.replace, []
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)

    def replace(old: str | Path, new: str | Path) -> None:
        if Path(new) == store.path and len(refused) < 2:
            refused.append(old)
            raise SharingViolationError(errno.EACCES, "in use")
        real(old, new)

    monkeypatch.setattr(os, "replace", replace)
    assert store.save("preferences", "juice", "too").notices == ()
    assert len(refused) == 2
    assert len(store) == 4


def test_any_other_refusal_is_not(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replacement that is refused for another reason, or for too long, is a save that failed."""
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    monkeypatch.setattr(exchange, "_RETRY_SECONDS", -1.0)
    real, before = os.replace, store.path.read_bytes()
    for error in (PermissionError(errno.EACCES, "no"), SharingViolationError(errno.EACCES, "in use")):
        tried = []

        def replace(old: str | Path, new: str | Path, error: OSError = error, tried: list[object] = tried) -> None:
            if Path(new) == store.path:
                tried.append(old)
                raise error
            real(old, new)

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(MemoryMagicError, match="Nothing was saved"):
            store.save("preferences", "juice", "too")
        assert len(tried) == 1
    assert store.path.read_bytes() == before
    assert faults.leftovers(store.path.parent) == []
