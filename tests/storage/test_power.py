"""Power loss at any point of a save, by a model that drops what was not synced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import saves
from faults import Call, injected
from power import Disk
from saves import OF_NOTES, SITUATIONS, Situation

from memory_magic import Store


@pytest.mark.parametrize("name", SITUATIONS + OF_NOTES)
def test_power_loss_at_any_point(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever the power goes, the file is whole, old or new; once the save has returned, it is new."""
    with saves.quick_folder() as folder:
        situation = Situation(name, folder, monkeypatch)
        situation.fresh()
        disk, points = Disk(situation.folder), 0

        def follow(call: Call, real: Callable[..., Any]) -> Any:
            nonlocal points
            result = disk.follow(call, real)
            found = set(disk.after_power_loss(situation.path))
            assert found <= {situation.old, situation.new}, (str(call), found)
            points += 1
            return result

        with injected(follow):
            situation.save()
        assert set(disk.after_power_loss(situation.path)) == {situation.new}
        assert points > 50


def test_the_folders_that_a_first_save_makes_outlive_the_power(tmp_path: Path) -> None:
    """Every folder made for the file is synced into the one above it, before the save is acknowledged."""
    disk = Disk(tmp_path)
    path = tmp_path / "home" / ".config" / "memory-magic" / "MEMORY.md"
    with injected(disk.follow):
        Store(path).remember("Likes tea", "green")
    assert set(disk.after_power_loss(path)) == {path.read_bytes()}


def test_the_model_loses_what_nobody_synced(tmp_path: Path) -> None:
    """The model itself: a plain write, and a rename without syncs, may be anything after a power loss."""
    path, new = tmp_path / "file", tmp_path / "new"
    path.write_bytes(b"old")
    disk = Disk(tmp_path)
    with injected(disk.follow):
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, b"next")
        os.close(descriptor)
        os.replace(new, path)
    assert set(disk.after_power_loss(path)) == {b"old", b"", b"ne", b"next"}
    with injected(disk.follow):
        for place in (path, tmp_path):
            descriptor = os.open(place, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
    assert set(disk.after_power_loss(path)) == {b"next"}
