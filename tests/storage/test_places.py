"""Where the file may be: behind links, under two names, with any mode, in a folder that cannot be written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from faults import leftovers
from forks import apart
from saves import other_file_system

from memory_magic import Store
from memory_magic.errors import MemoryMagicError, UnreadableError, UnwritableError

AS_ROOT = os.geteuid() == 0


def save(path: Path, value: str = "value") -> tuple[str, ...]:
    """Save one fact and give the receipt's notices."""
    return Store(path).save("technical", "key", value).notices


@pytest.mark.parametrize("kind", ["absolute", "relative", "chained", "folder"])
def test_a_link_stays_a_link(tmp_path: Path, kind: str) -> None:
    """Behind a link, whatever its kind, its target is replaced; lock and history are those of the target."""
    real, link = tmp_path / "dotfiles" / "memory.md", tmp_path / "home" / "MEMORY.md"
    real.parent.mkdir()
    if kind == "folder":
        link.parent.symlink_to("dotfiles")
        link = link.with_name("memory.md")
    else:
        link.parent.mkdir()
        (tmp_path / "middle").symlink_to("dotfiles/memory.md")
        link.symlink_to({"absolute": real, "relative": "../dotfiles/memory.md", "chained": "../middle"}[kind])
    save(real, "before")
    saves_through(link, real)
    assert kind == "folder" or link.is_symlink()
    assert sorted(os.listdir(real.parent)) == [".memory.md.lock", "memory.md"]


def test_a_link_to_another_file_system(tmp_path: Path) -> None:
    """A link may lead to another file system than that of the folder it is in, and of the history."""
    link = tmp_path / "MEMORY.md"
    with other_file_system(tmp_path) as folder:
        link.symlink_to(folder / "memory.md")
        save(folder / "memory.md", "before")
        saves_through(link, folder / "memory.md")
        assert leftovers(folder) == []
    assert link.is_symlink()


def saves_through(link: Path, real: Path) -> None:
    """Assert that what is saved through a link is in the real file, and in its history."""
    assert save(link, "after") == ()
    assert "after" in real.read_text("utf-8")
    assert [fact.body for fact in Store(real).facts()] == ["after"]
    assert len(Store(real).history()) == len(Store(link).history()) == 2


@pytest.mark.parametrize("kind", ["dangling", "loop"])
def test_a_link_to_nothing_is_a_clear_error(tmp_path: Path, kind: str) -> None:
    """A dangling link and a loop are told with the path, by reading and by writing, and stay as they are."""
    link = tmp_path / "MEMORY.md"
    link.symlink_to(link if kind == "loop" else tmp_path / "gone.md")
    for call in (Store(link).facts, lambda: save(link)):
        with pytest.raises(UnreadableError, match="link") as caught:
            call()
        assert str(link) in str(caught.value)
    assert os.listdir(tmp_path) == ["MEMORY.md"]


def test_a_hard_link_is_told_once(tmp_path: Path) -> None:
    """Another name of the file keeps the old version; the receipt says so, once."""
    path, other = tmp_path / "MEMORY.md", tmp_path / "other.md"
    save(path, "before")
    os.link(path, other)
    old = other.read_bytes()
    store = Store(path)
    told = "The file had another name (a hard link), which keeps the old version"
    assert store.save("technical", "key", "after").notices == (told,)
    assert store.save("technical", "key", "later").notices == ()
    assert other.read_bytes() == old


def test_two_names_for_one_file(tmp_path: Path) -> None:
    """Stores that reach one file by different paths lose nothing of each other's."""
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    one, two = Store(tmp_path / "real" / "MEMORY.md"), Store(tmp_path / "alias" / "MEMORY.md")
    for number in range(5):
        one.save("technical", f"one_{number}", "by the first")
        two.save("technical", f"two_{number}", "by the second")
    assert len(one) == len(two) == 10
    assert len(one.history()) == 10


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664])
@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_a_mode_is_kept(tmp_path: Path, mode: int, umask: int) -> None:
    """The mode that the user gave the file is kept, whatever the umask."""
    path = tmp_path / "MEMORY.md"
    before = os.umask(umask)
    try:
        save(path, "before")
        path.chmod(mode)
        save(path, "after")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("umask", [0, 0o077])
