"""A pytest plugin that takes one thing out of saving: the one that the environment variable TAKEN_OUT names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory_magic import memory_file
from memory_magic.storage import exchange, local, lock, raw, stamp
from memory_magic.storage.reading import Snapshot


class _WithoutSync:
    """The module ``os`` without its fsync."""

    def __getattr__(self, name: str) -> Any:
        return (lambda descriptor: None) if name == "fsync" else getattr(os, name)


def fsync() -> None:
    """Take out the fsync of the new file."""
    create = raw.create

    def without(*args: Any) -> os.stat_result:
        raw.os = _WithoutSync()  # type: ignore[assignment]
        try:
            return create(*args)
        finally:
            raw.os = os

    raw.create = without


def folder_sync() -> None:
    """Take out the fsync of the folder."""
    raw.sync_folder = lambda folder: None


def take_lock() -> None:
    """Take out the lock."""

    @contextmanager
    def held(path: Path) -> Iterator[lock.Hold]:
        yield lock.Hold(path)

    local.lock.held = held


def reread() -> None:
    """Take out the reading under the lock: what was read first is what is changed."""
    known: dict[int, Snapshot] = {}
    settled = stamp.settled

    def cached(read: Callable[[], Snapshot], last: stamp.Print | None) -> tuple[Snapshot, bool]:
        owner = id(read.__self__)  # type: ignore[attr-defined]
        known.setdefault(owner, settled(read, last)[0])
        return known[owner], False

    stamp.settled = cached
    memory_file._SECONDS = 0.3  # for so long it begins again and again, since the check still stands


def check() -> None:
    """Take out the look at the file and the lock before the publication."""
    local.Saving._check = lambda self: None  # type: ignore[method-assign]


def exchanged() -> None:
    """Take out the exchange, and the look at what came out."""
    exchange.put = lambda new, target: bool(exchange.rename(new, target))


def settling() -> None:
    """Take out the waiting for an editor that is in the middle of its save."""
    stamp.settled = lambda read, last: (read(), False)


def late() -> None:
    """Take out the look at what an editor wrote into the version replaced last."""
    local.Saving.look_at_replaced = lambda self: None  # type: ignore[method-assign]


MUTATIONS = {
    "fsync": fsync,
    "folder sync": folder_sync,
    "lock": take_lock,
    "re-read": reread,
    "check": check,
    "exchange": exchanged,
    "settling": settling,
    "late write": late,
}

if taken_out := os.environ.get("TAKEN_OUT"):
    MUTATIONS[taken_out]()
