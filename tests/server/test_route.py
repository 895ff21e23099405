"""The route of a real Jupyter server, over real HTTP."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from memory_magic import Store
from memory_magic.storage.lock import held

# Allows everything, and the memory too unless a file says no.
AUTHORIZER = """
import os
from jupyter_server.auth import Authorizer
class Chosen(Authorizer):
    def is_authorized(self, handler, user, action, resource):
        return resource != "memory" or not os.path.exists({denied!r})
c.ServerApp.authorizer_class = Chosen
"""
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
Said = tuple[int, dict[str, Any]]


class Server:
    """A running Jupyter server with a home of its own, the memory that it uses, and what asks it."""

    def __init__(self, home: Path) -> None:
        self.home, self.token, self.memory = home, secrets.token_hex(16), home / "MEMORY.md"
        environment = {**os.environ, "HOME": str(home)}
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "XDG_STATE_HOME"):
            (home / name.lower()).mkdir()
            environment[name] = str(home / name.lower())
        self.denied = home / "denied"
        configuration = home / "jupyter_config_dir" / "jupyter_server_config.py"
        configuration.write_text(AUTHORIZER.format(denied=str(self.denied)))
        command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root"]
        command += [f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={home}"]
        command += ["--ServerApp.base_url=/at/home/"]
        self.log = (home / "server.log").open("wb")
        self.process = subprocess.Popen(command, env=environment, cwd=home, stdout=self.log, stderr=self.log)
        self.url = self._url(home / "jupyter_runtime_dir")

    def _url(self, runtime: Path) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            for file in runtime.glob("jpserver-*.json"):
                if text := file.read_text():
                    return f"http://127.0.0.1:{json.loads(text)['port']}/at/home/"
            time.sleep(0.1)
        raise RuntimeError((self.home / "server.log").read_text())

    def set(self, **settings: object) -> None:
        """Write the settings that the server finds on its configuration path."""
        file = self.home / "jupyter_config_dir" / "memory_magic_config.json"
        file.write_text(json.dumps({"MemoryMagics": {"path": str(self.memory), **settings}}))

    def ask(self, action: object, **values: object) -> Said:
        """Send a request with the token; gives status and answer."""
        return self.post(json.dumps({"action": action, **values}).encode(), Authorization=f"token {self.token}")

    def post(self, body: bytes, opener: Any = None, **headers: str) -> Said:
        """Send this body with these headers."""
        request = Request(f"{self.url}api/memory", body, headers, method="POST")
        try:
            with (opener or build_opener()).open(request, timeout=60) as response:
                return response.status, json.load(response)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    @property
    def text(self) -> str:
        return self.memory.read_text("utf-8") if self.memory.exists() else ""

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


@pytest.fixture(scope="module")
def running(own_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give one server for the tests of this file."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture
def server(running: Server, tmp_path: Path) -> Server:
    """Give the server with a memory of the test's own, which is not there yet."""
    running.memory = tmp_path / "MEMORY.md"
    running.set()
    return running


def test_a_fact_is_added_listed_and_forgotten(server: Server) -> None:
    """In the simple forms: a text, nothing, an id; a row has id, text, scope and its date."""
    status, said = server.ask("add", text="prefers dark mode")
    assert (status, said["ok"], said["message"]) == (200, True, "Remembered “prefers dark mode”")
    assert said["rows"][0]["text"] == "prefers dark mode"
    status, said = server.ask("list")
    [row] = said["rows"]
    assert (status, row["text"], row["scope"], row["created"][:2]) == (200, "prefers dark mode", "global", "20")
    assert "\n## prefers dark mode\n" in server.text
    assert server.ask("forget", id=row["id"])[0] == 200
    assert server.ask("list")[1]["rows"] == []


def test_a_panel_edits_confirms_and_undoes(server: Server) -> None:
    """With the version that it saw, or without."""
    name = server.ask("add", text="Likes tea", fields={"category": "preferences"})[1]["rows"][0]["id"]
    status, said = server.ask("edit", id=name, fields={"body": "Likes oolong"})
    assert (status, said["rows"][0]["body"]) == (200, "Likes oolong")
    assert server.ask("undo", change=said["change"])[0] == 200
    assert server.ask("list")[1]["rows"][0]["text"] == "Likes tea"
    assert server.ask("redo")[0] == 200
    assert server.ask("confirm", id=name)[0] == 200
    assert server.ask("text", id=name)[1]["text"] == "Likes oolong"


