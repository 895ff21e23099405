"""Nothing is lost: what the history knows, and how a change is taken back."""

import json
import re
import threading
from datetime import UTC, datetime

import pytest

from memory_magic import Store
from memory_magic.errors import ConflictError, FullError, InvalidError, NotFoundError, UnwritableError
from memory_magic.fact import MAGIC

HAND = {
    "MEMORY.md": "# Mine\n\nprose\n\n## A\n<!-- id: m-00000a · updated: 2026-01-02T00:00:00Z -->\n\none  \n\n\n## B\n\nby hand\n",
    "notes.json": '[\n {"text": "one", "pin": [1, 2], "id": "m-00000a", "title": "A"},\n {"title": "B", "text": "by hand"}\n]',
}


# A test of what only one of the formats has.
in_markdown = pytest.mark.parametrize("path", ["MEMORY.md"], indirect=True)


@pytest.fixture(params=["MEMORY.md", "notes.json"])
def path(tmp_path, monkeypatch, request):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes" / request.param


@pytest.fixture
def store(path):
    return Store(path)


def bodies(store):
    return {fact.text for fact in store.facts()}


@pytest.mark.parametrize(
    "change",
    [
        lambda store: store.remember("A", "two"),
        lambda store: store.remember("a third fact"),
        lambda store: store.forget("A"),
        lambda store: store.forget("B"),
        lambda store: store.confirm("A"),
        lambda store: store.remember(id="m-00000a", title="Z", key="k", expires="7d"),
        lambda store: store.remember("B", "changed"),
    ],
    ids=["update", "add", "forget-first", "forget-last-bare", "confirm", "fields", "update-bare"],
)
def test_undo_gives_every_byte_back_and_redo_takes_the_undo_back(store, path, change):
    """Whatever the change was."""
    path.write_text(HAND[path.name])
    change(store)
    changed = path.read_text()
    assert changed != HAND[path.name]
    store.undo()
    assert path.read_text() == HAND[path.name]
    store.redo()
    assert [fact.text for fact in Store(path).facts()] == [fact.text for fact in store.facts()]
    assert path.read_text() == changed


def test_undo_of_the_first_fact_leaves_an_empty_store(store):
    """And redo brings it back with its id."""
    made = store.remember("likes tea").fact
    store.undo()
    assert store.facts() == []
    store.redo()
    assert store.facts() == [made]


def test_undoing_again_goes_one_change_further_back(store):
    """And as many redos go forward again."""
    for text in "abc":
        store.remember(text)
    store.undo()
    assert bodies(store) == {"a", "b"}
    store.undo()
    assert bodies(store) == {"a"}
    store.undo()
    with pytest.raises(NotFoundError, match="nothing to undo"):
        store.undo()
    for _ in "abc":
        store.redo()
    assert bodies(store) == {"a", "b", "c"}
    with pytest.raises(NotFoundError, match="nothing to redo"):
        store.redo()


@in_markdown
def test_undo_keeps_whatever_else_has_changed_since(store, path):
    """A hand edit and another program's fact stay."""
    store.remember("A", "one")
    store.remember("A", "two")
    Store(path).remember("another fact")
    path.write_text(path.read_text() + "\n## By hand\n\nthis too\n")
    store.undo(2)
    assert bodies(store) == {"one", "another fact", "this too"}


def test_undo_refuses_where_the_same_fact_changed_again(store, path):
    """Also when a hand changed it, and nothing is taken back then."""
    store.remember("A", "one")
    store.remember("A", "two")
    path.write_text(path.read_text().replace("two", "by hand"))
    before = path.read_bytes()
    with pytest.raises(ConflictError, match="changed again"):
        store.undo()
    with pytest.raises(ConflictError):
        store.undo(1)
    assert path.read_bytes() == before


def test_undo_says_whose_change_it_was(store, path):
    """The receipt names the writer, what it did, and what became of the fact."""
    Store(path, writer=MAGIC).remember("likes tea")
    told = repr(store.undo())
    assert "remember by magic" in told
    assert "likes tea" in told


