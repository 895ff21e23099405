"""The situations in which a save is made to fail, each with its file before and after, and what must hold then."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from faults import Call, injected, leftovers

from memory_magic import Store
from memory_magic.formats import choice
from memory_magic.results import Saved
from memory_magic.settings import MemorySettings
from memory_magic.storage import exchange, lock, stamp

MEMORY_FOLDER = Path("/dev/shm")
LATE = "Written late by an editor"


def store_at(path: Path) -> Store:
    """Give a store whose clock stands still and whose ids are the same in each run, unlike those in the file."""
    numbers = count(1)
    return Store(
        path,
        clock=lambda: datetime(2026, 11, 30, tzinfo=UTC),
        new_id=lambda: f"m-{next(numbers):06x}",
        settings=MemorySettings(read_only=False, soft_cap=200, note_chars=500),  # or they are read during the save
    )


@contextmanager
def quick_folder() -> Iterator[Path]:
    """Give a folder in memory where there is one: thousands of saves are made in it, none needs a disk."""
    folder = tempfile.mkdtemp(dir=MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder)
        for far in Path(tempfile.gettempdir()).glob(f"{Path(folder).name}far*"):
            shutil.rmtree(far)


@contextmanager
def other_file_system(than: Path) -> Iterator[Path]:
    """Give a folder on another file system, or skip the test."""
    if not os.access(MEMORY_FOLDER, os.W_OK) or MEMORY_FOLDER.stat().st_dev == than.stat().st_dev:
        pytest.skip(f"there is no second file system at {MEMORY_FOLDER}")
    folder = tempfile.mkdtemp(dir=MEMORY_FOLDER)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder)


def no_links(*_: object, **__: object) -> None:
    """Be a file system without hard links."""
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


class Situation:
    """One save, to be made many times in new folders: ``old`` and ``new`` are the bytes before and after it.

    ``name`` is one of ``SITUATIONS``, or of ``OF_NOTES``: then it is made in a notes array.
    """

    def __init__(self, name: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.name, self.base, self.patch, self.runs = name.removeprefix(NOTES), folder, patch, 0
        self.file = "notes.json" if name.startswith(NOTES) else "MEMORY.md"
        self.far = Path(tempfile.mkdtemp(prefix=f"{folder.name}far")) if self.name == "far" else folder
        if name in ("linked", "bare"):
            patch.setattr(exchange, "_renameat2", lambda: None)
        if name == "bare":
            patch.setattr(os, "link", no_links)
        patch.setattr(stamp, "YOUNG_SECONDS", 0.0)  # nobody else writes here: the same calls in each run
        self.fresh()
        self.save()  # the first one imports what saving needs
        self.fresh()
        self.old = self.data
        with injected() as self.calls:
            self.save()
        self.new = self.data
        assert self.old != self.new

    @property
    def data(self) -> bytes | None:
        """The bytes of the file, None where there is none."""
        return self.path.read_bytes() if self.path.exists() else None

    def fresh(self) -> None:
        """Start again in a folder in which nothing has happened but what this situation needs."""
        self.runs += 1
        self.folder = self.base / str(self.runs)
        self.folder.mkdir()
        self.path = self.folder / "memory" / self.file
        self.state = self.folder / "state"
        if self.name == "far":  # the history is on another file system
            self.state = self.far / str(self.runs)
        self.patch.setenv("XDG_STATE_HOME", str(self.state))
        if self.name != "create":
            store = store_at(self.path)
            store.remember("Likes tea", "green")
            store.remember("Likes coffee", "never after four")
        if self.name == "late":
            kept = max(self.state.glob("memory-magic/history/*/*.md"))
            late = kept.read_text("utf-8")
            late = (
                late + f"\n## {LATE}\n\nunseen\n"
                if self.file == "MEMORY.md"
                else late.replace("[", f'[{{"text": "{LATE}"}},')
            )
            kept.write_text(late, "utf-8")

    def save(self) -> Saved:
        """Make the save: a text changes, as a new process would do it."""
        return store_at(self.path).remember("Likes tea", "black")

    def holds(self) -> None:
        """Assert what must hold whatever has happened: old or new, and the next save succeeds at once."""
        assert self.data in (self.old, self.new)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lock, "SECONDS", 0.2)
            store_at(self.path).save("technical", "next", "succeeds")
        bodies = {fact.title: fact.body for fact in choice.parse(self.path, self.path.read_text("utf-8")).facts}
        assert bodies["Next"] == "succeeds"
        if self.old is not None:
            assert (bodies["Likes tea"] in ("green", "black"), bodies["Likes coffee"]) == (True, "never after four")
        if self.name == "late":
            kept = [*self.path.parent.glob("*.conflict-*"), *self.state.glob("memory-magic/history/*/*.md")]
            assert any(LATE in file.read_text("utf-8") for file in kept)

    def keeps_the_old(self) -> None:
        """Assert that the old version is in the file, in the history or beside the file, and every record whole."""
        for record in self.state.glob("memory-magic/history/*/*[0-9].json"):
            json.loads(record.read_text("utf-8"))
        folders = (self.path.parent, *self.state.glob("memory-magic/history/*"))
        files = (file for folder in folders if folder.exists() for file in folder.iterdir() if file.is_file())
        # Without an exchange and without links there is a moment in which nothing but the memory holds it.
        assert self.name == "bare" or self.old is None or any(file.read_bytes() == self.old for file in files)

    def is_clean(self) -> None:
        """Assert that no temporary file is beside the memory file."""
        assert leftovers(self.path.parent) == []


NOTES = "notes array: "
SITUATIONS = ("create", "update", "linked", "bare", "far", "late")
OF_NOTES = (f"{NOTES}create", f"{NOTES}update", f"{NOTES}late")


def each(
    situation: Situation, numbers: Iterable[int], attempt: Callable[[int], list[Call]], check: Callable[[], None]
) -> None:
    """Attempt the save with a fault at each of these calls, and check what has become of it."""
    problems = []
    for number in numbers:
        situation.fresh()
        calls = attempt(number)
        assert [call.name for call in calls[:number]] == [call.name for call in situation.calls[:number]]
        try:
            check()
        except Exception as error:
            problems.append(f"{calls[number - 1]}\n    {type(error).__name__}: {error}")
    assert not problems, "\n".join(problems)
