"""What the store promises of each call, on a real file."""

import itertools
import threading
from datetime import UTC, datetime, timedelta

import pytest

from memory_magic import MemoryMagicError, Store
from memory_magic.errors import (
    AmbiguousError,
    ConflictError,
    EmptyTextError,
    InvalidError,
    NotFoundError,
    SecretError,
    TooLongError,
    UnreadableError,
    UnwritableError,
)
from memory_magic.fact import MAGIC

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


# A test of what only one of the formats has.
in_markdown = pytest.mark.parametrize("path", ["MEMORY.md"], indirect=True)


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def go(self, **span):
        self.now += timedelta(**span)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["MEMORY.md", "notes.json"])
def path(tmp_path, request):
    return tmp_path / request.param


@pytest.fixture
def store(path, clock):
    ids = (f"m-{number:06x}" for number in itertools.count(1))
    return Store(path, clock=clock, new_id=lambda: next(ids))


def write(path, text):
    path.write_bytes(text.encode())


# One fact, one address


def test_two_texts_are_title_and_body(store):
    """The first is the title, the second the body; the rest is at its default."""
    saved = store.remember("Prefer terse answers", "No preamble.", category="preferences")
    fact = saved.fact
    assert (fact.id, fact.title, fact.body, fact.category) == (
        "m-000001",
        "Prefer terse answers",
        "No preamble.",
        "preferences",
    )
    assert (saved.created, saved.previous) == (True, None)
    assert (fact.source, fact.confidence, fact.scope, fact.created, fact.updated) == (
        "conversation",
        70,
        "global",
        START,
        START,
    )


def test_one_text_is_a_body_with_a_derived_title(store):
    """The title is its first words."""
    fact = store.remember("the staging database is read-only on Sundays and on every other day that ends in y").fact
    assert fact.title == "the staging database is read-only on Sundays and on every"
    assert fact.body.endswith("in y")


@in_markdown
def test_the_ids_and_the_clock_are_arguments(store, path):
    """A store with both given writes the same bytes each time."""
    store.remember("Likes tea", "Green only.")
    assert path.read_text() == (
        "# Memory\n\n"
        '<!-- Each "## " section is one fact. Edit freely: what you write by hand is kept. -->\n\n'
        "## Likes tea\n"
        "<!-- id: m-000001 · created: 2026-11-30T12:00:00Z · updated: 2026-11-30T12:00:00Z -->\n\n"
        "Green only.\n"
    )


def test_the_same_text_twice_writes_nothing(store, path):
    """Saving what is already stored leaves every byte and the inode."""
    store.remember("likes tea")
    before = path.read_bytes(), path.stat().st_ino
    again = store.remember("likes tea")
    assert (again.created, again.changed) == (False, False)
    assert (path.read_bytes(), path.stat().st_ino) == before


def test_a_title_addresses_its_fact_whatever_its_case_and_width(store, clock):
    """Titles are compared by NFKC and case folding; id and created stay."""
    first = store.remember("Straße ２", "old").fact
    clock.go(hours=1)
    saved = store.remember("STRASSE 2", "new")
    assert (saved.fact.id, saved.fact.created, saved.fact.body, saved.created) == (first.id, START, "new", False)
    assert saved.previous.body == "old"
    assert len(store) == 1


def test_an_unknown_id_is_an_error_with_near_ones_and_never_a_new_fact(store):
    """Ids are given by the store only."""
    store.remember("likes tea")
    with pytest.raises(NotFoundError, match="m-000001"):
        store.remember("x", id="m-000002")
    assert len(store) == 1


def test_a_key_addresses_exactly_its_category(store):
    """The same key in another category is another fact, and the title is not consulted."""
    one = store.remember("T", "a", key="ip", category="technical").fact
    other = store.remember("T", "b", key="ip", category="projects").fact
    assert one.id != other.id
    assert store.remember("c", key="ip", category="technical").fact.id == one.id


def test_a_key_without_category_means_the_one_fact_with_it(store):
    """Several are ambiguous, and the error lists their ids."""
    one = store.remember("a", key="ip", category="technical").fact
    assert store.remember("b", key="ip").fact.id == one.id
    other = store.remember("c", key="ip", category="projects").fact
    with pytest.raises(AmbiguousError, match=f"{one.id}.*{other.id}|{other.id}.*{one.id}"):
        store.remember("d", key="ip")


