"""What can be written where the cursor is: a line of one of our magics in, suggestions out. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

from memory_magic import fact as rules
from memory_magic.fact import Fact
from memory_magic.notebook import options
from memory_magic.notebook.options import Option
from memory_magic.notebook.questions import MAGIC, TARGET, begins_a_statement
from memory_magic.showing import shown_id, shown_line

OFFERED = 200  # facts at once: as many as are advised to be kept; more come as more is typed

_BESIDE_CHARS = 60
_OPTIONS = {"remember": options.REMEMBER, "recall": options.RECALL, "forget": options.FORGET}
_NAMES = "|".join((*_OPTIONS, "memory"))
_LINE = re.compile(rf"[ \t]*+(?:(?P<cell>%%(?=remember))|{TARGET}%|(?P<bare>))(?P<name>{_NAMES})(?=[ \t])")
_CELL = re.compile(r"\s*%%remember\b")
_CHOICES = re.compile(r"[a-z]+(?:\|[a-z]+)+")
_EXPIRES = ("7d", "12h", "2w", "never")


class Offer(NamedTuple):
    """What can be inserted, and what is shown beside it."""

    text: str
    beside: str


class Answer(NamedTuple):
    """The text before the cursor that an offer would replace, and the offers, best first."""

    replaced: str
    offers: list[Offer]


class Call(NamedTuple):
    """A line that calls a magic: its name, and what stands behind the name before and after the cursor."""

    name: str
    before: str
    after: str


class _Place(NamedTuple):
    """Where the cursor is behind a magic's name: what was given, and the word or text that is being written."""

    given: dict[str, str]
    text: str
    kind: str | Option  # "option" for its name, "text", or the option whose value it is


NOTHING = Answer("", [])


def find_call(code: str, row: int, column: int, *, bare: bool = False) -> Call | None:
    """Give the call of a magic in which the cursor is; None where it is elsewhere, as in a string or a cell's text.

    ``bare`` allows a name without ``%``, where it is all there is.
    """
    lines = code.split("\n")
    match = _LINE.match(lines[row], 0, column)
    if match is None:
        return None
    above = lines[:row]
    if match["bare"] is not None and (len(lines) > 1 or not bare):
        return None
    if match["cell"] and any(map(str.strip, above)):
        return None
    if not match["cell"] and (_CELL.match(code) or not _is_code(above)):
        return None
    return Call(match["name"], lines[row][match.end() : column], lines[row][column:])


def _is_code(above: Sequence[str]) -> bool:
    """Say whether a line below these is a statement; a magic of another kind, such as ``!ls 'a``, opens no string."""
    seen = [f"{match[1]}pass\n" if (match := MAGIC.match(line)) else f"{line}\n" for line in above]
    try:
        return begins_a_statement(seen)
    except SyntaxError:  # the indentation above is wrong
        return True


def complete(call: Call, read: Callable[[], Sequence[Fact]], now: datetime) -> Answer:
    """Say what can be written at the cursor; ``read`` gives all facts, newest first, and is called if they matter."""
    if call.after[:1].strip():  # in the middle of a word
        return NOTHING
    if call.name == "memory":
        return _complete_action(call, _Facts(read, now))
    place = _place(call.before, _OPTIONS[call.name])
    if place is None:
        return NOTHING
    if place.kind == "option":
        left = (option for option in _OPTIONS[call.name] if option.argument not in place.given)
        return _answer(place.text, _continuing(place.text, ((name, each.help) for each in left for name in each.names)))
    expired = None if call.name == "forget" else "expired" in place.given
    chosen = _Facts(read, now, place.given.get("category"), expired)
    if isinstance(place.kind, Option):
        values = _values(call.name, place.kind.argument, chosen, place.text.lstrip("\"'"))
        written = ((_quoted(value, place.text), beside) for value, beside in values)
        return _answer(place.text, _continuing(place.text, written))
    if call.name == "forget" and place.given.keys().isdisjoint(("key", "expired")):
        return _targets(place.text, call.after, chosen)
    # A query of several words is looked for as words.
    if call.name == "recall" and "id" not in place.given and not re.search(r"\s", (place.text + call.after).rstrip()):
        return _answer(place.text, chain(chosen.ids(place.text), chosen.keys(place.text)))
    return NOTHING


