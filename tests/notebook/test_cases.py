"""What people have met with other memories, tried where they met it: in a kernel, and in IPython in a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

pytest.importorskip("pexpect", reason="pseudo-terminals are not to be had here")
import pexpect

PROMPT = re.compile(r"In \[\d+\]: ")


class Person(Protocol):
    """Somebody who types a line and reads what is shown."""

    def run(self, cell: str, *, fails: bool = False) -> str:
        """Type a line; what is shown comes back. With ``fails`` it must be the one-line error of magics."""


class Terminal:
    """IPython in a pseudo-terminal of 80 columns."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "IPython", "--no-banner", "--simple-prompt", "--no-confirm-exit"],
            env={**environment, "TERM": "dumb", "COLUMNS": "80", "NO_COLOR": "1"},
            cwd=str(folder),
            encoding="utf-8",
            dimensions=(24, 80),
            timeout=60,
            echo=False,
        )
        self.child.expect(PROMPT)

    def run(self, cell: str, *, fails: bool = False) -> str:
        self.child.sendline(cell)
        self.child.expect(PROMPT)
        shown = str(self.child.before).replace("\r\n", "\n").strip()
        assert ("Error" in shown) is fails, shown
        return shown

    def close(self) -> None:
        self.child.close(force=True)


@pytest.fixture
def memory_file(tmp_path: Path) -> Path:
    """Give the file that kernels and terminals write to."""
    return tmp_path / "memory" / "MEMORY.md"


@pytest.fixture
def terminal(tmp_path: Path, memory_file: Path) -> Iterator[Callable[..., Terminal]]:
    """Start terminals that share a home and a memory; all end with the test."""
    terminals: list[Terminal] = []

    def start(**environment: str) -> Terminal:
        home = {"HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path / "ipython"), "MEMORY_MAGIC_PATH": str(memory_file)}
        terminals.append(Terminal({**os.environ, **home, **environment}, tmp_path))
        return terminals[-1]

    yield start
    for running in terminals:
        running.close()


@pytest.fixture(params=["kernel", "terminal"])
def person(request: pytest.FixtureRequest) -> Person:
    """Give a person at a kernel, then one at a terminal, each with a fresh memory and the magics loaded."""
    one: Person = request.getfixturevalue(request.param)()
    one.run("%load_ext memory_magic")
    return one


@pytest.fixture
def texts(memory_file: Path) -> Callable[[], list[str]]:
    """Give a function that reads the texts in the file, the newest first, by no code of the package."""

    def read() -> list[str]:
        text = memory_file.read_text("utf-8")
        return re.findall(r"^<!-- id: [^\n]* -->\n\n(.*?)\n*(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)

    return read


VERBATIM = (
    *("use {x} and $x", "config {'a': 1}", "price $5", "{{x}}", "100%", "I don't like tabs", 'say "hi', '5" screen'),
    *(
        "'tis the season",
        "two  spaces",
        "prefer -v flag",
        "use --force",
        "does Ann like tea?",
        "is it ?",
        r"C:\new\table",
    ),
)


def test_a_text_is_kept_as_it_was_typed(person: Person, texts: Callable[[], list[str]]) -> None:
    """Neither Python's variables, nor quotes, nor question marks, nor dashes behind the first word mean anything."""
    person.run("x = 42")
    for text in VERBATIM:
        assert "Remembered m-" in person.run(f"%remember {text}")
    person.run("%remember -- -5 is cold")
    assert texts() == ["-5 is cold", *reversed(VERBATIM)]


def test_options_come_first(person: Person) -> None:
    """In both forms."""
    assert "(profile)" in person.run("%remember -c profile likes tea")
    assert "(preferences)" in person.run("%remember --category=preferences likes coffee")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('%remember --key "my key" x', "key must be a lower-case letter"),
        ("%remember --unknown x", "write -- before"),
        ("%forget", "give an id, an exact title or a key"),
        ("%forget m-000000", "No fact has the id m-000000"),
        ("%memory frobnicate", "There is no action"),
    ],
)
def test_a_wrong_line_is_one_line(person: Person, memory_file: Path, line: str, told: str) -> None:
    """It says what to do, and nothing is stored."""
    shown = person.run(line, fails=True)
    assert re.search(rf"UsageError: [^\n]*{re.escape(told)}", shown)
    assert "Traceback" not in shown
    assert not memory_file.exists()


def test_help_is_still_help(terminal: Callable[..., Terminal], memory_file: Path) -> None:
    """The magic's name and a question mark ask for it, and store nothing."""
    one = terminal()
    one.run("%load_ext memory_magic")
    assert "--category" in one.run("%remember?")
    assert not memory_file.exists()


def test_a_question_is_a_question(person: Person) -> None:
    """Also where what is found is assigned."""
    person.run("%remember does Ann like tea?")
    assert "does Ann like tea?" in person.run("%recall Ann tea?")
    person.run("x = %recall Ann tea?")
    assert "1" in person.run("len(x)")
    assert "%memory undo [NUMBER]" in person.run("%memory undo?")


def test_loading_and_unloading_leave_ipython_as_it_was(person: Person) -> None:
    """However often; ``%rep`` is never ours, and IPython's own ``%recall`` comes back."""
    person.run("%load_ext memory_magic")
    for _ in range(3):
        person.run("%reload_ext memory_magic")
    person.run("%remember likes tea")
    assert "likes tea" in person.run("%recall")
    assert "likes tea" not in person.run("%rep 1")
    person.run("%unload_ext memory_magic")
    assert "likes tea" not in person.run("%recall 1")
    assert "%remember" in person.run("%remember x", fails=True)


