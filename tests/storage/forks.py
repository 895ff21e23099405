"""Run a function of a test module in a fresh, single-threaded process, from which it may fork, kill and be killed."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def apart(function: Callable[..., Any], *args: Any, timeout: float = 120) -> Any:
    """Call a function of a module in this folder in a new process; arguments and result go as JSON.

    Forking from a process with threads is a warning since Python 3.12, and an error here; this one has none.
    """
    job = json.dumps([function.__module__, function.__name__, args], default=str)
    command = [sys.executable, "-W", "error", str(HERE / "forks.py"), job]
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(command, stdout=told, stderr=told, env=environment, start_new_session=True)
        try:
            process.wait(timeout)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with whatever it has forked
            process.wait()
            told.seek(0)
            text = told.read()
    assert process.returncode == 0, text
    return json.loads(text.splitlines()[-1])


def forked(work: Callable[[], Any]) -> int:
    """Do some work in a forked child, which then ends without cleaning up; gives its process id."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        work()
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def waited(child: int) -> int:
    """Wait for a child and give how it ended: its exit code, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    module, name, arguments = json.loads(sys.argv[1])
    print(json.dumps(getattr(importlib.import_module(module), name)(*arguments)))
