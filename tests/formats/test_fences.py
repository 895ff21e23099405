"""Fences and backslashes: which lines of a body would read as structure, and that every body comes back."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_magic.fact import normal_body
from memory_magic.formats import fences, markdown

ID = "<!-- id: m-0000aa -->"

LINES = st.sampled_from(
    [
        "## x",
        "\\## x",
        "\\\\## x",
        "\\\\\\## ",
        "##",
        "### x",
        " ## x",
        "<<<<<<< HEAD",
        "\\<<<<<<< a",
        "=======",
        ">>>>>>> b",
    ]
    + [
        "```",
        "````",
        " ```py",
        "   ```",
        "    ```",
        "``` `x`",
        "~~~",
        "~~~~ info",
        "\\```",
        "\\\\~~~",
        "\\   ```",
        "```\t",
    ]
    + [
        ID,
        "  " + ID,
        "<!-- id: nothing -->",
        "",
        " ",
        "\t",
        "text",
        "a\x00b",
        "a\u2028## x",
        "\x85",
        "\ufeff## x",
        "---",
    ]
)
BODIES = st.lists(LINES | st.text("\\#` ~<>\n", max_size=12), max_size=10).map("\n".join).map(normal_body)


def fenced(text: str) -> list[str]:
    """Give the texts of the closed fences."""
    return [text[start:end] for start, end in fences.closed_fences(text)]


# What a fence is


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n```\nb\n```\nc", ["```\nb\n```"], id="backticks"),
        pytest.param("~~~ py\nb\n~~~", ["~~~ py\nb\n~~~"], id="tildes-with-info"),
        pytest.param("```\nb\n~~~\nc", [], id="another-mark-does-not-close"),
        pytest.param("````\n```\n````", ["````\n```\n````"], id="four-hold-three"),
        pytest.param("```\nb\n`````", ["```\nb\n`````"], id="a-longer-one-closes"),
        pytest.param("   ```\nb\n  ```  \t", ["   ```\nb\n  ```  \t"], id="three-spaces-and-blanks-behind"),
        pytest.param("    ```\nb\n    ```", [], id="four-spaces-are-code"),
        pytest.param("```\nb\n``` c\n```", ["```\nb\n``` c\n```"], id="with-info-none-closes"),
        pytest.param("``` a`b\nc\n```", [], id="backtick-in-info"),
        pytest.param("~~~ a`b\nc\n~~~", ["~~~ a`b\nc\n~~~"], id="backtick-in-info-of-tildes"),
        pytest.param("x ```\nb\n```", [], id="not-at-the-line's-start"),
        pytest.param("```\r\nb\r\n```\r\nc", ["```\r\nb\r\n```\r"], id="crlf"),
        pytest.param("```\nb\r```\nc", [], id="a-lone-cr-ends-no-line"),
        pytest.param("````\n```\na\n```\nb", ["```\na\n```"], id="unclosed-is-no-fence"),
        pytest.param("```\na\n```\nb\n```\nc\n```", ["```\na\n```", "```\nc\n```"], id="two"),
        pytest.param("```\na\n```\n```", ["```\na\n```"], id="a-third-line-is-left-over"),
    ],
)
def test_closed_fences(text: str, expected: list[str]) -> None:
    """A fence is what CommonMark says, at the top level, and only if it is closed."""
    assert fenced(text) == expected


def test_no_fence_reaches_over_an_anchored_heading() -> None:
    """A fence that finds no end before an anchored heading is no fence; an unanchored heading does not end it."""
    text = f"```\n## plain\n## anchored\n{ID}\n```\n## b\n```\n"
    headings = [text.index("## plain"), text.index("## anchored"), text.index("## b")]
    assert [text[a:b] for a, b in fences.closed_fences(text, 0, headings)] == ["```\n## b\n```"]


# What is escaped


@pytest.mark.parametrize(
    ("body", "written"),
    [
        pytest.param("a\n## b", "a\n\\## b", id="heading"),
        pytest.param("## ", "\\## ", id="heading-without-title"),
        pytest.param("\\## a\n\\\\## b", "\\\\## a\n\\\\\\## b", id="behind-backslashes"),
        pytest.param("### a\n ## b\n##c\n##", "### a\n ## b\n##c\n##", id="no-heading"),
        pytest.param("<<<<<<< a\n=======\n>>>>>>> b", "\\<<<<<<< a\n=======\n\\>>>>>>> b", id="conflict-markers"),
        pytest.param("<<<<<<<\n << a", "<<<<<<<\n << a", id="no-conflict-markers"),
        pytest.param("```\na", "\\```\na", id="unclosed-fence"),
        pytest.param("  ~~~ py\na", "\\  ~~~ py\na", id="unclosed-fence-indented"),
        pytest.param("\\```\n\\  ~~~", "\\\\```\n\\\\  ~~~", id="fence-behind-backslashes"),
        pytest.param("```\n## a\n<<<<<<< b\n\\## c\n```", "```\n## a\n<<<<<<< b\n\\## c\n```", id="closed-fence-stays"),
        pytest.param(f"```\n## a\n\n{ID}\n```", f"```\n\\## a\n\n{ID}\n```", id="anchored-in-a-fence"),
        pytest.param(
            f"```\n\\## a\n{ID}\n```", f"```\n\\\\## a\n{ID}\n```", id="anchored-in-a-fence-behind-backslashes"
        ),
        pytest.param("````\n```\n## a\n```", "\\````\n```\n## a\n```", id="only-the-unclosed-one"),
        pytest.param("\\ \\a \\# `\\```x`", "\\ \\a \\# `\\```x`", id="other-backslashes"),
        pytest.param("a\u2028## b\x85## c\x0b## d", "a\u2028## b\x85## c\x0b## d", id="other-line-separators"),
    ],
)
def test_escape(body: str, written: str) -> None:
    """A line that reads as structure, behind any number of backslashes, gets one more; nothing else changes."""
    assert fences.escape(body) == written
    assert fences.unescape(written) == body


@given(BODIES)
@example("\\```\n```")
@example("```\n\\```\n```")
@example(f"```\n\\\\## x\n\n{ID}\n```\n## x\n{ID}")
@example("``` a`\n```")
def test_every_body_comes_back(body: str) -> None:
    """Reading takes off what writing put on, whatever the body is."""
    assert fences.unescape(fences.escape(body)) == body


@given(BODIES)
def test_no_written_body_reads_as_structure(body: str) -> None:
    """A written body starts no section, holds no conflict marker and opens no fence that it does not close."""
    written = fences.escape(body)
    document = markdown.parse(f"## t\n{ID}\n\n{written}\n## next\n```\n## in it\n```\n")
    assert [fact.title for fact in document.facts] == ["t", "next"]
    assert document.conflict_line is None


@given(BODIES)
def test_fences_of_a_body_are_the_same_when_written(body: str) -> None:
    """What stands in a closed fence stays in it, so Markdown shows it as before."""
    assert [part.replace("\\", "") for part in fenced(fences.escape(body))] == [
        part.replace("\\", "") for part in fenced(body)
    ]


# Size


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("```a\n", id="openings"),
        pytest.param("~~~\n```\n", id="fences-in-fences"),
        pytest.param("## a\n", id="headings"),
        pytest.param("\\", id="backslashes"),
        pytest.param("`", id="one-line-of-backticks"),
        pytest.param("\n\\", id="lines-of-a-backslash"),
    ],
)
def test_hostile_bodies_take_linear_time(line: str) -> None:
    """A long body of such lines comes back; in quadratic time, the test would take minutes."""
    body = line * 30_000
    assert fences.unescape(fences.escape(body)) == body
