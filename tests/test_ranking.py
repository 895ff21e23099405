"""Finding: which words a text has, what they score, and what is found when no word matches."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from string import ascii_lowercase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_magic.fact import Fact, fold, titles_from
from memory_magic.ranking import Index, Ranking, words

NOTE_CHARS = 500


def search(query: str, *facts: Fact) -> Ranking:
    """Search facts that are given newest first."""
    return Index(facts, NOTE_CHARS).search(query)


def titled(*titles: str) -> list[Fact]:
    """Make facts of a title alone, each with its place in the id."""
    return [Fact(f"m-{number:06x}", title) for number, title in enumerate(titles)]


def noted(*texts: str) -> list[Fact]:
    """Make facts of one text each, whose titles are derived."""
    return [Fact(f"m-{number:06x}", next(titles_from(text)), text) for number, text in enumerate(texts)]


FIFTEEN = noted(
    "Prefer terse answers without preamble",
    "CI runs on GitHub Actions; a failed job is retried once",
    "The DB is Postgres 16, on port 5433",
    "Production runs on 192.168.1.168",
    "The project builds with pnpm, never with npm",
    "Indent with four spaces",
    "Ann reviews every pull request",
    "Deploy on Tuesdays only",
    "Staging is read-only on Sundays",
    "Figures are drawn with Altair",
    "The thesis is due in March",
    "Dates are written as 2026-11-30",
    "Use British spelling",
    "The team meets at ten",
    "Raw data lives under /srv/raw",
)


# What a word is


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Likes GREEN tea", ["like", "green", "tea"], id="case"),
        pytest.param("ﬁle Ｓｔｒａße", ["file", "strass"], id="compatibility-forms"),
        pytest.param("tea, or tea; Teas", ["tea", "or"], id="repeated-once"),
        pytest.param("prod_server_ip", ["prod", "server", "ip"], id="underscores"),
        pytest.param("192.168.1.10", ["192", "168", "1", "10"], id="address"),
        pytest.param("kitchen's don’t", ["kitchen", "s", "don", "t"], id="apostrophes"),
        pytest.param("C++17, g++ c++", ["c++", "17", "g++"], id="c-plus-plus"),
        pytest.param("C# F# issue#12 mc#", ["c#", "f#", "issu", "12", "mc"], id="sharp"),
        pytest.param(".NET .NET8 asp.net .network", [".net", "8", "asp", "net", "network"], id="dot-net"),
        pytest.param("é.net éc++", ["é", "net", "éc"], id="after-a-letter-that-is-not-ascii"),
        pytest.param("tests testing 2tests", ["test", "2tests"], id="stems-but-not-with-digits"),
        pytest.param("cafés кошки", ["café", "кошки"], id="stems-of-latin-letters-only"),
        pytest.param("हिन्दी में مُحَمَّد", ["हिन्दी", "में", "مُحَمَّد"], id="marks-stay-with-their-letter"),
        pytest.param("用户喜欢", ["用户", "户喜", "喜欢"], id="han-in-pairs"),
        pytest.param("用户uses深色", ["用户", "use", "深色"], id="cut-where-the-script-changes"),
        pytest.param("2026年 二〇二六", ["2026", "年", "二〇", "〇二", "二六"], id="one-character-is-itself"),
        pytest.param("食べるユーザー", ["食べ", "べる", "るユ", "ユー", "ーザ", "ザー"], id="kana-in-pairs"),
        pytest.param("ผู้ใช้ ๒๕๖๙", ["ผู้ใ", "ใช้", "๒๕๖๙"], id="thai-in-pairs-with-marks"),
        pytest.param("ສະບາຍ សួស្តី မြန်မာ", ["ສະ", "ະບ", "ບາ", "າຍ", "សួស្", "ស្តី", "မြန်", "န်မာ"], id="lao-khmer-myanmar"),
        pytest.param("🎉 ?! \ud800", [], id="none"),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """Words are folded, split at all but letters and digits, stemmed, and given once each."""
    assert words(text) == expected


def test_stemmer_is_read_when_needed() -> None:
    """Importing the module does not read the thirty languages of snowballstemmer."""
    code = "import sys, memory_magic.ranking; sys.exit('snowballstemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_threads_stem_alike() -> None:
    """Threads that stem at the same time get the stems that one alone would."""
    stems = [f"zork{first}{second}k" for first, second in product(ascii_lowercase, repeat=2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(words, (f"{stem}s" for stem in stems))) == [[stem] for stem in stems]
    finally:
        sys.setswitchinterval(interval)


# What is found first


@pytest.mark.parametrize(
    ("query", "text"),
    [
        pytest.param("CI", "CI runs", id="one-short-word"),
        pytest.param("ci failures", "CI runs", id="case-and-stem"),
        pytest.param("which DB do we use", "The DB is", id="question"),
        pytest.param("where does production run?", "Production runs", id="question-mark"),
    ],
)
def test_right_fact_first_of_fifteen(query: str, text: str) -> None:
    """Of fifteen facts the one that is meant comes first, and never come all."""
    found = search(query, *FIFTEEN).facts
    assert found[0].body.startswith(text)
    assert len(found) < 4


@pytest.mark.parametrize(
    ("query", "fact"),
    [
        pytest.param("Grade 4 Week 1", Fact("m-1", "Grade 4: Week 1 Update"), id="punctuation"),
        pytest.param("kitchen", Fact("m-1", "The kitchen's light switch"), id="possessive"),
        pytest.param("kitchen's", Fact("m-1", "Kitchen light"), id="possessive-in-query"),
        pytest.param("server ip", Fact("m-1", "Production", key="prod_server_ip"), id="key"),
        pytest.param("192.168.1.10", Fact("m-1", "Printer 192.168.1.10"), id="address"),
        pytest.param("深色", Fact("m-1", "用户喜欢深色模式"), id="chinese"),
        pytest.param("深色 模式", Fact("m-1", "用户喜欢深色模式"), id="chinese-two-words"),
        pytest.param("โหมดมืด", Fact("m-1", "ผู้ใช้ชอบโหมดมืด"), id="thai"),
        pytest.param("โหมด มืด", Fact("m-1", "ผู้ใช้ชอบโหมดมืด"), id="thai-two-words"),
        pytest.param("testing", Fact("m-1", "Run the tests"), id="stem-of-query"),
        pytest.param("test", Fact("m-1", "Testing takes an hour"), id="stem-of-fact"),
        pytest.param("to be or not to be", Fact("m-1", "Hamlet", "To be, or not to be"), id="function-words-only"),
        pytest.param("c++", Fact("m-1", "Write C++17"), id="c-plus-plus"),
    ],
)
def test_found_by_word(query: str, fact: Fact) -> None:
    """A fact is found by its words, as they are written or in another form, and is first among others."""
    found = search(query, *titled("Printers of grade A", "Kitten 192.168.2.1", "界面语言", "ภาษาไทย"), fact)
    assert found.facts[0] == fact
    assert not found.approximate


def test_ids_are_not_searched() -> None:
    """A fact is not found by its id."""
    assert search("abc123", Fact("m-abc123", "Likes tea")) == Ranking()


def test_old_exact_answer_among_recent_ones() -> None:
    """An old fact that answers a question is among the first three, before 60 recent ones that share a word."""
    recent = noted(*(f"Memory note {number}: the notebook ran out of memory" for number in range(60)))
    old = Fact("m-ffffff", "GPU limits", "Each GPU kernel gets a memory limit of 12 GB.")
    assert old in search("GPU memory limit per kernel", *recent, old).facts[:3]


ALL_FIVE = "ash elm fir oak yew"


@pytest.mark.parametrize(
    ("better", "newer"),
    [
        pytest.param(Fact("m-1", "ash"), Fact("m-2", "x", "elm fir"), id="title-before-two-in-body"),
        pytest.param(Fact("m-1", "x", "ash elm fir oak"), Fact("m-2", "yew"), id="four-in-body-before-title"),
        pytest.param(Fact("m-1", "x", key="ash"), Fact("m-2", "y", "elm fir"), id="key-before-two-in-body"),
        pytest.param(Fact("m-1", "x", "ash elm fir oak"), Fact("m-2", "y", key="yew"), id="four-in-body-before-key"),
        pytest.param(Fact("m-1", "ash", "an ash"), Fact("m-2", "x", "elm fir oak"), id="both-before-three-in-body"),
        pytest.param(Fact("m-1", "x", ALL_FIVE), Fact("m-2", "bay", "a bay"), id="five-in-body-before-both"),
        pytest.param(Fact("m-1", "ash elm"), Fact("m-2", "x", ALL_FIVE), id="summed"),
        pytest.param(Fact("m-1", "x", "ash elm"), Fact("m-2", "y", "fir fir fir"), id="repeated-counts-once"),
    ],
)
def test_scores(better: Fact, newer: Fact) -> None:
    """A word scores 3 in title or key, 1 in the body, 4 in both, summed over the words of the query.

    The better fact is there nine times, so that its words are common and equal scores would bring the newer one first.
    """
    assert search(f"{ALL_FIVE} bay fir firs", newer, *[better] * 9).facts == [*[better] * 9, newer]


def test_function_words_do_not_score() -> None:
    """Function words of a question neither find a fact nor lift it."""
    assert search("what is the tea?", *titled("What is the plan", "Tea")).facts == titled("x", "Tea")[1:]


@pytest.mark.parametrize(("length", "first"), [(NOTE_CHARS, "note"), (NOTE_CHARS + 1, "title")], ids=["short", "long"])
def test_short_text_is_its_own_title(length: int, first: str) -> None:
    """A word at the end of a text without a title of its own scores 4 up to note_chars, 1 beyond."""
    body = "word " * 200
    note = Fact("m-a", "word word", body[: length - 4] + " ash")
    found = search("ash", Fact("m-b", "ash"), note).facts
    assert found[0] == (note if first == "note" else Fact("m-b", "ash"))


def test_short_text_with_own_title_is_not() -> None:
    """A word in a short body under a title of its own scores 1."""
    facts = Fact("m-1", "Ash"), Fact("m-2", "Trees", "In the garden stands an ash")
    assert search("ash", *reversed(facts)).facts == list(facts)


def test_number_of_derived_title_is_no_word() -> None:
    """The number that tells a derived title from another is not found; a number of the user's is."""
    facts = Fact("m-1", "Weekly notes (2)", "Weekly notes"), Fact("m-2", "Cats (2)", "Ann has two")
    assert search("2", *facts).facts == [facts[1]]


