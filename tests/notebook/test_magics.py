"""What the three magics do, as a person at the keyboard sees it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NL = "\n"


def line(result: Any) -> str:
    """Give the one line that a receipt shows."""
    assert NL not in repr(result)
    return repr(result)


# Remembering


def test_a_fact_is_in_the_file_and_in_the_receipt(ip: Any) -> None:
    """The receipt is one line with id, title and category; the file has title, fields and text."""
    saved = ip.run("%remember prefer terse answers")
    assert line(saved) == f"Remembered {saved.fact.id} “prefer terse answers” (other)"
    assert f"## prefer terse answers\n<!-- id: {saved.fact.id} · created: " in ip.text
    assert ip.text.endswith(" -->\n\nprefer terse answers\n")


def test_all_options_together(ip: Any) -> None:
    """The line of the README stores what it says."""
    saved = ip.run(
        "%remember -c technical -k prod_server_ip --confidence 95 -e 7d Production runs on 192.168.1.168 (x)"
    )
    assert line(saved).endswith("“Production runs on 192.168.1.168 (x)” (technical/prod_server_ip)")
    assert "category: technical · key: prod_server_ip · source: user_explicit · confidence: 95 · expires: 2" in ip.text


def test_a_cell_is_a_body_and_its_line_the_title(ip: Any) -> None:
    """``%%remember`` keeps every line of the cell."""
    fact = ip.run("%%remember -c projects Release checklist\n1. run the tests\n\n    2. {x} $y 100%?\n").fact
    assert (fact.title, fact.category) == ("Release checklist", "projects")
    assert fact.body == "1. run the tests\n\n    2. {x} $y 100%?"


def test_a_cell_without_a_title_derives_it(ip: Any) -> None:
    """The title is then the beginning of the cell's text."""
    assert ip.run("%%remember\nfirst line\nsecond").fact.title == "first line second"


@pytest.mark.parametrize(
    "cell", ["%%remember -t One Two\nbody", "%%remember", "%%remember Title", "%%remember T\n  \n"]
)
def test_a_cell_that_cannot_be_meant_is_refused(ip: Any, cell: str) -> None:
    """Two titles or no text are errors, and nothing is stored."""
    ip.fails(cell)
    assert ip.text == ""


def test_a_line_magic_takes_a_title_of_its_own(ip: Any) -> None:
    """With ``-t`` the text is the body and the same title is updated."""
    ip.run("%remember -t Tea Ann likes green tea")
    saved = ip.run("%remember -t tea Ann likes black tea")
    assert "; it was “Ann likes green tea”" in line(saved)
    assert ip.text.count("\n## ") == 1


def test_saying_it_again_writes_nothing(ip: Any) -> None:
    """The same text twice is one fact; the receipt says so and the file is not touched."""
    ip.run("%remember likes tea")
    before = ip.memory.stat()
    assert line(ip.run("%remember likes tea")).startswith("Already known, nothing was written: m-")
    assert ip.memory.stat() == before


def test_a_key_is_an_address(ip: Any) -> None:
    """The same key again replaces the text, and the receipt says what it was."""
    ip.run("%remember -c profile -k drink likes tea")
    assert "; it was “likes tea”" in line(ip.run("%remember -c profile -k drink hates tea"))
    assert [fact.body for fact in ip.run("%recall")] == ["hates tea"]


def test_fields_change_alone_by_id_and_by_key(ip: Any) -> None:
    """Without a text only the named fields change, and the receipt has their old values."""
    fact = ip.run("%remember -k tea_kind -e 7d -c profile Ann likes tea").fact
    shown = line(ip.run(f"%remember --id {fact.id} -e 30d --confidence 40"))
    assert "confidence was “90”" in shown
    assert f"expires was “{fact.expires:%Y-%m-%dT%H:%M:%SZ}”" in shown
    assert "confidence was “40”" in line(ip.run("%remember -k tea_kind --confidence 0"))
    again = ip.run(f"%recall {fact.id}")[0]
    assert (again.body, again.title, again.created) == ("Ann likes tea", "Ann likes tea", fact.created)


