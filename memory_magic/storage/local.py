"""Saving a local file: under a lock, whole or not at all, and without losing what an editor writes meanwhile."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from memory_magic.errors import BusyError, MemoryMagicError, UnwritableError
from memory_magic.storage import copies, exchange, lock, raw, reading, stamp
from memory_magic.storage.history import History, Record
from memory_magic.storage.lock import Hold
from memory_magic.storage.reading import Snapshot
from memory_magic.storage.stamp import Print, Stamp

_SWEEP_SECONDS = 60
_NO_FOLDER_SYNC = {errno.EINVAL, errno.EACCES, errno.EPERM} if sys.platform in ("win32", "emscripten") else set()


class ChangedError(Exception):
    """The file is no longer the one that was read; read it again and start anew."""


class LocalFile:
    """One file on a file system: read without a lock, replaced under one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._told: set[str] = set()
        self._swept = False

    def read(self, before: Snapshot | None = None) -> Snapshot:
        """Give the file as it is now; see ``reading.read``."""
        return reading.read(self.path, before)

    def copies(self) -> list[Path]:
        """Give the conflict and sync copies beside this file."""
        return copies.beside(reading.real_path(self.path))

    def history(self) -> History:
        """Give the earlier versions of this file."""
        return History(reading.real_path(self.path))

    @contextmanager
    def saving(self) -> Iterator[Saving]:
        """Take the lock and read the file once it is whole; raises BusyError, UnreadableError, UnwritableError."""
        target = reading.real_path(self.path)
        try:
            raw.make_folder(target.parent)
            with lock.held(target.with_name(f".{target.name}.lock")) as hold:
                yield self._begin(target, hold)
        except lock.HeldError as error:
            sentence = "Another program has been saving for 10 seconds; wait for it or end it, then save again"
            raise BusyError(sentence, path=self.path, detail=f"the lock is held by {error}") from None
        except stamp.UnsettledError:
            sentence = "Another program keeps writing the memory file; let it finish, then save again"
            raise BusyError(sentence, path=self.path) from None
        except MemoryMagicError:
            raise
        except OSError as error:
            raise unwritable(self.path, error) from error

    def _begin(self, target: Path, hold: Hold) -> Saving:
        history = History(target)
        known = stamp.load(history.folder)
        if not self._swept:
            if _sweep(target, history) and known:
                known = replace(known, number=history.last_number())
            self._swept = True
        base, shrunk = stamp.settled(self.read, known.published if known else None)
        saving = Saving(target, hold, history, known, base)
        if shrunk:
            saving.notices.append("Another program had cut the file to less than half; what it holds now counts")
        if hold.unsupported:
            self._tell_once(
                saving, "This file system has no locks; a save at the same moment is kept as a conflict copy"
            )
        if base.links > 1:
            self._tell_once(saving, "The file had another name (a hard link), which keeps the old version")
        saving.look_at_replaced()
        return saving

    def _tell_once(self, saving: Saving, notice: str) -> None:
        if notice not in self._told:
            self._told.add(notice)
            saving.notices.append(notice)