def test_a_title_that_names_several_facts_is_an_error_that_lists_them(store):
    """Nothing is guessed."""
    store.remember("T", "a", key="one")
    store.remember("T", "b", key="two")
    with pytest.raises(AmbiguousError, match=r"m-000002.*m-000001"):
        store.remember("T", "c")


def test_a_derived_title_addresses_nothing(store):
    """Texts with the same beginning are facts of their own, with more words until they differ, then a number."""
    long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    first = store.remember(long).fact
    second = store.remember(long + " fifteen").fact
    assert first.id != second.id
    assert second.title.startswith(first.title + " ")
    store.remember("likes tea", "own body")
    assert store.remember("likes tea").fact.title == "likes tea (2)"
    assert len(store) == 4


def test_a_derived_title_is_derived_anew_with_a_new_text(store):
    """A title of its own stays."""
    derived = store.remember("likes tea").fact
    own = store.remember("Drink", "tea").fact
    assert store.remember("hates tea", id=derived.id).fact.title == "hates tea"
    assert store.remember("coffee", id=own.id).fact.title == "Drink"


@in_markdown
def test_a_text_that_is_the_title_of_a_bodyless_fact_is_stored_already(store, path):
    """A fact with a title alone has it as its text."""
    write(path, "## Likes tea\n")
    assert store.remember("Likes tea").changed is False
    assert path.read_text() == "## Likes tea\n"


@pytest.mark.parametrize("missing", ["category", "key", "value"])
def test_each_missing_argument_of_save_has_its_own_message(store, missing):
    """The message names it."""
    arguments = {"category": "technical", "key": "ip", "value": "1"} | {missing: " "}
    with pytest.raises(EmptyTextError, match=f"^{missing} is missing"):
        store.save(**arguments)


def test_save_gives_the_key_in_words_as_title(store):
    """Without a title of its own."""
    fact = store.save(
        "technical",
        "prod_server_ip",
        "Production runs on 192.168.1.168",
        source="tool_call",
        confidence=95,
        expires_days=7,
        source_context="found via ip addr",
    ).fact
    assert (fact.title, fact.context, fact.confidence, fact.source) == (
        "Prod server ip",
        "found via ip addr",
        95,
        "tool_call",
    )
    assert fact.expires == START + timedelta(days=7)


# What an update keeps


def test_save_replaces_the_fact_whole(store):
    """What is omitted falls back to its default, and an expiry that goes is told."""
    store.save("technical", "ip", "1", title="Own", confidence=95, expires_days=7, context="c", scope="project:x")
    saved = store.save("technical", "ip", "2")
    fact = saved.fact
    assert (fact.title, fact.confidence, fact.expires, fact.context, fact.scope, fact.body) == (
        "Ip",
        70,
        None,
        "",
        "global",
        "2",
    )
    assert any("never expires" in notice for notice in saved.notices)
    assert saved.previous.body == "1"


def test_save_over_an_expired_fact_revives_it(store, clock):
    """Without an expiry it never expires."""
    store.save("technical", "ip", "1", expires_days=1)
    clock.go(days=2)
    assert not store.recall("ip")
    store.save("technical", "ip", "1")
    assert len(store.recall("ip")) == 1


def test_remember_keeps_what_is_omitted(store):
    """Fields alone can be updated, by id or by key, without a text."""
    fact = store.remember(
        "T", "b", key="k", category="technical", confidence=95, context="c", source="user_explicit"
    ).fact
    by_id = store.remember(id=fact.id, expires="30d").fact
    by_key = store.remember(key="k", scope="project:x").fact
    assert (by_id.body, by_id.confidence, by_id.context, by_id.source) == ("b", 95, "c", "user_explicit")
    assert (by_key.expires, by_key.scope) == (START + timedelta(days=30), "project:x")


def test_a_new_body_takes_source_confidence_and_context_of_whoever_writes(store, path, clock):
    """A model that rewords a fact does not inherit the user's authority."""
    person = Store(path, writer=MAGIC, clock=clock)
    person.remember("T", "the user's words", context="notebook")
    fact = store.remember("T", "a model's words").fact
    assert (fact.source, fact.confidence, fact.context) == ("conversation", 70, "")


def test_an_expiry_that_has_passed_is_cleared_and_told(store, clock):
    """Remembering again makes it true again."""
    fact = store.remember("T", "b", expires="1d").fact
    clock.go(days=2)
    saved = store.remember("T", "b")
    assert saved.fact.expires is None
    assert any("expired" in notice for notice in saved.notices)
    assert saved.fact.id == fact.id