def _place(before: str, declared: Iterable[Option]) -> _Place | None:
    """Find out where the cursor is, behind this much of the line; None where nothing can be right any more.

    Goes as ``options.split`` does.
    """
    known = {name: option for option in declared for name in option.names}
    given: dict[str, str] = {}
    rest = before.lstrip()
    while match := re.match(r"-\S*", rest):
        word = match[0]
        name, equals, _ = word.partition("=")
        if len(word) == len(rest) and not equals:
            return _Place(given, word, "option")
        if word in ("-", "--"):
            return _Place(given, rest if word == "-" else rest[2:].lstrip(), "text")
        option = known.get(name)
        if option is None or (option.flag and equals):
            return None
        rest = rest[len(name) + len(equals) :]
        value = "" if option.flag else rest if equals else rest.lstrip()
        if not option.flag:
            whole = options.VALUE.match(value) if not equals or value[:1].strip() else None
            if whole is None and equals and value:
                return None
            is_open = value[:1] in ("'", '"') and value.count(value[0]) == 1
            if whole is None or is_open or whole.end() == len(value):
                return _Place(given, value, option)
            rest, value = value[whole.end() :], next(group for group in whole.groups() if group is not None)
        given[option.argument] = value
        rest = rest.lstrip()
    return _Place(given, rest, "text")


class _Facts:
    """The facts that may be named: in one category, if one is given, and expired, not expired, or (None) both."""

    def __init__(
        self,
        read: Callable[[], Sequence[Fact]],
        now: datetime,
        category: str | None = None,
        expired: bool | None = False,
    ) -> None:
        self._read, self._now, self._expired = read, now, expired
        self._category = None if category is None else category.strip()

    @cached_property
    def all(self) -> Sequence[Fact]:
        """All facts, asked for when they are first needed."""
        return self._read()

    @cached_property
    def in_category(self) -> list[Fact]:
        """Those in the category, expired or not."""
        return [fact for fact in self.all if self._category in (None, fact.category)]

    def __iter__(self) -> Iterator[Fact]:
        for fact in self.in_category:
            if self._expired is None or (rules.status(fact, self._now) == "expired") is self._expired:
                yield fact

    def ids(self, start: str, without: Iterable[str] = ()) -> Iterator[Offer]:
        """Offer ids that begin so, but for those that two facts have: they name neither."""
        counts = Counter(fact.id for fact in self.all if fact.id.startswith(start))
        skipped = set(without)
        for fact in self if counts else ():
            if counts[fact.id] == 1 and fact.id not in skipped and _is_one_word(fact.id):
                yield Offer(fact.id, label(fact))

    def keys(self, start: str) -> Iterator[Offer]:
        """Offer the keys that begin so, but for those that two facts of one category have."""
        keyed = [(fact.category, fact.key) for fact in self.in_category if fact.key and fact.key.startswith(start)]
        shared = {key for (_, key), count in Counter(keyed).items() if count > 1}
        for fact in self if keyed else ():
            if fact.key and fact.key.startswith(start) and fact.key not in shared and _is_plain(fact.key):
                yield Offer(fact.key, label(fact))

    def names(self, start: str) -> Iterator[Offer]:
        """Offer what begins so and names facts for sure: keys, categories' keys, and titles whatever their case."""
        folded = rules.fold(rules.one_line(start))
        is_one = self._is_one_name(folded)
        yield from (offer for offer in self._names(start, folded) if is_one(offer.text))

    def _names(self, start: str, folded: str) -> Iterator[Offer]:
        yield from self.keys(start)
        for fact in self if folded else ():
            if fact.key and (address := _address(fact)).startswith(start) and _is_plain(address):
                yield Offer(address, label(fact))
            begins = rules.fold(fact.title).startswith(folded) and not rules.ID.match(fact.title)
            # A key can introduce a secret that by itself looks harmless.
            if begins and _is_plain(fact.title) and rules.masked_title(fact) == fact.title:
                yield Offer(fact.title, shown_id(fact.id))

    def _is_one_name(self, folded: str) -> Callable[[str], bool]:
        """Give what says whether a name that begins so can be addressed, by the rules of ``addressing.targets``."""
        titled: dict[str, list[int]] = defaultdict(list)
        keyed: dict[str, list[int]] = defaultdict(list)
        for index, fact in enumerate(self.in_category):
            if (title := rules.fold(fact.title)).startswith(folded):
                titled[title].append(index)
            for name in (fact.key, _address(fact)) if fact.key else ():
                if rules.fold(name).startswith(folded):
                    keyed[name].append(index)

        ids = {fact.id for fact in self.all}  # those of notes may be any words

        def check(name: str) -> bool:
            if name in ids or ids.issuperset(name.replace(",", " ").split()):
                return False
            titles, keys = titled.get(rules.fold(rules.one_line(name)), []), keyed.get(name, [])
            if titles and titles != keys:
                return len(titles) == 1 and not keys
            return len({self.in_category[index].category for index in keys}) == len(keys)

        return check