def test_the_same_text_twice_is_one_fact_and_a_key_is_one_address(
    person: Person, texts: Callable[[], list[str]]
) -> None:
    """What was replaced is told, and in the history."""
    person.run("%remember -c profile -k drink likes tea")
    assert "nothing was written" in person.run("%remember -c profile -k drink likes tea")
    assert "it was “likes tea”" in person.run("%remember -c profile -k drink hates tea")
    assert texts() == ["hates tea"]
    assert "“likes tea” to “hates tea”" in person.run("%memory why drink")


def test_reading_changes_no_byte(person: Person, memory_file: Path) -> None:
    """A hundred times."""
    person.run("%remember -e 7d --confidence 20 likes tea")
    before = memory_file.read_bytes(), memory_file.stat()
    person.run(
        "for _ in range(100): (get_ipython().run_line_magic('recall', 'tea'), get_ipython().run_line_magic('memory', ''))"
    )
    person.run("%memory review")
    assert memory_file.read_bytes() == before[0]
    assert memory_file.stat() == before[1]


def test_a_key_saved_again_without_an_expiry_never_expires(person: Person) -> None:
    """And the result says so."""
    person.run("import memory_magic; store = memory_magic.Store()")
    person.run("store.save('technical', 'host', 'runs on a', expires_days=7)")
    assert "never expires" in person.run("store.save('technical', 'host', 'runs on a')")
    assert "never" in person.run("%recall host")


def test_expired_facts_are_found_only_when_asked_for(person: Person, memory_file: Path) -> None:
    """They stay in the file until the user forgets them."""
    memory_file.parent.mkdir(exist_ok=True)
    memory_file.write_text("## Old host\n<!-- id: m-000001 · expires: 2026-01-01 -->\n\nran on a\n")
    assert "ran on a" not in person.run("%recall host")
    assert "ran on a" in person.run("%recall --expired")
    assert "Old host" in person.run("%memory")
    assert "%memory confirm m-000001" in person.run("%memory review")
    assert "Forgot" in person.run("%forget --expired")
    assert "ran on a" not in memory_file.read_text()


HAND_WRITTEN = ("2099-12-01", "2099-12-01T00:00:00", "2099-12-01T00:00:00Z", "2099-12-01T00:00:00+14:00")


def test_an_expiry_means_the_same_in_every_time_zone(terminal: Callable[..., Terminal], memory_file: Path) -> None:
    """Written by hand in any form, it is read everywhere, and alike on both sides of the date line."""
    memory_file.parent.mkdir()
    memory_file.write_text(
        "".join(f"## Fact {n}\n<!-- expires: {moment} -->\n\ntext\n\n" for n, moment in enumerate(HAND_WRITTEN))
        + "## Today\n<!-- expires: 2026-11-30 -->\n\ntext\n"
    )
    code = "[(f.title, f.expires_at.isoformat()) for f in __import__('memory_magic').Store().facts()]"
    shown = []
    for zone in ("Pacific/Kiritimati", "America/Los_Angeles"):
        person = terminal(TZ=zone)
        person.run("%load_ext memory_magic")
        lines = [person.run(line) for line in (code, "%recall", "%recall --expired", "%memory", "%memory review")]
        shown.append([re.sub(r"Out\[\d+\]:|\d+ s ago", "", line) for line in lines])
    assert shown[0] == shown[1]
    assert "('Fact 0', '2099-12-02T00:00:00+00:00')" in shown[0][0]
    assert "('Fact 3', '2099-11-30T10:00:00+00:00')" in shown[0][0]


def test_editing_puts_the_fact_into_the_next_cell(kernel: Callable[[], Any]) -> None:
    """A front end gets it as the next input; running it as it comes changes nothing."""
    one = kernel()
    one.run("%load_ext memory_magic")
    one.run("%remember -t Tea likes green tea")
    one.client.execute("%memory edit Tea")
    reply = one.client.get_shell_msg(timeout=60)["content"]
    (payload,) = (each for each in reply["payload"] if each["source"] == "set_next_input")
    assert re.fullmatch(r"%%remember --id m-[0-9a-f]{6} Tea\nlikes green tea", payload["text"])
    assert "nothing was written" in one.run(payload["text"])


def test_kernel_and_command_line_have_one_configuration(kernel: Callable[[], Any], tmp_path: Path) -> None:
    """What the file says, both say, with the same origin."""
    folder = tmp_path / "home" / ".jupyter"
    folder.mkdir()
    other = tmp_path / "elsewhere" / "OTHER.md"
    values = {"recall_limit": 3, "read_only": False, "path": str(other)}
    (folder / "memory_magic_config.json").write_text(json.dumps({"MemoryMagics": values}))
    one = kernel()
    one.run("import os; del os.environ['MEMORY_MAGIC_PATH']")
    one.run("%load_ext memory_magic")
    in_kernel = one.run("%memory config")
    one.run("%remember likes tea")
    command = "import subprocess, sys; print(subprocess.run([sys.executable, '-m', 'memory_magic', {!r}], capture_output=True, text=True).stdout)"
    assert one.run(command.format("config")).strip() == in_kernel.strip()
    assert re.search(rf"recall_limit +3 +{re.escape(str(folder))}", in_kernel)
    assert "likes tea" in one.run(command.format("recall"))
    assert "likes tea" in other.read_text()
