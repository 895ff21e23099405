"""Watching: pages get all rows once, and then what changes, by whomever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_magic import Store
from memory_magic.notebook.watch import Watch


class Pages:
    """What was sent to pages, and the watch that sends it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.sent: list[tuple[str | None, dict[str, Any]]] = []
        self.watch = Watch(store, lambda view, state: self.sent.append((view, state)))

    def until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not holds():
            assert time.monotonic() < deadline, self.sent
            time.sleep(0.01)

    def titles(self, view: str | None) -> list[str]:
        """Give the titles of the rows that were sent to a view, or to all."""
        return [row["title"] for to, state in list(self.sent) if to == view for row in state.get("rows", ())]

    def threads(self) -> int:
        return sum(thread.name == "memory_magic table" for thread in threading.enumerate())


def write_whole(path: Path, text: str) -> None:
    """Save as an editor does that replaces the file: nobody sees it half written."""
    path.with_suffix(".new").write_text(text)
    path.with_suffix(".new").replace(path)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    """Give pages over a store with two facts."""
    store = Store(tmp_path / "MEMORY.md")
    store.remember("one")
    store.remember("two")
    made = Pages(store)
    yield made
    made.watch.close()


def test_a_page_gets_all_rows_and_then_what_changes(pages: Pages) -> None:
    """A hand edit, a new fact, one that goes; only what is other is sent."""
    pages.watch.join("a")
    pages.until(lambda: pages.titles("a") == ["two", "one"])
    first = pages.sent[0][1]
    assert (first["reset"], len(first["order"]), first["more"], first["note_chars"]) == (True, 2, 0, 500)
    path = pages.store.path
    write_whole(path, path.read_text().replace("one", "uno"))
    pages.until(lambda: pages.titles(None) == ["uno"])
    write_whole(path, path.read_text() + "\n## By hand\n")
    pages.until(lambda: pages.titles(None) == ["uno", "By hand"])
    Store(path).forget("two")
    pages.until(lambda: (pages.sent[-1][1]["rows"], len(pages.sent[-1][1].get("order", ()))) == ([], 2))


def test_a_second_page_gets_all_rows_too_and_the_first_nothing(pages: Pages) -> None:
    """Each view of a widget hears every message, so each is told which are meant for it."""
    pages.watch.join("a")
    pages.until(lambda: bool(pages.titles("a")))
    pages.watch.join("b")
    pages.until(lambda: pages.titles("b") == ["two", "one"])
    assert {view for view, _ in pages.sent} == {"a", "b"}
    assert pages.threads() == 1


def test_the_thread_ends_with_the_last_page(pages: Pages) -> None:
    """And begins anew with the next."""
    for view in ("a", "b"):
        pages.watch.join(view)
    pages.watch.leave("a")
    assert pages.threads() == 1
    pages.watch.leave("b")
    assert pages.threads() == 0
    pages.sent.clear()
    pages.watch.join("c")
    pages.until(lambda: pages.titles("c") == ["two", "one"])
    pages.watch.close()
    assert pages.threads() == 0


def test_two_hundred_changes_leave_one_thread_and_no_old_row(pages: Pages) -> None:
    """What is known of the file is what is in it."""
    pages.watch.join("a")
    pages.until(lambda: bool(pages.titles("a")))
    for number in range(200):
        pages.store.path.write_text(f"## fact {number}\n")
        pages.watch.look()
    pages.until(lambda: pages.titles(None)[-1:] == ["fact 199"])
    assert pages.threads() == 1
    assert len(pages.watch._rows) == len(pages.watch._facts) == 1


def test_a_file_that_cannot_be_read_is_told_once_and_then_that_it_can(pages: Pages) -> None:
    """Also to a page that comes meanwhile, which gets all rows afterwards."""
    pages.watch.join("a")
    pages.until(lambda: bool(pages.titles("a")))
    good = pages.store.path.read_bytes()
    pages.store.path.write_bytes(b"\xff" + good)
    pages.until(lambda: "trouble" in pages.sent[-1][1])
    trouble = pages.sent[-1][1]["trouble"]
    assert "not UTF-8" in trouble
    assert str(pages.store.path) not in trouble
    pages.watch.join("b")
    pages.until(lambda: sum("trouble" in state for _, state in pages.sent) == 2)
    pages.store.path.write_bytes(good)
    pages.until(lambda: pages.titles("b") == ["two", "one"])
    assert pages.sent[-2][0] is None
    assert "trouble" not in pages.sent[-2][1]


def test_a_fact_that_expires_is_sent_again(tmp_path: Path) -> None:
    """Time changes a row too."""
    clock = [datetime(2026, 12, 1, tzinfo=UTC)]
    store = Store(tmp_path / "MEMORY.md", clock=lambda: clock[0])
    store.remember("soon gone", expires="1h")
    pages = Pages(store)
    pages.watch.join("a")
    pages.until(lambda: bool(pages.titles("a")))
    clock[0] += timedelta(hours=2)
    pages.until(lambda: pages.titles(None) == ["soon gone"])
    assert pages.sent[-1][1]["rows"][0]["status"] == "expired"
    pages.watch.close()


def test_a_large_file_comes_in_pieces(tmp_path: Path) -> None:
    """What stands on top comes before the file has been read; each piece says how many rows are still to come."""
    path = tmp_path / "MEMORY.md"
    path.write_text("".join(f"## fact {number}\n<!-- id: m-{number:06x} -->\n\n" for number in range(1300)))
    pages = Pages(Store(path))
    pages.watch.join("a")
    pages.until(lambda: len(pages.titles("a")) == 1350)
    assert [(len(state["rows"]), state["more"]) for _, state in pages.sent] == [
        (50, 1250),
        (50, 1250),
        (500, 750),
        (500, 250),
        (250, 0),
    ]
    assert [len(state.get("order", ())) for _, state in pages.sent[:3]] == [50, 1300, 0]
    assert pages.sent[0][1]["reset"]
    pages.watch.close()


def test_where_there_are_no_threads_a_page_is_shown_all_the_same(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser's Python has none; what changes is seen at the next action then."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    pages.watch.join("a")
    assert pages.titles("a") == ["two", "one"]
    pages.store.remember("three")
    pages.watch.look()
    assert pages.titles(None) == ["three"]