class Saving:
    """One attempt to save, under the lock: ``base`` is the file as it was read, ``notices`` what to tell.

    ``number`` is that of the record in the history, once it is kept.
    """

    def __init__(self, target: Path, hold: Hold, history: History, known: Stamp | None, base: Snapshot) -> None:
        self.target, self.hold, self.history, self.stamp, self.base = target, hold, history, known, base
        self.notices: list[str] = []
        self.number: int | None = None

    def publish(self, data: bytes, record: Record) -> Snapshot:
        """Put the bytes in place of ``base``, durably, and keep what they replace; gives the file as it is now.

        Raises ChangedError where the file is no longer ``base``, and UnwritableError where it cannot be written:
        then the old file stands as it was. An error behind that point is a notice, since the save has happened.
        """
        temporary = self.target.with_name(f".{self.target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        ours: os.stat_result | None = None
        kept_by_now = False
        try:
            try:
                ours = self._write(temporary, data)
                self._check()
                replaced = self._put(temporary, ours, data)
            except OSError as error:
                raise unwritable(self.target, error) from error
            number, kept = self._keep(temporary if replaced else None, record)
            kept_by_now = True
            self._stamp(ours, data, number, kept)
        finally:
            self._clear(temporary, ours, None if kept_by_now else record)
        self._sync_folder()
        return self._as_published(ours, data)

    def look_at_replaced(self) -> None:
        """Keep what an editor wrote into the version replaced by the last save, which it still had open."""
        known = self.stamp
        if known is None or known.replaced is None:
            return
        with suppress(OSError):
            path = Path(known.replaced_path)
            if known.replaced.looks_like(os.stat(path)):
                return
            found, _ = stamp.settled(lambda: reading.read(path), known.replaced)
            if found.data and not known.replaced.describes(found) and found.data != self.base.data:
                self._keep_conflict(found.data)
            self.stamp = replace(known, replaced=None)
            stamp.store(self.history.folder, self.stamp)

    def purge(self, change_text: Callable[[str], str | None], change_record: Callable[[Record], Record | None]) -> None:
        """Put all that the history holds through a change; raises OSError."""
        self.history.rewrite(change_text, change_record)
        with suppress(OSError):
            os.unlink(self._aside())
        if known := stamp.load(self.history.folder):
            # The kept versions are other files now; looking like a late write, they would become conflict copies.
            stamp.store(self.history.folder, replace(known, replaced=None))

    def _write(self, temporary: Path, data: bytes) -> os.stat_result:
        try:
            before = os.stat(self.target)
        except FileNotFoundError:
            before = None
        if before and not (before.st_mode & 0o222 and os.access(self.target, os.W_OK)):
            self._check()  # an editor that has just moved it away makes it look so
            raise PermissionError(errno.EACCES, "the file is read-only")
        return raw.create(temporary, data, before)

    def _check(self) -> None:
        """See that the file is still the one that was read, and the lock still the one that others take."""
        try:
            version = reading.version_of(os.stat(self.target))
        except FileNotFoundError:
            version = None
        if version != self.base.version or self.hold.is_lost():
            raise ChangedError

    def _put(self, temporary: Path, ours: os.stat_result, data: bytes) -> bool:
        """Publish, then look at what came out: an editor may have saved since the check."""
        if self.base.version is None:
            try:
                exchange.create(str(temporary), str(self.target))
            except FileExistsError:
                raise ChangedError from None
            return False
        try:
            kept = exchange.put(str(temporary), str(self.target))
        except FileNotFoundError:
            raise ChangedError from None
        # From here on the save has happened: an error leaves it so, and whatever came out is kept.
        try:
            if not kept or raw.content(temporary) == self.base.data:
                return kept
            exchange.put(str(temporary), str(self.target))
        except OSError:
            return False
        with suppress(OSError):
            if not (_is(temporary, ours) and raw.content(temporary) == data):
                # It was saved once more between the two: the latest counts, the one before becomes a conflict copy.
                exchange.put(str(temporary), str(self.target))
        raise ChangedError

    def _keep(self, replaced: Path | None, record: Record) -> tuple[int, Path | None]:
        """Move the replaced file into the history; gives the version's number, and where the file is now."""
        number = self.history.free_number(self.stamp.number if self.stamp else self.history.last_number())
        try:
            self.history.prepare()
            kept = None
            if replaced is not None:
                kept = self.history.keep(number, replaced, record)
            else:
                self.history.note(number, record, self.base.data)
        except OSError as error:
            self.notices.append(f"It is saved, but the version before could not be kept ({reading.reason(error)})")
            return number, None
        self.number = number
        return number, kept

    def _stamp(self, ours: os.stat_result, data: bytes, number: int, kept: Path | None) -> None:
        base = self.base.data or b""
        made = Stamp(Print.of(data, ours), number, (self.stamp.kept_bytes if self.stamp else 0) + len(base))
        with suppress(OSError):
            if kept is not None:
                if kept.parent == self.target.parent:  # another file system: the file itself stays for one save
                    os.replace(kept, self._aside())
                    kept = self._aside()
                made = replace(made, replaced_path=str(kept), replaced=self._print_of_base(os.stat(kept)))
            if self.history.due(made.kept_bytes):
                self.history.prune(datetime.now(UTC))
                made = replace(made, kept_bytes=0)
            stamp.store(self.history.folder, made)

    def _print_of_base(self, status: os.stat_result) -> Print:
        base, known = self.base.data or b"", self.stamp.published if self.stamp else None
        if known is not None and known.describes(self.base):
            return Print(len(base), status.st_mtime_ns, status.st_ino, known.checksum)  # it need not be made again
        return Print.of(base, status)

    def _aside(self) -> Path:
        return self.target.with_name(f".{self.target.name}.replaced")

    def _clear(self, temporary: Path, ours: os.stat_result | None, record: Record | None) -> None:
        """Leave no temporary file; but what is not ours and not ``base`` is somebody's save, and is kept."""
        for left in (temporary, temporary.with_name(temporary.name + exchange.KEPT)):
            with suppress(OSError):
                if ours is not None and not _is(left, ours):
                    if raw.content(left) != self.base.data:
                        self._keep_conflict(raw.content(left))
                    elif record is not None and not _is(left, os.stat(self.target)):
                        self._keep(left, record)  # an interrupt came before it was
                os.unlink(left)

    def _keep_conflict(self, data: bytes) -> None:
        """Write a conflict copy beside the file; raises OSError."""
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        copy = self.target.with_name(f"{self.target.stem}.conflict-{moment}{self.target.suffix}")
        raw.create(copy, data)
        self.notices.append(f"An editor saved into an older version of the file; what it wrote is kept as {copy.name}")

    def _sync_folder(self) -> None:
        try:
            raw.sync_folder(self.target.parent)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                self.notices.append("It is saved, but the system did not confirm that it would outlive a power failure")

    def _as_published(self, ours: os.stat_result, data: bytes) -> Snapshot:
        try:
            version = reading.version_of(os.stat(self.target))
        except OSError:
            version = None
        if version is None or version[1:4] != (ours.st_ino, len(data), ours.st_mtime_ns):
            return Snapshot(None, None, trusted=False)  # somebody saved again already
        return Snapshot(data, version, trusted=False)


def unwritable(path: Path, error: OSError) -> UnwritableError:
    """Give the error for a file that could not be written, and what to do."""
    if reading.is_room_missing(error):
        advice = "there is no room on the disk; free some and save again"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        advice = "it is read-only here; change the permissions of the file or its folder, or use another path"
    else:
        advice = "the system refused; look at the reason and save again"
    sentence = f"Nothing was saved, the memory is as it was: {advice}"
    return UnwritableError(sentence, path=path, detail=reading.reason(error))


def _is(path: Path, ours: os.stat_result) -> bool:
    status = os.stat(path)
    return (status.st_dev, status.st_ino) == (ours.st_dev, ours.st_ino)


def _sweep(target: Path, history: History) -> bool:
    """Take away what a crash left behind, older than a minute: into the history, for it may be a whole version."""
    found = False
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if not (name.startswith(f".{target.name}.") and name.endswith((".tmp", ".tmp.kept"))):
                continue
            file = target.with_name(name)
            with suppress(OSError):
                if stat.S_ISREG(os.lstat(file).st_mode) and time.time() - os.lstat(file).st_ctime > _SWEEP_SECONDS:
                    history.prepare()
                    history.keep(history.last_number() + 1, file, {"what": "recovered", "changes": []})
                    file.unlink(missing_ok=True)
                    found = True
    return found
