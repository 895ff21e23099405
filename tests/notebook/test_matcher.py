"""Tab in a real shell, a real kernel and a real terminal. A bar marks the cursor."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from IPython.core import completer

from memory_magic import Store
from memory_magic.notebook.matcher import unbroken
from memory_magic.storage.local import LocalFile

NEW_WAY = hasattr(completer, "context_matcher")
MEMORY = """## Prefer terse answers
<!-- id: m-1a0000 · category: preferences -->

## Prod server ip
<!-- id: m-1a0001 · category: technical · key: prod_server_ip -->

10.0.0.1
"""


def tab(session: Any, cell: str) -> list[Any]:
    """Press Tab."""
    before, _, after = cell.partition("|")
    with completer.provisionalcompleter():
        return list(session.shell.Completer.completions(before + after, len(before)))


def after_tab(session: Any, cell: str) -> list[str]:
    """Press Tab; give the cells that it can make of this one."""
    text = cell.replace("|", "")
    return [text[: found.start] + found.text + text[found.end :] for found in tab(session, cell)]


def until(ask: Callable[[], list[str]], wanted: str) -> list[str]:
    """Press Tab again until this is offered, as a person does where a machine is slow."""
    end = monotonic() + 30
    while wanted not in (found := ask()) and monotonic() < end:
        sleep(0.05)
    assert wanted in found
    return found


@pytest.fixture
def facts(ip: Any) -> Any:
    """Give a shell with two facts in its memory, once it knows them."""
    ip.memory.parent.mkdir()
    ip.memory.write_text(MEMORY, "utf-8")
    until(lambda: after_tab(ip, "%recall |"), "%recall m-1a0000")
    return ip


# In a shell


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%forget m-1|", ["%forget m-1a0000", "%forget m-1a0001"]),
        ("%forget m-1a0000,m-|", ["%forget m-1a0000,m-1a0001"]),
        ("%forget prod_|", ["%forget prod_server_ip"]),
        ("%forget technical/pr|", ["%forget technical/prod_server_ip"]),
        ("%forget Prefer te|", ["%forget Prefer terse answers"]),
        ("x = 1\n    x = %recall m-1|", ["x = 1\n    x = %recall m-1a0000", "x = 1\n    x = %recall m-1a0001"]),
        ("%remember --ca|", ["%remember --category"]),
        ("%remember --category=pro|", ["%remember --category=profile", "%remember --category=projects"]),
        ("%%remember --id m-1a0001|", ["%%remember --id m-1a0001"]),
        ("forget m-1a0000|", ["forget m-1a0000"]),
        ("%memory hist|", ["%memory history"]),
        ("%memory history m-1a0001|", ["%memory history m-1a0001"]),
    ],
)
def test_only_what_is_right_is_offered_in_its_place(facts: Any, cell: str, expected: list[str]) -> None:
    """The line with an offer in it is the line meant, whatever the shell takes for words, and nothing else is there."""
    facts.run("m = 1; pro = 2; prod_x = 3; Prefer = 4")
    assert sorted(after_tab(facts, cell)) == sorted(expected)


def test_a_variable_of_that_name_is_a_variable(facts: Any) -> None:
    """Without ``%`` Python comes first."""
    facts.run("forget = 1")
    assert "forget m-1a0000" not in after_tab(facts, "forget m-1|")


@pytest.mark.skipif(not NEW_WAY, reason="there is nothing beside a suggestion in this IPython")
def test_what_an_id_stands_for_is_beside_it(facts: Any) -> None:
    """Terminal and JupyterLab show the type of a suggestion there."""
    shown = {found.text: found.type for found in tab(facts, "%forget m|")}
    assert shown == {"m-1a0000": "Prefer terse answers", "m-1a0001": "Prod server ip"}


@pytest.mark.parametrize(
    "cell",
    ["impor|", "import o|", "x = pri|", "%tim|", "%cd |", "names.ap|", "%remember impor|", "form|"],
)
def test_other_lines_are_completed_as_ever(new_shell: Callable[..., Any], cell: str) -> None:
    """Also the free text of a fact."""
    session = new_shell()
    session.run("names = []")
    before = set(after_tab(session, cell))
    session.run("%load_ext memory_magic")
    assert set(after_tab(session, cell)) == before


def test_one_registration_and_no_trace(new_shell: Callable[..., Any]) -> None:
    """However often it is reloaded; after that the shell's lists are as they were."""
    session = new_shell()
    lists = [session.shell.Completer.custom_matchers, session.shell.Completer.magic_arg_matchers]
    before = [list(each) for each in lists]
    session.run("%load_ext memory_magic")
    for _ in range(3):
        session.run("%reload_ext memory_magic")
        assert sum(map(len, lists)) == sum(map(len, before)) + 1
    session.run("%unload_ext memory_magic")
    assert lists == before
    assert "%remember --category" not in after_tab(session, "%remember --ca|")


