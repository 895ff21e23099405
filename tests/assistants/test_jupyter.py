"""What a Jupyter server with jupyter-server-mcp offers to Jupyter AI and others, seen by the MCP SDK's client."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from memory_magic import Store

pytest.importorskip("jupyter_server_mcp")

WRITING = """
c.MCPExtensionApp.mcp_tools = [
    "memory_magic.assistants.jupyter:remember_fact",
    "memory_magic.assistants.jupyter:forget_fact",
]
"""


@pytest.fixture
def server(memory: Path, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Give a function that starts a Jupyter server and gives the address of its MCP endpoint."""
    running: list[subprocess.Popen[bytes]] = []

    def start(config: str = "") -> str:
        (tmp_path / "jupyter_server_config.py").write_text(config)
        runtime = tmp_path / "runtime"
        environment = {**os.environ, "HOME": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(runtime)}
        log = (tmp_path / "server.log").open("wb")
        command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--port=0", "--allow-root"]
        command += ["--ServerApp.jpserver_extensions={'jupyter_server_mcp': True}", "--MCPExtensionApp.mcp_port=0"]
        command += [f"--ServerApp.root_dir={tmp_path}", f"--config={tmp_path / 'jupyter_server_config.py'}"]
        running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        log.close()
        for _ in range(600):
            for file in runtime.glob("*mcp*.json"):
                return str(json.loads(file.read_text())["url"])
            time.sleep(0.1)
        raise AssertionError((tmp_path / "server.log").read_text())

    yield start
    for process in running:
        process.terminate()
        process.wait(timeout=30)


def ask(url: str, *calls: tuple[str, dict[str, Any]]) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Give the tools of ours with their descriptions, and the answers to the calls."""

    async def main() -> Any:
        async with Client(url) as client:
            tools = {tool.name: str(tool.description) for tool in (await client.list_tools()).tools}
            return tools, [(await client.call_tool(name, given)).structured_content for name, given in calls]

    return asyncio.run(main())


def test_installing_gives_recall_and_no_pen(server: Callable[..., str], memory: Path) -> None:
    """The entry point registers what reads, with the description of the table; what writes is not there."""
    Store(memory).remember("Tea", "Likes tea.")
    tools, (found,) = ask(server(), ("recall_facts", {"query": "tea"}))
    assert [name for name in tools if "fact" in name] == ["recall_facts"]
    assert "before you ask the user" in tools["recall_facts"]
    assert found["facts"][0]["memory"] == "Likes tea."


def test_who_names_the_others_gets_them(server: Callable[..., str], memory: Path, kernel: Callable[[], Any]) -> None:
    """``c.MCPExtensionApp.mcp_tools``; a notebook sees what they write."""
    notebook = kernel()
    notebook.run("%load_ext memory_magic")
    url = server(WRITING)
    tools, (saved, wrong) = ask(
        url,
        ("remember_fact", {"title": "Prefer terse answers", "memory": "No preamble."}),
        ("forget_fact", {"id": "Prefer"}),
    )
    assert {name for name in tools if "fact" in name} == {"recall_facts", "remember_fact", "forget_fact"}
    assert (saved["created"], wrong["code"]) == (True, "memory_not_found")
    assert "Prefer terse answers" in notebook.run("%recall terse")
    _, (gone,) = ask(url, ("forget_fact", {"id": saved["id"]}))
    assert gone["count"] == 1
    assert "terse" not in notebook.run("%recall")
