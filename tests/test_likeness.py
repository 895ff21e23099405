"""Near duplicates: which other fact a receipt names, and the commands that make one of the two."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_magic import Store
from memory_magic.fact import Fact, normal_body
from memory_magic.likeness import likeness, nearest
from memory_magic.results import Saved

GITHUB = "ghp_" + "a1B2c3D4" * 4
FORGET, REMEMBER = r"%forget m-[0-9a-f]{6}", r"%remember --id (m-[0-9a-f]{6}) (.*)"

Given = str | tuple[str, str, str]


def keyed(key: str, value: str) -> Given:
    """Give a fact that is saved under a key."""
    return "key", key, value


def titled(title: str, body: str) -> Given:
    """Give a fact that is remembered with a title of its own."""
    return "title", title, body


def store_fact(store: Store, given: Given) -> Saved:
    if isinstance(given, str):
        return store.remember(given)
    kind, name, text = given
    return store.save("other", name, text) if kind == "key" else store.remember(name, text)


ALIKE: list[tuple[Given, Given]] = [
    # case, punctuation, endings, function words, order, typos
    ("Prefer terse answers", "prefer TERSE answers!"),
    ("The user prefers terse answers", "User prefer terse answer"),
    ("production runs on 192.168.1.168", "Production is running on 192.168.1.168"),
    ("the staging database is read-only on Sundays", "On Sundays the staging database is read-only"),
    ("the staging database is read-only on Sundays", "the stagging database is read-only on Sundays"),
    ("this project builds with pnpm", "The project is built with pnpm"),
    ("Use pnpm, not npm, in this repository", "In this repository use pnpm and not npm"),
    ("Anna is allergic to peanuts and shellfish", "Anna is allergic to shellfish and peanuts"),
    ("The API is rate limited to 100 requests per minute", "API rate limit is 100 requests per minute"),
    ("Permission slips for the Grade 4 trip are due on Friday", "Grade 4 trip permission slips are due Friday"),
    ("naïve Bayes is the baseline model", "Naive Bayes is the baseline model"),
    ("I am vegetarian", "I'm a vegetarian"),
    ("prefer terse answers", "I prefer terse answers please"),
    ("user prefers dark mode", "prefers dark mode"),
    ("production runs on 192.168.1.168", "Production server runs on 192.168.1.168"),
    ("Never commit directly to main", "never commit to main directly!"),
    ("My daughter Mia is in grade 4", "Mia, my daughter, is in grade 4"),
    ("likes tea", "Likes teas"),
    # names: related ones, unrelated ones, and one on one side only
    (keyed("name", "Ann Smith"), keyed("user_name", "Ann Smith")),
    (keyed("name", "Ann Smith"), keyed("user_name", "Anne Smith")),
    (keyed("theme", "dark"), keyed("editor_theme", "Dark")),
    (keyed("prod_server_ip", "192.168.1.168"), keyed("server_ip", "192.168.1.170")),
    (
        keyed("deploy_day", "Deploys happen on Friday afternoon"),
        keyed("release", "Deploys happen on Friday afternoons"),
    ),
    (keyed("prod_server_ip", "Production runs on 192.168.1.168"), "production runs on 192.168.1.168!"),
    (titled("Prefer terse answers", "No preamble."), "Prefer terse answers, no preamble"),
    (titled("Homework", "Week 1 homework is due Monday"), titled("Homework due", "Week 2 homework is due Monday")),
    # other languages
    ("Der Nutzer bevorzugt kurze Antworten", "Nutzer bevorzugt kurze Antwort"),
    ("Die Produktionsdatenbank läuft auf Port 5432", "Produktionsdatenbank läuft auf Port 5432"),
    ("Meetings immer vormittags planen", "Plane Meetings immer vormittags"),
    ("Пользователь предпочитает краткие ответы", "пользователь предпочитает краткий ответ"),
    ("用户喜欢深色模式", "用户很喜欢深色模式"),
    ("这个项目使用 pnpm 构建", "项目使用 pnpm 构建"),
    (keyed("mode", "用户喜欢深色模式"), keyed("look", "用户喜欢深色模式。")),
    ("ผู้ใช้ชอบคำตอบสั้นๆ", "ผู้ใช้ชอบคำตอบสั้น"),
    ("ระบบสำรองข้อมูลทำงานทุกคืนวันศุกร์", "ระบบสำรองข้อมูลจะทำงานทุกคืนวันศุกร์"),
    # code
    ("run pytest -q tests/ before each commit", "Before each commit run pytest -q tests"),
    ("pip install -e '.[dev]' sets up the environment", "Set up the environment with pip install -e '.[dev]'"),
    ("df = df.dropna(subset=['price']) before plotting", "before plotting: df = df.dropna(subset=['price'])"),
]

DIFFERENT: list[tuple[Given, Given]] = [
    # some words are shared
    ("Prefer terse answers", "Prefer terse commit messages"),
    ("likes tea", "likes coffee"),
    ("Anna's birthday is in March and she likes lilies", "Ben's birthday is in March and he likes lilies"),
    ("The staging database is in Frankfurt", "The production database is in Frankfurt"),
    ("The user likes hiking in the Alps", "The user likes skiing in the Alps"),
    ("Use tabs in Makefiles", "Use spaces in Python files"),
    ("The meeting with the design team is on Tuesday", "The meeting with the sales team is on Thursday"),
    # one holds the other
    (
        "pytest runs the unit tests",
        "pytest runs the unit tests of the parser, nox all of them with every Python version",
    ),
    # the parts of a series
    ("Week 1 homework is due Monday", "Week 2 homework is due Monday"),
    ("server a runs on 10.0.0.1", "server b runs on 10.0.0.2"),
    ("production runs on 192.168.1.168", "production runs on 192.168.1.1"),
    ("Invoice 2024-11 is paid", "Invoice 2024-12 is paid"),
    ("Backups run nightly at 02:00 on db1", "Backups run nightly at 02:00 on db2"),
    ("Team A meets on Monday", "Team B meets on Monday"),
    ("Python is used for the analysis", "R is used for the analysis"),
    (titled("Week 1", "bring a calculator on Monday"), titled("Week 2", "bring a calculator on Monday")),
    (keyed("host_1", "10.0.0.1"), keyed("host_2", "10.0.0.1")),
    # one word under names that have nothing to do with each other, and another value under related ones
    (keyed("likes_tea", "yes"), keyed("uses_vim", "yes")),
    (keyed("theme", "dark"), keyed("roast", "dark")),
    (keyed("staging_region", "eu-west-1"), keyed("production_region", "eu-west-1")),
    (keyed("phone", "555 0100 in Berlin"), keyed("work_phone", "999 7311 in Rome")),
    (keyed("editor", "vim"), keyed("preferred_editor", "emacs")),
    # other languages
    ("Anna mag Katzen", "Anna mag Hunde"),
    ("Der Server läuft in Frankfurt", "Der Drucker steht in Frankfurt"),
    ("用户喜欢深色模式", "用户喜欢喝绿茶"),
    ("用户住在北京", "用户住在东京"),
    ("第1周的作业周一交", "第2周的作业周一交"),
    ("第一周的作业周一交", "第二周的作业周一交"),
    ("ผู้ใช้ชอบชาเขียว", "ผู้ใช้ทำงานที่กรุงเทพ"),
    # code, and no words at all
    ("alias gs='git status'", "alias gd='git diff'"),
    ("np.float64 is the dtype of column a", "np.float32 is the dtype of column a"),
    ("import numpy as np", "import pandas as pd"),
    ("🎉🎉", "🎉"),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Give an empty store."""
    return Store(tmp_path / "MEMORY.md")


