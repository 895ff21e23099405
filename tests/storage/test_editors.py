"""Editors take no lock: what they save while we save is in the file or in a conflict copy, and so is ours."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from forks import apart, forked
from saves import other_file_system

from memory_magic import Store
from memory_magic.errors import BusyError, UnreadableError
from memory_magic.formats import choice
from memory_magic.storage import exchange, stamp

GAP = 0.004
names = SimpleNamespace(rename=os.rename, replace=os.replace, unlink=os.unlink, open=os.open)


def write_new(path: Path, text: bytes) -> None:
    """Make a file, or write one anew."""
    descriptor = names.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(descriptor, text)
    os.close(descriptor)


def rename(path: Path, text: bytes) -> None:
    """Save as gedit, Kate, Emacs and most scripts do: a new file, renamed over the old one."""
    new = path.with_name("edited~")
    write_new(new, text)
    names.replace(new, path)


def vim(path: Path, text: bytes) -> None:
    """Save as vim does with a backup: the old file gets out of the way, and a new one is made."""
    backup = path.with_name(path.name + "~")
    names.rename(path, backup)
    write_new(path, text)
    names.unlink(backup)


def in_place(path: Path, text: bytes) -> None:
    """Save as VS Code and nano do: the same file, cut to nothing and written again, here with time between."""
    descriptor = names.open(path, os.O_WRONLY | os.O_TRUNC)
    time.sleep(GAP)
    os.write(descriptor, text[: len(text) // 2])
    time.sleep(GAP)
    os.write(descriptor, text[len(text) // 2 :])
    os.close(descriptor)


def append(path: Path, text: bytes) -> None:
    """Save as ``>>`` does: what is new goes at the end."""
    descriptor = names.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, text[text.rindex(b"\n## Edit") :])
    os.close(descriptor)


def recreate(path: Path, text: bytes) -> None:
    """Save as some sync programs do: the old file is deleted, then the new one is made."""
    names.unlink(path)
    time.sleep(GAP / 4)
    write_new(path, text)


PATTERNS = {function.__name__: function for function in (rename, vim, in_place, append, recreate)}


def linked(*_: object) -> None:
    """Be a system without ``renameat2``."""


def no_links(*_: object, **__: object) -> None:
    """Be a file system without hard links."""
    raise PermissionError(errno.EPERM, "no links")


def gated(gate: Path, owner: object, *names: str) -> None:
    """Let these functions exclude each other in all processes."""

    def wrapped(real: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*args: object) -> object:
            descriptor = os.open(gate, os.O_WRONLY | os.O_CREAT)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                return real(*args)
            finally:
                os.close(descriptor)

        return wrapper

    for name in names:
        setattr(owner, name, wrapped(getattr(owner, name)))


def edited(path: Path, text: bytes, number: int) -> bytes:
    """Give the text with one more fact, typed in by hand."""
    if path.suffix == ".json":
        return text.replace(b"[", f'[{{"text": "by hand {number}."}},'.encode(), 1)
    return text + f"\n## Edit {number}\n\nby hand {number}.\n".encode()


def edit_while_saving(folder: str, pattern: str, way: str, edits: int, name: str = "MEMORY.md") -> dict[str, int]:
    """In a process of its own: one child edits, this process saves until it is done; then look for everything.

    Without an exchange there is one instant, between link and rename, in which a file renamed or created by somebody
    else goes unseen; no rule can close it, so the editor is kept out of it, and of nothing else.
    """
    path, gate = Path(folder) / name, Path(folder).parent / "gate"
    keys = 50 if path.suffix == ".json" else sys.maxsize  # a notes array takes 200 notes
    if way == "linked":
        exchange._renameat2 = linked
        gated(gate, exchange, "put")
    store, random_ = Store(path), random.Random(f"{pattern} {way}")
    store.save("technical", "ours_0", "value 0.")

    def edit() -> None:
        if way == "linked":
            gated(gate, names, "rename", "replace", "unlink", "open")
        for number in range(edits):
            time.sleep(random_.uniform(0, 0.05))
            text = path.read_bytes()
            time.sleep(random_.choice((0, 0.002, 0.02)))  # the person looks at it
            start = time.monotonic()
            PATTERNS[pattern](path, edited(path, text, number))
            if time.monotonic() - start > stamp.YOUNG_SECONDS * 0.9:
                stalled.write_text(f"{stalled.read_text()} {number}")

    stalled = gate.with_name("stalled")  # edits in which a busy machine made the editor slower than the rules allow
    stalled.write_text("")
    editor, saves = forked(edit), [0]
    for number in count(1):
        if os.waitpid(editor, os.WNOHANG) != (0, 0):
            break
        with suppress(UnreadableError):  # half a character at the end of a stalled edit; nothing was saved then
            Store(path).save("technical", f"ours_{number % keys}", f"value {number}.")
            saves.append(number)
    for number in range(2):  # the next save looks at what was written late
        store.save("technical", "last", f"{number}")
    text = path.read_text("utf-8")
    copies = [file.read_text("utf-8") for file in path.parent.glob(f"{path.stem}.conflict-*")]
    records = [file.read_text("utf-8") for file in store._file._file.history().folder.glob("*[0-9].json")]
    facts = choice.parse(path, text).facts
    assert len({fact.id for fact in facts}) == len(facts)
    excused = {int(number) for number in stalled.read_text().split()}
    lost = [
        n for n in range(edits) if n not in excused and not any(f"by hand {n}." in place for place in (text, *copies))
    ]
    ours = [n for n in saves if not any(f"value {n}." in place for place in (text, *copies, *records))]
    assert lost + ours == [], (lost, ours)
    left = [name for name in os.listdir(path.parent) if name.startswith(".") and not name.endswith(".lock")]
    assert left == []
    return {"edits": edits, "stalled": len(excused), "saves": len(saves), "copies": len(copies)}


@pytest.mark.parametrize("way", ["exchange", "linked"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_edit_is_lost(tmp_path: Path, pattern: str, way: str, request: pytest.FixtureRequest) -> None:
    """Each edit that an editor saves while we save is in the file or a conflict copy; each of ours too, or recorded."""
    edits = 40 * request.config.getoption("--fault-runs")
    print(done := apart(edit_while_saving, tmp_path, pattern, way, edits, timeout=60 + edits))
    assert done["saves"] > edits // 10
    assert done["stalled"] < edits


@pytest.mark.parametrize("pattern", ["rename", "vim", "in_place", "recreate"])
def test_no_edit_of_a_notes_array_is_lost(tmp_path: Path, pattern: str) -> None:
    """A half of one is not JSON, and never the base of a save; ``>>`` cannot add to one."""
    print(done := apart(edit_while_saving, tmp_path, pattern, "exchange", 20, "notes.json"))
    assert done["saves"] > 2
    assert done["stalled"] < 20


def filled(path: Path) -> Store:
    """Give a store with a few facts, whose file has an age that needs no waiting."""
    store = Store(path)
    for name in ("tea", "coffee", "cocoa", "water"):
        store.save("preferences", name, f"{name} is fine" * 5)
    return store


class Clock:
    """The clock by which the stamp's rules wait: it moves on only while they sleep, and lets things happen then."""

    def __init__(self) -> None:
        self.slept, self.events = 0.0, list[tuple[float, Callable[[], object]]]()

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        while self.events and self.events[0][0] <= self.slept:
            self.events.pop(0)[1]()

    def module(self) -> SimpleNamespace:
        """Stand in for the module ``time``."""
        start = time.time()
        return SimpleNamespace(
            sleep=self.sleep,
            monotonic=lambda: self.slept,
            time_ns=lambda: int((start + self.slept) * 1e9),
        )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Give the clock by which the stamp's rules wait."""
    clock = Clock()
    monkeypatch.setattr(stamp, "time", clock.module())
    return clock