def test_context_added_by_a_face_is_never_a_difference(store, path):
    """The same text from another cell writes nothing."""
    store.remember("likes tea", auto_context="a.ipynb, In [1]")
    before = path.read_bytes()
    assert store.remember("likes tea", auto_context="b.ipynb, In [9]").changed is False
    assert path.read_bytes() == before
    assert store.remember("hates tea", id="m-000001", auto_context="b.ipynb, In [9]").fact.context == "b.ipynb, In [9]"


def test_the_same_save_with_another_automatic_context_writes_nothing(store, path):
    """Nor is it a difference for save."""
    store.save("technical", "ip", "1", auto_context="a")
    before = path.read_bytes()
    assert store.save("technical", "ip", "1", auto_context="b").changed is False
    assert path.read_bytes() == before


def test_a_key_of_another_fact_is_ambiguous(store):
    """No two facts of a category share a key."""
    store.remember("a", key="k", category="technical")
    other = store.remember("b").fact
    with pytest.raises(AmbiguousError, match="m-000001"):
        store.remember(id=other.id, key="k", category="technical")
    moved = store.remember("c", key="k", category="projects").fact
    with pytest.raises(AmbiguousError):
        store.remember(id=moved.id, category="technical")


def test_clamped_and_unknown_values_are_told(store):
    """The result says what was stored instead."""
    saved = store.remember("a", confidence=150, source="wikipedia")
    assert (saved.fact.confidence, saved.fact.source) == (100, "conversation")
    assert len(saved.notices) == 2


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda store: store.remember(), EmptyTextError),
        (lambda store: store.remember("  \n "), EmptyTextError),
        (lambda store: store.remember("x" * 20_001), TooLongError),
        (lambda store: store.remember("a", category="food"), InvalidError),
        (lambda store: store.remember("a", key="My Key"), InvalidError),
        (lambda store: store.remember("a", expires="2026-02-30"), InvalidError),
        (lambda store: store.remember("a", expires="1d", expires_days=1), InvalidError),
        (lambda store: store.remember("a\ud800"), InvalidError),
        (lambda store: store.remember("a", "b", title="c"), InvalidError),
        (lambda store: store.remember(key="none"), NotFoundError),
        (lambda store: store.recall(limit=0), InvalidError),
        (lambda store: store.search(" "), EmptyTextError),
        (lambda store: store["m-999999"], KeyError),
        (lambda store: store.forget("m-999999"), NotFoundError),
        (lambda store: store.confirm("m-999999"), NotFoundError),
    ],
)
def test_bad_input_is_one_sentence_and_makes_no_file(tmp_path, call, error):
    """Nothing is lost, and no folder or lock appears either."""
    store = Store(tmp_path / "new" / "MEMORY.md")
    with pytest.raises(error) as caught:
        call(store)
    assert isinstance(caught.value, MemoryMagicError)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "new").exists()


def test_a_secret_in_any_field_is_refused_masked_and_can_be_allowed(store, path):
    """The message says where it still is, and the file never holds it."""
    secret = "ghp_" + "a1B2" * 9
    for values in (
        {"text": secret},
        {"title": secret, "text": "x"},
        {"text": "x", "context": secret},
        {"text": "x", "scope": f"project:{secret}"},
    ):
        with pytest.raises(SecretError, match="history") as caught:
            store.remember(**values)
        assert secret not in str(caught.value)
    assert not path.exists() or secret not in path.read_text()
    assert store.remember(secret, allow_secret=True).created


# Confirming


def test_confirm_leaves_text_and_order_and_moves_the_expiry_by_its_span(store, clock):
    """New expiry = now + (expires - the latest of created, updated, confirmed)."""
    fact = store.remember("a", expires="10d").fact
    clock.go(days=1)
    store.remember("b")
    clock.go(days=4)
    confirmed = store.confirm(fact.id).fact
    assert confirmed.confirmed == clock.now
    assert confirmed.expires == clock.now + timedelta(days=10)
    assert [fact.body for fact in store.facts()] == ["b", "a"]
    clock.go(days=1)
    assert store.confirm(fact.id).fact.expires == clock.now + timedelta(days=10)


# Forgetting


def test_forget_takes_an_id_a_title_or_a_key(store):
    """Titles whatever their case."""
    store.remember("A b", "1")
    store.remember("c", key="k")
    store.remember("d")
    assert store.forget("a B").count == 1
    assert store.forget("k").count == 1
    assert store.forget("m-000003").count == 1
    assert len(store) == 0


