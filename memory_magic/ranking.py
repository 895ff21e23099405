"""Which facts a query means, best first: words, stems, scores. Facts in, ordered facts out."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from heapq import nlargest
from itertools import pairwise, product
from math import log
from operator import add, itemgetter

from memory_magic.fact import TITLE_CHARS, Fact, fold, is_derived, one_line

IN_TITLE, IN_BODY = 3, 1
NEAR_TITLES, LIKELY_TITLES, NEAR_ENOUGH = 3, 20, 0.65

# A fact's rank is one integer, the score above its rarity. Integers, unlike floats, add up to the same in any order,
# so that facts which hold the same words are exactly equal and the newest of them wins.
_SCORE, _RARITY = 1 << 40, 1 << 20

# Content words that other lists hold are left out here: "may" is a month, "won" is what a team did.
FUNCTION_WORDS = frozenset(
    """
    a an the this that these those some any each every either neither both all few many more most much other another
    such no nor not only own same so than too very again further once here there now just also ever then
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves someone anyone everyone something anything everything
    who whom whose what which when where why how
    am is are was were be been being have has had having do does did doing done can could shall should will would
    might must ought cannot
    about above across after against along among around as at before behind below beneath beside besides between
    beyond by despite down during except for from in into of off on onto out over per since through throughout till
    to toward towards under until up upon via with within without
    and but or if because while although though whether unless
    s t d m ll re ve don doesn didn isn aren wasn weren hasn haven hadn ain couldn wouldn shouldn mustn mightn
    needn shan
    """.split()  # noqa: SIM905 -- two hundred quoted words would be harder to read
)

_UNSPACED = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_WORD = re.compile(r"[cg]\+\+|[cf]#|(?<![a-z0-9MU])\.net(?![a-zM])|[a-z0-9][a-z0-9M]*|U[UM]*")
_UNSPACED_CHARACTER = re.compile(r"UM*")
_LATIN = re.compile(r"[a-zß-ɏḀ-ỿ]+")


class _Shapes(dict[int, str]):
    """What `_WORD` reads in place of a character that is not ASCII.

    ``a`` letter or digit, ``U`` letter of a script without spaces, ``M`` mark, blank anything else. Capitals are free
    for this: folded text has none.
    """

    def __missing__(self, code: int) -> str:
        self[code] = shape = self._shape(chr(code))
        return shape

    @staticmethod
    def _shape(character: str) -> str:
        if character.isascii():
            return character
        if character.isalnum():
            spaced = character.isdecimal() or not unicodedata.name(character, "").startswith(_UNSPACED)
            return "a" if spaced else "U"
        return "M" if unicodedata.category(character) in ("Mn", "Mc") else " "


_SHAPES = _Shapes()


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found: all facts that match, best first.

    ``approximate`` means that they were found by a part of a word only; ``near`` names up to three titles when there
    are none at all.
    """

    facts: Sequence[Fact] = ()
    approximate: bool = False
    near: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    """Give the words of a text in order, folded and stemmed, repeated ones once, function words included."""
    return list(dict.fromkeys(map(stem, split(text))))


