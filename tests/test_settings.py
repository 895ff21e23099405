"""Where a setting comes from, which source wins, and what a bad value does."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigString

import memory_magic
from memory_magic import settings
from memory_magic.errors import InvalidError, UnwritableError
from memory_magic.settings import MemorySettings, config_schema, store_path, validate_config

DEFAULTS = {
    "path": "",
    "disclosed_titles": 15,
    "recall_limit": 5,
    "soft_cap": 200,
    "prompt_chars": 1200,
    "note_chars": 500,
    "model_writes": "apply",
    "read_only": False,
    "refresh_seconds": 2,
}
BAD = [
    pytest.param("recall_limit", 0, id="limit-zero"),
    pytest.param("recall_limit", True, id="limit-true"),
    pytest.param("recall_limit", "7", id="limit-text"),
    pytest.param("recall_limit", 2.5, id="limit-fraction"),
    pytest.param("recall_limit", 5.0, id="limit-float"),
    pytest.param("soft_cap", -1, id="cap-negative"),
    pytest.param("note_chars", [], id="chars-list"),
    pytest.param("read_only", "yes", id="read-only-text"),
    pytest.param("read_only", 1, id="read-only-number"),
    pytest.param("disclosed_titles", -1, id="titles-negative"),
    pytest.param("prompt_chars", 0, id="prompt-zero"),
    pytest.param("model_writes", "ask", id="writes-unknown"),
    pytest.param("model_writes", True, id="writes-true"),
    pytest.param("refresh_seconds", -0.5, id="refresh-negative"),
    pytest.param("refresh_seconds", True, id="refresh-true"),
    pytest.param("path", 3, id="path-number"),
    pytest.param("path", "notes/MEMORY.md", id="path-relative"),
    pytest.param("path", "~nobody-of-this-name/MEMORY.md", id="path-nobody"),
    pytest.param("path", "  ", id="path-blank"),
]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the settings to the other sources, and let each test see its own complaints."""
    monkeypatch.delenv("MEMORY_MAGIC_PATH", raising=False)
    monkeypatch.delenv("MEMORY_MAGIC_READ_ONLY", raising=False)
    settings._complain.cache_clear()


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Path]:
    """Give a function that writes ``memory_magic_config.json`` where Jupyter looks for it."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))

    def write(content: Any) -> Path:
        file = tmp_path / "jupyter" / "memory_magic_config.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps({"MemoryMagics": content}), "utf-8")
        return file

    return write


# The sources, from the last to the first


def test_defaults() -> None:
    """Without any source each setting has the default of the contract."""
    own = MemorySettings()
    assert {name: getattr(own, name) for name in DEFAULTS} == DEFAULTS


@pytest.mark.skipif(sys.platform != "linux", reason="XDG")
def test_the_default_path_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is MEMORY.md in the user's configuration folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert memory_magic.Store().path == tmp_path / "memory-magic" / "MEMORY.md"


def test_the_json_file_is_read(config_file: Callable[[Any], Path], tmp_path: Path) -> None:
    """Section MemoryMagics of the file on Jupyter's configuration path counts for every program."""
    config_file({"recall_limit": 3, "path": str(tmp_path / "j.md"), "soft_cap": None, "read_only": True})
    own = MemorySettings()
    assert (own.recall_limit, own.soft_cap, own.read_only) == (3, 200, True)
    assert memory_magic.Store().path == tmp_path / "j.md"