def test_what_is_made_is_the_owners(tmp_path: Path, umask: int) -> None:
    """Folder 0700 and file 0600 on first creation, whatever the umask."""
    path = tmp_path / "new" / "MEMORY.md"
    before = os.umask(umask)
    try:
        save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o400, 0o444, 0o440])
def test_a_read_only_file_is_a_decision(tmp_path: Path, mode: int) -> None:
    """A file that its user made read-only is not replaced, though the folder would allow it, not even by root."""
    path = tmp_path / "MEMORY.md"
    save(path, "before")
    before = path.read_bytes()
    path.chmod(mode)
    with pytest.raises(UnwritableError, match="Nothing was saved.*read-only"):
        save(path, "after")
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert sorted(os.listdir(tmp_path)) == [".MEMORY.md.lock", "MEMORY.md"]


def save_unprivileged(folder: str) -> dict[str, list[str]]:
    """In a process of its own: as nobody, save into folders that allow it less and less."""
    root = Path(folder)
    path = root / "closed" / "MEMORY.md"
    path.parent.mkdir()
    save(path, "first")
    save(path, "before")  # what saving imports may be out of reach below
    names = sorted(os.listdir(path.parent))
    if AS_ROOT:
        for place in (path.parent, *path.parent.iterdir()):
            os.chown(place, 65_534, 65_534)
        os.setgroups([])
        os.setgid(65_534)
        os.setuid(65_534)
    codes = []
    before = path.read_bytes()
    path.parent.chmod(0o500)
    for attempt in (path, path.parent / "sub" / "MEMORY.md"):
        try:
            save(attempt, "after")
        except MemoryMagicError as error:
            codes.append(error.code if str(attempt) in str(error) else str(error))
    assert [fact.body for fact in Store(path).facts()] == ["before"]
    path.parent.chmod(0o700)
    assert path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == names
    path.chmod(0o000)
    for call in (lambda: save(path, "after"), Store(path).facts):
        try:
            call()
        except MemoryMagicError as error:
            codes.append(error.code)
    path.chmod(0o600)
    assert path.read_bytes() == before
    state = root / "state"
    os.environ["XDG_STATE_HOME"] = str(state)  # which nobody may make
    return {"codes": codes, "notices": list(save(path, "after")), "bodies": [f.body for f in Store(path).facts()]}


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """As any user: a read-only folder refuses, an unreadable file is no empty store, an unwritable state is a notice."""
    for place in (tmp_path, *tmp_path.parents[:3]):
        if AS_ROOT and place.stat().st_uid == 0 and place != Path("/tmp"):
            place.chmod(0o755)
    done = apart(save_unprivileged, tmp_path)
    assert done["codes"] == ["memory_unwritable", "memory_unwritable", "memory_unreadable", "memory_unreadable"]
    assert done["bodies"] == ["after"]
    if AS_ROOT:
        assert done["notices"] == ["It is saved, but the version before could not be kept (Permission denied)"]


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    """A pipe, a folder and a device in the place of the file are neither read nor replaced, and nobody hangs."""
    path = tmp_path / "MEMORY.md"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/null")
    for call in (Store(path).facts, lambda: save(path)):
        with pytest.raises(MemoryMagicError) as caught:
            call()
        assert caught.value.code in ("memory_unreadable", "memory_unwritable")
    assert stat.S_ISFIFO(path.stat().st_mode) or path.is_dir() or path.is_symlink()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_planted_temporary_file_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link in the place of our temporary file is never written through."""
    from memory_magic.storage import local

    path, victim = tmp_path / "MEMORY.md", tmp_path / "victim"
    save(path, "before")
    before = path.read_bytes()
    victim.write_text("precious")
    monkeypatch.setattr(local.secrets, "token_hex", lambda count: "0" * 2 * count)
    planted = tmp_path / f".MEMORY.md.{os.getpid()}.00000000.tmp"
    planted.symlink_to(victim)
    with pytest.raises(UnwritableError):
        save(path, "after")
    assert victim.read_text() == "precious"
    assert path.read_bytes() == before
