"""The real clients of OpenAI and Anthropic, and the README's loops; a server on this machine plays the model."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from memory_magic import Store, tools

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
LOOPS = re.findall(r"^```py\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
Call = tuple[str, dict[str, Any]]


class Model(ThreadingHTTPServer):
    """Plays back tool calls, one a turn, in the form of the API that is asked, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.calls: list[Call] = []
        self.requests: list[dict[str, Any]] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def turn(self, path: str) -> dict[str, Any]:
        call = self.calls.pop(0) if self.calls else None
        if path.endswith("/chat/completions"):
            made = (
                [{"id": "c1", "type": "function", "function": {"name": call[0], "arguments": json.dumps(call[1])}}]
                if call
                else None
            )
            message = {"role": "assistant", "content": None if call else "done", "tool_calls": made}
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
            return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        if path.endswith("/responses"):
            said = {
                "type": "message",
                "id": "o1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "done", "annotations": []}],
            }
            made = call and {
                "type": "function_call",
                "id": "f1",
                "call_id": "c1",
                "name": call[0],
                "arguments": json.dumps(call[1]),
                "status": "completed",
            }
            return {
                "id": "1",
                "object": "response",
                "created_at": 1,
                "model": "m",
                "output": [made or said],
                "parallel_tool_calls": False,
                "tool_choice": "auto",
                "tools": [],
                "status": "completed",
            }
        content = (
            {"type": "tool_use", "id": "c1", "name": call[0], "input": call[1]}
            if call
            else {"type": "text", "text": "done"}
        )
        return {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [content],
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(json.loads(body))
        answer = json.dumps(self.server.turn(self.path)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as running:
        yield running
        running.shutdown()


def ask_openai(model: Model, vocabulary: str) -> str:
    client = openai.OpenAI(base_url=f"{model.url}/v1", api_key="none", max_retries=0)
    messages: list[Any] = [{"role": "user", "content": "Go on"}]
    while True:
        told = client.chat.completions.create(
            model="m", messages=messages, tools=tools.definitions("openai", vocabulary)
        )
        message = told.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return str(message.content)
        for call in message.tool_calls:
            result = tools.call(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def ask_openai_responses(model: Model, vocabulary: str) -> str:
    client = openai.OpenAI(base_url=f"{model.url}/v1", api_key="none", max_retries=0)
    items: list[Any] = [{"role": "user", "content": "Go on"}]
    while True:
        told = client.responses.create(model="m", input=items, tools=tools.definitions("openai-responses", vocabulary))
        items += told.output
        calls = [item for item in told.output if item.type == "function_call"]
        if not calls:
            return str(told.output_text)
        for call in calls:
            result = tools.call(call.name, call.arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(result)})


def ask_anthropic(model: Model, vocabulary: str) -> str:
    client = anthropic.Anthropic(base_url=model.url, api_key="none", max_retries=0)
    messages: list[Any] = [{"role": "user", "content": "Go on"}]
    while True:
        told = client.messages.create(
            model="m", max_tokens=1000, messages=messages, tools=tools.definitions("anthropic", vocabulary)
        )
        messages.append({"role": "assistant", "content": told.content})
        calls = [block for block in told.content if block.type == "tool_use"]
        if not calls:
            return str(told.content[0].text)
        results = [(call.id, tools.call(call.name, call.input)) for call in calls]
        content = [
            {"type": "tool_result", "tool_use_id": call_id, "content": json.dumps(result)}
            for call_id, result in results
        ]
        messages.append({"role": "user", "content": content})


def answers(model: Model) -> list[dict[str, Any]]:
    """Give the results of the tools as the model was sent them, in their order."""
    found: list[dict[str, Any]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("role") == "tool" or value.get("type") in ("function_call_output", "tool_result"):
                found.append(json.loads(value.get("content") or value.get("output")))
            else:
                walk(list(value.values()))
        elif isinstance(value, list):
            for each in value:
                walk(each)

    walk(model.requests[-1].get("messages") or model.requests[-1].get("input"))
    return found


CLIENTS = pytest.mark.parametrize("ask", [ask_openai, ask_openai_responses, ask_anthropic])


@CLIENTS
def test_a_model_saves_searches_and_forgets_while_a_notebook_watches(
    ask: Callable[..., str], model: Model, memory: Path, kernel: Callable[[], Any]
) -> None:
    """One real file: each sees at once what the other has done."""
    notebook = kernel()
    notebook.run("%load_ext memory_magic")
    model.calls = [("remember", {"title": "Prefer terse answers", "memory": "No preamble.", "id": None})]
    assert ask(model, "notes") == "done"
    assert "Prefer terse answers" in notebook.run("%recall terse")
    notebook.run("%remember the staging database is read-only on Sundays")
    model.calls = [
        ("recall", {"query": "staging", "id": None, "limit": None}),
        ("forget", {"id": "Prefer terse answers"}),
        ("forget", {"id": "Prefer terse answers"}),
    ]
    assert ask(model, "notes") == "done"
    found, gone, missing = answers(model)
    assert found["facts"][0]["memory"] == "the staging database is read-only on Sundays"
    assert (gone["count"], missing["code"]) == (1, "memory_not_found")
    assert "terse" not in notebook.run("%recall")


@CLIENTS
def test_the_one_tool_does_the_same(ask: Callable[..., str], model: Model, memory: Path) -> None:
    """The other vocabulary, with every argument there, as strict mode sends them."""
    nothing = dict.fromkeys(
        ("query", "category", "key", "value", "source", "confidence", "expires_days", "source_context")
    )
    fact = {"category": "technical", "key": "prod_server_ip", "value": "Production runs on 192.168.1.168"}
    known = {"source": "tool_call", "confidence": 95, "expires_days": 7, "source_context": "ip addr"}
    model.calls = [
        ("memory", {**nothing, "action": "save", **fact, **known}),
        ("memory", {**nothing, "action": "search", "query": "server ip"}),
        ("memory", {**nothing, "action": "list"}),
        ("memory", {**nothing, "action": "forget", "key": "prod_server_ip"}),
    ]
    assert ask(model, "memory") == "done"
    saved, found, listed, gone = answers(model)
    assert (saved["created"], found["facts"][0]["conf"], listed["categories"], gone["count"]) == (
        True,
        95,
        {"technical": 1},
        1,
    )
    assert [entry.writer for entry in Store(memory).history().entries] == ["tool memory"] * 2


@pytest.mark.parametrize("loop", LOOPS, ids=["anthropic", "openai"])
def test_the_loops_of_the_readme_run(loop: str, model: Model, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they would be pasted; only where the model is, is told by the environment."""
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
    saved = Store(memory).remember("Production", "Production runs on 192.168.1.168").fact
    model.calls = [
        ("recall", {"query": "production", "id": None, "limit": None}),
        ("remember", {"title": "Production", "memory": "Production runs on 192.168.1.201", "id": saved.id}),
    ]
    exec(loop, {})
    assert Store(memory)[saved.id].body == "Production runs on 192.168.1.201"
    assert saved.id in json.dumps(model.requests[0])
