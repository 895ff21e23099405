"""An error, or the stop button, at every system call of a save."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import suppress

import faults
import pytest
import saves
from faults import ERRORS, Call, injected
from saves import OF_NOTES, SITUATIONS, Situation

from memory_magic.errors import MemoryMagicError, UnwritableError
from memory_magic.results import Saved


@pytest.fixture(params=SITUATIONS + OF_NOTES[:2])
def situation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Situation]:
    """Give one save to be made, in each of the situations."""
    with saves.quick_folder() as folder:
        yield Situation(request.param, folder, monkeypatch)


def fail(situation: Situation, numbers: Iterable[int], error: str) -> None:
    """Let each of the calls fail once: a save that raised has left the old file, one that returned is there."""
    outcome: Saved | Exception

    def attempt(number: int) -> list[Call]:
        nonlocal outcome
        with injected(faults.failing(number, error)) as calls:
            try:
                outcome = situation.save()
            except Exception as raised:
                outcome = raised
        return calls

    def check() -> None:
        assert isinstance(outcome, (Saved, MemoryMagicError)), repr(outcome)
        assert situation.data == (situation.new if isinstance(outcome, Saved) else situation.old), repr(outcome)
        situation.is_clean()
        situation.holds()
        # If only the history refuses to keep it, the version goes, and the receipt says so.
        if not (isinstance(outcome, Saved) and any("could not be kept" in notice for notice in outcome.notices)):
            situation.keeps_the_old()

    saves.each(situation, numbers, attempt, check)


@pytest.mark.parametrize("error", ERRORS)
def test_every_call_may_fail(situation: Situation, error: str) -> None:
    """A save whose n-th call fails either raises, and the old file stands, or it is there; nothing is left behind."""
    assert len(situation.calls) > 50
    fail(situation, range(1, len(situation.calls) + 1), error)


NOT_CONFIRMED = "It is saved, but the system did not confirm that it would outlive a power failure"
NOT_KEPT = "It is saved, but the version before could not be kept (Input/output error)"


@pytest.mark.parametrize("name", ["fsync", "rename"])
def test_an_error_behind_the_publication_is_a_notice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the new file is in its place, the receipt says saved, and what the system would not do."""
    with saves.quick_folder() as folder:
        situation = Situation("update", folder, monkeypatch)
        situation.fresh()
        published = next(call.number for call in situation.calls if call.name == faults.EXCHANGE)
        number = next(call.number for call in situation.calls if call.name == name and call.number > published)
        with injected(faults.failing(number, "EIO")):
            saved = situation.save()
        assert saved.changed
        assert saved.notices == ({"fsync": NOT_CONFIRMED, "rename": NOT_KEPT}[name],)
        assert situation.data == situation.new
        situation.is_clean()


def test_a_failed_fsync_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """EIO from the file's fsync ends the save: the same descriptor may answer yes the next time, and be wrong."""
    with saves.quick_folder() as folder:
        situation = Situation("update", folder, monkeypatch)
        situation.fresh()
        first = next(call.number for call in situation.calls if call.name == "fsync")
        with injected(faults.failing(first, "EIO")) as calls, pytest.raises(UnwritableError, match="Nothing was saved"):
            situation.save()
        assert [call.name for call in calls].count("fsync") == 1
        assert situation.data == situation.old


@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT", "EROFS"])
def test_a_disk_that_stays_full(situation: Situation, error: str) -> None:
    """From the n-th call on nothing can be written or made: saved or not, the receipt is true and nothing is left."""
    outcome: Saved | MemoryMagicError

    def attempt(number: int) -> list[Call]:
        nonlocal outcome
        with injected(faults.without_room(number, error)) as calls:
            try:
                outcome = situation.save()
            except MemoryMagicError as raised:
                outcome = raised
        return calls

    def check() -> None:
        assert situation.data == (situation.new if isinstance(outcome, Saved) else situation.old), repr(outcome)
        situation.is_clean()
        situation.holds()

    writing = [call.number for call in situation.calls if call.name in ("write", "mkdir")]
    assert writing
    saves.each(situation, writing, attempt, check)


def test_several_errors_in_one_save(situation: Situation, request: pytest.FixtureRequest) -> None:
    """Whichever three calls fail in one save, as cleaning up after the first may: the receipt is true."""
    random_ = random.Random(situation.name)
    for _ in range(50 * request.config.getoption("--fault-runs")):
        situation.fresh()
        numbers = random_.sample(range(1, len(situation.calls) + 1), 3)
        handlers = [faults.failing(number, random_.choice(ERRORS)) for number in numbers]
        with injected(faults.together(*handlers)):
            try:
                situation.save()
            except MemoryMagicError:
                expected = situation.old
            else:
                expected = situation.new
        assert situation.data == expected, numbers
        situation.holds()


@pytest.mark.parametrize("when", ["before", "inside", "after"])
def test_every_call_may_be_interrupted(situation: Situation, when: str) -> None:
    """The stop button at the n-th call leaves the old or the new file, the lock free and nothing beside the file."""
    returned: bool

    def attempt(number: int) -> list[Call]:
        nonlocal returned
        returned = False
        with injected(faults.ending(number, when, faults.interrupt)) as calls, suppress(KeyboardInterrupt):
            situation.save()
            returned = True
        return calls

    def check() -> None:
        assert situation.data == situation.new or not returned
        situation.is_clean()
        situation.keeps_the_old()
        situation.holds()

    saves.each(situation, range(1, len(situation.calls) + 1), attempt, check)


def test_short_writes_are_continued(situation: Situation) -> None:
    """A system that takes seven bytes at a time gets them all."""
    situation.fresh()
    with injected(faults.short_writes):
        situation.save()
    assert situation.data == situation.new
    situation.is_clean()