def test_forget_takes_a_line_of_ids_all_or_none(store):
    """One unknown id and nothing is deleted."""
    for text in "abc":
        store.remember(text)
    with pytest.raises(NotFoundError):
        store.forget("m-000001 m-999999")
    assert len(store) == 3
    assert store.forget("m-000001 m-000003").count == 2


@pytest.mark.parametrize("target", ["", " ", "Grade", "Grade*", "*", "grade 4 week", "m-00000", "m-999999", "%"])
def test_nothing_is_deleted_by_a_near_miss(store, target):
    """A blank, a prefix, a wildcard or an unknown id is an error."""
    store.remember("Grade 4: Week 1", "x")
    with pytest.raises((NotFoundError, EmptyTextError)):
        store.forget(target)
    assert len(store) == 1


def test_deleting_nothing_names_near_matches(store):
    """The error helps to say it right."""
    store.remember("Grade 4: Week 1", "x")
    with pytest.raises(NotFoundError, match="Grade 4: Week 1"):
        store.forget("Grade 4 Week 1")
    store.forget("m-000001")
    with pytest.raises(NotFoundError):
        store.forget("m-000001")


def test_a_title_of_one_and_key_of_another_is_ambiguous(store):
    """Nothing is deleted."""
    store.remember("ip", "x")
    store.remember("y", key="ip", category="technical")
    with pytest.raises(AmbiguousError):
        store.forget("ip")
    assert len(store) == 2


def test_a_key_in_several_categories_means_all_of_them_as_counted(store):
    """With a category, that one."""
    for category in ("technical", "projects", "other"):
        store.remember(category, key="k", category=category)
    assert store.forget(key="k", category="other").count == 1
    assert store.forget("k").count == 2


def test_the_wrong_category_deletes_nothing(store):
    """It is an error with the near match."""
    store.remember("x", key="ip", category="technical")
    with pytest.raises(NotFoundError, match="m-000001"):
        store.forget(key="ip", category="projects")
    with pytest.raises(NotFoundError):
        store.forget("m-000001", category="projects")
    assert len(store) == 1


def test_only_the_user_deletes_what_has_expired(store, clock):
    """It is left out of recall, listed on demand, reached by forget, and deleted together."""
    store.remember("old tea", expires="1d")
    store.remember("new tea")
    clock.go(days=2)
    assert [fact.body for fact in store.recall("tea")] == ["new tea"]
    assert [fact.body for fact in store.search("tea")] == ["new tea"]
    assert [fact.body for fact in store.recall(expired=True)] == ["old tea"]
    assert len(store.facts()) == 2
    assert store.forget(expired=True).count == 1
    with pytest.raises(NotFoundError):
        store.forget(expired=True)


# Reading


def test_recall_gives_words_an_id_or_the_most_recent(store, clock):
    """The result knows the total and says that there is more."""
    for number in range(7):
        store.remember(f"tea number {number}")
        clock.go(seconds=1)
    found = store.recall("tea")
    assert (len(found), found.total, found.truncated) == (5, 7, True)
    assert found.message.startswith("5 of 7, narrow the query")
    assert store.recall()[0].body == "tea number 6"
    assert store.recall("m-000002")[0].body == "tea number 1"
    assert store.recall(id="m-000002", limit=1).total == 1
    assert len(store.search("tea")) == 7
    with pytest.raises(NotFoundError, match="near"):
        store.recall("m-000099")


def test_an_empty_result_names_near_titles(store):
    """So the next query can be right."""
    store.remember("Prefer terse answers", "No preamble.")
    found = store.recall("prefre tersee answrs")
    assert not found
    assert "Prefer terse answers" in found.message


def test_facts_of_one_second_keep_the_order_of_the_file_new_ones_on_top(store):
    """And a hand-written one is as new as the one below it."""
    for text in "abc":
        store.remember(text)
    assert [fact.body for fact in store.facts()] == ["c", "b", "a"]


@in_markdown
def test_a_future_update_counts_as_now(store, path, clock):
    """The same fact saved again sorts first."""
    write(
        path,
        "## A\n<!-- id: m-00000a · updated: 2026-11-29T00:00:00Z -->\n\n## B\n<!-- id: m-00000b · updated: 2099-01-01 -->\n\n## C\n\nby hand\n",
    )
    assert [fact.title for fact in store.facts()] == ["B", "A", "C"]
    clock.go(days=1)
    store.remember("A", "new")
    assert [fact.title for fact in store.facts()] == ["A", "B", "C"]


