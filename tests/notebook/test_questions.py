"""A fact may end in a question mark."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic.notebook.questions import keep_questions


def bodies(ip: Any) -> list[str]:
    """Give the texts in the store, in the order in which they came."""
    return [fact.body for fact in ip.run("%recall -n 99")][::-1]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param("%remember does Ann like tea?", ["does Ann like tea?"], id="line"),
        pytest.param("%remember does Ann like tea ?", ["does Ann like tea ?"], id="space-before"),
        pytest.param("%remember really??", ["really??"], id="two-marks"),
        pytest.param("%remember does Ann like tea?   ", ["does Ann like tea?"], id="trailing-spaces"),
        pytest.param("    %remember is it indented?", ["is it indented?"], id="indented-cell"),
        pytest.param("%remember don't you?", ["don't you?"], id="apostrophe"),
        pytest.param('%remember what is a "thing?', ['what is a "thing?'], id="quote"),
        pytest.param(r"%remember is it C:\new?", [r"is it C:\new?"], id="backslash"),
        pytest.param("%remember {x} or $x?", ["{x} or $x?"], id="not-expanded"),
        pytest.param("%remember one?\n%remember two?\n%remember three", ["one?", "two?", "three"], id="several"),
        pytest.param("x = 1\n%remember behind code?\ny = 2", ["behind code?"], id="between-code"),
        pytest.param("for i in range(2):\n    %remember in a loop?", ["in a loop?"], id="loop"),
        pytest.param("if True:\n    a = 1\n\n    %remember in a body?\n", ["in a body?"], id="body"),
        pytest.param("def f():\n    %remember inside?\nf()", ["inside?"], id="function"),
        pytest.param("# a note \\\n%remember below a comment?", ["below a comment?"], id="comment"),
        pytest.param("%remember is it \\\n  continued?", ["is it    continued?"], id="continuation"),
        pytest.param("%remember say '''hi\n%remember is it?", ["say '''hi", "is it?"], id="triple-quote-in-magic"),
        pytest.param("a = '''\n%x '''\n%remember closed?", ["closed?"], id="string-closed-on-a-magic-like-line"),
        pytest.param('!echo "it\'s" > /dev/null\n%remember a shell line?', ["a shell line?"], id="shell-before"),
        pytest.param("b = !echo don\\'t\n%remember assigned?", ["assigned?"], id="assigned-shell-before"),
        pytest.param("%timeit -n1 -r1 'don' # don't\n%remember timed?", ["timed?"], id="timeit-before"),
        pytest.param("%%time\n%remember under another cell magic?", ["under another cell magic?"], id="cell-magic"),
        pytest.param(">>> %remember with a prompt?", ["with a prompt?"], id="prompt"),
        pytest.param("In [3]: %remember with a prompt?", ["with a prompt?"], id="ipython-prompt"),
    ],
)
def test_a_question_is_remembered_as_it_stands(ip: Any, cell: str, expected: list[str]) -> None:
    """The line is no help request, wherever it stands as a statement."""
    ip.run("x = 42")
    ip.run(cell)
    assert bodies(ip) == expected


@pytest.mark.parametrize(
    "cell",
    ["x = %recall tea?", "x: list = %recall tea?", "d = {}\nd['a=b'] = %recall tea?\nx = d['a=b']"],
    ids=["name", "annotated", "item"],
)
def test_an_assignment_gets_what_a_question_finds(ip: Any, cell: str) -> None:
    """``x = %recall …?`` gives the object."""
    ip.run("%remember Ann likes tea")
    ip.run(cell)
    assert ip.value("x[0].body") == "Ann likes tea"


def test_the_receipt_can_be_assigned(ip: Any) -> None:
    """``x = %remember …?`` stores the fact and gives the receipt."""
    ip.run("x = %remember does Ann like tea?")
    assert ip.value("x.fact.body") == "does Ann like tea?"


def test_recall_and_forget_take_questions(ip: Any) -> None:
    """A query and a target may end in a question mark too."""
    ip.run("%remember does Ann like tea?")
    assert ip.run("%recall who likes tea?")[0].body == "does Ann like tea?"
    assert ip.run("%forget does Ann like tea?").count == 1
    assert "m-000000?" in ip.fails("%forget m-000000?")


@pytest.mark.parametrize("cell", ["%remember?", "?%remember", "%%remember?", "%remember??", "??%remember"])
def test_help_stays_help(ip: Any, cell: str) -> None:
    """Without a text it is a request for help."""
    assert "Remember a fact, in every notebook from now on" in ip.printed(cell)
    assert ip.text == ""


@pytest.mark.parametrize(
    ("cell", "name", "value"),
    [
        pytest.param("s = '''\n%remember foo?\n'''", "s", "\n%remember foo?\n", id="triple-quoted"),
        pytest.param('s = """x = %recall foo?\n"""', "s", "x = %recall foo?\n", id="opened-on-the-line"),
        pytest.param("s = '''%x\n%remember foo?'''", "s", "%x\n%remember foo?", id="behind-a-magic-like-line"),
    ],
)
def test_a_string_is_left_alone(ip: Any, cell: str, name: str, value: str) -> None:
    """What looks like a magic inside of a string is a string."""
    ip.run(cell)
    assert ip.value(name) == value
    assert ip.text == ""


def test_a_string_that_opens_the_cell_is_left_alone(ip: Any) -> None:
    """It is the value of the cell, as it stands."""
    assert ip.run("'''\n%remember foo?\n'''") == "\n%remember foo?\n"


def test_a_line_inside_of_brackets_is_left_alone() -> None:
    """It is part of an expression, in every version of Python."""
    lines = ["f(1,\n", "x = %remember foo?\n", ")\n"]
    assert keep_questions(lines) == lines


def test_other_cell_magics_are_left_alone(ip: Any, tmp_path: Any) -> None:
    """The body of %%writefile, %%bash or %%remember is theirs."""
    ip.run(f"%%writefile {tmp_path}/out.txt\n%remember foo?\n")
    assert (tmp_path / "out.txt").read_text() == "%remember foo?\n"
    assert "%remember foo?" in ip.printed("%%bash\necho '\n%remember foo?\n'")
    assert ip.text == ""
    ip.run("%%remember A cell\nis this\n%recall kept?\n")
    assert bodies(ip) == ["is this\n%recall kept?"]


def test_help_on_other_things_still_works(ip: Any) -> None:
    """A line with a question mark that is none of ours goes the way it always went."""
    assert "Type:" in ip.printed("x = 42\nx?")
    assert "timeit" in ip.printed("%timeit?")


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=20).map(lambda s: s + "\n")))
def test_any_cell_without_our_names_is_unchanged(lines: list[str]) -> None:
    """Cells that have none of our lines come back as they were, whatever is in them."""
    lines = "".join(lines).splitlines(keepends=True)
    try:
        assert keep_questions(lines) == lines
    except SyntaxError:  # Python's own word on indentation
        assert any(line[:1].isspace() for line in lines)
