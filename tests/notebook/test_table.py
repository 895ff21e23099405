"""The table in a kernel: what a cell leaves in the notebook, and what goes between a page and the memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from memory_magic import MemoryMagicError, Store, table
from memory_magic.results import Found

WIDGET = "application/vnd.jupyter.widget-view+json"
HOSTILE = "<script>window.__xss = 1</script><img src=x onerror=window.__xss=1></td>"


class Kernel:
    """A real kernel and a client that says and hears what a page does."""

    def __init__(self, memory: Path) -> None:
        self.memory = memory
        self.manager = KernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        environment = {**os.environ, "MEMORY_MAGIC_PATH": str(memory)}
        self.manager.start_kernel(env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.run("%load_ext memory_magic")

    def run(self, cell: str) -> list[dict[str, Any]]:
        """Run a cell; gives what it shows, each output as a dict of formats."""
        shown: list[dict[str, Any]] = []

        def hook(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] in ("display_data", "execute_result"):
                shown.append(content["data"])
            elif "text" in content:
                shown.append({"text/plain": content["text"]})

        reply = self.client.execute_interactive(cell, output_hook=hook, timeout=60, allow_stdin=False)["content"]
        assert reply["status"] == "ok", shown
        return shown

    def table(self, line: str = "") -> str:
        """Show the table; gives the id of its model."""
        return str(next(data[WIDGET]["model_id"] for data in self.run(f"%memory table {line}") if WIDGET in data))

    def say(self, model: str, **message: object) -> None:
        """Send what a page would send to the widget."""
        data = {"method": "custom", "content": {"view": "page", **message}}
        self.client.shell_channel.send(self.client.session.msg("comm_msg", {"comm_id": model, "data": data}))

    def hear(self, wanted: Callable[[dict[str, Any]], bool], kind: str = "comm_msg") -> dict[str, Any]:
        """Wait for a message of the kernel."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            message = self.client.get_iopub_msg(timeout=20)
            if message["msg_type"] == kind:
                content = message["content"]["data"].get("content", {}) if kind == "comm_msg" else message["content"]
                if wanted(content):
                    return dict(content)
        raise AssertionError("it was not heard")

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(memory: Path) -> Iterator[Kernel]:
    """Give a kernel whose memory has one fact."""
    Store(memory).remember("Likes tea", "Green only")
    running = Kernel(memory)
    yield running
    running.close()


def test_a_cell_leaves_one_line_and_the_widget_but_no_fact(kernel: Kernel) -> None:
    """The same at each run: no id, path or time is in it."""
    line, view = kernel.run("%memory table")
    assert line == {"text/plain": "1 fact in the memory. If no table is below, run this cell again"}
    assert set(view) == {WIDGET, "text/plain"}
    assert "tea" not in json.dumps([line, view])


def test_the_state_of_the_widget_holds_no_fact_and_no_end_of_a_script(kernel: Kernel) -> None:
    """What a notebook saved with its widgets' state would hold, and what a page is exported into."""
    state = "import memory_magic; w = memory_magic.table(); import json"
    shown = kernel.run(f"{state}\nprint(json.dumps({{n: str(v) for n, v in w.get_state().items()}}))")
    text = shown[-1]["text/plain"]
    assert "Green only" not in text
    assert "</script" not in text
    assert "export default" in text


def test_a_page_says_hello_and_is_shown_the_facts(kernel: Kernel) -> None:
    """With the words that the table is to be filtered by."""
    model = kernel.table("green tea")
    kernel.say(model, hello=True)
    assert kernel.hear(lambda content: "query" in content)["query"] == "green tea"
    state = kernel.hear(lambda content: "state" in content)["state"]
    assert [row["body"] for row in state["rows"]] == ["Green only"]


def test_a_request_is_answered_to_the_page_that_asked(kernel: Kernel) -> None:
    """And what it wrote is in the file."""
    model = kernel.table()
    kernel.say(model, number=7, request={"action": "add", "text": "prefers dark mode", "fields": {}})
    said = kernel.hear(lambda content: "answer" in content)
    assert (said["view"], said["number"], said["answer"]["ok"]) == ("page", 7, True)
    assert "prefers dark mode" in kernel.memory.read_text()
    assert Store(kernel.memory).history()[0].writer == "table"