def test_parentheses_in_derived_title_are_words() -> None:
    """Parentheses that the text itself has belong to its title."""
    note = Fact("m-1", "Trip (July) plan", "Trip (July) plan" + " and more" * 99)
    assert search("july", Fact("m-2", "x", "July"), note).facts[0] == note


# Equal scores


def test_rarer_word_wins() -> None:
    """Of equal scores the one with the rarer word comes first, though it is older."""
    facts = titled("ash", "ash too", "elm")
    assert search("ash elm", *facts).facts == [facts[2], facts[0], facts[1]]


def test_rarity_is_summed() -> None:
    """Of equal scores three words that four facts of twelve have come before one word that one fact has."""
    rare, common = Fact("m-1", "yew"), Fact("m-2", "x", "ash elm fir")
    assert search("ash elm fir yew", rare, *[common] * 4, *titled("z") * 7).facts == [*[common] * 4, rare]


@pytest.mark.parametrize("query", ["ash elm", "elm ash"])
def test_same_words_latest_wins(query: str) -> None:
    """Where the same words match with the same score, the latest comes first, wherever in it they stand."""
    facts = [Fact("m-3", "elm", "ash"), Fact("m-2", "ash", "elm"), Fact("m-1", "elm", "an ash")]
    between = titled("x") * 6
    assert search(query, between[0], facts[0], *between, *facts[1:]).facts == facts


