"""``%memory autoload``: known in every later session, without a line in each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def startup(ip: Any, tmp_path: Path) -> Path:
    """Give the startup folder of a profile of the shell's own."""
    from IPython.core.profiledir import ProfileDir

    ip.shell.profile_dir = ProfileDir.create_profile_dir(str(tmp_path / "ipython" / "profile_default"))
    return Path(ip.shell.profile_dir.startup_dir)


def ipython(tmp_path: Path, code: str) -> str:
    """Run a line in an IPython of its own, with that profile, and give what it shows."""
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "IPython", "--no-banner", "--no-term-title", "-c", code]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def files(folder: Path) -> dict[str, bytes]:
    """Give what is in a folder."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_on_loads_the_magics_in_every_later_session(ip: Any, startup: Path, tmp_path: Path) -> None:
    """A new process knows them without ``%load_ext``, and nothing else is in its namespace."""
    assert "known" not in ipython(tmp_path, "%recall")
    ip.run("%remember a thing that is known")
    ip.run("%memory autoload on")
    assert "a thing that is known" in ipython(tmp_path, "print(get_ipython().run_line_magic('recall', ''))")
    assert "[]" in ipython(tmp_path, "print([name for name in dir() if 'memory' in name.lower()])")


def test_it_says_what_it_writes_and_writes_that(ip: Any, startup: Path) -> None:
    """Before, when asked, and when it does it; the other files of the folder stay as they are."""
    before = files(startup)
    asked = str(ip.run("%memory autoload"))
    assert files(startup) == before
    done = str(ip.run("%memory autoload on"))
    made = {name: data for name, data in files(startup).items() if name not in before}
    assert len(made) == 1
    ((name, data),) = made.items()
    for told in (asked, done):
        assert str(startup / name) in told
        assert data.decode() in told


def test_off_takes_away_exactly_that(ip: Any, startup: Path, tmp_path: Path) -> None:
    """The folder is as it was; a second time is an error, since there is nothing to take away."""
    (startup / "10-mine.py").write_text("x = 1\n")
    before = files(startup)
    ip.run("%memory autoload on")
    ip.run("%memory autoload on")
    ip.run("%memory autoload off")
    assert files(startup) == before
    assert "known" not in ipython(tmp_path, "%recall")
    assert "off already" in ip.fails("%memory autoload off")


@pytest.mark.parametrize("word", ["on", "off"])
def test_a_file_that_somebody_has_changed_is_left_alone(ip: Any, startup: Path, word: str) -> None:
    """It is the user's by then."""
    ip.run("%memory autoload on")
    (file,) = startup.glob("*memory*")
    file.write_text(file.read_text() + "y = 2\n")
    before = files(startup)
    assert str(file) in ip.fails(f"%memory autoload {word}")
    assert files(startup) == before


def test_where_the_package_is_missing_nothing_happens(ip: Any, startup: Path, tmp_path: Path) -> None:
    """Other environments share the profile."""
    ip.run("%memory autoload on")
    (file,) = startup.glob("*memory*")
    file.write_text(file.read_text().replace('"memory_magic"', '"a_package_that_is_not_there"'))
    assert ipython(tmp_path, "print(6 * 7)").strip() == "42"


def test_a_folder_that_cannot_be_written_is_told(ip: Any, startup: Path) -> None:
    """In one line, with the path."""
    for file in startup.iterdir():
        file.unlink()
    startup.rmdir()
    startup.write_text("not a folder")
    assert "startup file cannot be changed" in ip.fails("%memory autoload on")