def test_a_hand_edit_is_seen_at_once(store, path):
    """Also with the same size and the same time stamp."""
    import os

    store.remember("likes tea")
    assert store.recall("tea")
    status = path.stat()
    write(path, path.read_text().replace("tea", "oak"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert store.recall("oak")
    assert not store.recall("tea").facts


def test_a_hundred_recalls_change_no_byte(store, path, tmp_path):
    """A read never writes, and makes no file."""
    store.remember("likes tea")
    before, names = path.read_bytes(), sorted(tmp_path.iterdir())
    for _ in range(100):
        store.recall("tea")
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == names
    fresh = Store(tmp_path / "none" / "MEMORY.md")
    assert fresh.facts() == []
    assert not (tmp_path / "none").exists()


@in_markdown
def test_two_facts_with_one_id_are_shown_flagged_and_ambiguous(store, path):
    """A copied section is the user's to sort out."""
    section = "## A\n<!-- id: m-00000a -->\n\none\n\n"
    write(path, section + section)
    assert all("m-00000a" in fact.flags[0] for fact in store.facts())
    with pytest.raises(AmbiguousError):
        store.forget("m-00000a")
    assert path.read_text() == section + section


def test_categories_are_counted(store):
    """Those in use, a hand-written one too."""
    store.remember("a", category="technical")
    store.remember("b")
    assert store.categories() == {"technical": 1, "other": 1}


def test_soft_cap_advises_and_drops_nothing(path):
    """Past it each remember, save and recall adds one sentence; 0 turns it off."""
    from memory_magic.settings import MemorySettings

    store = Store(path, settings=MemorySettings(soft_cap=2))
    for text in "abc":
        saved = store.remember(text)
    assert any("AGENTS.md" in notice for notice in saved.notices)
    assert "AGENTS.md" in store.recall("a").message
    assert len(store) == 3
    assert not Store(path, settings=MemorySettings(soft_cap=0)).recall("a").notices


def test_nearly_the_same_value_under_a_related_key_is_hinted_never_merged(store):
    """The hint names the candidate."""
    store.save("profile", "name", "Ada Lovelace")
    saved = store.save("profile", "user_name", "Ada Lovelace.")
    assert any("m-000001" in notice for notice in saved.notices)
    assert len(store) == 2


# Trouble


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"\xff\xfe#\x00 \x00M\x00", UnreadableError),
        ("# Memory\n\n## A\n".encode("utf-16-le"), UnreadableError),
        (b"## A\n\xe9\n", UnreadableError),
        (b"\x7fELF\x00\x01\xff\xfe" * 9, UnreadableError),
        (b"## A\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", ConflictError),
    ],
    ids=["utf-16", "utf-16-without-bom", "latin-1", "binary", "git-conflict"],
)
def test_trouble_is_told_and_never_overwritten(store, path, data, error):
    """Writes are refused with path and line, and the bytes stay."""
    path.write_bytes(data)
    with pytest.raises(error, match=path.name):
        store.remember("x")
    assert path.read_bytes() == data


@in_markdown
def test_a_file_with_conflict_markers_can_be_read_and_says_so(store, path):
    """Reads go on where they can; the line is named."""
    write(path, "## A\ntea\n\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n")
    found = store.recall("tea")
    assert found[0].title == "A"
    assert "line 4" in found.message


@in_markdown
def test_a_change_that_would_move_other_borders_is_refused(store, path):
    """The safety net: an open fence in a hand-written section would swallow the next one."""
    text = "## A\n```\nopen\n\n## B\n<!-- id: m-00000b -->\n\nx\n\n## C\n```\ncode\n```\n"
    write(path, text)
    with pytest.raises(ConflictError, match="fence"):
        store.forget("m-00000b")
    assert path.read_text() == text


def test_a_file_over_64_mib_is_unreadable(store, path):
    """It is not even read."""
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(UnreadableError, match="64 MiB"):
        store.facts()


def test_read_only_refuses_every_write(path, monkeypatch):
    """By the environment here; reads go on."""
    Store(path).remember("likes tea")
    before = path.read_bytes()
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", "1")
    store = Store(path)
    for call in (
        lambda: store.remember("x"),
        lambda: store.forget("likes tea"),
        lambda: store.confirm("likes tea"),
        lambda: store.save("other", "k", "v"),
    ):
        with pytest.raises(UnwritableError, match="read-only"):
            call()
    assert store.recall("tea")
    assert path.read_bytes() == before