def hint(saved: Saved) -> str:
    """Give what a receipt says of a near duplicate."""
    return " ".join(notice for notice in saved.notices if "much like" in notice)


@pytest.mark.parametrize(("first", "second"), ALIKE, ids=str)
def test_nearly_the_same_words_are_told_and_both_facts_stay(store: Store, first: Given, second: Given) -> None:
    """Whichever comes first, the receipt of the other names it; nothing is merged."""
    for one, other in ((first, second), (second, first)):
        old, new = store_fact(store, one).fact, store_fact(store, other)
        assert f"much like {old.id}" in hint(new)
        assert new.created
        assert {fact.id for fact in store.facts()} == {old.id, new.fact.id}
        store.forget(f"{old.id} {new.fact.id}")


@pytest.mark.parametrize(("first", "second"), DIFFERENT, ids=str)
def test_what_only_shares_words_is_not_told(store: Store, first: Given, second: Given) -> None:
    """A hint that comes for nothing is not read when it matters."""
    for one, other in ((first, second), (second, first)):
        old, new = store_fact(store, one).fact, store_fact(store, other)
        assert hint(new) == ""
        store.forget(f"{old.id} {new.fact.id}")


@pytest.mark.parametrize(
    ("old", "new", "typed"),
    [
        ("Prefer terse answers", "Prefers terse answers.", "Prefers terse answers."),
        ("-5 is too cold for tomatoes", "-5 is cold for the tomatoes", "-- -5 is cold for the tomatoes"),
        ("does Ann like green tea", "does Ann like green tea?", "does Ann like green tea?"),
        ("config {x} costs $5", "the config {x} costs $5;", "the config {x} costs $5;"),
        ("say 'use --force', then ask", 'say "use --force", then ask', 'say "use --force", then ask'),
    ],
)
def test_the_commands_of_the_hint_make_one_fact(ip: Any, old: str, new: str, typed: str) -> None:
    """Typed as they stand, they give the older fact the newer text, and only that is left."""
    kept = ip.run(f"%%remember\n{old}").fact
    found = re.search(f"make one of them: ({FORGET}), then ({REMEMBER})$", repr(ip.run(f"%%remember\n{new}")))
    assert found
    assert found.group(3, 4) == (kept.id, typed)
    ip.run(found[1])
    ip.run(found[2])
    left = ip.run("%recall").facts
    assert [(fact.id, fact.title, fact.body, fact.created) for fact in left] == [(kept.id, new, new, kept.created)]