@pytest.mark.parametrize("name", ["MEMORY.md", "notes.json"])
@pytest.mark.parametrize("share", [0, 3, 2.1])
def test_a_half_saved_file_is_never_the_base(tmp_path: Path, clock: Clock, share: float, name: str) -> None:
    """A file cut to less than half is waited for, as long as it is younger than two seconds."""
    store = filled(tmp_path / name)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: int(len(whole) / share)] if share else b"")
    clock.events.append((1.9, lambda: store.path.write_bytes(whole)))
    saved = Store(store.path).save("preferences", "juice", "now and then")
    assert saved.notices == ()
    assert [fact.key for fact in store.facts()] == ["juice", "water", "cocoa", "coffee", "tea"]


def test_a_deleted_file_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    """An editor that deletes before it creates has two seconds."""
    store = filled(tmp_path / "MEMORY.md")
    whole = store.path.read_bytes()
    store.path.unlink()
    clock.events.append((1.9, lambda: store.path.write_bytes(whole)))
    Store(store.path).save("preferences", "juice", "now and then")
    assert len(store.facts()) == 5


def test_a_young_change_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    """A file that differs from our last save and is younger than 20 ms is perhaps half saved."""
    store = filled(tmp_path / "MEMORY.md")
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: len(whole) * 2 // 3])
    clock.events.append((0.015, lambda: store.path.write_bytes(whole)))
    Store(store.path).save("preferences", "juice", "now and then")
    assert len(store.facts()) == 5


