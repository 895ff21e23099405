"""Which other fact says nearly the same, and what to say of it: a hint only, nothing is ever merged. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice, repeat
from operator import and_, is_

from memory_magic import addressing, ranking
from memory_magic.fact import Fact, fold, is_derived, masked, status
from memory_magic.results import Saved
from memory_magic.showing import shown_id, shown_line, typed_id

# How much of the letters must lie in words that both have; less where one has all words of the other, and still less
# where key or title say that the same thing is meant.
ALIKE, ALIKE_WITH_A_WORD_MORE, ALIKE_UNDER_RELATED_NAMES = 0.88, 0.82, 0.75
# From here on, in per cent, two words are one with an ending or a typo.
_SAME_WORD = 75

# Compared are the first characters of a text, and closely only the facts that share the most beginnings of words with
# it, of those that are about as long: at most so many times, and so many characters, longer.
_COMPARED_CHARS, _LONGER, _LONGER_CHARS = 600, 1.7, 20
_LIKELY, _SHARED_WORDS, _WORD_START, _BITS = 10, 0.5, 5, 251
_NUMBER = re.compile(r"(?<![a-z0-9])[a-z]*[0-9][a-z0-9]*(?:[.:,/-][a-z]*[0-9][a-z0-9]*)*")
_OLDEST = datetime.min.replace(tzinfo=UTC)


def hints(saved: Saved, facts: Sequence[Fact], now: datetime) -> tuple[str, ...]:
    """Name the fact that a saved one nearly repeats and the commands that make one of them; empty where none does."""
    new, old = saved.fact, saved.previous
    if not saved.changed or (old and (old.title, old.key, old.body) == (new.title, new.key, new.body)):
        return ()
    like = nearest(new, facts, now)
    if like is None or sum(fact.id in (new.id, like.id) for fact in facts) > 2:
        return ()  # an id that two facts have addresses neither
    typed = _typed(new)
    commands = [f"%forget {shown_id(new.id)}", f"%remember --id {typed_id(like.id)} {typed or 'TEXT'}"]
    if not typed:  # else the text is at hand, and the title of the fact that goes first is free for the other
        commands.reverse()
    both = ", then ".join(commands)
    return (f"it is much like {addressing.listed([like], [0])}; to make one of them: {both}",)


def nearest(new: Fact, facts: Sequence[Fact], now: datetime) -> Fact | None:
    """Give the fact, of those that have not expired, that says most nearly what ``new`` says; the newest on a tie.

    None where nothing comes near, and on Emscripten, which has no rapidfuzz.
    """
    if find_spec("rapidfuzz") is None:
        return None
    wanted = _signature(new.title, new.body)
    enough = max(1, _signature("", new.text).bit_count() * _SHARED_WORDS)
    counts = list(map(int.bit_count, map(and_, _signatures(facts), repeat(wanted))))
    least, most = len(new.text) / _LONGER, (len(new.title) + len(new.text)) * _LONGER + _LONGER_CHARS

    def may_be_like(fact: Fact) -> bool:
        is_as_long = len(fact.title) + len(fact.body) >= least and len(fact.body or fact.title) <= most
        return is_as_long and fact.id != new.id and (fact.expires is None or status(fact, now) != "expired")

    sharing = [place for place, count in enumerate(counts) if count >= enough]
    sharing.sort(key=counts.__getitem__, reverse=True)
    likely = islice(filter(may_be_like, map(facts.__getitem__, sharing)), _LIKELY)
    found = [(likeness(new, fact), fact) for fact in likely]
    near = [pair for pair in found if pair[0]]
    return max(near, key=lambda pair: (pair[0], pair[1].updated or _OLDEST))[1] if near else None


def likeness(one: Fact, other: Fact) -> float:
    """Give how nearly two facts say the same, up to 1; 0 where they are not alike.

    Compared are title and text together, and the texts alone. The parts of a series, which differ in a number, are
    not alike, unless key or title are related: then it is the value that differs.
    """
    names, texts = (_own_title(one), _own_title(other)), (one.text, other.text)
    if _related(*names) or _related(one.key or "", other.key or ""):
        close = _closeness(*map(_content, texts))
        return close if close >= ALIKE_UNDER_RELATED_NAMES else 0
    pairs = [(f"{names[0]} {texts[0]}", f"{names[1]} {texts[1]}")]
    # "Yes" may be said of many things, and what one title says of week 1 another may say of week 2.
    if min(map(_said, texts)) > 1 and (not all(names) or _marks(names[0]) == _marks(names[1])):
        pairs.append(texts)
    contents = [tuple(map(_content, pair)) for pair in pairs if _marks(pair[0]) == _marks(pair[1])]
    return max((close for pair in contents if (close := _closeness(*pair)) >= _enough(*pair)), default=0)


def _enough(one: Sequence[str], other: Sequence[str]) -> float:
    within = set(one) <= set(other) or set(other) <= set(one)
    return ALIKE_WITH_A_WORD_MORE if within else ALIKE


def _typed(fact: Fact) -> str:
    """Give a fact's text as it can be typed behind a command; empty where it is long or cannot be shown as it is."""
    text = fact.text
    if len(text) > 80 or text != shown_line(masked(fact).text) or text.endswith("\\"):
        return ""
    return f"-- {text}" if text.startswith("-") else text