def test_the_history_names_the_panel(server: Server) -> None:
    """As any writer; what is typed there is the user's own word."""
    name = server.ask("add", text="Likes tea")[1]["rows"][0]["id"]
    history = server.home / "xdg_state_home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(history))
        assert [entry.writer for entry in Store(server.memory).history(name)] == ["panel"]
    assert "source: user_explicit · confidence: 90" in server.text


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"action": "add", "text": " "}, 400, "memory_empty_text"),
    ({"action": "add", "text": "é" * 501}, 400, "memory_too_long"),
    ({"action": "add", "text": f"token {GITHUB}"}, 400, "memory_secret"),
    ({"action": "add", "text": "x", "fields": {"allow_secret": 1}}, 400, "memory_invalid"),
    ({"action": "add", "text": "\ud800"}, 400, "memory_invalid"),
    ({"action": "add"}, 400, "memory_invalid"),
    ({"action": "purge"}, 400, "memory_unknown_action"),
    ({"action": ["list"]}, 400, "memory_unknown_action"),
    ({}, 400, "memory_unknown_action"),
    ({"action": "forget"}, 400, "memory_invalid"),
    ({"action": "forget", "id": "m-ffffff"}, 404, "memory_not_found"),
    ({"action": "forget", "id": "Likes tea"}, 404, "memory_not_found"),
    ({"action": "forget", "id": "m-00000a m-00000b"}, 404, "memory_not_found"),
    ({"action": "forget", "id": "m-000001"}, 409, "memory_ambiguous"),
    ({"action": "forget", "id": "m-00000a", "version": "0"}, 409, "memory_conflict"),
    ({"action": "edit", "id": "m-00000a", "version": "0", "fields": {"body": "x"}}, 409, "memory_conflict"),
    ({"action": "undo", "change": 10**9}, 404, "memory_not_found"),
]
FACTS = (
    "## Likes tea\n<!-- id: m-00000a -->\n\n## Uses pnpm\n<!-- id: m-00000b -->\n\n"
    "## One\n<!-- id: m-000001 -->\n\n## Other\n<!-- id: m-000001 -->\n"
)


@pytest.mark.parametrize(("request_", "status", "code"), REFUSED)
def test_what_is_refused_has_a_status_and_a_code(
    server: Server, request_: dict[str, Any], status: int, code: str
) -> None:
    """And changes nothing, and names no path."""
    server.memory.write_text(FACTS)
    got, said = server.post(json.dumps(request_).encode(), Authorization=f"token {server.token}")
    assert (got, said["ok"], said["code"]) == (status, False, code)
    assert said["message"]
    assert str(server.memory.parent) not in json.dumps(said)
    assert GITHUB not in json.dumps(said)
    assert server.text == FACTS


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"x" * 1_000_000, "memory_too_long"),
        (json.dumps({"action": "add", "text": "x" * 1_000_000}).encode(), "memory_too_long"),
        (b"", "memory_invalid"),
        (b"{", "memory_invalid"),
        (b"[]", "memory_invalid"),
        (b'"list"', "memory_invalid"),
        (b"\xff\xfe\x00", "memory_invalid"),
        (b"[" * 400_000, "memory_invalid"),
        (b'{"action": "undo", "change": ' + b"9" * 5_000 + b"}", "memory_invalid"),
        (b'{"action": "add", "text": "x", "fields": {"confidence": NaN}}', "memory_invalid"),
    ],
    ids=["1 MB", "1 MB of text", "empty", "half", "array", "text", "no UTF-8", "deep", "large number", "NaN"],
)
def test_a_body_that_is_no_request_is_refused(server: Server, body: bytes, code: str) -> None:
    """With a sentence, and nothing is written."""
    status, said = server.post(body, Authorization=f"token {server.token}")
    assert (status, said["ok"], said["code"]) == (400, False, code)
    assert server.text == ""


def test_nobody_is_let_in_without_the_token(server: Server) -> None:
    """None, a wrong one, or one in the wrong place: 403, and nothing is written or told."""
    body = json.dumps({"action": "add", "text": "forged"}).encode()
    for headers in ({}, {"Authorization": "token 0000"}, {"Cookie": f"token={server.token}"}):
        status, said = server.post(body, **headers)
        assert (status, said) == (403, {"ok": False, "code": "", "message": "Forbidden"})
    assert server.text == ""


