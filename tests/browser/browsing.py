"""A Jupyter server, and a window of a browser in which everything is watched."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    f"--{name}"
    for name in (
        "no-sandbox",
        "disable-gpu",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-dev-shm-usage",
    )
]
LOOPBACK = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
# Notebook 7.6 throws it by itself, without any extension.
KNOWN_ERRORS = ("Cannot read properties of undefined (reading 'schema')",)


class Server:
    """A running Jupyter server with a home of its own; its kernels see ``environment``."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder, self.token = home, home / "notebooks", secrets.token_hex(16)
        self.folder.mkdir()
        self.state = home / "state"
        environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(self.state)}
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_CONFIG_HOME"):
            (home / name.lower()).mkdir()
            environment[name] = str(home / name.lower())
        environment.pop("JUPYTER_PLATFORM_DIRS", None)
        settings = home / "jupyter_config_dir" / "lab" / "user-settings" / "@jupyterlab"
        for name, values in (
            ("apputils-extension/notification", {"fetchNews": "false", "checkForUpdates": False}),
            ("notebook-extension/tracker", {"windowingMode": "none"}),
            ("../@jupyter-widgets/jupyterlab-manager/plugin", {"saveState": True}),
        ):
            file = settings / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root"]
        command += [f"--IdentityProvider.token={self.token}", "--LabApp.expose_app_in_browser=True"]
        command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
        command += [f"--ServerApp.root_dir={self.folder}", "--KernelManager.shutdown_wait_time=0.5"]
        self.log = (home / "server.log").open("wb")
        self.process = subprocess.Popen(command, env=environment, cwd=home, stdout=self.log, stderr=self.log)
        self.url = self._url(home / "jupyter_runtime_dir")

    def _url(self, runtime: Path) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            for file in runtime.glob("jpserver-*.json"):
                if text := file.read_text():
                    return f"http://127.0.0.1:{json.loads(text)['port']}"
            time.sleep(0.1)
        raise RuntimeError((self.home / "server.log").read_text())

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


class Window:
    """A page of the browser, with all that went wrong in it and all that it asked for elsewhere."""

    def __init__(self, browser: Any, url: str, scale: float = 1) -> None:
        size = {"width": 1280, "height": 900}
        self.context = browser.new_context(viewport=size, device_scale_factor=scale, accept_downloads=False)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.context.route("**/*", self._route)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("websocket", lambda socket: self._note(socket.url))
        self.page.goto(url)

    def _route(self, route: Any) -> None:
        if self._note(route.request.url):
            route.continue_()
        else:
            route.abort()

    def _note(self, url: str) -> bool:
        if not url.startswith(LOOPBACK):
            self.outside.append(url)
            return False
        return True

    def check(self) -> None:
        """See that nothing went wrong, nothing left the machine, and no text ran as a script."""
        errors = [error for error in self.errors if not any(known in error for known in KNOWN_ERRORS)]
        outside, xss = list(self.outside), self.page.evaluate("window.__xss")
        self.errors.clear(), self.outside.clear()
        assert (errors, outside, xss) == ([], [], None)
