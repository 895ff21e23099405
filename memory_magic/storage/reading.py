"""A local file as it is now: bytes with a version to compare. Reading takes no lock and never writes."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from memory_magic.errors import BusyError, MemoryMagicError, UnreadableError
from memory_magic.storage import raw

MAX_BYTES = 64 << 20
# A file changed this recently can change again under the same time stamp: 10 ms on older systems, 2 s on FAT.
_GRANULARITY_NS = 2_000_000_000 if sys.platform == "win32" else 50_000_000
_TRIES = 100

Version = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Snapshot:
    """The bytes of a file at one moment, None where there is none, and whether its version alone tells a change.

    ``version`` is (device, inode, size, mtime in ns, ctime in ns).
    """

    data: bytes | None
    version: Version | None
    trusted: bool
    links: int = 1


def read(path: Path, before: Snapshot | None = None) -> Snapshot:
    """Give the file as it is now; ``before`` itself where nothing has changed, which costs one ``stat``.

    Raises UnreadableError on a directory, another thing that is no file, more than 64 MiB, a broken link, a loop of
    links, or an error of the system. A missing file is an empty store; an error is not.
    """
    for _ in range(_TRIES):
        try:
            status = os.stat(path)
        except FileNotFoundError:
            if os.path.islink(path):
                raise broken_link(path) from None
            return Snapshot(None, None, trusted=True)
        except OSError as error:
            raise unreadable(path, "cannot be reached; check the path and its links", error) from error
        if before is not None and before.trusted and before.version == version_of(status):
            return before
        if (found := _read_once(path, status)) is not None:
            return found
        time.sleep(0.005)
    raise BusyError("The memory file is being written all the time; try again in a moment", path=path)


def _read_once(path: Path, status: os.stat_result) -> Snapshot | None:
    """Read the whole file, or give None where it changed while it was read."""
    if not stat.S_ISREG(status.st_mode):
        kind = "a directory" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
        raise unreadable(path, f"is {kind}; name a Markdown file")
    if status.st_size > MAX_BYTES:
        raise unreadable(path, f"is larger than {MAX_BYTES >> 20} MiB; split it")
    seen_at = time.time_ns()
    try:
        descriptor = raw.open_to_read(path)
        try:
            first = os.fstat(descriptor)
            data = raw.read_all(descriptor)
            last = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, "cannot be read; check its permissions", error) from error
    version = version_of(last)
    if version_of(first) != version or len(data) != last.st_size:
        return None
    return Snapshot(data, version, seen_at - max(version[3:]) > _GRANULARITY_NS, last.st_nlink)


def version_of(status: os.stat_result) -> Version:
    """Give what tells one state of a file from the next."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def real_path(path: Path) -> Path:
    """Give the real file behind links, so that every name of it shares one lock and a link stays a link."""
    try:
        real = os.path.realpath(path, strict=os.path.lexists(path))
    except FileNotFoundError:
        raise broken_link(path) from None
    except OSError as error:
        raise unreadable(path, "cannot be reached; check the path and its links", error) from error
    return Path(real)


def broken_link(path: Path) -> MemoryMagicError:
    """Give the error for a link to nothing."""
    return unreadable(path, "is a link to a file that does not exist; create that file or remove the link")


def unreadable(path: Path, what: str, error: OSError | None = None) -> MemoryMagicError:
    """Give the error for a file that is there and cannot be read."""
    return UnreadableError(f"The memory file {what}", path=path, detail=reason(error))


def reason(error: OSError | None) -> str:
    """Give the system's words for an error."""
    if error is None:
        return ""
    return os.strerror(error.errno) if error.errno else str(error)


def is_room_missing(error: OSError) -> bool:
    """Say whether an error means that the disk, the quota or the file size limit is used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
