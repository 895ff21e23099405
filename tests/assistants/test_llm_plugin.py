"""The plugin for ``llm``, driven by llm itself with a model that plays back tool calls."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

llm = pytest.importorskip("llm")

from memory_magic import Store  # noqa: E402


class Playback(llm.Model):
    """A model that makes the tool calls it was given, one a turn, and then says what it was told."""

    model_id = "playback"
    supports_tools = True
    can_stream = False

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls, self.answers, self.asked = list(calls), [], ""

    def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
        self.asked = prompt.prompt or self.asked
        self.answers += [json.loads(result.output) for result in prompt.tool_results]
        if self.calls:
            name, arguments = self.calls.pop(0)
            response.add_tool_call(llm.ToolCall(name=name, arguments=arguments, tool_call_id=name))
        yield "done" if not self.calls else ""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep llm away from the keys and logs of whoever runs the tests, and let it load the installed plugins."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))
    monkeypatch.delattr(sys, "_called_from_test", raising=False)
    llm.plugins.load_plugins()


def played(toolbox: Any, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    model = Playback(*calls)
    assert model.chain("Go on", tools=[toolbox]).text().endswith("done")
    return model.answers


def test_a_model_saves_searches_and_forgets_while_a_notebook_watches(memory: Path, kernel: Callable[[], Any]) -> None:
    """``-T Memory``, found by its entry point, on one real file."""
    notebook, toolbox = kernel(), llm.get_tools()["Memory"]()
    notebook.run("%load_ext memory_magic")
    (saved,) = played(toolbox, ("Memory_remember", {"title": "Prefer terse answers", "memory": "No preamble."}))
    assert "Prefer terse answers" in notebook.run("%recall terse")
    notebook.run("%remember the staging database is read-only on Sundays")
    found, gone = played(toolbox, ("Memory_recall", {"query": "staging"}), ("Memory_forget", {"id": saved["id"]}))
    assert found["facts"][0]["memory"] == "the staging database is read-only on Sundays"
    assert gone["count"] == 1
    assert "terse" not in notebook.run("%recall")
    assert Store(memory).history().entries[0].writer == "tool forget"


def test_wrong_arguments_are_an_answer(memory: Path) -> None:
    """The chain goes on."""
    (answer,) = played(llm.get_tools()["Memory"](), ("Memory_recall", {"query": "tea", "allow_secret": True}))
    assert (answer["ok"], answer["code"]) == (False, "memory_invalid")


@pytest.mark.parametrize("off", [True, False])
def test_the_tools_are_those_of_the_table(memory: Path, monkeypatch: pytest.MonkeyPatch, off: bool) -> None:
    """With their schemas; only what reads where models may not write."""
    if off:
        monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", "1")
    toolbox = llm.get_tools()["Memory"]
    names = ["Memory_recall"] if off else ["Memory_remember", "Memory_recall", "Memory_forget"]
    assert [tool.name for tool in toolbox().tools()] == [tool.name for tool in toolbox.method_tools()] == names
    assert all(tool.input_schema["additionalProperties"] is False for tool in toolbox().tools())


def test_a_toolbox_takes_a_path(memory: Path, tmp_path: Path) -> None:
    """``-T 'Memory("other.md")'``."""
    played(llm.get_tools()["Memory"](str(tmp_path / "other.md")), ("Memory_remember", {"title": "A", "memory": "B"}))
    assert len(Store(tmp_path / "other.md")) == 1
    assert not memory.exists()


@pytest.mark.parametrize(
    ("name", "heading"), [("memory:", "## Recalled memory"), ("memory:titles", "## Facts in memory")]
)
def test_a_fragment_tells_the_notes_or_the_titles(memory: Path, name: str, heading: str) -> None:
    """``-f memory:``, by llm's own command line."""
    from click.testing import CliRunner
    from llm.cli import cli
    from llm.plugins import pm

    class Plugin:
        @llm.hookimpl
        def register_models(self, register: Callable[..., None]) -> None:
            register(model)

    Store(memory).remember("Tea", "Likes tea.")
    model, plugin = Playback(), Plugin()
    pm.register(plugin)
    try:
        done = CliRunner().invoke(cli, ["-m", "playback", "-n", "-f", name, "What do I like?"])
        wrong = CliRunner().invoke(cli, ["-m", "playback", "-n", "-f", "memory:all", "What do I like?"])
    finally:
        pm.unregister(plugin)
    assert (done.exit_code, done.output.strip()) == (0, "done"), done.output
    assert model.asked.startswith(heading)
    assert "Tea" in model.asked
    assert "style must be one of titles, notes" in wrong.output