def test_equal_rarity_is_exactly_equal() -> None:
    """Words that are equally rare tie in whatever order they add up: the latest comes first."""
    holders = {"ash": 1, "elm": 2, "fir": 4, "oak": 4, "yew": 1, "bay": 2}
    facts = titled("oak yew bay", "ash elm fir")
    facts += [Fact("m-f", "x", word) for word, count in holders.items() for _ in range(count - 1)]
    for total in range(len(facts), 60):
        others = titled("x") * (total - len(facts))
        assert search("ash elm fir oak yew bay", *facts, *others).facts[:2] == facts[:2]


# No word matches


def test_part_of_a_word() -> None:
    """Where no word matches, facts that contain a word of the query are found, as approximate."""
    facts = [Fact("m-1", "Workflows"), Fact("m-2", "x", "a NIGHTLY_WORKFLOW2x"), Fact("m-3", "y", key="reflow")]
    assert search("flow", *facts, *titled("Tea")) == Ranking(facts, approximate=True)


def test_parts_most_first_then_latest() -> None:
    """Approximate finds are ordered by how many words of the query they contain, then by the latest."""
    facts = titled("xash", "xelm", "xash xelm", "xash")
    assert search("ash elm", *facts).facts == [facts[2], facts[0], facts[1], facts[3]]


def test_parts_only_without_a_match() -> None:
    """Where one fact matches by a word, no fact is found by a part of one."""
    assert search("ash", *titled("xash", "ash")) == Ranking(titled("", "ash")[1:])


def test_parts_are_not_stemmed() -> None:
    """A part is looked for as it was written."""
    assert search("runs", *titled("Overrun")).facts == ()


def test_function_words_are_no_parts() -> None:
    """A function word beside others finds nothing as a part of a word."""
    assert search("the zebra", *titled("Other things")).facts == ()


