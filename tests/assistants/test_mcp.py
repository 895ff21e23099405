"""The MCP server as its clients see it: the SDK's own client, over standard input and output of a real process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from memory_magic import Store

GITHUB = "ghp_" + "a1B2c3D4" * 4


@pytest.fixture
def session(memory: Path, tmp_path: Path) -> Callable[..., Any]:
    """Give a function that starts a server, lets a client talk to it, and ends it; its home is that of the kernels."""

    def run(talk: Callable[[Client], Awaitable[Any]], *options: str) -> Any:
        home = {"HOME": str(tmp_path / "home"), "JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"}
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "memory_magic", "mcp", *options],
            env={**home, "MEMORY_MAGIC_PATH": str(memory)},
        )

        async def main() -> Any:
            async with Client(stdio_client(server)) as client:
                return await talk(client)

        return asyncio.run(main())

    return run


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; what the model reads and what the program reads are the same."""
    result = await client.call_tool(name, arguments)
    answer = json.loads(result.content[0].text)
    assert answer == result.structured_content
    assert answer["ok"] is not result.is_error
    return answer


def test_a_client_saves_searches_and_forgets_while_a_notebook_watches(
    session: Callable[..., Any], kernel: Callable[[], Any], memory: Path
) -> None:
    """One file for all; each sees at once what another has done."""
    notebook = kernel()
    notebook.run("%load_ext memory_magic")

    async def talk(client: Client) -> None:
        saved = await call(client, "remember", title="Prefer terse answers", memory="No preamble.")
        assert "Prefer terse answers" in await asyncio.to_thread(notebook.run, "%recall terse")
        await asyncio.to_thread(notebook.run, "%remember the staging database is read-only on Sundays")
        (found,) = (await call(client, "recall", query="staging"))["facts"]
        assert (found["memory"], found["source"]) == ("the staging database is read-only on Sundays", "user_explicit")
        assert (await call(client, "forget", id=saved["id"]))["count"] == 1
        assert "terse" not in await asyncio.to_thread(notebook.run, "%recall")

    session(talk)
    assert "tool forget: forget" in notebook.run("%memory history")
    notebook.run("%memory undo")
    assert "Prefer terse answers" in memory.read_text("utf-8")


@pytest.mark.parametrize("vocabulary", ["notes", "memory"])
def test_tools_are_listed_with_what_they_can_do(session: Callable[..., Any], vocabulary: str) -> None:
    """Annotated as reading or destructive, in the vocabulary that was chosen."""

    async def talk(client: Client) -> dict[str, tuple[Any, Any]]:
        tools = (await client.list_tools()).tools
        return {tool.name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint) for tool in tools}

    writes, reads = (False, True), (True, False)
    notes = {"remember": writes, "recall": reads, "forget": writes}
    assert session(talk, "--vocabulary", vocabulary) == (notes if vocabulary == "notes" else {"memory": writes})


@pytest.mark.parametrize("door", ["--read-only", "model_writes"])
def test_read_only_leaves_no_tool_that_writes(
    session: Callable[..., Any], memory: Path, tmp_path: Path, door: str
) -> None:
    """By the option, or by the setting in the file that all programs read."""
    Store(memory).remember("Tea", "Likes tea.")
    if door == "model_writes":
        (tmp_path / "memory_magic_config.json").write_text('{"MemoryMagics": {"model_writes": "off"}}')

    async def talk(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["recall"]
        assert (await call(client, "forget", id="Tea"))["code"] == "memory_unwritable"
        assert (await call(client, "memory", action="list"))["total"] == 1

    session(talk, *([door] if door.startswith("--") else []))
    assert len(Store(memory)) == 1


def test_a_store_can_be_named(session: Callable[..., Any], memory: Path, tmp_path: Path) -> None:
    """Another file than the user's own."""

    async def talk(client: Client) -> None:
        await call(client, "remember", title="Tea", memory="Likes tea.")

    session(talk, "--store", str(tmp_path / "other.md"))
    assert len(Store(tmp_path / "other.md")) == 1
    assert not memory.exists()


def test_an_error_reaches_the_model_as_a_tools_error(session: Callable[..., Any], memory: Path) -> None:
    """With code and sentence, and no path."""
    memory.mkdir(parents=True)

    async def talk(client: Client) -> list[str]:
        answers = [await call(client, "recall", query="tea"), await call(client, "remember", title="Tea")]
        return [answer["message"] for answer in answers]

    unreadable, missing = session(talk)
    assert (unreadable, missing.split()[0]) == ("The memory file is a directory; name a Markdown file", "memory")


def test_resources_and_prompt_tell_what_the_tools_would(session: Callable[..., Any], memory: Path) -> None:
    """The titles, one fact whole, and the same titles as a prompt; a secret and an expired fact are not told."""
    fact = Store(memory).remember("Book", "tea " * 4_000).fact
    with memory.open("a", encoding="utf-8") as file:
        file.write(
            f"\n## Token\n<!-- id: m-00000a -->\n\n{GITHUB}\n\n## Old\n<!-- id: m-00000b · expires: 2020-01-01 -->\n"
        )

    async def talk(client: Client) -> None:
        assert [resource.uri for resource in (await client.list_resources()).resources] == ["memory://titles"]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "memory://facts/{id}"
        titles = (await client.read_resource("memory://titles")).contents[0].text
        assert f"- [{fact.id}] Book" in titles
        assert GITHUB not in titles
        told = json.loads((await client.read_resource(f"memory://facts/{fact.id}")).contents[0].text)
        assert (told["title"], told["memory"]) == ("Book", fact.body)
        (prompt,) = (await client.list_prompts()).prompts
        assert (await client.get_prompt(prompt.name)).messages[0].content.text == titles
        for uri, reason in (
            ("memory://facts/m-00000a", "credential"),
            ("memory://facts/m-00000b", "expired"),
            ("memory://facts/m-00000c", "No fact has the id"),
            ("memory://all", "There are the resources"),
        ):
            with pytest.raises(MCPError, match=reason) as caught:
                await client.read_resource(uri)
            assert GITHUB not in str(caught.value)

    session(talk)


def test_the_server_listens_while_it_waits_for_the_file(session: Callable[..., Any], memory: Path) -> None:
    """A call that waits for the lock keeps no other one from being answered."""
    Store(memory).remember("Tea")
    holder = (
        "import sys; from memory_magic.storage.lock import *; from memory_magic.storage.local import LocalFile;"
        "from pathlib import Path\n"
        "with LocalFile(Path(sys.argv[1])).saving():\n print('held', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", holder, str(memory)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout
    assert other.stdout.readline() == "held\n"

    async def talk(client: Client) -> None:
        write = asyncio.create_task(call(client, "remember", title="Cake", memory="Likes cake."))
        assert (await call(client, "recall", query="tea"))["total"] == 1
        assert not write.done()
        other.communicate()
        assert (await write)["ok"]

    session(talk)


def test_without_the_package_the_command_says_what_to_install(memory: Path, tmp_path: Path) -> None:
    """In one line, as all errors of the command line; also where an older MCP is installed."""
    (tmp_path / "mcp_types.py").write_text("raise ImportError('not here')")
    done = subprocess.run(
        [sys.executable, "-m", "memory_magic", "mcp"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr == "memory-magic: The MCP server needs a package more: python -m pip install 'memory-magic[mcp]'\n"
    )
