"""The system calls of a save: counted, and each made to fail, to be interrupted, or to be a process's last."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from memory_magic.storage import exchange

NAMES = (
    *("access", "chmod", "close", "fchmod", "fchown", "fdatasync", "fstat", "fsync", "ftruncate", "link", "listdir"),
    *("lstat", "mkdir", "open", "pwrite", "read", "readlink", "remove", "rename", "replace", "rmdir", "scandir"),
    *("stat", "symlink", "truncate", "unlink", "utime", "write"),
)
ERRORS = ("ENOSPC", "EDQUOT", "EIO", "EACCES", "EROFS", "EINTR", "ENOLCK", "ENOSYS", "ESTALE", "EXDEV")
EXCHANGE, LOCK = "renameat2", "flock"


@dataclass(frozen=True)
class Call:
    """One system call: its number within the save, its name and its arguments."""

    number: int
    name: str
    args: tuple[Any, ...] = field(compare=False)

    def __str__(self) -> str:
        shown = ", ".join(f"{len(a)} bytes" if isinstance(a, (bytes, memoryview)) else repr(a) for a in self.args)
        return f"{self.number}: {self.name}({shown})"


# Is given the call and the real function, bound to its arguments unless it is given others.
Handler = Callable[[Call, Callable[..., Any]], Any]


def plain(call: Call, real: Callable[..., Any]) -> Any:
    """Let every call through."""
    return real()


@contextmanager
def injected(handler: Handler = plain) -> Iterator[list[Call]]:
    """Lead every system call that this thread makes in the block through a handler; gives the calls made."""
    calls: list[Call] = []
    thread = threading.get_ident()
    inside = False

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **keywords: Any) -> Any:
            nonlocal inside
            if inside or threading.get_ident() != thread:
                return real(*args, **keywords)
            call = Call(len(calls) + 1, name, args)
            calls.append(call)
            inside = True
            try:
                return handler(call, lambda *others: real(*(others or args), **keywords))
            finally:
                inside = False

        return wrapper

    functions = {name: getattr(os, name) for name in NAMES}
    look_up, flock = exchange._renameat2, fcntl.flock
    renameat2 = look_up()
    try:
        for name, function in functions.items():
            setattr(os, name, wrapped(name, function))
        fcntl.flock = wrapped(LOCK, flock)
        if renameat2 is not None:
            wrapper = wrapped(EXCHANGE, renameat2)
            exchange._renameat2 = lambda: wrapper  # type: ignore[assignment]
        yield calls
    finally:
        for name, function in functions.items():
            setattr(os, name, function)
        fcntl.flock, exchange._renameat2 = flock, look_up


def failing(number: int, name: str) -> Handler:
    """Let the call of this number fail with an error, as the system reports it."""
    code = getattr(errno, name)

    def handle(call: Call, real: Callable[..., Any]) -> Any:
        if call.number != number:
            return real()
        if call.name == EXCHANGE:
            return code
        if call.name == "close":
            real()  # Linux lets go of the descriptor whatever it answers
        raise OSError(code, os.strerror(code))

    return handle


def together(*handlers: Handler) -> Handler:
    """Lead each call through all of these handlers."""

    def handle(call: Call, real: Callable[..., Any]) -> Any:
        for handler in handlers:
            real = partial(handler, call, real)
        return real()

    return handle


def without_room(number: int, name: str) -> Handler:
    """Let no call from this number on write anything or make a new name."""
    code = getattr(errno, name)

    def handle(call: Call, real: Callable[..., Any]) -> Any:
        makes = call.name in ("write", "mkdir", "link") or (call.name == "open" and call.args[1] & os.O_CREAT)
        if call.number >= number and makes:
            raise OSError(code, os.strerror(code))
        return real()

    return handle


def short_writes(call: Call, real: Callable[..., Any]) -> Any:
    """Let every write take a few bytes only."""
    return real(call.args[0], call.args[1][:7]) if call.name == "write" else real()


def ending(number: int, when: str, end: Callable[[], Any]) -> Handler:
    """Call ``end``, which does not return, ``before``, ``inside`` or ``after`` the call of this number."""

    def handle(call: Call, real: Callable[..., Any]) -> Any:
        if call.number != number:
            return real()
        if when == "inside" and call.name in ("write", "pwrite"):
            real(call.args[0], call.args[1][: len(call.args[1]) // 2], *call.args[2:])
        if when == "after":
            with suppress(OSError):
                real()
        return end()

    return handle


def interrupt() -> None:
    """Be the stop button."""
    raise KeyboardInterrupt


def crash() -> None:
    """Be a process that is gone: no cleaning up, nothing flushed."""
    os._exit(9)


def leftovers(folder: Path) -> list[str]:
    """Give what a save must not leave beside its file: anything hidden but the lock, and the version put aside."""
    names = (file.name for file in folder.iterdir()) if folder.exists() else ()
    return sorted(n for n in names if n.startswith(".") and not n.endswith((".lock", ".replaced")))