def test_a_named_version_is_undone_alone(store):
    """Those behind it stay; an unknown or an undone one is an error."""
    for text in "abc":
        store.remember(text)
    store.undo(2)
    assert bodies(store) == {"a", "c"}
    for version in (2, 99):
        with pytest.raises(NotFoundError, match=str(version)):
            store.undo(version)


def test_a_batch_is_undone_as_one(store):
    """It was one change."""
    with store.batch() as batch:
        batch.remember("a")
        batch.remember("b")
    store.undo()
    assert store.facts() == []


def test_undo_refuses_a_key_that_is_taken_by_now(store):
    """Two facts with one key would be worse than none."""
    store.remember("old", key="k", category="technical")
    store.forget("k")
    store.remember("new", key="k", category="technical")
    with pytest.raises(ConflictError, match="free the key"):
        store.undo(2)


def test_the_history_tells_when_who_and_what(store, path):
    """The latest first; with an id, one fact's own, with its text before and after."""
    first = store.remember("likes tea").fact
    store.remember("hates tea", id=first.id)
    Store(path, writer=MAGIC).remember("other")
    history = store.history()
    assert [(entry.version, entry.writer, entry.what) for entry in history] == [
        (3, "magic", "remember"),
        (2, "python", "remember"),
        (1, "python", "remember"),
    ]
    own = store.history(first.id)
    assert [entry.version for entry in own] == [2, 1]
    assert "“likes tea” to “hates tea”" in repr(own)
    with pytest.raises(NotFoundError):
        store.history("m-999999")


def test_likes_then_hates_under_one_key_keeps_the_old_one_in_the_history(store):
    """Replaced, not lost."""
    store.save("preferences", "tea", "likes tea")
    saved = store.save("preferences", "tea", "hates tea")
    assert saved.previous.body == "likes tea"
    assert "likes tea" in repr(store.history(saved.fact.id))


def test_every_replaced_version_is_kept_whole(store, path, tmp_path):
    """What a change replaced is there byte for byte, for its owner only."""
    path.write_text(HAND[path.name])
    store.remember("A", "two")
    (kept,) = tmp_path.glob("state/memory-magic/history/*/*.md")
    assert kept.read_text() == HAND[path.name]
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_the_history_is_moved_there_without_a_copy(store, path, tmp_path):
    """The replaced file itself goes there."""
    path.write_text(HAND[path.name])
    inode = path.stat().st_ino
    store.remember("A", "two")
    (kept,) = tmp_path.glob("state/memory-magic/history/*/*.md")
    assert kept.stat().st_ino == inode


def test_purge_removes_the_fact_from_the_history_too(store, path, tmp_path):
    """No file holds its text any more, and the other facts' history stays."""
    store.remember("a very private thing")
    store.remember("likes tea")
    store.remember("hates tea", id=store.recall("tea")[0].id)
    store.forget("a very private thing", purge=True)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"private" not in file.read_bytes(), file
    assert store.undo().entry.what == "remember"
    assert bodies(store) == {"likes tea"}
    assert not list(path.parent.glob("*conflict*"))


def test_a_fact_that_only_the_history_holds_can_be_purged(store, tmp_path):
    """By its id, when it had been forgotten before."""
    made = store.remember("a very private thing").fact
    store.forget(made.id)
    store.remember("likes tea")
    assert store.forget(made.id, purge=True).count == 1
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"private" not in file.read_bytes(), file
    with pytest.raises(NotFoundError):
        store.forget(made.id, purge=True)


def test_the_receipt_of_forget_says_how_to_take_it_back(store):
    """A purge says that it cannot."""
    store.remember("likes tea")
    assert "%memory undo" in repr(store.forget("likes tea"))
    store.remember("likes tea")
    assert "history" in repr(store.forget("likes tea", purge=True))