# The file


def test_what_another_process_writes_is_offered(facts: Any) -> None:
    """And so is what a write of this one changed, and nothing that is gone."""
    new = Store(facts.memory).remember("Ann likes tea").fact
    until(lambda: after_tab(facts, "%forget |"), f"%forget {new.id}")
    facts.run("%forget m-1a0000")
    assert f"%forget {new.id}" in until(lambda: after_tab(facts, "%forget |"), "%forget m-1a0001")
    assert "%forget m-1a0000" not in after_tab(facts, "%forget |")


def test_another_file_offers_its_own_facts(facts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the one before are not offered any more."""
    (tmp_path / "other.md").write_text("## Tea\n<!-- id: m-2b0000 -->\n", "utf-8")
    monkeypatch.setenv("MEMORY_MAGIC_PATH", str(tmp_path / "other.md"))
    until(lambda: after_tab(facts, "%forget |"), "%forget m-2b0000")
    assert "%forget m-1a0000" not in after_tab(facts, "%forget |")


def _break(path: Path, how: str) -> None:
    path.unlink()
    if how == "binary":
        path.write_bytes(b"\xff\xfe\x00\x80")
    elif how == "utf-16":
        path.write_text(MEMORY, "utf-16")
    elif how == "directory":
        path.mkdir()
    elif how == "link":
        path.symlink_to(path)
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "huge":
        with path.open("wb") as file:
            file.truncate(65 << 20)


@pytest.mark.parametrize("how", ["missing", "binary", "utf-16", "directory", "link", "pipe", "huge"])
def test_a_broken_file_offers_nothing_and_says_nothing(
    facts: Any, how: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Options are there all the same."""
    _break(facts.memory, how)
    sleep(0.1)
    end = monotonic() + 30
    while "%forget m-1a0000" in after_tab(facts, "%forget m-1|") and monotonic() < end:
        sleep(0.05)
    assert after_tab(facts, "%forget m-1|") == []
    assert after_tab(facts, "%remember --ca|") == ["%remember --category"]
    assert "".join(capsys.readouterr()) == ""
    assert caplog.text == ""


def test_a_path_that_cannot_be_meant_offers_nothing(facts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command will say what is wrong with it."""
    monkeypatch.setenv("MEMORY_MAGIC_PATH", "relative.md")
    end = monotonic() + 30
    while "%forget m-1a0000" in after_tab(facts, "%forget m-1|") and monotonic() < end:
        sleep(0.05)
    assert after_tab(facts, "%forget m-1|") == []


def test_it_neither_writes_nor_waits_for_who_does(ip: Any, own_home: Path) -> None:
    """The lock may be held, and no file appears: not even that of the memory."""

    def files() -> set[Path]:
        return {path for folder in (own_home, ip.memory.parent.parent) for path in folder.rglob("*")}

    before = files()
    assert after_tab(ip, "%remember --ca|") == ["%remember --category"]
    after_tab(ip, "%forget m-1|")
    assert files() == before
    ip.memory.parent.mkdir()
    ip.memory.write_text(MEMORY, "utf-8")
    with LocalFile(ip.memory).saving():
        before = files()
        until(lambda: after_tab(ip, "%forget m-1|"), "%forget m-1a0000")
        assert files() == before


def test_while_a_file_is_read_slowly_the_last_state_answers(facts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a network drive; what was read is offered as soon as it is there."""
    open_again, opened = threading.Event(), os.stat

    def slow(path: Any, *args: Any, **kwargs: Any) -> os.stat_result:
        if path == facts.memory:
            open_again.wait(60)
        return opened(path, *args, **kwargs)

    facts.memory.write_text(MEMORY + "\n## Tea\n<!-- id: m-2b0000 -->\n", "utf-8")
    monkeypatch.setattr(os, "stat", slow)
    for _ in range(3):
        assert after_tab(facts, "%recall m-1a0000|") == ["%recall m-1a0000"]
        assert after_tab(facts, "%recall m-2|") == []
    open_again.set()
    until(lambda: after_tab(facts, "%recall m-2|"), "%recall m-2b0000")


def test_it_works_where_there_are_no_threads(ip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in JupyterLite: then the file is read at once."""

    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    ip.memory.parent.mkdir()
    ip.memory.write_text(MEMORY, "utf-8")
    monkeypatch.setattr(threading.Thread, "start", fail)
    assert after_tab(ip, "%forget m-1a0001|") == ["%forget m-1a0001"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", "a\xa0b"),
        ("a-b/c, d", "a-\u2060b/\u2060c,\xa0d"),
        ("深色 x", "深\u2060色\xa0x"),
        ("end.", "end."),
        ("", ""),
    ],
)
def test_a_title_is_one_word_to_a_browser(text: str, expected: str) -> None:
    """There is no place left to break it, and nothing else in it is changed."""
    assert unbroken(text) == expected


# In a kernel, and in a terminal


def test_a_kernel_completes(kernel: Callable[[], Any], tmp_path: Path) -> None:
    """Over the protocol that JupyterLab speaks: the range, the text to insert, and the title beside it."""
    Store(tmp_path / "memory" / "MEMORY.md").remember("Prefer terse answers", category="preferences")
    (fact,) = Store(tmp_path / "memory" / "MEMORY.md").facts()
    running = kernel()
    running.run("%load_ext memory_magic")

    def ask(code: str) -> dict[str, Any]:
        reply = running.client.complete(code, len(code), reply=True, timeout=60)["content"]
        assert reply["status"] == "ok"
        return dict(reply)

    def lines(code: str) -> list[str]:
        reply = ask(code)
        return [code[: reply["cursor_start"]] + match + code[reply["cursor_end"] :] for match in reply["matches"]]

    until(lambda: lines("%forget "), f"%forget {fact.id}")
    for code in ("%forget m-", "x = %recall m-", "x = 1\n%recall m-", "%%remember --id m-", "  %memory history m-"):
        assert lines(code) == [code[:-2] + fact.id]
    assert lines("%%remember --ca") == ["%%remember --category"]
    assert lines("%remember --category=pro") == ["%remember --category=profile", "%remember --category=projects"]
    if NEW_WAY:  # the older ones know the line only
        assert f"%%remember A title\n%recall {fact.id}" not in lines("%%remember A title\n%recall m-")
    (shown,) = ask("%forget m-")["metadata"]["_jupyter_types_experimental"]
    assert shown["text"] == fact.id
    # JupyterLab would break it at a space, and show its lines one upon the other.
    assert shown["type"] == ("Prefer\xa0terse\xa0answers" if NEW_WAY else "<unknown>")


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not to be had here")
def test_a_terminal_completes(tmp_path: Path) -> None:
    """The only id there is stands in the line as soon as Tab is pressed, and the line is run with it."""
    import pexpect

    memory = tmp_path / "MEMORY.md"
    Store(memory).remember("Prefer terse answers")
    environment = {**os.environ, "MEMORY_MAGIC_PATH": str(memory), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    command = ["-m", "IPython", "--no-banner", "--no-confirm-exit"]
    child = pexpect.spawn(sys.executable, command, env=environment, encoding="utf-8", timeout=60, cwd=str(tmp_path))
    try:
        child.expect(r"\[.*1.*\]: ")
        child.send("%load_ext memory_magic\r")
        child.expect(r"\[.*2.*\]: ")
        child.send("x = %recall\r")
        child.expect(r"\[.*3.*\]: ")
        child.send("%forget m-\t")
        child.expect(r"(?:\x1b\[[0-9;?]*\w)*".join(Store(memory).facts()[0].id[2:]))  # with colours between
        child.send("\r")
        child.expect("Forgot")
    finally:
        child.close(force=True)
    assert Store(memory).facts() == []
