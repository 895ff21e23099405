"""What the tests share: a home of their own, a store in a temporary folder, and a fresh shell."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let whoever runs the tests raise the size of those that try to lose something."""
    parser.addoption("--crash-runs", type=int, default=300, help="how often a process that saves is killed")
    parser.addoption(
        "--fault-runs", type=int, default=1, help="how many times as many writers' saves, edits and faults"
    )


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the tests away from the memory, the settings and the history of whoever runs them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("MEMORY_MAGIC_", "JPY_", "JUPYTER"))]:
            patch.delenv(name)
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            (home / name.lower()).mkdir()
            patch.setenv(name, str(home / name.lower()))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")  # jupyter_core warns where it has to guess
        yield home


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the path of a memory file that is not there yet, as the environment names it."""
    path = tmp_path / "memory" / "MEMORY.md"
    monkeypatch.setenv("MEMORY_MAGIC_PATH", str(path))
    return path


class Session:
    """A real IPython shell and the memory file that it writes to."""

    def __init__(self, shell: Any, memory: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.shell = shell
        self.memory = memory
        self._capture = capture

    @property
    def text(self) -> str:
        """The file as it is now; empty where there is none."""
        return self.memory.read_text("utf-8") if self.memory.exists() else ""

    def run(self, source: str) -> Any:
        """Run a cell as a person does and give its value; its error, if it has one, is raised."""
        done = self.shell.run_cell(source, store_history=True)
        done.raise_error()
        return done.result

    def value(self, source: str) -> Any:
        """Give the value of a Python expression in the shell."""
        return eval(source, self.shell.user_ns)

    def printed(self, source: str) -> str:
        """Run a cell and give what it printed, on both streams."""
        self._capture.readouterr()
        self.shell.run_cell(source, store_history=True)
        return "".join(self._capture.readouterr())

    def fails(self, source: str) -> str:
        """Run a cell that must end in the one-line error of magics; give that line as the user sees it."""
        from IPython.core.error import UsageError

        self._capture.readouterr()
        done = self.shell.run_cell(source, store_history=True)
        shown = "".join(self._capture.readouterr()).strip()
        error = done.error_in_exec or done.error_before_exec
        assert type(error) is UsageError, (source, error, shown)
        assert shown.endswith(f"UsageError: {error}")
        assert "\n" not in str(error)
        return str(error)


def _close(shell: Any) -> None:
    """Take a shell down as its program does at its end."""
    history = shell.history_manager
    shell.atexit_operations()
    atexit.unregister(shell.atexit_operations)
    if history.save_thread is not None:
        history.save_thread.stop()
        atexit.unregister(history.save_thread.stop)
    history.db.close()
    shell.restore_sys_module_state()


@pytest.fixture
def new_shell(
    memory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Session]]:
    """Give a function that makes a fresh terminal shell without the extension; configuration goes in as a dict."""
    import IPython
    from IPython.terminal.interactiveshell import TerminalInteractiveShell
    from traitlets.config import Config

    kind, shells = TerminalInteractiveShell, []
    monkeypatch.setattr(sys, "displayhook", sys.displayhook)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def make(config: dict[str, Any] | None = None) -> Session:
        kind.clear_instance()
        settings = Config(config or {})
        settings.HistoryManager.hist_file = ":memory:"
        settings.TerminalInteractiveShell.simple_prompt = True
        settings.TerminalInteractiveShell.colors = "NoColor" if IPython.version_info < (9,) else "nocolor"
        settings.TerminalInteractiveShell.term_title = False
        shells.append(kind.instance(config=settings))
        return Session(shells[-1], memory, capsys)

    yield make
    for shell in shells:
        shell.run_cell("%unload_ext memory_magic" if "memory_magic" in shell.extension_manager.loaded else "")
        _close(shell)
    kind.clear_instance()


@pytest.fixture
def ip(new_shell: Callable[..., Session]) -> Session:
    """Give a fresh shell in which ``%load_ext memory_magic`` has been run."""
    session = new_shell()
    session.run("%load_ext memory_magic")
    return session


class Kernel:
    """A running kernel; ``run`` gives what a cell shows, as plain text."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        from jupyter_client.kernelspec import KernelSpecManager
        from jupyter_client.manager import KernelManager

        # No folders: of all kernels only the one of this very Python is known.
        self.manager = KernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        self.manager.start_kernel(
            env=environment, cwd=str(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, cell: str, *, fails: bool = False) -> str:
        shown: list[str] = []

        def hook(message: dict[str, Any]) -> None:
            content = message["content"]
            shown.append(content.get("data", {}).get("text/plain", "") or content.get("text", ""))

        reply = self.client.execute_interactive(cell, output_hook=hook, timeout=60, allow_stdin=False)["content"]
        assert (reply["status"] == "error") is fails, "".join(shown)
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
