"""Options first, then the text, verbatim."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic.errors import InvalidError
from memory_magic.notebook.options import FORGET, RECALL, REMEMBER, split

# Text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("use {x} and $x", id="variables"),
        pytest.param("config {'a': 1}", id="dict"),
        pytest.param("price $5", id="dollar"),
        pytest.param("{{x}} and {x!r:>10} and {nothing}", id="braces"),
        pytest.param("100%", id="percent"),
        pytest.param("%s of %(x)s", id="format"),
        pytest.param("I don't like tabs", id="apostrophe"),
        pytest.param('say "hi', id="open-quote"),
        pytest.param('5" screen', id="inch"),
        pytest.param("'tis the season", id="leading-apostrophe"),
        pytest.param('"quoted" at the start', id="leading-quotes"),
        pytest.param("two  spaces   three", id="spaces"),
        pytest.param("prefer -v flag", id="short-option-behind"),
        pytest.param("use --force, never --category", id="long-option-behind"),
        pytest.param("a\tb", id="tab"),
        pytest.param(r"C:\new\table and \\server", id="backslashes"),
        pytest.param("a # b", id="hash"),
        pytest.param("a; b;", id="semicolon"),
        pytest.param("- a bullet", id="bullet"),
        pytest.param("`$HOME` ~ ! * [x] (y) <z> & | ^", id="shell"),
        pytest.param("用户喜欢深色模式 👨‍👩‍👧 שלום", id="unicode"),
    ],
)
def test_text_is_kept_verbatim(ip: Any, text: str) -> None:
    """What stands behind the options is stored as it was typed, with x defined or not."""
    ip.run("x = 42")
    saved = ip.run("%remember " + text)
    assert saved.fact.body == text
    assert f"\n\n{text}\n" in ip.text


@pytest.mark.parametrize("magic", ["%remember -c profile ", "%remember --category=profile -q "])
def test_text_behind_options_is_kept_verbatim(ip: Any, magic: str) -> None:
    """Options before a text do not change how it is read."""
    ip.run("x = 42")
    ip.run(magic + "I don't  like {x}, $x or --force")
    assert "\nI don't  like {x}, $x or --force\n" in ip.text
    assert "category: profile" in ip.text


@pytest.mark.parametrize("name", ["%recall", "%forget"])
def test_a_query_is_not_expanded(ip: Any, name: str) -> None:
    """Braces and dollars in a query or a target are looked for as they stand."""
    ip.run("x = 'other'")
    ip.run("%remember note {x} and $x")
    assert ip.run(name + " note {x} and $x").facts[0].body == "note {x} and $x"


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1))
def test_split_keeps_any_text(text: str) -> None:
    """Behind -- any text comes back, apart from white space at its ends."""
    assert split(f"-c profile -- {text}", REMEMBER) == ({"category": "profile"}, text.strip())


@given(st.text())
def test_split_never_raises_anything_else(line: str) -> None:
    """Any line is options and a text, or an error in words."""
    try:
        values, text = split(line, REMEMBER)
    except InvalidError:
        return
    assert line.rstrip().endswith(text)
    assert set(values) <= {option.argument for option in REMEMBER}


# Options


@pytest.mark.parametrize(
    ("typed", "field", "value"),
    [
        pytest.param("-t 'Own title'", "title", "Own title", id="t"),
        pytest.param('--title "Own title"', "title", "Own title", id="title"),
        pytest.param('--title="Own title"', "title", "Own title", id="title-equals"),
        pytest.param("-c profile", "category", "profile", id="c"),
        pytest.param("-c=profile", "category", "profile", id="c-equals"),
        pytest.param("--category profile", "category", "profile", id="category"),
        pytest.param("--category=profile", "category", "profile", id="category-equals"),
        pytest.param("--category   'profile'", "category", "profile", id="category-quoted"),
        pytest.param("-k my_key", "key", "my_key", id="k"),
        pytest.param("--key=my_key", "key", "my_key", id="key"),
        pytest.param("-s tool_call", "source", "tool_call", id="s"),
        pytest.param("--source auto_discovery", "source", "auto_discovery", id="source"),
        pytest.param("--confidence 0", "confidence", 0, id="confidence"),
        pytest.param("--confidence=95", "confidence", 95, id="confidence-equals"),
        pytest.param("-e never", "expires", None, id="never"),
        pytest.param('--context "it\'s what Ann said"', "context", "it's what Ann said", id="context"),
        pytest.param("--context ''", "context", "", id="context-empty"),
        pytest.param("--scope project:thesis", "scope", "project:thesis", id="scope"),
    ],
)
def test_each_option_of_remember_sets_its_field(ip: Any, typed: str, field: str, value: object) -> None:
    """Each option works in each form, and one pair of quotes around its value is taken off."""
    fact = ip.run(f"%remember {typed} the text").fact
    assert getattr(fact, field) == value
    assert fact.body == "the text"


@pytest.mark.parametrize("typed", ["-e 7d", "--expires=7d", "-e '7d'", "--expires 1w"])
def test_expires_takes_a_duration(ip: Any, typed: str) -> None:
    """A duration is counted from now."""
    assert repr(ip.run(f"%remember {typed} the text")).startswith("Remembered m-")
    assert re.search("expires in [67] days", repr(ip.run("%recall text")))


def test_what_a_person_types_is_explicit(ip: Any) -> None:
    """Without options the source is user_explicit, the confidence 90 and the category other."""
    fact = ip.run("%remember a fact").fact
    assert (fact.source, fact.confidence, fact.category, fact.expires) == ("user_explicit", 90, "other", None)


def test_two_dashes_end_the_options(ip: Any) -> None:
    """A text that begins with a dash is written behind --."""
    assert ip.run("%remember -- -5 is cold").fact.body == "-5 is cold"
    assert ip.run("%remember -c profile -- --force is my style").fact.body == "--force is my style"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("--unknown x", ["--unknown", "write -- before"], id="unknown"),
        pytest.param("--ghp_" + "a1B2c3D4" * 4, ["no option --ghp_…;"], id="unknown-secret"),
        pytest.param("-5 is cold", ["-5", "write -- before"], id="negative-number"),
        pytest.param("--cat profile x", ["--cat", "write -- before"], id="no-abbreviations"),
        pytest.param("-cprofile x", ["-cprofile", "write -- before"], id="no-glued-value"),
        pytest.param('--key "my key" x', ["key must be a lower-case letter"], id="key"),
        pytest.param("--category", ["--category needs a value"], id="no-value"),
        pytest.param("--category= x", ["--category needs a value"], id="empty-value"),
        pytest.param("--quiet=yes x", ["--quiet takes no value"], id="flag-with-value"),
        pytest.param("-c wiki x", ["category must be one of profile, preferences"], id="category"),
        pytest.param("--confidence high x", ["confidence must be a number"], id="confidence"),
        pytest.param("-e 2026-02-30 x", ["expires is not a time that exists"], id="expires"),
        pytest.param("-e 0d x", ["expires must be more than 0"], id="expires-zero"),
        pytest.param("--scope thesis x", ["scope must be global or project:<name>"], id="scope"),
        pytest.param("--id m-000000 x", ["No fact has the id m-000000"], id="id"),
        pytest.param("-c profile", ["nothing to remember"], id="no-text"),
        pytest.param("", ["nothing to remember"], id="nothing"),
    ],
)
def test_a_wrong_line_is_refused_and_nothing_stored(ip: Any, line: str, words: list[str]) -> None:
    """A wrong option is an error of one line that says what to do; no file is made for it."""
    shown = ip.fails(f"%remember {line}".rstrip())
    assert all(word in shown for word in words)
    assert ip.text == ""
    assert not ip.memory.parent.exists()


@pytest.mark.parametrize("name", ["recall", "forget"])
def test_the_other_magics_know_their_own_options_alone(ip: Any, name: str) -> None:
    """An option of %remember is unknown to them, and the error lists theirs."""
    shown = ip.fails(f"%{name} --confidence 5 x")
    declared = {"recall": RECALL, "forget": FORGET}[name]
    assert all(option.names[0] in shown for option in declared)


@pytest.mark.parametrize("line", ["-n 0", "-n -1", "--limit many", "-n 1.5"])
def test_a_limit_is_a_whole_number_from_one(ip: Any, line: str) -> None:
    """Any other limit is an error that names it."""
    assert "limit must be a whole number of at least 1" in ip.fails(f"%recall {line} tea")


@pytest.mark.parametrize("name", ["remember", "recall", "forget"])
def test_help_shows_the_options(ip: Any, name: str) -> None:
    """``%remember?`` lists each option with its help."""
    shown = ip.printed(f"%{name}?")
    declared = {"remember": REMEMBER, "recall": RECALL, "forget": FORGET}[name]
    for option in declared:
        assert all(alias in shown for alias in option.names)
        assert option.help.split(";")[0][:30] in " ".join(shown.split())
