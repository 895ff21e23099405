"""``%memory``: a look at the whole, history, undo and redo, as a person types them."""

from __future__ import annotations

from typing import Any

import pytest

from memory_magic import Store
from memory_magic.notebook.options import ACTIONS


def test_alone_it_shows_the_whole(ip: Any) -> None:
    """The file, how many facts there are, and what was last done."""
    ip.run("%remember -c technical likes tea")
    shown = repr(ip.run("%memory"))
    assert str(ip.memory) in shown
    assert "1 fact: technical 1" in shown
    assert "remember by magic" in shown


def test_it_names_conflict_copies_and_what_only_they_hold(ip: Any) -> None:
    """And leaves them where they are."""
    ip.run("%remember likes tea")
    copy = ip.memory.with_name("MEMORY (conflicted copy 2026-11-30).md")
    copy.write_text("## Only here\n\nsomething\n")
    assert f"{copy.name}, a copy with 1 fact that only it holds" in repr(ip.run("%memory"))
    assert copy.exists()


def test_undo_and_redo(ip: Any) -> None:
    """The receipt of ``%forget`` names the way back, and it works."""
    ip.run("%remember likes tea")
    before = ip.text
    assert "%memory undo" in repr(ip.run("%forget likes tea"))
    assert "“likes tea” is back" in repr(ip.run("%memory undo"))
    assert ip.text == before
    ip.run("%memory redo")
    assert "likes tea" not in ip.text


def test_undo_takes_the_number_of_a_change(ip: Any) -> None:
    """As the history shows it."""
    ip.run("%remember likes tea")
    ip.run("%remember likes coffee")
    assert "   1 " in repr(ip.run("%memory history"))
    ip.run("%memory undo 1")
    assert "tea" not in ip.text
    assert "coffee" in ip.text


def test_the_history_of_one_fact(ip: Any) -> None:
    """With its text before and after."""
    fact = ip.run("%remember likes tea").fact
    ip.run(f"%remember --id {fact.id} likes coffee")
    ip.run("%remember something else")
    shown = repr(ip.run(f"%memory history {fact.id}"))
    assert "“likes tea” to “likes coffee”" in shown
    assert "something else" not in shown


def test_another_program_s_change_is_undone_with_its_name(ip: Any) -> None:
    """Whose it was is told."""
    ip.run("%remember likes tea")
    Store(ip.memory).remember("likes coffee")
    assert "by python" in repr(ip.run("%memory undo"))
    assert "coffee" not in ip.text


def test_a_purge_leaves_nothing_behind(ip: Any, own_home: Any) -> None:
    """Neither in the file nor in the history."""
    ip.run("%remember a very private thing")
    assert "history" in repr(ip.run("%forget --purge a very private thing"))
    kept = [file for folder in (own_home, ip.memory.parent) for file in folder.rglob("*") if file.is_file()]
    assert not [file for file in kept if b"very private thing" in file.read_bytes()]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("xyzzy", "undo, redo, history"),
        ("undo 1 2", "one word at most"),
        ("undo latest", "number"),
        ("undo 99", "99"),
        ("undo", "nothing to undo"),
        ("redo", "nothing to redo"),
        ("redo 1", "redo takes nothing behind it"),
        ("review now", "review takes nothing behind it"),
        ("histry", "did you mean history?"),
        ("edit", "give the id of the fact"),
        ("why", "Nothing was named"),
        ("confirm", "Nothing was named"),
        ("confirm m-000001 m-000002", "No fact has the id m-000001"),
        ("autoload maybe", "autoload is on or off"),
        ("history m-999999", "m-999999"),
    ],
)
def test_what_cannot_be_done_is_one_line(ip: Any, line: str, words: str) -> None:
    """It says what to do instead, and changes nothing."""
    assert words in ip.fails(f"%memory {line}")
    assert ip.text == ""


def test_help_names_the_actions(ip: Any) -> None:
    """``%memory?`` is where a person looks first."""
    shown = " ".join(ip.printed("%memory?").split())
    for name, action in ACTIONS.items():
        assert f"{name} {action.takes}".strip() in shown
        assert action.help in shown


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("asked", ["{}?", "{} --help", "{} -h"])
def test_each_action_has_help(ip: Any, name: str, asked: str) -> None:
    """And asking for it does nothing else."""
    shown = repr(ip.run(f"%memory {asked.format(name)}"))
    assert f"%memory {name}" in shown
    assert ACTIONS[name].help in shown
    assert not ip.memory.exists()