def test_the_server_decides_who_may(server: Server) -> None:
    """Its authoriser is asked for the resource memory: who is not allowed gets 403."""
    server.denied.touch()
    assert server.ask("list") == (403, {"ok": False, "code": "", "message": "Forbidden"})
    assert server.ask("add", text="forged")[0] == 403
    server.denied.unlink()
    assert server.ask("list")[1]["rows"] == []


def test_a_page_of_another_origin_cannot_use_the_cookie(server: Server) -> None:
    """With the cookie of a login but without its XSRF token: 403; with both it works."""
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    opener.open(f"{server.url}login?token={server.token}", timeout=60).close()
    cookies = {cookie.name: cookie.value or "" for cookie in jar}
    body = json.dumps({"action": "add", "text": "from a page"}).encode()
    assert server.post(body, opener)[0] == 403
    assert server.post(body, opener, **{"X-XSRFToken": "0000"})[0] == 403
    assert server.text == ""
    assert server.post(body, opener, **{"X-XSRFToken": cookies["_xsrf"]})[0] == 200
    assert server.post(body, opener, **{"X-XSRFToken": cookies["_xsrf"], "Origin": "http://evil.example"})[0] == 404


def test_a_file_that_cannot_be_used_is_told_without_its_path(server: Server) -> None:
    """503: the file is there and no memory, or must not be written; the settings count as they are now."""
    server.memory.write_bytes(b"\xff\xfe")
    status, said = server.ask("list")
    assert (status, said["code"]) == (503, "memory_unreadable")
    assert str(server.memory) not in said["message"]
    server.memory.write_text("")
    server.set(read_only=True, note_chars=3)
    assert server.ask("add", text="four")[1]["code"] == "memory_too_long"
    status, said = server.ask("add", text="one")
    assert (status, said["code"]) == (503, "memory_unwritable")
    server.set()
    assert server.ask("add", text="four")[0] == 200


def test_a_write_that_waits_keeps_nobody_else_waiting(server: Server) -> None:
    """While another program holds the lock, the server answers and the memory can be read; then the write is done."""
    server.ask("add", text="first")
    with ThreadPoolExecutor() as threads:
        with held(server.memory.with_name(".MEMORY.md.lock")):
            waiting = threads.submit(server.ask, "add", text="second")
            for _ in range(5):
                assert [row["text"] for row in server.ask("list")[1]["rows"]] == ["first"]
            assert not waiting.done()
        assert waiting.result()[0] == 200
    assert "second" in server.text


def test_many_requests_and_two_kernels_lose_nothing(server: Server, kernel: Callable[[], Any]) -> None:
    """50 at once over HTTP while two kernels remember: all of it is in the file, and nothing else."""
    kernels = [kernel(), kernel()]
    for running in kernels:
        running.run(f"import os\nos.environ['MEMORY_MAGIC_PATH'] = {str(server.memory)!r}\n%load_ext memory_magic")
    with ThreadPoolExecutor(max_workers=52) as threads:
        asked = [threads.submit(server.ask, "add", text=f"http {number:02}") for number in range(50)]
        for place, running in enumerate(kernels):  # both at once: neither is waited for here
            lines = "\n".join(f"%remember kernel {place} {number:02}" for number in range(10))
            running.client.execute(lines)
        for running in kernels:
            running.run("pass")
        assert {one.result()[0] for one in asked} == {200}
    expected = [f"http {number:02}" for number in range(50)]
    expected += [f"kernel {place} {number:02}" for place in range(2) for number in range(10)]
    assert sorted(fact.text for fact in Store(server.memory).facts()) == sorted(expected)
    assert [file.name for file in server.memory.parent.iterdir() if file.suffix == ".tmp"] == []


def test_the_log_of_the_server_holds_no_text_of_a_request(server: Server) -> None:
    """Not of one that was refused, either."""
    server.ask("add", text=f"token {GITHUB}")
    server.ask("add", text="a quiet fact")
    log = (server.home / "server.log").read_text()
    assert "400 POST /at/home/api/memory" in log
    assert GITHUB not in log
    assert "a quiet fact" not in log
