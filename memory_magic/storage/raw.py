"""Whole files as bytes, by plain system calls, so that each of them can be made to fail in a test."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_BINARY = getattr(os, "O_BINARY", 0)
# Without waiting, should a pipe have taken the file's place.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY
_WRITE = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | _BINARY


def content(path: Path) -> bytes:
    """Give the bytes of a file; raises OSError."""
    descriptor = os.open(path, _READ)
    try:
        return read_all(descriptor)
    finally:
        os.close(descriptor)


def open_to_read(path: Path) -> int:
    """Open for reading, without waiting; raises OSError."""
    return os.open(path, _READ)


def read_all(descriptor: int) -> bytes:
    """Read to the end."""
    size = os.fstat(descriptor).st_size + 1
    pieces = []
    while piece := os.read(descriptor, size):
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)  # joining one would copy it


def create(path: Path, data: bytes, like: os.stat_result | None = None) -> os.stat_result:
    """Make a new file with these bytes, synced, with mode and owner of another; raises OSError.

    An error of fsync is final: what the system may have dropped cannot be synced again on the same descriptor.
    """
    descriptor = os.open(path, _WRITE | os.O_EXCL, 0o600)
    try:
        write_all(descriptor, data)
        if like is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, like.st_mode & 0o7777)
            _keep_owner(descriptor, like)
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def replace(path: Path, data: bytes) -> None:
    """Put these bytes in the place of a file of our own, in one piece and without a sync; raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        descriptor = os.open(temporary, _WRITE | os.O_TRUNC, 0o600)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def overwrite(path: Path, data: bytes) -> None:
    """Write these bytes over the beginning of a file of our own; raises OSError."""
    descriptor = os.open(path, _WRITE, 0o600)
    try:
        write_all(descriptor, data)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the bytes, however few the system takes at a time."""
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlive a power failure; raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder for its owner only, and those above it, each of which will outlive a power failure."""
    missing = [] if folder.is_dir() else [place for place in (folder, *folder.parents) if not place.is_dir()]
    for place in reversed(missing):
        place.mkdir(0o700 if place == folder else 0o777, exist_ok=True)
        with suppress(OSError):
            sync_folder(place.parent)


def _keep_owner(descriptor: int, like: os.stat_result) -> None:
    if hasattr(os, "geteuid") and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
        try:
            os.fchown(descriptor, like.st_uid, like.st_gid)
        except PermissionError:
            return  # the file is then the writer's, as with any editor that saves by renaming