def test_read_only_refuses_undo_redo_and_purge(store, monkeypatch):
    """They are writes."""
    store.remember("hates tea")
    store.remember("likes tea")
    store.undo()
    store.redo()
    store.remember("likes milk")
    store.undo()
    monkeypatch.setenv("MEMORY_MAGIC_READ_ONLY", "true")
    for call in (store.undo, store.redo, lambda: store.forget("likes tea", purge=True)):
        with pytest.raises(UnwritableError):
            call()
    assert bodies(store) == {"hates tea", "likes tea"}


def test_a_torn_record_is_left_out(store, tmp_path):
    """A crash may have cut it short; the rest of the history is there."""
    store.remember("a")
    store.remember("b")
    (record,) = tmp_path.glob("state/memory-magic/history/*/00000001.json")
    record.write_text('{"version": 1, "time"')
    assert [entry.version for entry in store.history()] == [2]
    store.undo()
    assert bodies(store) == {"a"}


@in_markdown
def test_a_legacy_file_is_not_unmade_by_undo(store, path):
    """Its heading and id stay; only the change itself is taken back."""
    path.write_text("- likes tea\n- hates noise\n")
    store.remember("new")
    store.undo()
    assert [fact.title for fact in store.facts()] == ["Imported notes"]
    assert path.read_text().endswith("- likes tea\n- hates noise\n")


@in_markdown
def test_crlf_survives_undo(store, path):
    """Line ends are the file's own."""
    path.write_bytes(HAND["MEMORY.md"].replace("\n", "\r\n").encode())
    before = path.read_bytes()
    store.forget("A")
    store.undo()
    assert path.read_bytes() == before


# Copies beside the file


@in_markdown
@pytest.mark.parametrize(
    "name",
    [
        "MEMORY (conflicted copy 2026-11-30).md",
        "MEMORY (Ada's conflicted copy 2026-11-30).md",
        "MEMORY 2.md",
        "MEMORY (1).md",
        "MEMORY.conflict-20261130T120000.000000Z.md",
        "MEMORY.sync-conflict-20261130-120000-ABCDEFG.md",
    ],
)
def test_a_copy_is_named_with_what_only_it_holds(store, path, name):
    """And it stays where it is."""
    store.remember("likes tea")
    copy = path.with_name(name)
    copy.write_text(path.read_text() + "\n## Only here\n\nsomething\n")
    before = copy.read_bytes()
    told = repr(store.overview())
    assert name in told
    assert "1 fact that only it holds" in told
    store.remember("more")
    assert copy.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["MEMORY.md", "NOTES.md", "MEMORY.md.bak", "MEMORY-2026.md", "MEMORYX 2.md", ".MEMORY 2.md"]
)
def test_other_files_are_no_copies(store, path, name):
    """Nobody is bothered with them."""
    store.remember("likes tea")
    if name != "MEMORY.md":
        path.with_name(name).write_text("## Only here\n")
    assert not store.overview().copies


@in_markdown
def test_a_copy_that_cannot_be_read_is_named_too(store, path):
    """It may hold something all the same."""
    store.remember("likes tea")
    path.with_name("MEMORY 2.md").write_bytes(b"\xff\xfe")
    assert "cannot be read" in repr(store.overview())


@in_markdown
def test_the_overview_counts_and_tells_the_last_change(path):
    """One look: the file, the facts, expired ones, what is flagged, the last change."""
    now = datetime(2026, 11, 30, tzinfo=UTC)
    store = Store(path, clock=lambda: now, writer=MAGIC)
    path.write_text("## A\n<!-- id: m-00000a · expires: 2026-01-01 · confidence: 150 -->\n\nx\n")
    store.remember("likes tea", category="preferences")
    told = repr(store.overview())
    assert str(path) in told
    assert "2 facts: preferences 1, other 1" in told
    assert "1 expired" in told
    assert "confidence in the file is not valid: 150" in told
    assert "remember by magic" in told


# What has bitten others