@pytest.mark.parametrize(("name", "text"), [("MEMORY.md", b""), ("MEMORY.md", b"# Memory\n"), ("notes.json", b"[]\n")])
def test_a_file_cut_for_good_is_the_users_decision(tmp_path: Path, clock: Clock, name: str, text: bytes) -> None:
    """Unchanged for two seconds, the cut file is the base; the receipt says so, and the history has what was cut."""
    store = filled(tmp_path / name)
    store.path.write_bytes(text)
    saved = Store(store.path).save("preferences", "juice", "now and then")
    assert clock.slept >= stamp.SHRUNK_SECONDS
    assert saved.notices == ("Another program had cut the file to less than half; what it holds now counts",)
    assert [fact.key for fact in store.facts()] == ["juice"]
    versions = [file.read_text("utf-8") for _, file in store._file._file.history().versions()]
    assert any("tea is fine" in version and "cocoa is fine" in version for version in versions)


def test_a_file_that_keeps_changing_is_busy(tmp_path: Path, clock: Clock) -> None:
    """Still changing after ten seconds: memory_busy, and no byte is ours."""
    store = filled(tmp_path / "MEMORY.md")
    start = time.time()

    def change(number: int) -> None:
        store.path.write_bytes(b"#" * (1 + number % 3))
        os.utime(store.path, (start, start + clock.slept))

    change(0)
    clock.events += [(0.004 * number, partial(change, number)) for number in range(1, 3000)]
    with pytest.raises(BusyError, match="keeps writing"):
        Store(store.path).save("preferences", "juice", "now and then")
    assert set(store.path.read_bytes()) == set(b"#")
    assert [name for name in os.listdir(tmp_path) if name.endswith(".tmp")] == []


WAYS = ("exchange", "linked", "far")


