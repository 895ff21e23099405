"""Earlier versions of a file, each with a record of the change that replaced it, in the user's state directory."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_magic.storage import raw

MAX_BYTES = 50 << 20
# Looking through the folder at every save would cost more than the save.
_PRUNE_EVERY = 8 << 20

Record = dict[str, Any]


class History:
    """The versions of one file: ``<number>.md`` is what a change replaced, ``<number>.json`` its record.

    A record is ``{"version", "time", "writer", "what", "changes", …}``; versions are numbered from 1 on.
    """

    def __init__(self, target: Path) -> None:
        from platformdirs import user_state_path

        digest = hashlib.sha256(os.fsencode(target)).hexdigest()[:16]
        self.folder = user_state_path("memory-magic", appauthor=False) / "history" / digest

    def prepare(self) -> None:
        """Make the folder, for its owner only; raises OSError."""
        if not self.folder.is_dir():
            for folder in (self.folder.parent.parent, self.folder.parent, self.folder):
                folder.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileExistsError):
                    folder.mkdir(mode=0o700)

    def keep(self, number: int, replaced: Path, record: Record) -> Path:
        """Move the replaced file here and write its record; gives where the file is now. Raises OSError.

        Across file systems its bytes are copied, and the file itself is left for the caller.
        """
        place = self.folder / f"{number:08d}.md"
        try:
            os.rename(replaced, place)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            raw.replace(place, raw.content(replaced))
            place = replaced
        self.note(number, record)
        return place

    def note(self, number: int, record: Record, replaced: bytes | None = None) -> None:
        """Write the record of a change, and the bytes that it replaced, where they are no file; raises OSError."""
        if replaced is not None:
            raw.replace(self.folder / f"{number:08d}.md", replaced)
        text = json.dumps({"version": number, **record}, ensure_ascii=False)
        raw.replace(self.folder / f"{number:08d}.json", text.encode())

    def last_number(self) -> int:
        """Give the highest number in use."""
        return max((number for number, _ in self._files()), default=0)

    def free_number(self, last: int) -> int:
        """Give the next number that is free; a crash may have left a version behind the last known one."""
        number = last + 1
        while any(os.path.lexists(self.folder / f"{number:08d}{ending}") for ending in (".md", ".json")):
            number += 1
        return number

    def records(self) -> Iterator[Record]:
        """Give the records, the latest first; one that cannot be read (a crash cut it short) is left out."""
        for number, file in sorted(self._files(".json"), reverse=True):
            with suppress(OSError, ValueError):
                record = json.loads(raw.content(file))
                if isinstance(record, dict) and record.get("version") == number:
                    yield record

    def versions(self) -> Iterator[tuple[int, Path]]:
        """Give the kept files with their numbers, the latest first."""
        yield from sorted(self._files(".md"), reverse=True)

    def rewrite(
        self, change_text: Callable[[str], str | None], change_record: Callable[[Record], Record | None]
    ) -> None:
        """Put every kept version and record through a change, as a purge needs it; raises OSError.

        What gives None goes, and so does what cannot be read or what a crash left half written: nobody can say
        whether the text that is to disappear is in it.
        """
        for _, file in self.versions():
            try:
                text = change_text(raw.content(file).decode("utf-8"))
            except UnicodeDecodeError:
                text = None
            if text is None:
                file.unlink(missing_ok=True)
            else:
                raw.replace(file, text.encode("utf-8"))
        records = {record.pop("version"): change_record(record) for record in list(self.records())}
        for number, file in list(self._files(".json")):
            record = records.get(number)
            if record is None:
                file.unlink(missing_ok=True)
            else:
                self.note(number, record)
        for name in os.listdir(self.folder):
            if name.endswith(".tmp"):
                (self.folder / name).unlink(missing_ok=True)

    def due(self, kept_bytes: int) -> bool:
        """Say whether it is time to look for versions that have had their time."""
        return kept_bytes >= _PRUNE_EVERY

    def prune(self, now: datetime) -> None:
        """Keep every version of the last day, one an hour for a week, one a day before that, 50 MB at most."""
        seen: set[tuple[str, int]] = set()
        times: dict[int, float] = {}
        room = MAX_BYTES - _PRUNE_EVERY
        for number, file in sorted(self._files(), key=lambda entry: (-entry[0], entry[1].suffix)):
            with suppress(OSError):
                status = file.stat()
                # The record is written when the version is kept; the version's own time is that of its last edit.
                # It is asked for once, for the record may be gone before the version is looked at.
                kept_at = datetime.fromtimestamp(times.setdefault(number, self._kept_at(number, status)), UTC)
                if not _is_first_of_its_kind(kept_at, now, number, seen) or status.st_size > room:
                    file.unlink()
                else:
                    room -= status.st_size

    def _kept_at(self, number: int, status: os.stat_result) -> float:
        try:
            return (self.folder / f"{number:08d}.json").stat().st_mtime
        except OSError:
            return status.st_ctime

    def _files(self, suffix: str | None = None) -> Iterator[tuple[int, Path]]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return
        for name in names:
            stem, ending = os.path.splitext(name)
            if stem.isdigit() and ending in (".md", ".json") and suffix in (None, ending):
                yield int(stem), self.folder / name


def _is_first_of_its_kind(kept_at: datetime, now: datetime, number: int, seen: set[tuple[str, int]]) -> bool:
    """Say whether a version, the latest ones first, is the first of its hour or day, where only one is kept."""
    age = now - kept_at
    if age <= timedelta(days=1):
        return True
    unit = ("hour", int(kept_at.timestamp() // 3_600)) if age <= timedelta(days=7) else ("day", kept_at.toordinal())
    if unit in seen:
        return ("number", number) in seen
    seen |= {unit, ("number", number)}
    return True
