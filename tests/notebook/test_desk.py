"""``%memory edit``, ``confirm``, ``use``, ``where`` and ``config``: what a person does at the desk."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from memory_magic import Store


def next_cell(ip: Any) -> str:
    """Give what was put into the next cell."""
    text = ip.shell.rl_next_input
    ip.shell.rl_next_input = None
    return str(text)


# Editing


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("%remember likes tea", id="text"),
        pytest.param("%remember -t Tea likes green tea", id="title-and-text"),
        pytest.param("%remember -t '-5 is cold' so it is", id="title-with-dash"),
        pytest.param("%%remember -c projects Release\n1. {x}\n\n    2. $y?\n## no heading", id="several-lines"),
        pytest.param("%remember " + "word " * 40, id="long"),
    ],
)
def test_the_cell_as_it_comes_changes_nothing(ip: Any, line: str) -> None:
    """What was put there is the fact as it is: running it unchanged writes nothing."""
    fact = ip.run(line).fact
    before = ip.memory.read_bytes()
    ip.run(f"%memory edit {fact.id}")
    ip.run(next_cell(ip))
    assert ip.memory.read_bytes() == before


def test_what_is_changed_in_the_cell_arrives(ip: Any) -> None:
    """Text and title are there to be changed; the id keeps it one fact."""
    fact = ip.run("%remember -t Tea likes green tea").fact
    ip.run("%memory edit Tea")
    cell = next_cell(ip)
    assert cell == f"%%remember --id {fact.id} Tea\nlikes green tea"
    ip.run(cell.replace("green", "black").replace("Tea\n", "Drinks\n"))
    after = ip.run("%recall")[0]
    assert (after.id, after.title, after.body) == (fact.id, "Drinks", "likes black tea")
    assert len(ip.run("%recall")) == 1


def test_a_fact_with_a_title_alone_can_be_edited(ip: Any) -> None:
    """Its title is its text."""
    ip.memory.parent.mkdir()
    ip.memory.write_text("## Likes tea\n<!-- id: m-000001 -->\n")
    ip.run("%memory edit m-000001")
    ip.run(next_cell(ip))
    assert "\n## " not in ip.text
    assert ip.run("%recall")[0].body == ""


def test_a_secret_is_put_into_no_cell(ip: Any) -> None:
    """A mask would be saved in its place, and the secret would be in the notebook."""
    ip.run("%remember --allow-secret the password is hunter2swordfish")
    ip.shell.rl_next_input = None
    assert "edit it in the file" in ip.fails(f"%memory edit {ip.run('%recall')[0].id}")
    assert ip.shell.rl_next_input is None


# Confirming


def test_several_facts_are_confirmed_at_once(ip: Any) -> None:
    """By their ids, in one change; each expiry moves on."""
    ids = [ip.run(f"%remember -e 2099-01-0{n} fact number {n}").fact.id for n in (1, 2)]
    ip.run(f"%memory confirm {' '.join(ids)}")
    assert all(fact.confirmed for fact in ip.run("%recall"))
    ip.run("%memory undo")
    assert not any(fact.confirmed for fact in ip.run("%recall"))


def test_the_receipt_says_until_when_it_is_true(ip: Any) -> None:
    """An expiry has moved on by its span."""
    ip.run("%remember -k host -e 2d runs on a")
    ip.run("%remember likes tea")
    assert re.fullmatch(
        r"Confirmed m-\w{6} “runs on a” \(other/host\): expires in 2 days", repr(ip.run("%memory confirm host"))
    )
    assert repr(ip.run("%memory confirm likes tea")).endswith("“likes tea” (other): never expires")


def test_one_unknown_id_confirms_none(ip: Any) -> None:
    """All or nothing."""
    fact = ip.run("%remember likes tea").fact
    before = ip.text
    ip.fails(f"%memory confirm {fact.id} m-000000")
    assert ip.text == before


# Another file


def test_use_is_followed_by_magics_and_by_a_bare_store(ip: Any, tmp_path: Path) -> None:
    """In this kernel; the file of before stays as it is, and comes back."""
    ip.run("%remember likes tea")
    other = tmp_path / "a folder" / "OTHER.md"
    assert str(other) in repr(ip.run(f"%memory use {other}"))
    ip.run("%remember likes coffee")
    assert "likes coffee" in other.read_text()
    assert Store().path == other
    assert "coffee" not in ip.text
    assert str(ip.run("%memory where")) == str(other)
    ip.run("%memory use")
    assert Store().path == ip.memory
    assert [fact.body for fact in ip.run("%recall")] == ["likes tea"]


def test_use_takes_quotes_and_home(ip: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path as a person writes it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    ip.run('%memory use "~/my notes/MEMORY.md"')
    assert Store().path == tmp_path / "my notes" / "MEMORY.md"


@pytest.mark.parametrize("path", ["{folder}", "https://example.org/x.md", "''"])
def test_what_is_no_file_changes_nothing(ip: Any, tmp_path: Path, path: str) -> None:
    """The store of before is still the one in use."""
    ip.fails(f"%memory use {path.format(folder=tmp_path)}")
    assert str(ip.run("%memory where")) == str(ip.memory)


def test_unloading_ends_it(ip: Any, tmp_path: Path) -> None:
    """A choice for the magics goes with them."""
    ip.run(f"%memory use {tmp_path / 'OTHER.md'}")
    ip.run("%unload_ext memory_magic")
    assert Store().path == ip.memory


# The settings


def origins(shown: object) -> dict[str, tuple[str, str]]:
    """Give value and origin of each setting as ``%memory config`` shows them."""
    rows = (line.split(maxsplit=2) for line in str(shown).splitlines())
    return {name: (value, origin) for name, value, origin in rows}


def test_each_value_is_shown_with_its_origin(new_shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """File, IPython's configuration, ``%config``, environment and default are told apart."""
    folder = Path(os.environ["JUPYTER_CONFIG_DIR"])
    file = folder / "memory_magic_config.json"
    file.write_text(json.dumps({"MemoryMagics": {"note_chars": 300, "soft_cap": 9, "model_writes": "off"}}))
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", "1")
    try:
        ip = new_shell({"MemoryMagics": {"soft_cap": 50}})
        ip.run("%load_ext memory_magic")
        ip.run("%config MemoryMagics.recall_limit = 7")
        shown = origins(ip.run("%memory config"))
    finally:
        file.unlink()
    assert shown == {
        "path": (str(ip.memory), "environment, MEMORY_MAGIC_PATH"),
        "disclosed_titles": ("15", "default"),
        "recall_limit": ("7", "IPython's configuration"),
        "soft_cap": ("50", "IPython's configuration"),
        "prompt_chars": ("1200", "default"),
        "note_chars": ("300", str(file)),
        "model_writes": ("off", str(file)),
        "read_only": ("True", "environment, MEMORY_MAGIC_READ_ONLY"),
        "refresh_seconds": ("2", "default"),
    }


def test_a_chosen_file_is_an_argument(ip: Any, tmp_path: Path) -> None:
    """It wins over the environment, and is told as what it is."""
    ip.run(f"%memory use {tmp_path / 'OTHER.md'}")
    assert origins(ip.run("%memory config"))["path"] == (str(tmp_path / "OTHER.md"), "%memory use")