@pytest.mark.parametrize("query", ["🎉", "🎉 🙈", "->"])
def test_query_without_letters(query: str) -> None:
    """An emoji, or a sign, is looked for as it is."""
    fact = Fact("m-1", "Release", "🎉 v1 -> v2")
    assert search(query, *titled("Tea"), fact) == Ranking([fact], approximate=True)


@pytest.mark.parametrize(
    ("query", "near"),
    [
        pytest.param("postgers", ("Postgres 16",), id="letters-swapped"),
        pytest.param("how is the frontend deplyed", ("Deploy with Helm",), id="one-word-of-many"),
        pytest.param("drk mde", ("Dark mode",), id="letters-missing"),
        pytest.param("databaseadmin", ("Data base admin",), id="whole-title"),
        pytest.param("qqqq", (), id="nothing-like-it"),
        pytest.param("  ", (), id="blank"),
        pytest.param("猫", (), id="one-character"),
    ],
)
def test_near_titles(query: str, near: tuple[str, ...]) -> None:
    """Where nothing matches, the titles that are spelt like the query are named."""
    recent = titled(*(f"Past {number}" for number in range(30)))
    facts = titled("Postgres 16", "Deploy with Helm", "Dark mode", "Data base admin")
    assert search(query, *recent, *facts) == Ranking(near=near)


def test_near_titles_are_three_closest_first() -> None:
    """At most three near titles are named, the closest first, one title once."""
    titles = ["Databank", "Datasets", "Database", "Database", "Databased", "Tea"]
    near = search("databaes", *titled(*titles)).near
    assert near[0] == "Database"
    assert len(near) == len(set(near)) == 3


# Which facts are asked


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("ash", Ranking(titled("x", "Ash")[1:]), id="words"),
        pytest.param("poplar", Ranking(titled("x", "x", "x", "Poplars2")[3:], approximate=True), id="parts"),
        pytest.param("larhc", Ranking(near=("Larch two",)), id="near-titles"),
    ],
)
def test_keep(query: str, expected: Ranking) -> None:
    """Facts that are not kept are not found, nor named as near, nor keep another way of finding from being tried."""
    facts = titled("Ash dropped", "Ash", "Poplar dropped", "Poplars2", "Larch dropped", "Larch two")
    assert Index(facts, NOTE_CHARS).search(query, lambda fact: "dropped" not in fact.title) == expected


def test_index_keeps_what_it_was_given() -> None:
    """A list that changes after the index was built changes no result."""
    facts = titled("Ash", "Elm")
    index = Index(facts, NOTE_CHARS)
    facts.clear()
    assert index.search("elm").facts == titled("x", "Elm")[1:]


# Whatever the input

_pieces = st.sampled_from(["ash", "Ashes", "the", "to", "c++", ".net", "2", "(2)", "用户", "ผู้", "🎉", "e\u0301", "’"])
_texts = st.one_of(st.text(st.characters(), max_size=40), st.lists(_pieces, max_size=6).map(" ".join))


@st.composite
def _facts(draw: st.DrawFn) -> Fact:
    body = draw(_texts)
    own, derived = st.tuples(_texts, st.just(body)), st.tuples(st.sampled_from([body, f"{body} (2)"]), st.just(body))
    title, body = draw(own | derived)
    return Fact(f"m-{draw(st.integers(0, 0xFFFFFF)):06x}", title or "x", body, key=draw(st.none() | st.just("ash_key")))


@given(_texts, st.lists(_facts(), max_size=6, unique_by=id), st.booleans())
def test_any_query_and_facts(query: str, facts: list[Fact], keeping: bool) -> None:
    """A search never raises, and gives kept facts without repeats, or near titles of them, never both."""

    def keep(fact: Fact) -> bool:
        return keeping or len(fact.body) % 2 == 0

    found = Index(facts, 30).search(query, keep)
    kept = [fact for fact in facts if keep(fact)]
    assert len({id(fact) for fact in found.facts}) == len(found.facts)
    assert {id(fact) for fact in found.facts} <= {id(fact) for fact in kept}
    assert set(found.near) <= {fact.title for fact in kept}
    assert not (found.facts and found.near)
    assert len(found.near) <= 3


@given(st.lists(_facts(), min_size=1, max_size=6))
@example([Fact("m-1", "a (2)", "a"), Fact("m-2", "2")])
@example([Fact("m-1", "x" * 60, "x" * 90), Fact("m-2", "y")])
def test_title_finds_its_fact(facts: list[Fact]) -> None:
    """Every fact is found by its title, where that has a letter or a digit."""
    index = Index(facts, 30)
    for fact in facts:
        if any(character.isalnum() for character in fold(fact.title)):
            assert fact in index.search(fact.title).facts