@pytest.mark.parametrize(
    "new",
    [
        "tomatoes on the balcony to the south need water every morning and every evening in July",
        "tomatoes need water\nin July",
        "tomatoes need  water",
        "tomatoes need water \\",
    ],
)
def test_a_text_that_is_no_short_line_is_left_to_the_user(ip: Any, new: str) -> None:
    """Then it is given to the older fact before the newer one goes."""
    kept = ip.run("%remember All the " + " ".join(new.rstrip("\\").split())).fact
    found = re.search(f"make one of them: ({REMEMBER}), then ({FORGET})$", repr(ip.run(f"%%remember\n{new}")))
    assert found
    assert found.group(2, 3) == (kept.id, "TEXT")
    ip.run(found[1].replace("TEXT", "tomatoes need much water"))
    ip.run(found[4])
    assert [(fact.id, fact.body) for fact in ip.run("%recall").facts] == [(kept.id, "tomatoes need much water")]


def test_the_commands_work_on_a_fact_that_was_written_by_hand(ip: Any) -> None:
    """Its id is derived, and becomes its own with the second command."""
    ip.memory.parent.mkdir()
    ip.memory.write_text("## Tea\n\nThe user prefers green tea\n", "utf-8")
    found = re.search(f"({FORGET}), then ({REMEMBER})$", repr(ip.run("%remember User prefers green teas")))
    assert found
    ip.run(found[1])
    ip.run(found[2])
    assert [(fact.title, fact.body) for fact in ip.run("%recall").facts] == [("Tea", "User prefers green teas")]


def test_a_change_of_text_title_or_key_is_told_and_nothing_else(store: Store) -> None:
    """Amending and updating count; a confidence, a confirmation or the same text once more do not."""
    tea = store.remember("Anna prefers green tea").fact
    other = store.save("profile", "drink", "black coffee").fact
    assert tea.id in hint(store.amend(other.id, body="Anna prefers the green tea"))
    assert hint(store.amend(other.id, confidence=3)) == ""
    assert hint(store.save("profile", "drink", "Anna prefers the green tea", confidence=3)) == ""
    assert hint(store.confirm(other.id)) == ""
    assert hint(store.remember("Anna prefers green tea")) == ""
    assert tea.id in hint(store.remember(id=other.id, body="Anna preferred green tea"))
    assert tea.id in hint(store.amend(other.id, title="Drinks"))
    assert tea.id in hint(store.amend(other.id, key="hot_drink"))