def test_quiet_shows_nothing(ip: Any) -> None:
    """``-q`` stores and returns nothing."""
    assert ip.printed("%remember -q likes tea") == ""
    assert "\nlikes tea\n" in ip.text


def test_notebook_and_cell_are_noted(ip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Why do I know this? The context names the notebook's file and the number that the cell shows."""
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/ann/work/analysis.ipynb")
    shown = ip.printed("%remember likes tea")
    number = re.search(r"Out\[(\d+)\]", shown)
    assert number
    assert f"context: analysis.ipynb, In [{number[1]}] -->" in ip.text
    assert f"analysis.ipynb, In [{number[1]}]" in repr(ip.run("%recall tea"))


def test_a_context_of_its_own_stays(ip: Any) -> None:
    """``--context`` wins, and a later change of other fields keeps it."""
    fact = ip.run("%remember --context 'said at lunch' likes tea").fact
    ip.run(f"%remember --id {fact.id} --confidence 50")
    assert ip.run("%recall tea")[0].context == "said at lunch"


def test_a_strange_notebook_name_does_no_harm(ip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is long or not UTF-8 is noted as far as it can be."""
    monkeypatch.setenv("JPY_SESSION_NAME", "n" * 900 + os.fsdecode(b"\xff") + ".ipynb")
    assert re.search(r"n{400}, In \[\d+\]$", ip.run("%remember likes tea").fact.context)


# Recalling


def test_recall_finds_by_words_and_by_id(ip: Any) -> None:
    """Words find the best fact first, an id finds its own."""
    ip.run("%remember -k prod_server_ip -c technical Production runs on 192.168.1.168")
    tea = ip.run("%remember Ann likes tea").fact
    assert ip.run("%recall server ip")[0].key == "prod_server_ip"
    assert [fact.id for fact in ip.run(f"%recall {tea.id}")] == [tea.id]
    assert [fact.id for fact in ip.run(f"%recall --id {tea.id}")] == [tea.id]
    assert tea.id in ip.fails(f"%recall {tea.id[:-1]}{'0' if tea.id[-1] != '0' else '1'}")


def test_recall_alone_gives_the_most_recent(ip: Any) -> None:
    """Without words the newest facts come first."""
    for number in range(7):
        ip.run(f"%remember fact number {number}")
    found = ip.run("%recall")
    assert [fact.body[-1] for fact in found] == ["6", "5", "4", "3", "2"]
    assert found.message == "5 of 7, the most recent; add words to find others"


def test_more_than_is_shown_is_counted(ip: Any) -> None:
    """The line under the facts says how many there are and what to do."""
    for number in range(23):
        ip.run(f"%remember -q tea number {number}")
    assert repr(ip.run("%recall tea")).endswith("\n5 of 23, narrow the query")
    assert "5 of 23, narrow the query</p>" in ip.run("%recall tea")._repr_html_()
    assert len(ip.run("%recall -n 9 tea")) == 9


def test_recall_gives_the_object(ip: Any) -> None:
    """``x = %recall …`` is a sequence of facts with a total."""
    ip.run("%remember Ann likes tea\n%remember Ann likes cake")
    ip.run("x = %recall Ann likes")
    assert ip.value("(len(x), x.total, x.truncated, sorted(f.title for f in x), x[0:1][0] is x[0])") == (
        2,
        2,
        False,
        ["Ann likes cake", "Ann likes tea"],
        True,
    )


def test_nothing_found_names_near_titles(ip: Any) -> None:
    """A miss says so and what there is instead."""
    ip.run("%remember -t 'Kitchen colours' blue")
    assert repr(ip.run("%recall zzz")) == "Nothing found for “zzz”"
    assert "“Kitchen colours”" in repr(ip.run("%recall kitchne colors"))


def test_expired_facts_are_apart(ip: Any) -> None:
    """Expired facts are left out, listed by ``--expired`` and deleted by ``%forget --expired``."""
    ip.run("%remember -e 2020-01-01 an old thing\n%remember a new thing")
    assert [fact.body for fact in ip.run("%recall thing")] == ["a new thing"]
    assert [fact.body for fact in ip.run("%recall --expired")] == ["an old thing"]
    assert re.search(r" · expired \d+ years ago\n", repr(ip.run("%recall --expired")))
    assert line(ip.run("%forget --expired")).startswith("Forgot m-")
    assert "nothing was deleted" in ip.fails("%forget --expired")
    assert [fact.body for fact in ip.run("%recall")] == ["a new thing"]


def test_recall_takes_a_category(ip: Any) -> None:
    """``-c`` narrows to one category."""
    ip.run("%remember -c profile tea at five\n%remember -c projects tea app")
    assert [fact.body for fact in ip.run("%recall -c projects tea")] == ["tea app"]


def test_a_file_changed_by_hand_is_seen_at_once(ip: Any) -> None:
    """What an editor wrote is true for the next recall, and a save keeps it."""
    ip.run("%remember likes tea")
    ip.memory.write_text(ip.text + "\n## Likes cake\n\nGreen only\n", "utf-8")
    assert ip.run("%recall cake")[0].body == "Green only"
    ip.run("%remember likes milk")
    assert ip.text.endswith("\n## Likes cake\n\nGreen only\n")


def test_recall_writes_nothing(ip: Any) -> None:
    """A read makes no file and no folder."""
    assert repr(ip.run("%recall")) == "There is nothing here yet"
    assert not ip.memory.parent.exists()


def test_past_the_soft_cap_there_is_advice(ip: Any) -> None:
    """Each result has one sentence of advice and nothing is dropped."""
    ip.run("%config MemoryMagics.soft_cap = 1\n%remember likes tea")
    for cell in ("%remember likes cake", "%recall"):
        assert "There are 2 facts, more than 1: forget what is stale" in repr(ip.run(cell))
    ip.run("%config MemoryMagics.soft_cap = 0")
    assert "more than" not in repr(ip.run("%recall"))


# Forgetting


def test_forget_takes_an_id_a_title_or_a_key(ip: Any) -> None:
    """Each address deletes that fact alone and the receipt says which."""
    first = ip.run("%remember likes tea").fact
    ip.run("%remember -t Kitchen blue\n%remember -k drink -c profile water")
    assert line(ip.run(f"%forget {first.id}")).startswith(f"Forgot {first.id} “likes tea” (other)")
    assert "“Kitchen” (other)" in line(ip.run("%forget KITCHEN"))
    assert "“water” (profile/drink)" in line(ip.run("%forget -k drink -c profile"))
    assert ip.text.count("## ") == ip.text.count('"## "')


@pytest.mark.parametrize(
    "target", ["", "   ", "m-000000", "likes", "likes*", "*", "like tea", "-c other", "-k nothing"]
)
def test_forget_deletes_nothing_on_a_miss(ip: Any, target: str) -> None:
    """A blank target, a prefix, a wildcard, a near miss: an error, and the bytes stay."""
    ip.run("%remember likes tea")
    before = ip.memory.read_bytes()
    ip.fails(f"%forget {target}")
    assert ip.memory.read_bytes() == before


def test_a_near_miss_names_the_fact(ip: Any) -> None:
    """The error has id and title of what was probably meant."""
    fact = ip.run("%remember likes green tea").fact
    assert f"{fact.id} (“likes green tea”)" in ip.fails("%forget likes gren tea")


def test_forget_takes_all_ids_or_none(ip: Any) -> None:
    """A line of ids deletes all of them; with an unknown one among them, none."""
    ids = [ip.run(f"%remember fact {number}").fact.id for number in range(3)]
    ip.fails(f"%forget {ids[0]} m-000000")
    assert line(ip.run(f"%forget {ids[0]} {ids[2]}")).startswith(f"Forgot 2 facts: {ids[0]} “fact 0”, {ids[2]}")
    assert [fact.id for fact in ip.run("%recall")] == [ids[1]]


# Secrets and untrusted text


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(f"%remember the token is {GITHUB}", id="text"),
        pytest.param(f"%%remember\nexport T={GITHUB}", id="cell"),
        pytest.param(f"%%remember {GITHUB}\nbody", id="cell-title"),
        pytest.param(f"%remember -t {GITHUB} text", id="title"),
        pytest.param(f"%remember -k {GITHUB.lower()} text", id="key"),
        pytest.param(f"%remember --context {GITHUB} text", id="context"),
        pytest.param(f"%remember --scope project:{GITHUB} text", id="scope"),
        pytest.param(f"%remember -c {GITHUB} text", id="category"),
        pytest.param(f"%remember -e {GITHUB} text", id="expires"),
        pytest.param(f"%remember --confidence {GITHUB} text", id="confidence"),
    ],
)
def test_a_credential_is_refused_in_every_field(ip: Any, cell: str) -> None:
    """It is in no file, no temporary file, no output and not in ``Out``."""
    ip.run("%remember likes tea")
    shown = ip.fails(cell)
    assert GITHUB[8:].lower() not in shown.lower()
    for file in ip.memory.parent.rglob("*"):
        assert GITHUB[8:].lower() not in file.read_text("utf-8").lower()
    assert GITHUB[8:].lower() not in str(ip.value("Out")).lower()
    assert sorted(file.name for file in ip.memory.parent.iterdir()) == [".MEMORY.md.lock", "MEMORY.md"]


def test_a_secret_can_be_stored_on_purpose(ip: Any) -> None:
    """``--allow-secret`` stores it, and it is masked wherever it is shown."""
    assert "--allow-secret" in ip.fails(f"%remember the token is {GITHUB}")
    saved = ip.run(f"%remember --allow-secret the token is {GITHUB}")
    assert GITHUB in ip.text
    ip.run("x = %recall token")
    for shown in (repr(saved), *ip.value("[repr(x), x._repr_html_(), repr(x[0]), repr(list(x))]")):
        assert "ghp_" in shown
        assert GITHUB not in shown


def test_a_source_that_is_a_secret_is_not_stored(ip: Any) -> None:
    """An unknown source becomes conversation; what was typed is not repeated."""
    assert GITHUB not in repr(ip.run(f"%remember -s {GITHUB} text"))
    assert GITHUB not in ip.text


def test_a_secret_by_hand_is_masked_in_every_field(ip: Any) -> None:
    """What a hand edit put there stays in the file and is shown nowhere."""
    ip.memory.parent.mkdir()
    fields = f"id: m-00000a · category: {GITHUB} · key: {GITHUB} · context: {GITHUB} · scope: project:{GITHUB}"
    ip.memory.write_text(f"## Token {GITHUB}\n<!-- {fields} -->\n\nuse {GITHUB} here\n", "utf-8")
    found = ip.run("%recall token")
    assert len(found) == 1
    shown = [
        repr(found),
        found._repr_html_(),
        repr(found[0]),
        ip.fails("%forget Token"),
        repr(ip.run("%forget m-00000a")),
    ]
    assert not [text for text in shown if GITHUB in text]


def test_hostile_titles_cannot_steer_the_terminal(ip: Any) -> None:
    """Escape sequences and bidirectional overrides by hand are spelled out in results, receipts and errors."""
    ip.memory.parent.mkdir()
    ip.memory.write_text("## \x1b[2Jred\u202etxt\n<!-- id: m-00000a -->\n\n\x1b]0;x\x07 body\n", "utf-8")
    found = ip.run("%recall")
    shown = [repr(found), found._repr_html_(), repr(found[0]), ip.fails("%forget redtx"), ip.fails("%recall m-00000b")]
    shown.append(repr(ip.run("%remember \x1b[2Jred\u202etxt")))
    assert not [text for text in shown if "\x1b" in text or "\u202e" in text or "\x07" in text]
    assert r"\x1b[2Jred\u202etxt" in repr(found)


# Loading and unloading


def traces(shell: Any) -> dict[str, Any]:
    """Give what an extension leaves in a shell."""
    manager = shell.magics_manager
    return {
        "line": {name: manager.magics["line"][name] for name in manager.lsmagic()["line"]},
        "cell": {name: manager.magics["cell"][name] for name in manager.lsmagic()["cell"]},
        "registry": sorted(manager.registry),
        "configurables": [type(other).__name__ for other in shell.configurables],
        "hooks": list(shell.input_transformers_cleanup),
    }


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param([], id="once"),
        pytest.param(["%load_ext memory_magic"], id="load-twice"),
        pytest.param(["%reload_ext memory_magic"] * 3, id="reload-three-times"),
        pytest.param(["%unload_ext memory_magic", "%load_ext memory_magic"], id="load-again"),
    ],
)
def test_loading_leaves_one_of_each_and_unloading_none(new_shell: Callable[..., Any], cells: list[str]) -> None:
    """One registration and one hook while loaded, and the shell as it was afterwards."""
    session = new_shell()
    for cell in ("import memory_magic", "%config", "%load_ext json"):  # IPython registers its own at their first use
        session.printed(cell)
    before = traces(session.shell)
    for cell in ["%load_ext memory_magic", *cells]:
        session.run(cell)
    loaded = traces(session.shell)
    assert loaded["configurables"] == [*before["configurables"], "MemoryMagics"]
    assert len(loaded["hooks"]) == len(before["hooks"]) + 1
    assert set(loaded["line"]) - set(before["line"]) == {"remember", "forget", "memory"}
    assert session.printed("%config").count("MemoryMagics") == 1
    session.run("%remember likes tea")
    session.run("%unload_ext memory_magic")
    assert traces(session.shell) == before
    assert "not found" in session.printed("%remember likes cake")


def test_rep_is_never_ours(ip: Any) -> None:
    """``%rep`` reaches IPython's own %recall while ours is loaded, and after."""
    ip.run("%remember likes tea")
    for cell in ("%rep 1", "%unload_ext memory_magic", "%rep 1", "%recall 1"):
        ip.run("1 + 1")
        ip.shell.set_next_input = lambda text, replace=False: ip.shell.user_ns.update(offered=text)
        ip.run(cell)
        if "ext" not in cell:
            assert ip.value("offered") == "%load_ext memory_magic"
            ip.run("del offered")


def test_magics_of_the_user_come_back(new_shell: Callable[..., Any]) -> None:
    """Whatever had our names, %rep too, is there again after unloading."""
    session = new_shell()
    for name in ("recall", "rep", "forget", "remember"):
        session.shell.register_magic_function(lambda text, name=name: f"own {name} {text}", magic_name=name)
    session.shell.register_magic_function(lambda text, cell: f"own cell {text}", "cell", "remember")
    session.run("%load_ext memory_magic")
    assert session.run("%rep 1") == "own rep 1"
    assert "nothing" in repr(session.run("%recall"))
    session.run("%unload_ext memory_magic")
    assert session.run("%recall x") == "own recall x"
    assert session.run("%rep x") == "own rep x"
    assert session.run("%forget x") == "own forget x"
    assert session.run("%remember x") == "own remember x"
    assert session.run("%%remember x\ny") == "own cell x"


def test_magics_made_while_loaded_stay(ip: Any) -> None:
    """Unloading takes away what is ours and nothing that the user has put in its place since."""
    ip.shell.register_magic_function(lambda text: f"mine {text}", magic_name="forget")
    ip.run("%unload_ext memory_magic")
    assert ip.run("%forget x") == "mine x"


# The process


def python(*arguments: str, env: dict[str, str] | None = None) -> str:
    """Run Python in a process of its own and give what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


LOAD = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
shell.run_line_magic("load_ext", "memory_magic")
print(*sorted({name.split(".")[0] for name in set(sys.modules) - before}))
"""
HEAVY = set(
    """pandas numpy ipywidgets anywidget mcp tornado jupyter_server jupyter_client obstore filelock snowballstemmer
platformdirs jupyter_core psutil zmq""".split()  # noqa: SIM905
)


def test_loading_imports_nothing_heavy() -> None:
    """After ``%load_ext`` no module of what is heavy or used later is there that was not there before."""
    assert not HEAVY & set(python("-c", LOAD).split())


def test_importing_the_package_makes_no_file_and_imports_little(tmp_path: Path) -> None:
    """``import memory_magic`` outside of IPython costs nothing and touches nothing."""
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "MEMORY_MAGIC_PATH": str(tmp_path / "MEMORY.md")}
    code = "import memory_magic, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    assert not {*HEAVY, "IPython", "traitlets"} & set(python("-c", code, env=env).split())
    assert not list(tmp_path.iterdir())


def test_the_magics_work_without_pandas_and_widgets(tmp_path: Path) -> None:
    """Where pandas or ipywidgets cannot be imported, the text magics work."""
    code = "import sys; sys.modules.update(dict.fromkeys(['pandas', 'numpy', 'ipywidgets', 'anywidget']))\n" + LOAD
    code += "shell.run_cell('%remember likes tea\\nx = %recall tea')\n"
    code += "print(shell.user_ns['x'][0].body)"
    assert python("-c", code, env={"MEMORY_MAGIC_PATH": str(tmp_path / "MEMORY.md")}).endswith("likes tea\n")


# A real kernel


class Kernel:
    """A real kernel, spoken to as a notebook does."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, source: str) -> dict[str, Any]:
        """Run a cell and give the reply, with its outputs under "out"."""
        outputs: list[dict[str, Any]] = []
        reply: dict[str, Any] = self.client.execute_interactive(
            source, timeout=30, output_hook=lambda message: outputs.append(message["content"])
        )["content"]
        return {**reply, "out": outputs}


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """Start a kernel in which nothing is loaded yet."""
    from jupyter_client.manager import KernelManager

    memory = tmp_path_factory.mktemp("kernel") / "MEMORY.md"
    manager = KernelManager()
    manager.start_kernel(
        env={**os.environ, "MEMORY_MAGIC_PATH": str(memory), "JPY_SESSION_NAME": "work/Real one.ipynb"}
    )
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Kernel(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def test_a_kernel_shows_html_and_text(kernel: Kernel) -> None:
    """A real kernel sends the table as HTML and as text, and notes its notebook and cell."""
    assert kernel.run("%load_ext memory_magic")["status"] == "ok"
    count = kernel.run("%remember does Ann like <b>tea</b>?")["execution_count"]
    data = kernel.run("%recall tea")["out"][-2]["data"]
    assert "does Ann like &lt;b&gt;tea&lt;/b&gt;?" in data["text/html"]
    assert f"Real one.ipynb, In [{count}]" in data["text/plain"]


def test_an_error_is_one_line_and_stops_run_all(kernel: Kernel) -> None:
    """The kernel says UsageError and aborts the cells that were queued behind."""
    kernel.run("%load_ext memory_magic")
    client = kernel.client
    messages = [client.execute(cell, stop_on_error=True) for cell in ("%forget never stored", "after = 1")]
    replies = {}
    while len(replies) < 2:
        reply = client.get_shell_msg(timeout=30)
        replies[reply["parent_header"]["msg_id"]] = reply["content"]
    error, aborted = (replies[message] for message in messages)
    assert (error["status"], error["ename"]) == ("error", "UsageError")
    assert NL not in error["evalue"]
    assert aborted["status"] == "aborted"
    assert kernel.run("after")["ename"] == "NameError"
    streams = [out for out in kernel.run("%forget never stored")["out"] if out.get("name") == "stderr"]
    assert [NL in out["text"].strip() for out in streams] == [False]


def test_a_bare_store_in_a_kernel_follows_config(ip: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``memory_magic.Store()`` and the magics go where ``%config MemoryMagics.path`` points."""
    monkeypatch.delenv("MEMORY_MAGIC_PATH")
    other = tmp_path / "other" / "MEMORY.md"
    ip.run(f"%config MemoryMagics.path = {str(other)!r}")
    ip.run("%remember likes tea")
    ip.run("import memory_magic\nstore = memory_magic.Store()\nstore.remember('likes cake')")
    assert ip.value("store.path") == other
    assert other.read_text("utf-8").count("\n## ") == 2
    assert ip.text == ""
