"""The panel's files: what JupyterLab makes of them before any of it runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jupyter_core.paths import jupyter_path
from jupyterlab_server.config import get_page_config
from jupyterlab_server.settings_utils import get_settings

from memory_magic import __version__
from memory_magic.server import assembly
from memory_magic.server.assembly import assemble


@pytest.fixture
def extension(tmp_path: Path) -> Path:
    """Give the folder of the extension, as it is installed, among those of other extensions."""
    folder = tmp_path / "labextensions" / "memory-magic"
    assemble(folder, __version__)
    return folder


def loaded(folder: Path) -> dict[str, Any]:
    """Give what a page is told of the extension in this folder."""
    found = get_page_config([str(folder.parent)])["federated_extensions"]
    return next(entry for entry in found if entry["name"] == "memory-magic")


def test_jupyterlab_reads_the_package_file(extension: Path) -> None:
    """A malformed one would keep the whole page from loading."""
    entry = loaded(extension)
    assert entry["extension"] == "./extension"
    assert (extension / entry["load"]).is_file()
    assert json.loads((extension / "package.json").read_text())["version"] == __version__


def test_the_settings_are_read_with_their_defaults(extension: Path, tmp_path: Path) -> None:
    """By the same code that gives them to the page; scope and date are shown."""
    found, _ = get_settings(str(tmp_path), str(extension / "schemas"), str(tmp_path), schema_name="memory-magic:plugin")
    properties = found["schema"]["properties"]
    assert {name for name in properties if properties[name]["default"] is True} == {"scope", "date"}
    assert properties["seconds"]["default"] == 2


def test_names_change_with_content_and_only_then(
    extension: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser keeps each file for a year under its name: a change in any of them must give all another one."""
    names = {loaded(extension)["load"]}
    for folder, file in (("web", "rows.js"), ("web", "table.css"), ("labextension", "panel.js")):
        source = Path(assembly.__file__).parents[folder == "web"] / folder
        copied = tmp_path / f"{folder}-{file}"
        shutil.copytree(source, copied)
        (copied / file).write_text((copied / file).read_text() + "\n")
        with monkeypatch.context() as patch:
            patch.setattr(assembly, "_WEB" if folder == "web" else "_SOURCE", copied)
            assemble(extension, __version__)
        names.add(loaded(extension)["load"])
    assert len(names) == 4
    assemble(extension, __version__)
    assert loaded(extension)["load"] in names


def test_the_panel_needs_nothing_from_elsewhere(extension: Path) -> None:
    """Each module that is imported lies beside the one that imports it, and no file names an address."""
    files = list((extension / "static").rglob("*.*"))
    assert len(files) > 8
    for file in files:
        text = file.read_text()
        for module in re.findall(r"^import .* from \"(.*)\"", text, re.MULTILINE):
            assert (file.parent / module).is_file()
        assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []


def test_the_installed_panel_is_the_one_of_these_files(extension: Path) -> None:
    """An installation copies them; where this fails, install the package again."""
    installed = get_page_config(jupyter_path("labextensions"))["federated_extensions"]
    assert loaded(extension) in installed, "install the package again: the panel was changed since"


def test_jupyterlab_lists_it_as_enabled() -> None:
    """And as sound."""
    command = [sys.executable, "-m", "jupyterlab.labextensions", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(line for line in (listed.stdout + listed.stderr).splitlines() if "memory-magic" in line)
    plain = re.sub(r"\x1b\[\d+m", "", line)
    assert f"memory-magic v{__version__} enabled OK" in plain