# The facts that were compared last, and their signatures: from one save to the next nearly all are the same objects.
_compared: tuple[Sequence[Fact], list[int]] = ((), [])


def _signatures(facts: Sequence[Fact]) -> list[int]:
    global _compared  # noqa: PLW0603 -- replaced as one, so that threads may share it
    before, known = _compared
    first = _shared(before, facts)
    last = _shared(before[first:][::-1], facts[first:][::-1])
    changed = [_signature(fact.title, fact.body) for fact in facts[first : len(facts) - last]]
    found = [*known[:first], *changed, *known[len(known) - last :]]
    _compared = facts, found
    return found


def _shared(one: Sequence[Fact], other: Sequence[Fact]) -> int:
    """Count the facts at the beginning that are the same objects."""
    same = list(map(is_, one, other))
    return same.index(False) if False in same else len(same)


@lru_cache(maxsize=65_536)
def _signature(title: str, body: str) -> int:
    """Give a number with a bit for the beginning of each word, by which shared words are counted very fast."""
    bits = 0
    for word in {*ranking.split(f"{title} {_start(body)}")} - ranking.FUNCTION_WORDS:
        bits |= 1 << hash(word[:_WORD_START]) % _BITS
    return bits


def _start(text: str) -> str:
    """Give the beginning of a text, folded; some characters are long when they are folded."""
    return fold(text[:_COMPARED_CHARS])[:_COMPARED_CHARS]


def _own_title(fact: Fact) -> str:
    """Give a title that says more than the beginning of the text; empty where it does not."""
    return fact.title if fact.body and not is_derived(fact.title, fact.body[:_COMPARED_CHARS]) else ""


def _related(one: str, other: str) -> bool:
    """Say whether one name holds all words of the other, and is not the next in a series."""
    first, second = set(_content(one)), set(_content(other))
    return bool(first and second) and (first <= second or second <= first) and _marks(one) == _marks(other)


@lru_cache(maxsize=1_024)
def _content(text: str) -> tuple[str, ...]:
    """Give the stems of a text, once each, without function words unless there is nothing else."""
    words = ranking.split(_start(text), pairs=False)
    return tuple(dict.fromkeys(map(ranking.stem, [w for w in words if w not in ranking.FUNCTION_WORDS] or words)))


def _said(text: str) -> int:
    """Count what a text says: words between spaces but for function words, or pairs in scripts without spaces."""
    parts = _start(text).split()
    words = [[part] if part.isascii() else ranking.split(part) for part in parts]
    return sum(len(part) for part in words if not ranking.FUNCTION_WORDS.issuperset(ranking.split(" ".join(part))))


def _marks(text: str) -> set[str]:
    """Give what tells the parts of a series apart: numbers, words with a digit, single letters, numerals."""
    folded = _start(text)
    letters = {word for word in _content(text) if len(word) == 1}
    return {*_NUMBER.findall(folded), *letters, *(c for c in folded if not c.isascii() and c.isnumeric())}


def _closeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Give the share of letters, 0 to 1, in words that both have; a word with a typo counts as far as it is alike."""
    from rapidfuzz import fuzz, process

    first, second = set(one), set(other)
    left, right = [word for word in one if word not in second], [word for word in other if word not in first]
    total = sum(map(len, one)) + sum(map(len, other))
    shared = float(total - sum(map(len, left)) - sum(map(len, right)))
    for word in sorted(left, key=len, reverse=True):
        if best := process.extractOne(word, right, scorer=fuzz.ratio, score_cutoff=_SAME_WORD):
            match, percent, index = best
            shared += (len(word) + len(match)) * percent / 100
            del right[index]
    return shared / total if total else 0
