"""The magics on a notes array: all that works on MEMORY.md works on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HOSTILE = "<b>x</b>\n\x1b[31m## forged"


@pytest.fixture
def notes(ip: Any, tmp_path: Path) -> Path:
    """Give a notes array that is the store of the shell."""
    path = tmp_path / "my notes.json"
    assert ip.printed(f'%memory use "{path}"') == f"Out[2]: Using {path} (nothing stored yet)\n"
    return path


def texts(path: Path) -> list[str]:
    """Give the texts of the notes, in the order of the file."""
    return [note["text"] for note in json.loads(path.read_text("utf-8"))]


def test_remember_recall_forget_undo(ip: Any, notes: Path) -> None:
    """From one cell to the next, in the file at once, the newest first."""
    tea = ip.run("%remember likes tea").fact
    ip.run("%remember -k prod_server_ip -c technical --confidence 95 -e 7d Production runs on 192.168.1.168")
    assert texts(notes) == ["Production runs on 192.168.1.168", "likes tea"]
    assert [fact.key for fact in ip.run("%recall server ip")] == ["prod_server_ip"]
    ip.run("%remember -k prod_server_ip -c technical Production runs on 192.168.1.169")
    ip.run(f"%forget {tea.id}")
    assert texts(notes) == ["Production runs on 192.168.1.169"]
    ip.run("%memory undo")
    ip.run("%memory undo")
    assert texts(notes) == ["Production runs on 192.168.1.168", "likes tea"]
    ip.run("%memory redo")
    assert texts(notes) == ["Production runs on 192.168.1.169", "likes tea"]
    assert "expires" in repr(ip.run("%memory why prod_server_ip"))
    assert len(ip.run("%memory history").entries) == 7


def test_edit_and_confirm(ip: Any, notes: Path) -> None:
    """A fact comes into the next cell and back, and an update stays in its place; several are confirmed at once."""
    notes.write_text('[{"id": "note 2", "text": "two"}, {"id": "1", "text": "one"}, {"id": "3", "text": "three"}]')
    ip.run("%memory edit note 2")
    cell = str(ip.shell.rl_next_input)
    assert cell == '%%remember --id "note 2"\ntwo'
    ip.run(cell.replace("two", "deux"))
    assert texts(notes) == ["deux", "one", "three"]
    assert "deux" in ip.run("%memory confirm note 2").fact.text
    ip.run("%memory confirm 1 3")
    assert ["confirmed" in note for note in json.loads(notes.read_text())] == [True, True, True]


def test_any_id_that_is_shown_addresses_its_note(ip: Any, notes: Path) -> None:
    """Alone, with spaces in it, or several of them in one line; unknown ones delete nothing."""
    notes.write_text(
        json.dumps([{"id": name, "text": f"the {name} one"} for name in ("a b", "7", "x-1", "Tea", "m-00000a")])
    )
    assert ip.run("%recall --id 7")[0].id == "7"
    assert [fact.id for fact in ip.run("%recall 3f2504e0")] == []
    assert "No fact" in ip.fails("%forget x-1 y-1")
    assert [fact.id for fact in ip.run("%forget a b").facts] == ["a b"]
    assert [fact.id for fact in ip.run("%forget 7, m-00000a").facts] == ["7", "m-00000a"]
    assert ip.run("%remember --id x-1 -c projects").fact.category == "projects"
    ip.run("%forget x-1")
    assert "is forgotten" in repr(ip.run("%memory why x-1"))
    assert texts(notes) == ["the Tea one"]


def test_an_id_that_is_a_word_does_not_hide_what_has_the_word(ip: Any, notes: Path) -> None:
    """A recall by words finds words; where there are none, a note by its id."""
    notes.write_text('[{"id": "tea", "text": "Ann is at home"}, {"id": "b", "text": "likes tea"}]')
    assert [fact.id for fact in ip.run("%recall tea")] == ["b"]
    ip.run("%forget b")
    assert [fact.id for fact in ip.run("%recall tea")] == ["tea"]


def test_an_id_may_hold_anything(ip: Any, notes: Path) -> None:
    """It cannot forge a line, steer the terminal or become HTML."""
    notes.write_text(json.dumps([{"id": HOSTILE, "text": "x", "confidence": 150}, {"id": HOSTILE, "text": "x"}]))
    found = ip.run("%recall")
    shown = [
        repr(found),
        found._repr_html_(),
        repr(ip.run("%memory")),
        repr(ip.run("%memory review")),
        ip.fails("%forget x"),
    ]
    for text in shown:
        assert "\x1b" not in text
        assert "\n## forged" not in text
    assert "<b>" not in found._repr_html_()


def test_trouble_is_told_with_its_place(ip: Any, notes: Path) -> None:
    """Beside a bad entry the good ones are read; broken JSON is an error; neither is written to."""
    bad = '[\n  {"text": "likes tea"},\n  {"id": 5, "text": "x"}\n]\n'
    notes.write_text(bad)
    where = "entry 2, line 3: its id is no string"
    assert where in ip.run("%recall tea").message
    assert where in repr(ip.run("%memory"))
    assert where in ip.fails("%remember likes cake")
    assert "nothing was saved" in ip.fails("%forget likes tea")
    assert notes.read_text() == bad
    notes.write_text(bad.replace("5,", ","))
    for cell in ("%recall tea", "%remember likes cake", "%memory"):
        assert f"not valid JSON; put it right in an editor ({notes}: line 3:" in ip.fails(cell)
    assert notes.read_text() == bad.replace("5,", ",")


def test_what_does_not_fit_is_told(ip: Any, notes: Path) -> None:
    """A long text, and the 201st note; the file stays."""
    notes.write_text(json.dumps([{"text": f"note {number}"} for number in range(200)]))
    before = notes.read_bytes()
    assert "a note takes 500" in ip.fails("%remember " + "x" * 501)
    assert "holds 200 notes" in ip.fails("%remember one more")
    assert notes.read_bytes() == before


def test_a_secret_is_refused_and_masked(ip: Any, notes: Path) -> None:
    """In an id too."""
    secret = "ghp_" + "a1B2" * 9
    assert "looks like" in ip.fails(f"%remember the token is {secret}")
    notes.write_text(json.dumps([{"id": secret, "text": "x"}, {"id": "b", "text": f"the token is {secret}"}]))
    for cell in ("%recall", "%memory"):
        assert secret not in repr(ip.run(cell))
    assert repr(ip.run("%memory")).count("holds what looks like a credential") == 2


def test_a_purge_leaves_no_trace(ip: Any, notes: Path, own_home: Path) -> None:
    """Neither in the file nor in its history, also of a note without an id."""
    notes.write_text('[{"text": "a very private thing"}]')
    ip.run("%remember likes tea")
    ip.run("%forget --purge a very private thing")
    for file in [notes, *own_home.rglob("*")]:
        assert not file.is_file() or b"very private thing" not in file.read_bytes(), file
    ip.run("%memory undo")
    assert texts(notes) == []


def test_a_hand_edit_is_seen_at_once(ip: Any, notes: Path) -> None:
    """And stays as it is formatted when a command writes beside it."""
    ip.run("%remember likes tea")
    edited = notes.read_text().replace("likes tea", "likes  cake").replace('"scope"', '"pinned": true,\n    "scope"')
    notes.write_text(edited)
    assert ip.run("%recall cake")[0].body == "likes  cake"
    ip.run("%remember -q another one")
    assert notes.read_text().endswith(edited.removeprefix("[\n"))