@in_markdown
@pytest.mark.parametrize("text", ["- a\n- b\n", "# A\n\n# B\n", "just text"])
def test_a_change_of_a_flat_text_can_be_undone(store, path, text):
    """Its text is back, under the heading that it has got."""
    path.write_text(text)
    (before,) = store.facts()
    store.forget(before.id)
    assert store.facts() == []
    store.undo()
    assert [(fact.id, fact.title, fact.body) for fact in store.facts()] == [(before.id, "Imported notes", before.body)]
    store.remember("changed", id=before.id)
    assert "changed" in repr(store.history())
    store.undo()
    assert store.facts()[0].body == before.body


@in_markdown
@pytest.mark.parametrize("call", [lambda store: store.remember("One", "changed"), lambda store: store.forget("One")])
def test_the_first_change_of_yolop_s_file_can_be_undone(store, path, call):
    """The other sections, which had no ids either, stay facts."""
    path.write_text("# yolop memory\n\n## One\n\n1\n\n## Two\n\n2\n")
    ids = {fact.id for fact in store.facts()}
    call(store)
    store.undo()
    assert {fact.id for fact in store.facts()} == ids
    assert bodies(store) == {"1", "2"}


@in_markdown
def test_a_forgotten_id_never_names_another_fact(store, path):
    """Of two hand-written sections with one title, the second keeps its id, so that forgetting twice is an error."""
    path.write_text("## A\n\none\n\n## A\n\ntwo\n")
    first, second = store.facts()
    store.forget(first.id)
    with pytest.raises(NotFoundError):
        store.forget(first.id)
    assert [(fact.id, fact.body) for fact in store.facts()] == [(second.id, "two")]
    store.undo()
    assert [(fact.id, fact.body) for fact in store.facts()] == [(first.id, "one"), (second.id, "two")]


def test_a_batch_that_swaps_two_keys_can_be_undone(store):
    """Keys are compared when all is back in its place."""
    a = store.remember("a", key="a", category="technical").fact.id
    b = store.remember("b", key="b", category="technical").fact.id
    with store.batch() as batch:
        batch.remember(id=a, key="tmp")
        batch.remember(id=b, key="a")
        batch.remember(id=a, key="b")
    store.undo()
    assert (store[a].key, store[b].key) == ("a", "b")


def test_many_undos_at_once_take_back_one_change_each(store, path):
    """Each looks for the latest change under the lock."""
    for number in range(12):
        store.remember(f"number {number}")
    failures = []

    def undo():
        try:
            for _ in range(3):
                Store(path).undo()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=undo) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.facts() == []


@in_markdown
def test_purge_finds_a_hand_written_fact_under_its_former_title(store, path, tmp_path):
    """Without an id, it is known by its text."""
    path.write_text("## Key\n\na very private thing\n")
    store.remember("Other", "x")
    path.write_text(path.read_text().replace("## Key", "## My key"))
    store.forget("My key", purge=True)
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not [file for file in kept if b"private" in file.read_bytes()]


@pytest.mark.parametrize("raw", ['"garbage"', "5", "[]"])
def test_a_damaged_record_is_left_out(store, tmp_path, raw):
    """The rest of the history works."""
    store.remember("a")
    store.remember("b", id=store.facts()[0].id)
    (record,) = tmp_path.glob("state/memory-magic/history/*/00000002.json")
    record.write_text(re.sub(r'"before": "(?:[^"\\]|\\.)*"', f'"before": {raw}', record.read_text()))
    assert [entry.version for entry in store.history()] == [1]


def test_a_repr_of_the_history_holds_no_text(store):
    """What a hand edit put into the file may not be shown by accident."""
    store.remember("a very private thing")
    entry = store.history()[0]
    assert "private" not in repr(entry) + repr(entry.changes)


def test_a_purge_that_fails_says_what_is_done_and_what_is_not(store, tmp_path):
    """The fact is deleted, its text is not yet out of the history, and doing it again finishes it."""
    made = store.remember("a very private thing").fact
    (folder,) = tmp_path.glob("state/memory-magic/history/*")
    (folder / "00000077.md").mkdir()
    with pytest.raises(UnwritableError, match="still in the history"):
        store.forget(made.id, purge=True)
    assert store.facts() == []
    (folder / "00000077.md").rmdir()
    assert store.forget(made.id, purge=True).count == 1