def test_a_nearer_json_file_wins(
    config_file: Callable[[Any], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several files the one that Jupyter prefers counts, name by name."""
    far = tmp_path / "far"
    far.mkdir()
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(far))
    (far / "memory_magic_config.json").write_text('{"MemoryMagics": {"recall_limit": 3, "soft_cap": 4}}', "utf-8")
    config_file({"recall_limit": 7})
    nearest = 3 if settings._config_folders()[0] == str(far) else 7
    assert (MemorySettings().recall_limit, MemorySettings().soft_cap) == (nearest, 4)


def test_ipythons_configuration_beats_the_file(
    new_shell: Callable[..., Any], config_file: Callable[[Any], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``c.MemoryMagics`` in ipython_config.py counts, and the file for what it does not say."""
    session = new_shell({"MemoryMagics": {"recall_limit": 2, "path": str(tmp_path / "i.md")}})
    monkeypatch.delenv("MEMORY_MAGIC_PATH")
    config_file({"recall_limit": 3, "soft_cap": 1, "path": str(tmp_path / "j.md")})
    session.run("%load_ext memory_magic\n%remember one thing\n%remember two things\n%remember three things")
    assert (tmp_path / "i.md").exists()
    assert not (tmp_path / "j.md").exists()
    shown = repr(session.run("%recall"))
    assert "2 of 3, the most recent" in shown
    assert "There are 3 facts, more than 1" in shown


def test_the_environment_beats_the_configuration(
    new_shell: Callable[..., Any], memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``MEMORY_MAGIC_PATH`` and ``MEMORY_MAGIC_READ_ONLY`` win over what is configured."""
    session = new_shell({"MemoryMagics": {"path": str(tmp_path / "i.md"), "read_only": True}})
    monkeypatch.setenv("MEMORY_MAGIC_PATH", str(memory))
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", "0")
    session.run("%load_ext memory_magic\n%remember one thing")
    assert "one thing" in session.text
    assert not (tmp_path / "i.md").exists()


def test_an_argument_beats_the_environment(memory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path given to Store is the path."""
    monkeypatch.setenv("MEMORY_MAGIC_PATH", str(memory))
    assert memory_magic.Store(tmp_path / "a.md").path == tmp_path / "a.md"
    assert memory_magic.Store().path == memory


def test_config_shows_and_sets(ip: Any) -> None:
    """``%config MemoryMagics`` lists the settings with their values and changes them at once."""
    shown = ip.printed("%config MemoryMagics")
    assert all(f"MemoryMagics.{name}" in shown for name in DEFAULTS)
    ip.run("%remember a tea\n%remember b tea\n%config MemoryMagics.recall_limit = 1")
    assert ip.run("%recall tea").message == "1 of 2, narrow the query"
    assert "Current: 1" in ip.printed("%config MemoryMagics")
    assert ip.run("%config MemoryMagics.recall_limit") == 1


@pytest.mark.parametrize(("name", "value"), BAD)
def test_config_refuses_a_bad_value_each_time(ip: Any, caplog: pytest.LogCaptureFixture, name: str, value: Any) -> None:
    """A typo in ``%config`` is told where it is made, again when it is made again, and changes nothing."""
    before = ip.run(f"%config MemoryMagics.{name}")
    for _ in range(2):
        caplog.clear()
        told = ip.printed(f"%config MemoryMagics.{name} = {value!r}") + caplog.text
        assert f"{name} must be" in told or f"{name} names" in told
    assert ip.run(f"%config MemoryMagics.{name}") == before
    ip.run("%config MemoryMagics.soft_cap = 7")
    assert ip.run("%config MemoryMagics.soft_cap") == 7


# Bad values


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_in_the_file_falls_back_alone(
    config_file: Callable[[Any], Path], caplog: pytest.LogCaptureFixture, name: str, value: Any
) -> None:
    """The default counts for that name only, and it is logged once."""
    other = "soft_cap" if name != "soft_cap" else "note_chars"
    config_file({name: value, other: 9})
    with caplog.at_level(logging.WARNING, "memory_magic"):
        for _ in range(3):
            own = MemorySettings()
            assert (getattr(own, name), getattr(own, other)) == (DEFAULTS[name], 9)
    assert [name in record.getMessage() for record in caplog.records] == [True]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_in_ipythons_configuration_falls_back_alone(
    new_shell: Callable[..., Any], caplog: pytest.LogCaptureFixture, name: str, value: Any
) -> None:
    """Loading never fails for it; the default counts for that name only, and it is logged once."""
    other = "soft_cap" if name != "soft_cap" else "note_chars"
    session = new_shell({"MemoryMagics": {name: value, other: 9}})
    with caplog.at_level(logging.WARNING, "memory_magic"):
        session.run("%load_ext memory_magic")
        session.run("%reload_ext memory_magic")
    assert session.run(f"%config MemoryMagics.{name}") == DEFAULTS[name]
    assert session.run(f"%config MemoryMagics.{other}") == 9
    assert [name in record.getMessage() for record in caplog.records if record.name == "memory_magic"] == [True]


@pytest.mark.parametrize(
    ("text", "limit"), [pytest.param("3", 3, id="good"), pytest.param("x", 5, id="bad"), pytest.param("0", 5, id="low")]
)
def test_a_setting_from_ipythons_command_line(text: str, limit: int) -> None:
    """``ipython --MemoryMagics.recall_limit=3`` gives a text, which is read as a number."""
    config = Config()
    config.MemorySettings.recall_limit = DeferredConfigString(text)
    assert MemorySettings(config=config).recall_limit == limit


@pytest.mark.parametrize("content", ["", "{", "[]", '{"MemoryMagics": 3}', '"x"', "\ufeff{}"])
def test_a_broken_file_is_logged_and_ignored(
    config_file: Callable[[Any], Path], caplog: pytest.LogCaptureFixture, content: str
) -> None:
    """A configuration file that is none does not stop anything."""
    file = config_file(content)
    with caplog.at_level(logging.WARNING, "memory_magic"):
        assert MemorySettings().recall_limit == 5
    assert [str(file) in record.getMessage() for record in caplog.records] == [True]


def test_a_value_of_traitlets_own_makers_is_refused_too() -> None:
    """Setting a bad value on the object raises, as with every trait."""
    own = MemorySettings()
    with pytest.raises(Exception, match="recall_limit"):
        own.recall_limit = 0


# The schema


def test_the_schema_has_every_setting() -> None:
    """Each setting is there with its type, its default, its least value and a description."""
    schema = config_schema()
    properties = schema["properties"]
    assert {name: entry["default"] for name, entry in properties.items()} == DEFAULTS
    assert properties["recall_limit"] | {"description": ""} == {
        "type": "integer",
        "default": 5,
        "minimum": 1,
        "description": "",
    }
    assert all(entry["description"].endswith(".") for entry in properties.values())
    assert schema["additionalProperties"] is False
    json.dumps(schema)


@pytest.mark.parametrize(("name", "value"), BAD)
def test_validate_config_refuses_what_is_wrong(name: str, value: Any) -> None:
    """A wrong type or a value out of range is an error that names the setting."""
    with pytest.raises(InvalidError, match=name):
        validate_config({name: value})


def test_validate_config_refuses_unknown_names() -> None:
    """A typo is an error that lists what there is."""
    with pytest.raises(InvalidError, match="recal_limit.*recall_limit"):
        validate_config({"recal_limit": 3})
    with pytest.raises(InvalidError, match="object"):
        validate_config([])  # type: ignore[arg-type]


def test_validate_config_gives_all_settings(tmp_path: Path) -> None:
    """What is not given, or null, is the default."""
    given = {"recall_limit": 3, "soft_cap": None, "path": str(tmp_path / "x.md")}
    assert validate_config(given) == {**DEFAULTS, "recall_limit": 3, "path": str(tmp_path / "x.md")}


# Paths, and reading only


@pytest.mark.parametrize("value", ["", "  ", "MEMORY.md", "./MEMORY.md", "~nobody-of-this-name/MEMORY.md"])
def test_a_path_that_cannot_be_meant_is_an_error(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """An empty or relative value in the environment is never the working directory."""
    monkeypatch.setenv("MEMORY_MAGIC_PATH", value)
    with pytest.raises(InvalidError, match="MEMORY_MAGIC_PATH"):
        memory_magic.Store()


def test_a_tilde_is_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``~`` is expanded in the environment and in the setting."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert store_path(None, MemorySettings(path="~/m.md")) == tmp_path / "m.md"
    monkeypatch.setenv("MEMORY_MAGIC_PATH", "~/n.md")
    assert memory_magic.Store().path == tmp_path / "n.md"


def test_other_kinds_of_store_are_refused_and_not_replaced(
    new_shell: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A URL is an error at each use; the facts do not go to the default place instead."""
    session = new_shell({"MemoryMagics": {"path": "s3://bucket/MEMORY.md"}})
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMORY_MAGIC_PATH")
    session.run("%load_ext memory_magic")
    assert "not supported yet" in session.fails("%remember likes tea")
    assert "not supported yet" in session.fails("%recall")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.json", "NOTES.JSON"])
def test_a_path_that_ends_in_json_is_a_notes_array(
    new_shell: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As a setting too, and whatever the case of the letters."""
    session = new_shell({"MemoryMagics": {"path": str(tmp_path / name)}})
    monkeypatch.delenv("MEMORY_MAGIC_PATH")
    session.run("%load_ext memory_magic\n%remember likes tea")
    assert [note["text"] for note in json.loads((tmp_path / name).read_text("utf-8"))] == ["likes tea"]


@pytest.mark.parametrize(
    ("value", "refused"),
    [("1", True), ("true", True), ("yes", True), ("0", False), ("", False), ("off", False), ("N", False), ("f", False)],
)
def test_read_only_by_the_environment(memory: Path, monkeypatch: pytest.MonkeyPatch, value: str, refused: bool) -> None:
    """Any value but an empty one, 0, f, false, n, no and off refuses writes; reads go on."""
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", value)
    store = memory_magic.Store(memory)
    if refused:
        with pytest.raises(UnwritableError, match="read-only"):
            store.remember("likes tea")
        assert not memory.parent.exists()
    else:
        store.remember("likes tea")
    assert len(store.recall("tea")) == (not refused)


def test_read_only_by_the_setting(ip: Any) -> None:
    """``%config MemoryMagics.read_only = True`` refuses every write in that shell, and of a bare Store."""
    ip.run("%remember likes tea\n%config MemoryMagics.read_only = True\nimport memory_magic")
    before = ip.memory.read_bytes()
    for cell in ("%remember likes cake", "%forget likes tea", "%remember -k tea_kind -c other x"):
        assert "read-only here" in ip.fails(cell)
    with pytest.raises(UnwritableError):
        ip.run("memory_magic.Store().remember('x')")
    assert ip.memory.read_bytes() == before
    assert len(ip.run("%recall tea")) == 1


@pytest.mark.parametrize("value", ["", "  "], ids=repr)
def test_an_empty_read_only_says_nothing(memory: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """A variable that is there and empty leaves the setting to decide."""
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", value)
    with pytest.raises(UnwritableError):
        memory_magic.Store(settings=MemorySettings(read_only=True)).remember("likes tea")
    memory_magic.Store().remember("likes tea")


@pytest.mark.parametrize("path", [5, True, b"x.md", []], ids=repr)
def test_a_path_is_text(path: Any) -> None:
    """Anything else is refused in words."""
    with pytest.raises(InvalidError, match="path must be the path of a file"):
        memory_magic.Store(path)