def test_an_interrupt_is_answered_too(kernel: Kernel) -> None:
    """A page does not wait for ever."""
    model = kernel.table()
    kernel.run("import memory_magic.notebook.widget as w\ndef stop(*_): raise KeyboardInterrupt\nw.answer = stop")
    kernel.say(model, number=1, request={"action": "list", "seen": ""})
    said = kernel.hear(lambda content: "answer" in content)["answer"]
    assert (said["ok"], said["message"]) == (False, "It was interrupted; look whether it is done")


def test_silence_is_told_with_the_way_out_and_taken_back(kernel: Kernel) -> None:
    """No front end says that it cannot show widgets; the line above the table does, until a page says hello."""
    kernel.run("import memory_magic.notebook.widget as w\nw._PATIENCE = 0.1")
    model = kernel.table()
    told = kernel.hear(lambda _: True, "update_display_data")["data"]["text/plain"]
    assert "%memory table --static" in told
    kernel.say(model, hello=True)
    assert kernel.hear(lambda _: True, "update_display_data")["data"]["text/plain"].startswith("1 fact")


def test_closing_the_widget_ends_its_thread(kernel: Kernel) -> None:
    """Nothing goes on looking at the file."""
    kernel.run("import memory_magic, threading; w = memory_magic.table()")
    count = "print(sum(t.name == 'memory_magic table' for t in threading.enumerate()))"
    kernel.say(kernel.run("w")[1][WIDGET]["model_id"], hello=True)
    kernel.hear(lambda content: "state" in content)
    assert kernel.run(count)[-1]["text/plain"].strip() == "1"
    kernel.run("w.close()")
    assert kernel.run(count)[-1]["text/plain"].strip() == "0"


def test_static_puts_all_facts_escaped_into_the_output(kernel: Kernel) -> None:
    """The expired ones too, for exports and where there are no widgets."""
    kernel.memory.write_text(
        f"## {HOSTILE}\n<!-- id: m-000001 · category: %3Cb%3E · expires: 2020-01-01 -->\n\n{HOSTILE}\n"
    )
    (shown,) = kernel.run("%memory table --static")
    html = shown["text/html"]
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "expired" in html
    assert WIDGET not in shown


def test_static_is_filtered_by_words(ip: Any) -> None:
    """As the table is."""
    store = Store(ip.memory)
    store.remember("Likes tea", "Green only")
    store.remember("Likes coffee")
    assert [fact.title for fact in ip.run("%memory table --static gree TEA")] == ["Likes tea"]
    assert "2 facts" in repr(ip.run("%memory table --static"))


def test_a_terminal_gets_text(ip: Any) -> None:
    """There is nothing that could show a widget."""
    ip.run("%remember likes tea")
    shown = ip.run("%memory table")
    assert isinstance(shown, Found)
    assert "likes tea" in repr(shown)


def test_the_function_takes_a_store_or_the_users_own(memory: Path) -> None:
    """As every function of the package."""
    Store(memory).remember("likes tea")
    assert [fact.title for fact in table(static=True)] == ["likes tea"]
    assert not table(Store(memory.with_name("OTHER.md")), static=True)


def test_without_anywidget_it_is_said_what_to_install(ip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the way without it goes on."""
    monkeypatch.setattr("memory_magic.notebook.table._has_pages", lambda: True)
    for name in [name for name in sys.modules if name.startswith(("anywidget", "memory_magic.notebook.widget"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    assert "pip install anywidget" in ip.fails("%memory table")
    ip.run("%memory table --static")


def test_a_file_that_cannot_be_read_is_an_error_of_the_cell(memory: Path) -> None:
    """As with every other face."""
    memory.parent.mkdir()
    memory.write_bytes(b"\xff")
    with pytest.raises(MemoryMagicError, match="UTF-8"):
        table(static=True)