@pytest.mark.parametrize("version", ["latest", True, 1.0])
def test_undo_takes_a_number(store, version):
    """Anything else is an error in one line."""
    store.remember("a")
    with pytest.raises(InvalidError, match="number"):
        store.undo(version)


def test_a_fact_at_hand_can_be_purged_after_it_was_forgotten(store, tmp_path):
    """The fact itself is as good a name as its id."""
    made = store.remember("a very private thing").fact
    store.forget(made)
    assert store.forget(made, purge=True).count == 1
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not [file for file in kept if b"private" in file.read_bytes()]


@pytest.mark.parametrize("call", [{"key": "none"}, {"expired": True}], ids=["key", "expired"])
def test_a_category_that_is_a_secret_is_not_echoed(store, call):
    """Nor one that cannot be printed."""
    secret = "ghp_" + "a1B2" * 9
    for category in (secret, "\ud800"):
        with pytest.raises(NotFoundError) as caught:
            store.forget(category=category, **call)
        assert secret not in str(caught.value)
        str(caught.value).encode()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("00000001.json", '{"version": 1, "time": "2026-11-30T12:00:00Z", "changes": [{"after": "## a very private'),
        ("00000001.json", '{"version": 1, "writer": "x", "changes": "a very private thing"}'),
        (".00000009.json.1.tmp", '{"version": 9, "changes": "a very private thing"}'),
        ("00000001.md", "## a very private thing\n\n\udcff"),
    ],
    ids=["torn-record", "foreign-record", "left-by-a-crash", "not-utf-8"],
)
def test_a_purge_spares_nothing_that_it_cannot_read(store, tmp_path, name, text):
    """What a crash left half written may hold the text, and goes with it."""
    made = store.remember("a very private thing").fact
    store.remember("likes tea")
    (folder,) = tmp_path.glob("state/memory-magic/history/*")
    (folder / name).write_text(text, "utf-8", "surrogateescape")
    store.forget(made.id, purge=True)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"private" not in file.read_bytes(), file
    assert bodies(store) == {"likes tea"}
    assert [entry.version for entry in store.history()] == [2]


@pytest.mark.parametrize("path", ["notes.json"], indirect=True)
@pytest.mark.parametrize("text", ['[{"text": "a very private', '[{"text": "x"}, {"txt": "a very private thing"}]'])
def test_a_purge_spares_no_version_of_a_notes_array_that_it_cannot_read_whole(store, tmp_path, text):
    """Nobody can say whether the text is in what is no note."""
    made = store.remember("a very private thing").fact
    store.remember("likes tea")
    store.remember("likes cake")
    (version,) = tmp_path.glob("state/memory-magic/history/*/00000002.md")
    version.write_text(text)
    store.forget(made.id, purge=True)
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"private" not in file.read_bytes(), file


@pytest.mark.parametrize("path", ["notes.json"], indirect=True)
def test_a_note_laid_out_anew_by_hand_has_not_changed(store, path):
    """Its members are what counts; a member that came to it does."""
    store.remember("likes tea")
    store.remember("hates tea", id=store.facts()[0].id)
    path.write_text(" ".join(path.read_text().split()))
    store.undo()
    assert bodies(store) == {"likes tea"}
    store.redo()
    path.write_text(path.read_text().replace('"id"', '"pinned": true, "id"'))
    with pytest.raises(ConflictError):
        store.undo()


@pytest.mark.parametrize("path", ["notes.json"], indirect=True)
def test_an_undo_does_not_make_a_201st_note(store, path):
    """What was forgotten stays in the history until there is room."""
    gone = store.remember("likes tea").fact
    store.forget(gone)
    path.write_text(json.dumps([{"text": f"note {number}"} for number in range(200)]))
    before = path.read_bytes()
    with pytest.raises(FullError):
        store.undo()
    assert path.read_bytes() == before
