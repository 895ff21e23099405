"""The stamp of the last save: what tells a file that an editor is in the middle of saving from one that is whole."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memory_magic.storage import raw
from memory_magic.storage.reading import Snapshot

# Measured with editors that truncate and write: a file this young may be half saved, and one that lost more than
# half of its size counts only when it has not changed for two seconds.
YOUNG_SECONDS, SHRUNK_SECONDS, PATIENCE_SECONDS = 0.02, 2.0, 10.0
FILE_NAME = "stamp.json"
_BLOCK = 1024


class UnsettledError(Exception):
    """The file kept changing for longer than we wait."""


@dataclass(frozen=True)
class Print:
    """What one version of a file looks like from outside, and a digest of what is inside."""

    size: int
    mtime_ns: int
    inode: int
    checksum: str

    @classmethod
    def of(cls, data: bytes, status: os.stat_result) -> Print:
        """Give the print of a file with these bytes."""
        return cls(len(data), status.st_mtime_ns, status.st_ino, checksum(data))

    def looks_like(self, status: os.stat_result) -> bool:
        """Say whether the file is untouched, by its status alone."""
        return (status.st_size, status.st_mtime_ns, status.st_ino) == (self.size, self.mtime_ns, self.inode)

    def describes(self, snapshot: Snapshot) -> bool:
        """Say whether the snapshot is of this version, or holds the same bytes."""
        if snapshot.data is None or snapshot.version is None or len(snapshot.data) != self.size:
            return False
        return snapshot.version[1:4] == (self.inode, self.size, self.mtime_ns) or (
            checksum(snapshot.data) == self.checksum
        )


@dataclass(frozen=True)
class Stamp:
    """What the last save published, and the version it replaced, into which an editor may still be writing.

    ``number`` is the last version in the history, ``kept_bytes`` what went there since it was last looked through.
    """

    published: Print
    number: int
    kept_bytes: int = 0
    replaced_path: str = ""
    replaced: Print | None = None


def checksum(data: bytes) -> str:
    """Give a digest that tells a change from a mere touch; the fastest there is, since every save makes one."""
    return f"{zlib.crc32(data):08x}"


def load(folder: Path) -> Stamp | None:
    """Read the stamp; None where there is none or it cannot be read, which only means more care."""
    try:
        # Behind it the end of a longer one may still stand, since it is written over in place.
        values, _ = json.JSONDecoder().raw_decode(raw.content(folder / FILE_NAME).decode())
        replaced = Print(**values.pop("replaced")) if values.get("replaced") else None
        return Stamp(published=Print(**values.pop("published")), **{**values, "replaced": replaced})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def store(folder: Path, stamp: Stamp) -> None:
    """Write the stamp; raises OSError. One that a crash has torn reads as none."""
    replaced = vars(stamp.replaced) if stamp.replaced else None
    text = json.dumps({**vars(stamp), "published": vars(stamp.published), "replaced": replaced}).encode()
    # In place and in whole blocks: replacing or cutting a file makes some systems flush it, which costs like a sync.
    raw.overwrite(folder / FILE_NAME, text.ljust(-len(text) // _BLOCK * -_BLOCK))


def settled(read: Callable[[], Snapshot], last: Print | None) -> tuple[Snapshot, bool]:
    """Give the file once nobody seems to be in the middle of saving it, and whether it shrank by somebody's decision.

    Raises UnsettledError after ten seconds. What the last save made needs no waiting.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    snapshot, since = read(), time.monotonic()
    while True:
        if last is not None and last.describes(snapshot):
            return snapshot, False
        shrunk = last is not None and 2 * len(snapshot.data or b"") < last.size
        unchanged = max(time.monotonic() - since, _age(snapshot))
        if unchanged >= (SHRUNK_SECONDS if shrunk else YOUNG_SECONDS):
            return snapshot, shrunk
        if time.monotonic() > deadline:
            raise UnsettledError
        time.sleep(YOUNG_SECONDS / 4)
        again = read()
        if (again.data, again.version) != (snapshot.data, snapshot.version):
            since = time.monotonic()
        snapshot = again


def _age(snapshot: Snapshot) -> float:
    """Give the seconds since the last change, by its time stamp; one from the future says nothing, and is 0."""
    return 0.0 if snapshot.version is None else max(0.0, (time.time_ns() - snapshot.version[3]) / 1e9)
