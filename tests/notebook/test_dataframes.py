"""What a notebook and a terminal show of differences: all that differs, marked, escaped, and how it stands."""

from __future__ import annotations

import pickle
import re
from html import unescape
from pathlib import Path

import pandas as pd
from frames import BY_HAND, HOST, HOSTILE, NOTE, TEA, store_of, three_facts

from memory_magic import apply_frame, frame


def text_of(html: str) -> str:
    """Give what a browser shows of HTML, a line a cell."""
    cells = re.sub(r"(?s)<style>.*?</style>", "", html).replace("</td>", "\n").replace("</p>", "\n")
    return unescape(re.sub(r"<[^>]*>", "", cells))


def test_what_goes_and_what_comes_is_marked_word_by_word(tmp_path: Path) -> None:
    """With the title that the fact has now, once for all its fields."""
    store = three_facts(tmp_path)
    df = frame(store)
    df.loc[HOST, ["body", "confidence"]] = ["lives in the attic", 95]
    html = apply_frame(df, store, dry_run=True)._repr_html_()
    assert "lives in the <del>cellar</del>" in html
    assert "lives in the <ins>attic</ins>" in html
    assert "<del>40</del>" in html
    assert html.count(">Host</div>") == html.count(HOST) == 1


def test_the_message_says_how_it_stands(tmp_path: Path) -> None:
    """In the notebook and in the terminal: a preview, a problem, applied, nothing."""
    store = three_facts(tmp_path)
    df = frame(store)
    assert repr(apply_frame(df, store)) == "No differences"
    df.loc[HOST, "confidence"] = 1
    preview = apply_frame(df, store, dry_run=True)
    assert preview.message == "1 difference; nothing is applied yet"
    assert repr(preview).endswith(preview.message)
    assert preview.message in text_of(preview._repr_html_())
    applied = apply_frame(df, store)
    assert applied.message == "1 difference, applied; an undo takes them back"
    bad = frame(store).astype(object)
    bad.loc[TEA, ["confidence", "title"]] = [500, "Tea"]
    assert apply_frame(bad, store, dry_run=True).message == (
        "2 differences, 1 of them a problem: nothing can be applied"
    )


def test_problems_come_first_and_name_the_row_of_a_new_fact(tmp_path: Path) -> None:
    """So that none is overlooked among many differences; what is left out is counted."""
    store = store_of(tmp_path)
    new = pd.DataFrame({"title": [f"fact {number}" for number in range(250)], "confidence": 50})
    new.loc[249, "confidence"] = 101
    shown = text_of(apply_frame(new, store, dry_run=True)._repr_html_())
    assert shown.index("A new factrow 249") < shown.index("A new factrow 0")
    assert "confidence must be a whole number from 0 to 100" in shown
    assert "and 300 more" in shown


def test_everything_in_it_is_escaped_and_masked(tmp_path: Path) -> None:
    """Titles, values, new and bad ones, names of columns, and problems that quote them."""
    store = store_of(tmp_path, f"{BY_HAND}\n## {HOSTILE}\n<!-- id: m-5a2b3c -->\n{HOSTILE}\n")
    df = frame(store).astype(object)
    df.loc["m-5a2b3c", ["body", "category", "key"]] = [HOSTILE + HOSTILE, HOSTILE, "\x1b[31m"]
    df.loc["m-4a2b3c", "body"] = "the password is swordfish-43"
    df = pd.concat([df, pd.DataFrame([{"title": HOSTILE}])]).assign(**{HOSTILE: 1})
    found = apply_frame(df, store, dry_run=True)
    html = found._repr_html_()
    assert not re.search(r"<(?:script|img|/td>\s*\$)", html)
    for shown in (html, repr(found), found.to_html()):
        assert "swordfish" not in shown
        assert "\x1b" not in shown
    assert HOSTILE in text_of(html)
    assert "mathjax_ignore" in html


def test_long_texts_are_cut_and_the_rest_counted(tmp_path: Path) -> None:
    """A hundred differences of 20,000 characters do not make a page of two megabytes."""
    store = three_facts(tmp_path)
    df = frame(store)
    df.loc[NOTE, "body"] = "long " * 4_000
    html = apply_frame(df, store, dry_run=True)._repr_html_()
    assert "… 18,500 more characters" in text_of(html)
    assert len(html) < 20_000


def test_differences_can_be_worked_with_as_any_frame(tmp_path: Path) -> None:
    """A selection of rows keeps the view; without one of the columns it is pandas' own; it can be pickled."""
    store = three_facts(tmp_path)
    found = apply_frame(frame(store).assign(confidence=1), store, dry_run=True)
    assert "<ins>1</ins>" in found[found["id"] == HOST]._repr_html_()
    assert "<ins>" not in found[["id", "after"]]._repr_html_()
    assert found["field"].value_counts().to_dict() == {"confidence": 3}
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    assert found.dtypes.equals(apply_frame(frame(store), store).dtypes)
