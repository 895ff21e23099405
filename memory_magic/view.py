"""One version of the file, read: its facts, their order, their index."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from operator import itemgetter

from memory_magic import prompt
from memory_magic.fact import Fact
from memory_magic.formats.document import Document
from memory_magic.ranking import Index
from memory_magic.storage.reading import Snapshot


@dataclass(frozen=True)
class View:
    """A snapshot and what was read of it; order and index are made when first asked for."""

    snapshot: Snapshot
    document: Document
    now: datetime
    note_chars: int
    _sections: dict[tuple[str, int, int], tuple[prompt.Section, datetime, datetime]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def newest_first(self) -> tuple[Fact, ...]:
        """By the format's moment; what was written by hand is as new as what is below; ties keep the file's order."""
        moment = self.document.moment
        keyed, below = [], datetime.min.replace(tzinfo=UTC)
        for fact in reversed(self.document.facts):
            below = min(moment(fact) or below, self.now)
            keyed.append((below, fact))
        keyed.reverse()
        return tuple(fact for _, fact in sorted(keyed, key=itemgetter(0), reverse=True))

    @cached_property
    def index(self) -> Index:
        """The words of the facts, newest first."""
        return Index(self.newest_first, self.note_chars)

    def section(self, style: str, disclosed_titles: int, prompt_chars: int, now: datetime) -> prompt.Section:
        """Give the section for a prompt; what was built holds until the next fact expires."""
        wanted = style, disclosed_titles, prompt_chars
        section, since, until = self._sections.get(wanted, (None, now, now))
        if section is None or not since <= now < until:
            section = prompt.build(self.newest_first, now, *wanted)
            ends = [end for fact in self.newest_first if (end := fact.expires_at)]
            since = max((end for end in ends if end <= now), default=datetime.min.replace(tzinfo=UTC))
            until = min((end for end in ends if end > now), default=datetime.max.replace(tzinfo=UTC))
            self._sections[wanted] = section, since, until
        return section

    @cached_property
    def _looks_ahead(self) -> bool:
        """Whether a time stamp lies in the future, so that the order changes as time goes by."""
        return any((self.document.moment(fact) or self.now) > self.now for fact in self.document.facts)

    def holds_for(self, note_chars: int) -> bool:
        """Say whether the order and the index, made already, are still right."""
        return self.note_chars == note_chars and "newest_first" in self.__dict__ and not self._looks_ahead

    def at(self, snapshot: Snapshot) -> View:
        """Give the same view of the same bytes, read again."""
        view = replace(self, snapshot=snapshot)
        view.__dict__.update({name: value for name, value in self.__dict__.items() if name not in view.__dict__})
        return view