# Batches and threads


def test_a_batch_is_one_write(store, path):
    """The results come with the order of the calls."""
    with store.batch() as batch:
        batch.remember("a")
        batch.save("technical", "k", "v")
        batch.forget("a")
        assert not path.exists()
    assert [fact.title for fact in store.facts()] == ["K"]
    assert [type(result).__name__ for result in batch.results] == ["Saved", "Saved", "Forgotten"]


@pytest.mark.parametrize("fault", ["call", "body"])
def test_a_batch_is_all_or_nothing(store, path, fault):
    """One bad call, or an exception of one's own, and nothing is written."""
    store.remember("kept")
    before = path.read_bytes()

    def run():
        with store.batch() as batch:
            batch.remember("a")
            if fault == "body":
                raise NotFoundError("mine")
            batch.forget("no such fact")

    with pytest.raises(NotFoundError):
        run()
    assert path.read_bytes() == before


def test_no_lock_is_held_while_a_batch_is_collected(store, path):
    """Another store saves meanwhile, and both are kept."""
    with store.batch() as batch:
        batch.remember("mine")
        Store(path).remember("theirs")
    assert {fact.body for fact in store.facts()} == {"mine", "theirs"}


def test_seven_threads_at_once_lose_nothing(store, path, tmp_path):
    """All are there, and no temporary file is left."""
    threads = [threading.Thread(target=store.remember, args=(f"number {number}",)) for number in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {fact.body for fact in Store(path).facts()} == {f"number {number}" for number in range(7)}
    assert not list(tmp_path.glob(".*.tmp"))


@pytest.mark.parametrize("address", ["id", "key"])
def test_an_empty_text_never_erases_a_fact(store, address):
    """Nothing to say is an error, whatever it is addressed to."""
    fact = store.remember("some text", key="k").fact
    for text in ("", "  \n"):
        with pytest.raises(EmptyTextError):
            store.remember(text, **{address: getattr(fact, address)})
    assert store[fact.id] == fact


def test_a_short_beginning_is_a_title_of_its_own(store):
    """A derived title has all words up to 60 characters; what is shorter was chosen, and stays."""
    fact = store.remember("Prod", "Prod server is 10.0.0.1").fact
    assert store.remember("Staging moved", id=fact.id).fact.title == "Prod"


def test_a_secret_cannot_be_completed_field_by_field(store):
    """Title and text, or key and text, are looked at together."""
    fact = store.remember("Wifi", "hunter2x").fact
    for values in ({"title": "Wifi password"}, {"key": "wifi_password"}):
        with pytest.raises(SecretError):
            store.remember(id=fact.id, **values)
    assert store[fact.id].title == "Wifi"


def test_what_we_write_is_never_taken_for_utf_16(store, path):
    """Even a title of zero characters."""
    store.remember("\0" * 120, "x")
    assert Store(path).facts()[0].body == "x"


def test_a_fact_with_the_last_expiry_can_be_confirmed(store, clock):
    """Its expiry moves to the last instant there is, and no further."""
    fact = store.remember("a", expires="9998-12-31").fact
    clock.go(days=1000)
    assert store.confirm(fact.id).fact.expires == datetime(9998, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_a_batch_refuses_what_it_cannot_do(store):
    """A purge in it, and a call after its end; a call that fails says which it was."""
    with pytest.raises(InvalidError, match="purge"), store.batch() as batch:
        batch.forget("a", purge=True)
    with pytest.raises(InvalidError, match="ended"):
        batch.remember("lost")

    def run():
        with store.batch() as batch:
            batch.remember("a")
            batch.forget("no such fact")

    with pytest.raises(NotFoundError) as caught:
        run()
    assert "call 2" in caught.value.__notes__[0]
    assert store.facts() == []


@in_markdown
def test_a_conflict_names_the_file(store, path):
    """To the person the message says where."""
    write(path, "## A\n```\nopen\n\n## B\n<!-- id: m-00000b -->\n\nx\n\n## C\n```\ncode\n```\n")
    with pytest.raises(ConflictError, match=r"MEMORY\.md") as caught:
        store.forget("m-00000b")
    assert "MEMORY.md" not in caught.value.sentence