class Index:
    """An inverted index over facts given newest first; built once, searched often."""

    def __init__(self, facts: Sequence[Fact], note_chars: int) -> None:
        self._facts = tuple(facts)
        self._postings: defaultdict[int, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for position, fact in enumerate(self._facts):
            for weight, stems in _weighted(fact.title, fact.key or "", fact.body, note_chars):
                postings = self._postings[weight]
                for stem in stems:
                    postings[stem].append(position)

    def search(self, query: str, keep: Callable[[Fact], bool] | None = None) -> Ranking:
        """Rank the facts that the query means; where ``keep`` is given, only those for which it is true.

        How rare a word is, is counted among all facts of the index.
        """
        asked = _asked(query)
        if best := self._matching(dict.fromkeys(map(stem, asked)), keep):
            return Ranking(best)
        # An emoji is no word, but it can be looked for as it is.
        pieces = asked or list(dict.fromkeys(fold(query).split()))
        if best := self._containing(pieces, keep):
            return Ranking(best, approximate=True)
        # What goes beyond the length of a title is like none, and difflib would take long over it.
        return Ranking(near=self._near(" ".join(pieces)[:TITLE_CHARS], keep))

    def _matching(self, stems: Iterable[str], keep: Callable[[Fact], bool] | None) -> list[Fact]:
        total = len(self._facts)
        ranks, matching = [0] * total, set[int]()
        for stem in stems:
            found = [(weight, postings[stem]) for weight, postings in self._postings.items() if stem in postings]
            holders = sum(len(positions) for _, positions in found)
            for weight, positions in found:
                matching.update(positions)
                rank = weight * _SCORE + round(log(total / holders) * _RARITY)
                for position in positions:
                    ranks[position] += rank
        best = sorted(sorted(matching), key=ranks.__getitem__, reverse=True)
        return [fact for fact in map(self._facts.__getitem__, best) if keep is None or keep(fact)]

    def _containing(self, pieces: Sequence[str], keep: Callable[[Fact], bool] | None) -> list[Fact]:
        counts = (sum(piece in text for piece in pieces) for text in self._texts)
        found = [(count, fact) for count, fact in zip(counts, self._facts, strict=True) if count]
        found.sort(key=itemgetter(0), reverse=True)
        return [fact for _, fact in found if keep is None or keep(fact)]

    def _near(self, query: str, keep: Callable[[Fact], bool] | None) -> tuple[str, ...]:
        titles = dict.fromkeys(fact.title for fact in self._facts if keep is None or keep(fact))
        pairs = {first + second for word in query.split() for first, second in pairwise(word)}
        # difflib is slow: it sees only the titles that share the most pairs of letters with the query.
        shared = ((sum(pair in fold(title) for pair in pairs), title) for title in titles)
        likely = nlargest(LIKELY_TITLES, (found for found in shared if found[0]), key=itemgetter(0))
        close = ((_closeness(query, title[:TITLE_CHARS]), title) for _, title in likely)
        best = nlargest(NEAR_TITLES, (found for found in close if found[0] >= NEAR_ENOUGH), key=itemgetter(0))
        return tuple(title for _, title in best)

    @cached_property
    def _texts(self) -> list[str]:
        return ["\n".join((fold(fact.title), fold(fact.key or ""), fold(fact.body))) for fact in self._facts]


@lru_cache(maxsize=20_000)
def _weighted(title: str, key: str, body: str, note_chars: int) -> tuple[tuple[int, frozenset[str]], ...]:
    """Give the stems of a fact by what a match with one of them scores."""
    derived = is_derived(title, body)
    head = frozenset(words(_without_number(title, body) if derived else title)).union(words(key))
    text = frozenset(words(body))
    if derived and len(body) <= note_chars:
        head |= text
    return (IN_TITLE, head - text), (IN_BODY, text - head), (IN_TITLE + IN_BODY, head & text)


def _without_number(title: str, body: str) -> str:
    """Take off the ``(2)`` that tells a derived title from another, unless no other word of it counts in a query."""
    if one_line(body).startswith(title):
        return title
    start = title.rpartition(" (")[0]
    return title if FUNCTION_WORDS.issuperset(split(start)) else start


def _asked(query: str) -> list[str]:
    """Give the words that count, unstemmed: function words only where there is nothing else."""
    asked = list(dict.fromkeys(split(query)))
    return [word for word in asked if word not in FUNCTION_WORDS] or asked


def split(text: str, *, pairs: bool = True) -> list[str]:
    """Give the words of a text in order, folded; scripts without spaces in overlapping pairs, or in whole runs."""
    folded = fold(text)
    return _WORD.findall(folded) if folded.isascii() else list(_split_by_shape(folded, pairs))


def _split_by_shape(folded: str, pairs: bool) -> Iterator[str]:
    shapes = folded.translate(_SHAPES)
    for word in _WORD.finditer(shapes):
        text, shape = folded[slice(*word.span())], word[0]
        if pairs and shape[0] == "U":
            yield from _pairs(text, shape)
        else:
            yield text


def _pairs(text: str, shape: str) -> Iterable[str]:
    """Cut a run without spaces into overlapping pairs of characters, each with its marks."""
    characters: Sequence[str] = text
    if "M" in shape:
        characters = [text[slice(*character.span())] for character in _UNSPACED_CHARACTER.finditer(shape)]
    return map(add, characters, characters[1:]) if len(characters) > 1 else [text]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Give the stem of a folded word; one that is not in Latin letters stays as it is."""
    if not _LATIN.fullmatch(word):
        return word
    from snowballstemmer import stemmer

    # A stemmer holds the word while it works on it, so threads must not share one; a new one costs next to nothing.
    return str(stemmer("english").stemWord(word))


def _closeness(query: str, title: str) -> float:
    """Give the likeness, 0 to 1, of query and title or, where that is more, of the two words that are most alike."""
    pairs = [(query, fold(title)), *product(query.split(), split(title))]
    return max(SequenceMatcher(None, *pair).ratio() for pair in pairs)