def _is_one_word(name: str) -> bool:
    """Say whether an id can be inserted as it is: that of a note may be any text."""
    return rules.ID.fullmatch(name) is not None or (len(name.split()) == 1 and _is_plain(name))


def _address(fact: Fact) -> str:
    """Give category and key as receipts show them."""
    return f"{fact.category or rules.DEFAULT_CATEGORY}/{fact.key}"


def _targets(text: str, after: str, chosen: _Facts) -> Answer:
    """Offer what ``%forget`` takes: several ids, or one key or title, which is all of the line."""
    word = re.split(r"[\s,]", text)[-1]
    others = [*text[: len(text) - len(word)].replace(",", " ").split(), *after.replace(",", " ").split()]
    known = Counter(fact.id for fact in chosen.in_category)
    if others and all(known[other] == 1 for other in others):
        return _answer(word, chosen.ids(word, others))
    if after.strip():
        return NOTHING
    return _answer(text, chosen.names(text) if others else chain(chosen.ids(text), chosen.names(text)))


def _complete_action(call: Call, chosen: _Facts) -> Answer:
    """Offer the actions of ``%memory`` and, behind one, what it says that it takes."""
    name, space, rest = call.before.lstrip().partition(" ")
    if not space:
        actions = ((each, action.help) for each, action in options.ACTIONS.items())
        return _answer(name, _continuing(name, actions))
    action = options.ACTIONS.get(name)
    words = re.split(r"\s", rest)
    word, others = words[-1], [*words[:-1], *call.after.split()]
    if action is not None and word.startswith("-"):
        declared = re.findall(r"--[a-z-]+", action.takes)
        return _answer(word, _continuing(word, ((each, action.help) for each in declared if each not in others)))
    if action is None or (any(others) and "…" not in action.takes):
        return NOTHING
    if re.search(r"\bID\b", action.takes):
        return _answer(word, chosen.ids(word, others))
    choices = "|".join(_CHOICES.findall(action.takes)).split("|")
    return _answer(word, _continuing(word, ((choice, action.help) for choice in choices)))


def _values(magic: str, argument: str, chosen: _Facts, start: str) -> Iterable[tuple[str, str]]:
    """Give the values that an option can have, each with what is shown beside it; of many, those that begin so."""
    if argument == "id":
        return chosen.ids(start)
    if argument == "key":
        return chosen.keys(start)
    if argument == "category":
        in_use = () if magic == "remember" else sorted(filter(_is_plain, {fact.category for fact in chosen}))
        return ((name, argument) for name in (*rules.CATEGORIES, *in_use))
    if argument == "scope":
        in_use = sorted(filter(_is_plain, {fact.scope for fact in chosen}))
        return ((name, argument) for name in (rules.DEFAULT_SCOPE, *in_use))
    known = {"source": rules.SOURCES, "expires": _EXPIRES}
    return ((name, argument) for name in known.get(argument, ()))


def _quoted(value: str, typed: str) -> str:
    """Give a value as it must be written behind what is typed; empty where it cannot be."""
    quote = typed[:1] if typed[:1] in ("'", '"') else '"' if " " in value or value[:1] in ("'", '"') else ""
    return "" if quote and quote in value else f"{quote}{value}{quote}"


def _continuing(typed: str, offers: Iterable[tuple[str, str]]) -> Iterator[Offer]:
    """Give what begins with what is typed."""
    return (Offer(text, beside) for text, beside in offers if text and text.startswith(typed))


def _answer(replaced: str, offers: Iterable[Offer]) -> Answer:
    """Give the first offers, each once; no more are made than are given."""
    found: dict[str, Offer] = {}
    for offer in offers:
        found.setdefault(offer.text, offer)
        if len(found) == OFFERED:
            break
    return Answer(replaced, list(found.values()))


@lru_cache(maxsize=4_096)
def _is_plain(text: str) -> bool:
    """Say whether a stored text may be shown as it is: else it cannot be offered, since what is shown is inserted."""
    return shown_line(text) == text and not text.endswith("\\")


@lru_cache(maxsize=1_024)
def label(fact: Fact) -> str:
    """Give the fact's title as it may be shown, short; kept, since looking for credentials takes its time."""
    return shown_line(rules.masked_title(fact), _BESIDE_CHARS)
