"""Loading the magics in every session: a startup file of our own in IPython's profile, and nothing else."""

from __future__ import annotations

import os
from typing import Any

from memory_magic.errors import ConflictError, InvalidError, NotFoundError, UnwritableError
from memory_magic.results import Told
from memory_magic.showing import visible

FILE_NAME = "50-memory-magic.py"
# Sessions of other environments share the profile: where the package is missing, nothing may happen. No name is left
# in the user's namespace.
CONTENT = """\
# Loads memory_magic in every IPython session and notebook. "%memory autoload off" takes this file away.
try:
    get_ipython().extension_manager.load_extension("memory_magic")
except ImportError:
    pass
"""


def switch(shell: Any, word: str) -> Told:
    """Write the startup file (``on``), take it away (``off``), or say how it is.

    Raises ConflictError where there is a file of that name that is not as we write it: then it is left alone.
    """
    path = _path(shell)
    state = _read(path)
    if word not in ("", "on", "off"):
        raise InvalidError("autoload is on or off; without a word it says how it is")
    if state not in (None, CONTENT):
        raise ConflictError("The startup file is not as it was written; move or delete it yourself", path=path)
    where = visible(path)
    if word == "on" and state is None:
        _write(path)
        return Told(f"Every session of this profile loads the magics from now on. Written to {where}:\n\n{CONTENT}")
    if word == "off":
        if state is None:
            raise NotFoundError("Autoload is off already; nothing was deleted")
        _delete(path)
        return Told(f"Sessions no longer load the magics by themselves. Deleted {where}, and nothing else")
    if state is None:
        return Told(f"Autoload is off. %memory autoload on writes {where}:\n\n{CONTENT}")
    return Told(f"Autoload is on, by {where}; %memory autoload off deletes that file")


def _path(shell: Any) -> str:
    profile = getattr(shell, "profile_dir", None)
    if profile is None:
        raise InvalidError("This session has no IPython profile; add memory_magic to its extensions instead")
    return os.path.join(profile.startup_dir, FILE_NAME)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read(len(CONTENT) + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritable(path, error) from error


def _write(path: str) -> None:
    try:
        file = open(path, "x", encoding="utf-8", newline="")  # noqa: SIM115 -- what was made is deleted on an error
        try:
            with file:
                file.write(CONTENT)
        except OSError:
            os.unlink(path)
            raise
    except OSError as error:
        raise _unwritable(path, error) from error


def _delete(path: str) -> None:
    try:
        os.unlink(path)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str, error: OSError) -> UnwritableError:
    return UnwritableError("The startup file cannot be changed", path=path, detail=str(error.strerror))
