"""The lock that all writers of one file take; reading never does."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SECONDS = 10.0
# Network file systems and sandboxes without locks answer one of these.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


class HeldError(Exception):
    """Somebody else holds the lock; the text says who, where that is known."""


@dataclass
class Hold:
    """A lock that is held, or the knowledge that this place has none."""

    path: Path
    identity: tuple[int, int] | None = None
    unsupported: bool = False

    def is_lost(self) -> bool:
        """Say whether the lock file was deleted or replaced: others lock another one then."""
        if self.identity is None:
            return False
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return True
        return (status.st_dev, status.st_ino) != self.identity


@contextmanager
def held(path: Path) -> Iterator[Hold]:
    """Hold the lock; raises HeldError after 10 s, OSError where the lock file cannot be opened.

    Where the file system has no locks, work goes on without one: the check before each replacement still holds.
    """
    hold = Hold(path)
    if sys.platform == "emscripten":  # one process, one thread
        yield hold
        return
    # Imported here: it costs more than the rest of the package, and reading needs no lock.
    from filelock import FileLock, Timeout

    def acquired(descriptor: int) -> None:
        # An error raised in here, and another one while the lock is released, would come as a group of two.
        with suppress(OSError, AttributeError):  # no pwrite on Windows
            status = os.fstat(descriptor)
            hold.identity = (status.st_dev, status.st_ino)
            # For the message of those who wait; always of one width: cutting a file makes some systems flush it.
            os.pwrite(descriptor, f"{os.getpid():<20}".encode(), 0)

    lock = FileLock(
        path,
        timeout=SECONDS,
        poll_interval=0.01,
        fallback_to_soft=False,
        preserve_lock_file=True,
        on_acquired=acquired,
    )
    try:
        try:
            lock.acquire()
        except Timeout:
            raise HeldError(_holder(path)) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            hold.unsupported = True
        if hold.identity is None and not hold.unsupported:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        yield hold
    finally:
        try:
            with suppress(OSError):  # what was saved is saved
                lock.release()
        finally:
            with suppress(OSError):
                lock.release(force=True)  # neither an interrupt nor an error may leave it locked


def _holder(path: Path) -> str:
    with suppress(OSError, ValueError):
        return f"process {int(path.read_text('ascii')[:20])}"
    return "another program"