def test_an_expired_fact_is_not_named(tmp_path: Path) -> None:
    """It is left out of what is true now; on its last day it still is."""
    now = datetime(2026, 12, 1, tzinfo=UTC)
    store = Store(tmp_path / "MEMORY.md", clock=lambda: now)
    store.remember("the build is broken on main", expires="1d")
    now += timedelta(hours=23)
    saved = store.remember("the build is broken on main!")
    assert hint(saved)
    store.forget(saved.fact.id)
    now += timedelta(hours=1)
    assert hint(store.remember("the build is broken on main!")) == ""


def test_the_most_alike_is_named_and_the_newest_of_equals(tmp_path: Path) -> None:
    """One candidate is enough."""
    now = datetime(2026, 12, 1, tzinfo=UTC)
    store = Store(tmp_path / "MEMORY.md", clock=lambda: now)
    ids = []
    for text in ("tall oak trees grow slowly", "Tall oak trees grow slowly.", "tall oaks trees grow slower"):
        ids.append(store.remember(text).fact.id)
        now += timedelta(hours=1)
    assert ids[1] in hint(store.remember("tall oak trees: grow slowly"))
    store.forget(store.facts()[0].id)
    store.amend(ids[0], confidence=80)
    assert ids[0] in hint(store.remember("tall oak trees: grow slowly"))


def test_a_secret_is_masked_in_the_hint(store: Store) -> None:
    """Neither the title of the one nor the text of the other shows it."""
    store.remember(f"the deploy token is {GITHUB}", allow_secret=True)
    told = hint(store.remember(f"deploy token: {GITHUB}", allow_secret=True))
    assert GITHUB not in told
    assert " TEXT, then" in told
    assert "a1B2" not in told


def test_an_id_that_two_facts_have_is_not_named(store: Store) -> None:
    """The commands would be refused."""
    section = "## {}\n<!-- id: m-00000a -->\n\nthe printer is in room 12\n\n"
    store.path.write_text(section.format("Printer") + section.format("Room"), "utf-8")
    assert hint(store.remember("The printer is in room 12.")) == ""


def test_long_texts_are_compared_by_their_beginning(store: Store) -> None:
    """20,000 characters are no reason not to look."""
    old = store.remember("the quick brown fox jumps over a lazy dog. " * 450).fact
    assert old.id in hint(store.remember("a quick brown fox jumps over the lazy dog! " * 440))


def test_a_fact_is_stored_where_rapidfuzz_is_missing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """In JupyterLite there is none; then nothing is said."""
    store.remember("Prefer terse answers")
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    saved = store.remember("Prefers terse answers")
    assert (hint(saved), len(store.facts())) == ("", 2)


def test_rapidfuzz_is_read_when_facts_are_compared_only() -> None:
    """Loading does not wait for it."""
    code = "import sys, memory_magic.store, memory_magic.likeness; sys.exit('rapidfuzz' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


WORDS = st.lists(
    st.sampled_from(["tea", "Tee", "week", "1", "2", "b", "the", "用户", "ชา", "c++", "é", "²"]), min_size=1
)
TEXTS = st.one_of(st.text(min_size=1), WORDS.map(" ".join))
FACTS = st.builds(
    Fact, st.just("m-000001"), TEXTS, st.one_of(st.just(""), TEXTS), key=st.sampled_from([None, "a", "a_b", "b_2"])
)


@given(FACTS, FACTS)
def test_likeness_is_a_share_whatever_the_texts(one: Fact, other: Fact) -> None:
    """It never raises, both ways it says nearly the same, and a fact is not its own duplicate."""
    there, back = likeness(one, other), likeness(other, one)
    assert 0 <= there <= 1
    assert abs(there - back) <= 0.25 or 0 in (there, back)
    other = replace(other, id="m-000002")
    assert nearest(one, [one, other], datetime.now(UTC)) in ((None, other) if there else (None,))


@settings(max_examples=30, deadline=None)
@given(TEXTS, st.integers(0, 3))
def test_a_hint_changes_nothing_of_what_is_stored(text: str, cut: int) -> None:
    """Both facts read afterwards as they were given, however alike they are."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "MEMORY.md"))
        bodies = [text, text[cut:]]
        ids = [store.remember(title, body).fact.id for title, body in zip(("Tea", "Tea time"), bodies, strict=True)]
        found = [store[wanted] for wanted in ids]
        assert [(fact.title, fact.body) for fact in found] == [
            ("Tea", normal_body(bodies[0])),
            ("Tea time", normal_body(bodies[1])),
        ]
