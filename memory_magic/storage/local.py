"""A local file: bytes in, bytes out, with a version to compare. Every replacement is whole or does not happen."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memory_magic.errors import BusyError, MemoryMagicError, UnreadableError, UnwritableError

MAX_BYTES = 64 << 20
LOCK_SECONDS = 10.0
# A file changed this recently can change again under the same time stamp: 10 ms on older systems, 2 s on FAT.
_GRANULARITY_NS = 2_000_000_000 if sys.platform == "win32" else 50_000_000

Version = tuple[int, ...]


class ChangedError(Exception):
    """The file is no longer the one that was read."""


@dataclass(frozen=True)
class Snapshot:
    """The bytes of a file at one moment, None where there is none, and whether its version alone tells a change."""

    data: bytes | None
    version: Version | None
    trusted: bool


class LocalFile:
    """One file on a file system, read without a lock and replaced under one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mutex = threading.RLock()

    def read(self, before: Snapshot | None = None) -> Snapshot:
        """Give the file as it is now; ``before`` itself where nothing has changed, which costs one ``stat``.

        Raises UnreadableError on a directory, another thing that is no file, more than 64 MiB, a broken link, a
        loop of links, or an error of the system. A missing file is an empty store.
        """
        for _ in range(100):
            try:
                status = os.stat(self.path)
            except FileNotFoundError:
                if os.path.islink(self.path):
                    raise self._unreadable(
                        "is a link to a file that does not exist; create it or remove the link"
                    ) from None
                return Snapshot(None, None, trusted=True)
            except OSError as error:
                raise self._unreadable("cannot be reached; check the path and its links", error) from error
            if before is not None and before.trusted and before.version == _version(status):
                return before
            found = self._read_once(status)
            if found is not None:
                return found
            time.sleep(0.005)
        raise BusyError("The memory file is being written all the time; try again in a moment", path=self.path)

    def _read_once(self, status: os.stat_result) -> Snapshot | None:
        """Read the whole file, or give None where it changed while it was read."""
        if not stat.S_ISREG(status.st_mode):
            kind = "a directory" if stat.S_ISDIR(status.st_mode) else "no ordinary file"
            raise self._unreadable(f"is {kind}; name a Markdown file")
        if status.st_size > MAX_BYTES:
            raise self._unreadable(f"is larger than {MAX_BYTES >> 20} MiB; split it")
        seen_at = time.time_ns()
        try:
            with open(self.path, "rb", opener=_open_no_wait) as file:
                first = os.fstat(file.fileno())
                data = file.read(MAX_BYTES + 1)
                last = os.fstat(file.fileno())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable("cannot be read; check its permissions", error) from error
        if _version(first) != _version(last) or len(data) != last.st_size:
            return None
        return Snapshot(data, _version(last), seen_at - max(last.st_mtime_ns, last.st_ctime_ns) > _GRANULARITY_NS)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock that all writers of this file take; raises BusyError after 10 s, UnwritableError."""
        target = self._target()
        self._make_folder(target.parent)
        if not self._mutex.acquire(timeout=LOCK_SECONDS):
            raise self._busy()
        try:
            if sys.platform == "emscripten":  # one process, one thread, no locks
                yield
                return
            # Imported here: it costs more than the rest of the package, and reading needs no lock.
            from filelock import FileLock, Timeout

            lock = FileLock(
                target.with_name(f".{target.name}.lock"),
                timeout=LOCK_SECONDS,
                poll_interval=0.01,
                fallback_to_soft=False,
                preserve_lock_file=True,
            )
            try:
                lock.acquire()
            except Timeout:
                raise self._busy() from None
            except OSError as error:
                raise self._unwritable(error) from error
            try:
                yield
            finally:
                lock.release()
        finally:
            self._mutex.release()

    def replace(self, data: bytes, base: Snapshot) -> tuple[str, ...]:
        """Put the bytes in place of ``base``, durably; call it under the lock. Gives notices.

        Raises ChangedError where the file is no longer ``base``, UnwritableError where it cannot be written; then
        the old file stands as it was, and no temporary file is left.
        """
        target = self._target()
        temporary = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        try:
            self._write(temporary, data, target)
            if self._current(target) != base.version:
                raise ChangedError
            os.replace(temporary, target)
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            with suppress(OSError):
                os.unlink(temporary)
        return self._sync_folder(target.parent)

    def _write(self, temporary: Path, data: bytes, target: Path) -> None:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with open(descriptor, "wb") as file:
            with suppress(FileNotFoundError):
                status = os.stat(target)
                if not status.st_mode & 0o222:
                    raise PermissionError(errno.EACCES, "the file is read-only")
                os.chmod(temporary, stat.S_IMODE(status.st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def _current(self, target: Path) -> Version | None:
        try:
            return _version(os.stat(target))
        except FileNotFoundError:
            return None

    def _sync_folder(self, folder: Path) -> tuple[str, ...]:
        try:
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            if sys.platform in ("win32", "emscripten"):  # a directory cannot be opened there
                return ()
            return ("It is saved, but the system did not confirm that it would outlive a power failure",)
        return ()

    def _target(self) -> Path:
        """Give the real file behind links, so that every name of it shares one lock and a link stays a link."""
        try:
            if os.path.islink(self.path) and not os.path.exists(self.path):
                raise FileNotFoundError(errno.ENOENT, "the link's target does not exist")
            return Path(os.path.realpath(self.path, strict=os.path.exists(self.path)))
        except OSError as error:
            raise self._unreadable("is a link to nothing; create its target or remove the link", error) from error

    def _make_folder(self, folder: Path) -> None:
        try:
            if not folder.is_dir():
                folder.parent.mkdir(parents=True, exist_ok=True)
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error

    def _busy(self) -> BusyError:
        return BusyError(
            "Another program has been saving for 10 seconds; wait for it or end it, then save again", path=self.path
        )

    def _unreadable(self, what: str, error: OSError | None = None) -> MemoryMagicError:
        return UnreadableError(f"The memory file {what}", path=self.path, detail=_reason(error))

    def _unwritable(self, error: OSError) -> MemoryMagicError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            advice = "there is no room on the disk; free some and save again"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            advice = "it is read-only here; change its permissions (or those of its folder) or use another path"
        else:
            advice = "the system refused; look at the reason and save again"
        return UnwritableError(
            f"Nothing was saved, the memory is as it was: {advice}", path=self.path, detail=_reason(error)
        )


def _open_no_wait(path: str, flags: int) -> int:
    """Open without waiting, should a pipe have taken the file's place."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _version(status: os.stat_result) -> Version:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _reason(error: OSError | None) -> str:
    return "" if error is None else os.strerror(error.errno) if error.errno else str(error)