@pytest.fixture
def far_folder(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on another file system."""
    with other_file_system(tmp_path) as folder:
        yield folder


@pytest.mark.parametrize("way", WAYS)
def test_a_late_write_into_the_replaced_version(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """What an editor writes into the version that we replaced is a conflict copy, told at the next save."""
    if way == "linked":
        monkeypatch.setattr(exchange, "_renameat2", linked)
    if way == "far":
        monkeypatch.setenv("XDG_STATE_HOME", str(request.getfixturevalue("far_folder")))
    store = filled(tmp_path / "MEMORY.md")
    with store.path.open("ab") as editor:
        store.save("preferences", "juice", "now and then")
        editor.write(b"\n## Late\n\ntyped in\n")
    saved = store.save("preferences", "milk", "in coffee")
    (copy,) = tmp_path.glob("MEMORY.conflict-*.md")
    assert "typed in" in copy.read_text("utf-8")
    assert saved.notices == (
        f"An editor saved into an older version of the file; what it wrote is kept as {copy.name}",
    )
    assert {"juice", "milk"} < {fact.key for fact in store.facts()}
    assert store.save("preferences", "milk", "never").notices == ()
    assert len(list(tmp_path.glob("MEMORY.conflict-*.md"))) == 1


@pytest.mark.parametrize("way", ["exchange", "linked"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_an_edit_between_check_and_publication(
    tmp_path: Path, pattern: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit saved in the last moment before the publication is in the file or in a conflict copy, and so is ours."""
    store = filled(tmp_path / "MEMORY.md")
    if way == "linked":
        monkeypatch.setattr(exchange, "_renameat2", linked)
    real, edited = exchange.put, []

    def put(new: str, target: str) -> bool:
        if not edited:
            edited.append(True)
            PATTERNS[pattern](store.path, store.path.read_bytes() + b"\n## Edit\n\ntyped in\n")
        return real(new, target)

    monkeypatch.setattr(exchange, "put", put)
    store.save("preferences", "juice", "now and then")
    texts = [file.read_text("utf-8") for file in (store.path, *tmp_path.glob("MEMORY.conflict-*.md"))]
    assert "typed in" in "".join(texts)
    assert "now and then" in texts[0]
    assert [name for name in os.listdir(tmp_path) if name.startswith(".") and not name.endswith(".lock")] == []


def test_an_edit_before_the_check_is_never_out_of_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an editor saves while we write is not replaced by ours, not even for the moment until we look."""
    store = filled(tmp_path / "MEMORY.md")
    real_fsync, real_put, edited, replaced = os.fsync, exchange.put, [], []

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        if not edited:
            edited.append(store.path.read_bytes() + b"\n## Edit\n\ntyped in\n")
            rename(store.path, edited[0])

    def put(new: str, target: str) -> bool:
        replaced.append((store.path.read_bytes(), Path(new).read_bytes()))
        return real_put(new, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(exchange, "put", put)
    store.save("preferences", "juice", "now and then")
    ((before, after),) = replaced
    assert before == edited[0]
    assert b"typed in" in after
    assert b"now and then" in after


def test_a_file_moved_away_before_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is gone for a moment, when we ask whether it may be written, is not taken for a read-only one."""
    store = filled(tmp_path / "MEMORY.md")
    real, edited = os.access, []

    def access(path: Path, mode: int) -> bool:
        if edited:
            return real(path, mode)
        edited.append(store.path.read_bytes() + b"\n## Edit\n\ntyped in\n")
        store.path.unlink()
        try:
            return real(path, mode)
        finally:
            store.path.write_bytes(edited[0])

    monkeypatch.setattr(os, "access", access)
    store.save("preferences", "juice", "now and then")
    text = store.path.read_text("utf-8")
    assert "typed in" in text
    assert "now and then" in text


def test_a_file_moved_away_before_the_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an exchange: where the file is gone when we would link it, an editor is about to put a new one there."""
    store = filled(tmp_path / "MEMORY.md")
    monkeypatch.setattr(exchange, "_renameat2", linked)
    real, edited = os.link, []

    def link(old: str, new: str) -> None:
        if not edited:
            edited.append(store.path.read_bytes() + b"\n## Edit\n\ntyped in\n")
            store.path.unlink()
            try:
                real(old, new)
            finally:
                store.path.write_bytes(edited[0])
        real(old, new)

    monkeypatch.setattr(os, "link", link)
    store.save("preferences", "juice", "now and then")
    text = store.path.read_text("utf-8")
    assert "typed in" in text
    assert "now and then" in text


def test_a_python_without_ctypes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python was built without what calls ``renameat2``, saving goes on by links."""
    monkeypatch.setitem(sys.modules, "ctypes", None)
    exchange._renameat2.cache_clear()
    try:
        assert len(filled(tmp_path / "MEMORY.md")) == 4
    finally:
        exchange._renameat2.cache_clear()


def test_without_exchange_and_links_the_check_is_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system can neither exchange nor link, an edit before the check still counts, and versions are kept."""
    monkeypatch.setattr(exchange, "_renameat2", linked)
    monkeypatch.setattr(os, "link", no_links)
    store = filled(tmp_path / "MEMORY.md")
    real, edited = os.fsync, []

    def fsync(descriptor: int) -> None:
        real(descriptor)
        if not edited:
            edited.append(True)
            rename(store.path, store.path.read_bytes() + b"\n## Edit\n\ntyped in\n")

    monkeypatch.setattr(os, "fsync", fsync)
    store.save("preferences", "juice", "now and then")
    assert "typed in" in store.path.read_text("utf-8")
    assert "now and then" in store.path.read_text("utf-8")
    records = [json.loads(file.read_text("utf-8")) for file in store._file._file.history().folder.glob("0*.json")]
    assert len(records) == 5


def test_a_shell_that_empties_the_file_decides(tmp_path: Path) -> None:
    """``: > MEMORY.md`` in another process is told and counts; the history has what was cut."""
    store = filled(tmp_path / "MEMORY.md")
    subprocess.run(["sh", "-c", ': > "$0"', str(store.path)], check=True)
    saved = Store(store.path).save("preferences", "juice", "now and then")
    assert "cut the file to less than half" in saved.notices[0]
    assert [fact.key for fact in store.facts()] == ["juice"]
    records = [file.read_text("utf-8") for file in store._file._file.history().folder.glob("*[0-9].json")]
    assert all(any(f"{name} is fine" in record for record in records) for name in ("tea", "coffee", "cocoa", "water"))
