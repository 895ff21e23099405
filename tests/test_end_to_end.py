"""The whole way, as a person goes it: real kernels, with a home of their own, over one file."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

CELLS = (
    "%load_ext memory_magic",
    "%remember prefer terse answers",
    "%remember -c technical -k prod_server_ip --confidence 95 -e 7d Production runs on 192.168.1.168 (branch master)",
    "%%remember -c projects Release checklist\n1. run the tests   2. bump the version   3. tag",
)


class Kernel:
    """A running kernel; ``run`` gives what a cell shows, as plain text."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        # No folders: of all kernels only the one of this very Python is known.
        self.manager = KernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        self.manager.start_kernel(
            env=environment, cwd=str(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, cell: str) -> str:
        shown: list[str] = []

        def hook(message: dict[str, Any]) -> None:
            content = message["content"]
            shown.append(content.get("data", {}).get("text/plain", "") or content.get("text", ""))

        reply = self.client.execute_interactive(cell, output_hook=hook, timeout=60, allow_stdin=False)["content"]
        assert reply["status"] == "ok", "".join(shown)
        return "".join(shown)

    def restart(self) -> None:
        self.manager.restart_kernel(now=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client.wait_for_ready(timeout=60)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Callable[[], Kernel]]:
    """Start kernels that share a home and a memory; all end with the test."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "JUPYTER_", "IPYTHON"))}
    environment = {**kept, "HOME": str(home), "MEMORY_MAGIC_PATH": str(tmp_path / "memory" / "MEMORY.md")}
    kernels: list[Kernel] = []

    def start() -> Kernel:
        kernels.append(Kernel(environment, tmp_path))
        return kernels[-1]

    yield start
    for running in kernels:
        running.close()


def test_what_was_said_once_is_known_after_a_restart(kernel: Callable[[], Kernel]) -> None:
    """All forms of ``%remember`` reach the file, and a new process finds them there."""
    one = kernel()
    for cell in CELLS:
        one.run(cell)
    before = one.run("%recall server ip")
    assert "Production runs on 192.168.1.168 (branch master)" in before
    one.restart()
    one.run("%load_ext memory_magic")
    after = one.run("%recall server ip")
    assert "Production runs on 192.168.1.168 (branch master)" in after
    assert "technical/prod_server_ip" in after
    assert "95 %" in after
    assert "1. run the tests   2. bump the version   3. tag" in one.run("%recall release")
    assert "3 facts" in one.run("%recall")


def test_a_second_kernel_sees_a_new_fact_without_reloading(kernel: Callable[[], Kernel]) -> None:
    """What one kernel says after the other has read is there at the other's next look."""
    one, other = kernel(), kernel()
    for each in (one, other):
        each.run("%load_ext memory_magic")
    one.run("%remember prefer terse answers")
    assert "prefer terse answers" in other.run("%recall terse")
    one.run("%remember the staging database is read-only on Sundays")
    assert "read-only on Sundays" in other.run("%recall staging")
    other.run("%forget prefer terse answers")
    assert "prefer terse answers" not in one.run("%recall")


def test_forget_takes_the_id_that_was_shown(kernel: Callable[[], Kernel]) -> None:
    """Any id of a receipt or of a recall can be forgotten, and is gone from the file."""
    one = kernel()
    for cell in CELLS:
        one.run(cell)
    shown = re.findall(r"m-[0-9a-f]{6}", one.run("%recall server ip"))
    assert "Production runs on" in one.run(f"%forget {shown[0]}")
    assert "2 facts" in one.run("%recall")
    assert "192.168.1.168" not in one.run("import os; print(open(os.environ['MEMORY_MAGIC_PATH']).read())")
