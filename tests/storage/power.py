"""A model of a disk that loses its power: what was not synced may be gone, from any point on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faults import EXCHANGE, Call


@dataclass
class Inode:
    """A file: its bytes as programs see them, and those that were synced."""

    data: bytes = b""
    synced: bytes = b""


@dataclass
class Folder:
    """A directory: what its names mean on the disk for certain, and what was done to it since, in order."""

    names: dict[str, Inode | Folder | None] = field(default_factory=dict)
    pending: list[dict[str, Inode | Folder | None]] = field(default_factory=list)

    def now(self, done: int | None = None) -> dict[str, Inode | Folder | None]:
        """Give the names after so many of the pending operations, or after all of them."""
        names = dict(self.names)
        for operation in self.pending[:done]:
            names |= operation
        return names

    def sync(self) -> None:
        """Make what was done outlive the power."""
        self.names, self.pending = self.now(), []


class Disk:
    """Follows the system calls of a save below a root folder, all of which is on the disk when it begins."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = _scanned(root)
        self.open: dict[int, tuple[Inode | Folder, list[int]]] = {}

    def follow(self, call: Call, real: Callable[..., Any]) -> Any:
        """Let a call through, as a handler, and do to the model what it has done."""
        result = real()
        follower = getattr(self, f"_{call.name}", None)
        if follower is not None and not (call.name == EXCHANGE and result):
            follower(result, *call.args)
        return result

    def after_power_loss(self, path: Path) -> Iterator[bytes | None]:
        """Give every content that the path may have if the power goes now; None where there is no such file."""
        yield from _outcomes(self.folder, path.relative_to(self.root).parts)

    def _place(self, path: str | Path) -> tuple[Folder, str] | None:
        path = Path(path)
        if not path.is_relative_to(self.root) or path == self.root:
            return None
        folder = self.folder
        for name in path.relative_to(self.root).parts[:-1]:
            found = folder.now().get(name)
            assert isinstance(found, Folder), path
            folder = found
        return folder, path.name

    def _find(self, path: str | Path) -> Inode | Folder | None:
        place = self._place(path)
        return (self.folder if Path(path) == self.root else None) if place is None else place[0].now().get(place[1])

    def _do(self, *changes: tuple[str | Path, Inode | Folder | None]) -> None:
        """Note one operation, which is whole or not at all within each of the folders it touches."""
        done: list[tuple[Folder, dict[str, Inode | Folder | None]]] = []
        for path, what in changes:
            if (place := self._place(path)) is not None:
                folder, name = place
                operation = next((o for f, o in done if f is folder), None)
                if operation is None:
                    operation = {}
                    done.append((folder, operation))
                operation[name] = what
        for folder, operation in done:
            folder.pending.append(operation)

    def _open(self, descriptor: int, path: str | Path, flags: int, *_: Any) -> None:
        found = self._find(path)
        if found is None and flags & os.O_CREAT:
            found = Inode()
            self._do((path, found))
        if isinstance(found, Inode) and flags & os.O_TRUNC:
            found.data = b""
        if found is not None:
            self.open[descriptor] = (found, [0])

    def _write(self, count: int, descriptor: int, data: bytes) -> None:
        if descriptor in self.open:
            inode, position = self.open[descriptor]
            assert isinstance(inode, Inode)
            at = position[0]
            inode.data = inode.data[:at] + bytes(data[:count]) + inode.data[at + count :]
            position[0] += count

    def _fsync(self, _: None, descriptor: int) -> None:
        if descriptor in self.open:
            found, _ = self.open[descriptor]
            if isinstance(found, Folder):
                found.sync()
            else:
                found.synced = found.data

    def _close(self, _: None, descriptor: int) -> None:
        self.open.pop(descriptor, None)

    def _mkdir(self, _: None, path: str | Path, *__: Any) -> None:
        self._do((path, Folder()))

    def _link(self, _: None, old: str | Path, new: str | Path) -> None:
        self._do((new, self._find(old)))

    def _rename(self, _: None, old: str | Path, new: str | Path) -> None:
        self._do((old, None), (new, self._find(old)))

    _replace = _rename

    def _unlink(self, _: None, path: str | Path) -> None:
        self._do((path, None))

    def _renameat2(self, _: int, one: str, other: str) -> None:
        self._do((one, self._find(other)), (other, self._find(one)))


def _scanned(path: Path) -> Folder:
    names: dict[str, Inode | Folder | None] = {}
    for entry in path.iterdir():
        data = b"" if entry.is_dir() else entry.read_bytes()
        names[entry.name] = _scanned(entry) if entry.is_dir() else Inode(data, data)
    return Folder(names)


def _outcomes(folder: Folder, parts: tuple[str, ...]) -> Iterator[bytes | None]:
    for done in range(len(folder.pending) + 1):
        found = folder.now(done).get(parts[0])
        if isinstance(found, Folder):
            yield from _outcomes(found, parts[1:])
        elif found is None:
            yield None
        else:
            yield found.synced  # what was not synced is gone,
            yield found.data  # or was written by chance,
            if found.data != found.synced:
                yield found.data[: len(found.data) // 2]  # or half of it
