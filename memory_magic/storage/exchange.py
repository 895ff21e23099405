"""Put one file in the place of another so that the other is still there to look at, without a moment between."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

# What a kernel, a file system or a sandbox answers that has no exchange.
_NOT_HAD = {errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP}
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_SHARING_VIOLATIONS = (5, 32)  # Windows: access denied, used by another process
_RETRY_SECONDS = 2.0
KEPT = ".kept"


def put(new: str, target: str) -> bool:
    """Put the file ``new`` in the place of ``target``; True when the replaced one is at ``new`` now.

    With ``renameat2`` the two names are exchanged at once. Elsewhere the replaced file is kept by a hard link made
    just before the rename; where there are no links either, it is gone, and the answer is False.
    """
    if exchange(new, target):
        return True
    kept = new + KEPT
    try:
        os.link(target, kept)
    except FileNotFoundError:
        raise  # an editor has just moved it away, to put another one there
    except (OSError, AttributeError):  # not on every file system, and not in a browser
        rename(new, target)
        return False
    rename(new, target)
    try:
        os.rename(kept, new)
    except OSError:
        return False  # it stays under its other name
    return True


def create(new: str, target: str) -> None:
    """Put the file ``new`` where there is none; raises FileExistsError where somebody else was quicker."""
    try:
        os.link(new, target)
    except FileExistsError:
        raise
    except (OSError, AttributeError):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from None
        rename(new, target)
    else:
        with suppress(OSError):  # it is published, whatever becomes of its other name
            os.unlink(new)


def exchange(one: str, other: str) -> bool:
    """Exchange two names atomically; False where the system cannot."""
    call = _renameat2()
    if call is None:
        return False
    number = call(one, other)
    if number and number not in _NOT_HAD:
        raise OSError(number, os.strerror(number), other)
    return not number


def rename(old: str, new: str) -> None:
    """Rename over what is there; on Windows try again while another program has it open."""
    deadline = time.monotonic() + _RETRY_SECONDS
    while True:
        try:
            os.replace(old, new)
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _SHARING_VIOLATIONS or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@lru_cache(maxsize=1)
def _renameat2() -> Callable[[str, str], int] | None:
    """Give the call, which answers 0 or an error number; looked up at the first save only, since ctypes costs."""
    if sys.platform != "linux":
        return None
    try:
        import ctypes
    except ImportError:  # a Python built without it
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:  # a C library from before 2018
        return None

    def call(one: str, other: str) -> int:
        if function(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
            return 0
        return ctypes.get_errno()

    return call
