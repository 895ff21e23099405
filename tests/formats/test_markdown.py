"""MEMORY.md: what is a fact in it, what a write changes in it, and that nothing else changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from memory_magic.errors import ConflictError
from memory_magic.fact import Fact, clean_context, clean_title, fold, normal_body
from memory_magic.formats import fences
from memory_magic.formats.markdown import COMMENT, Document, parse
from memory_magic.formats.section import Section

DATA = Path(__file__).parent.parent / "data"
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
A = "<!-- id: m-00000a -->"
B = "<!-- id: m-00000b -->"
NEW = Fact("m-ffffff", "New title", "New body.", created=NOON, updated=NOON)


def sample(name: str) -> str:
    """Give a sample file as it is, line ends included."""
    return (DATA / name).read_bytes().decode("utf-8")


def titles(text: str) -> list[str]:
    """Give the titles of the facts in the order of the file."""
    return [fact.title for fact in parse(text).facts]


def bodies(text: str) -> list[str]:
    """Give the bodies of the facts in the order of the file."""
    return [fact.body for fact in parse(text).facts]


def bare(fact: Fact) -> Fact:
    """Give the fact without flags, which depend on its neighbours."""
    return replace(fact, flags=())


def put(text: str, fact: Fact, index: int | None = None, touched: tuple[str, ...] = ()) -> str:
    """Put a fact into a text and give the new text."""
    return parse(text).put(fact, index, touched).checked()


def change(text: str, index: int = 0, **changes: object) -> str:
    """Change fields of a fact in a text and give the new text."""
    return put(text, replace(parse(text).facts[index], **changes), index, tuple(changes))


# Where a section starts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("## a\nx\n## b\n", ["a", "b"], id="two"),
        pytest.param("# t\n\nprose\n\n## a", ["a"], id="behind-prose"),
        pytest.param("##\ta\n##b\n ## c\n### d\n\\## e\n# f\n## g", ["g"], id="two-marks-and-a-space-in-column-0"),
        pytest.param("```\n## a\n```\n## b", ["b"], id="not-in-a-closed-fence"),
        pytest.param("~~~\n## a\n~~~\n## b", ["b"], id="nor-in-tildes"),
        pytest.param("````\n```\n## a\n```\n````\n## b", ["b"], id="nor-in-four-that-hold-three"),
        pytest.param("```\n## a\n## b", ["a", "b"], id="in-a-fence-without-end"),
        pytest.param(f"```\n## a\n{A}\n```\n## b", ["a", "b"], id="anchored-in-a-fence"),
        pytest.param(f"```\n## a\n \t\n\n  {A}  \n```\n## b", ["a", "b"], id="anchored-over-blank-lines"),
        pytest.param(f"```\n## a\nx\n{A}\n```\n## b", ["b"], id="not-anchored-over-text"),
        pytest.param("```\n## a\n<!-- id: m-00000A -->\n```\n## b", ["b"], id="not-anchored-by-a-malformed-id"),
        pytest.param(f"```\n## a\n{A} x\n```\n## b", ["b"], id="not-anchored-with-text-behind"),
        pytest.param("```\n## a\n<!-- id: m-00000a · x --> -->\n```\n## b", ["b"], id="not-anchored-by-two-ends"),
        pytest.param("```\n## a\n<!-- id: m-00000a\n-->\n```\n## b", ["b"], id="not-anchored-by-two-lines"),
        pytest.param(f"```\n## a\n## b\n{A}\n```\n## c\n", ["a", "b", "c"], id="no-fence-over-an-anchor"),
        pytest.param("<!-- ```\n-->\n## a\n## b\n```\n", ["a", "b"], id="a-fence-in-a-comment"),
        pytest.param("## a\r\nx\r## b\n", ["a"], id="a-lone-cr-starts-no-line"),
        pytest.param("## a\nx\u2028## b\x85## c\x0b## d\x0c## e\n", ["a"], id="nor-another-separator"),
        pytest.param("---\ntitle: x\n## a\n---\n## b", ["b"], id="not-in-front-matter"),
        pytest.param("\ufeff---\r\n## a\r\n...\r\n## b", ["b"], id="not-in-front-matter-behind-a-bom"),
        pytest.param("---\ntitle: x\n## a\n## b", ["a", "b"], id="front-matter-that-is-never-closed"),
        pytest.param("\n---\n## a\n---\n## b", ["a", "b"], id="front-matter-is-at-the-top"),
        pytest.param(f"---\n## a\n{A}\n---\n## b", ["a", "b"], id="two-rules-around-an-anchored-section"),
    ],
)
def test_where_sections_start(text: str, expected: list[str]) -> None:
    """At ``## `` in column 0 outside of closed fences and front matter; at an anchored heading always."""
    assert titles(text) == expected


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_metadata_stands_on_the_first_line_that_is_not_blank(ends: str) -> None:
    """Lines of spaces and tabs are blank; what stands behind the comment is the body."""
    text = f"## a\n \t\n\n<!-- category: profile -->\nx\n<!-- key: k -->\n## b\nx\n{A}\n".replace("\n", ends)
    first, second = parse(text).facts
    assert (first.category, first.key, first.body) == ("profile", None, "x\n<!-- key: k -->")
    assert second.body == f"x\n{A}"


def test_a_comment_that_is_not_metadata_is_text() -> None:
    """A comment with a field that is not known or not valid, or of two lines, stays in the body."""
    for comment in ("<!-- source: wikipedia -->", "<!-- TODO: x -->", "<!-- category:\nprofile -->", f"{A} {B}"):
        assert bodies(f"## a\n{comment}\nx") == [f"{comment}\nx"]


def test_titles_are_one_line() -> None:
    """White space in a heading is collapsed and characters composed, for reading only."""
    text = "##   a \t b\u2028c  \nx"
    assert titles(text) == ["a b c"]
    assert titles("## e\u0301 #\r\n") == ["é #"]
    assert change(text, confidence=10).startswith("##   a \t b\u2028c  \n")


def test_bodies_lose_the_blank_lines_at_both_ends() -> None:
    """The body is the rest without blank lines at its ends; indentation and trailing spaces stay."""
    assert bodies(f"## a\n{A}\n\n \t\n  x\n\ny  \n\t\n\n## b\n  \n") == ["  x\n\ny  ", ""]


def test_backslashes_are_taken_off_once() -> None:
    """One backslash before a line that would read as structure is not part of the body."""
    assert bodies("## a\n\\## x\n\\\\## y\n\\```\n\\>>>>>>> z\n\\n") == ["## x\n\\## y\n```\n>>>>>>> z\n\\n"]


# The fields of a fact in the file


def test_the_form_of_a_new_file() -> None:
    """A first write gives the heading, the comment and the section, as the specification shows them."""
    fact = Fact("m-1a2b3c", "Prefer terse answers", "The user prefers terse answers.", "preferences", confidence=90)
    assert put("", fact) == (
        "# Memory\n\n" + COMMENT + "\n\n## Prefer terse answers\n"
        "<!-- id: m-1a2b3c · category: preferences · confidence: 90 -->\n\nThe user prefers terse answers.\n"
    )


def test_a_new_section_goes_above_the_first() -> None:
    """Newest first; what was there keeps its bytes."""
    text = f"# H\n\nprose\n\n## a\n{A}\n\nx"
    assert put(text, NEW) == (
        "# H\n\nprose\n\n## New title\n<!-- id: m-ffffff · created: 2026-11-30T12:00:00Z · updated: 2026-11-30T12:00:00Z -->"
        f"\n\nNew body.\n\n## a\n{A}\n\nx"
    )


@pytest.mark.parametrize("text", ["\n", "\ufeff", "\ufeff\r\n", " \t\n\n"])
def test_a_file_of_blank_lines_gets_our_heading(text: str) -> None:
    """A byte order mark and blank lines say nothing yet, so the file begins as a new one does."""
    assert put(text, NEW).replace("\r\n", "\n").startswith(text.replace("\r\n", "\n") + f"# Memory\n\n{COMMENT}\n\n## ")


@pytest.mark.parametrize("text", ["# H", "# H\n", "# H\n\n", "---\na: b\n---", "<!-- c -->\n", "\ufeff# H\r\n"])
def test_a_first_section_stands_behind_a_blank_line(text: str) -> None:
    """A file without facts keeps what it has, and gets no heading of ours above it."""
    written = put(text, NEW)
    assert written.startswith(text)
    assert "\n\n## New title" in written.replace("\r\n", "\n")
    assert "# Memory" not in written


@pytest.mark.parametrize(
    "text", ["", "\ufeff", "\n", "\ufeff\r\n\r\n", " \t\n", "# H", f"# Memory\n\n{COMMENT}\n", "<!-- a\nb -->"]
)
def test_an_empty_file_is_an_empty_store(text: str) -> None:
    """No bytes, a byte order mark, blank lines, a heading, comments: no fact."""
    assert parse(text).facts == ()
    assert put(text, NEW).startswith(text)


def test_unknown_fields_are_kept() -> None:
    """A field that we do not know stays where it is, through changes of others."""
    text = "## a\n<!-- mood:  fine · id: m-00000a · x · key: k -->\n\nx\n"
    assert change(text, key="other", body="y") == "## a\n<!-- mood:  fine · id: m-00000a · x · key: other -->\n\ny\n"


def test_invalid_values_are_kept_flagged_and_replaced_when_set() -> None:
    """An invalid value does not count; it stays until its own field is set."""
    text = f"## {'x' * 200}\n<!-- id: m-00000a · confidence: 150 · key: Server-IP · category: food -->\n"
    fact = parse(text).facts[0]
    assert (fact.title, fact.confidence, fact.key, fact.category) == ("x" * 200, 70, None, "food")
    assert len(fact.flags) == 4
    assert parse(text).invalid_fields(0) == {"confidence", "key", "category"}
    assert change(text, body="y") == text + "\ny\n"
    assert "confidence" not in change(text, confidence=70)
    assert "key: server_ip" in change(text, key="server_ip")
    assert "category: other" not in change(text, category="other")
    assert change(text, title="short").startswith("## short\n<!-- id: m-00000a · confidence: 150 · key: Server-IP")


@pytest.mark.parametrize("text", ["## \nx", f"## \n{A}\nx", f"##   \n{A}\nx"])
def test_a_heading_without_a_title_is_flagged(text: str) -> None:
    """It is a fact without a title, kept as it is."""
    (fact,) = parse(text).facts
    assert (fact.title, fact.body) == ("", "x")
    assert fact.flags
    assert change(text, confidence=1).startswith(text.partition("\n")[0] + "\n")


def test_a_body_that_is_too_long_is_flagged() -> None:
    """A hand-written body of more than 20,000 characters is read whole."""
    (fact,) = parse("## a\n" + "x" * 20_001).facts
    assert len(fact.body) == 20_001
    assert fact.flags


def test_two_facts_with_one_id_or_key_are_both_shown_and_flagged() -> None:
    """Neither is dropped; a key is the same only within its category."""
    text = f"## a\n{A}\n## b\n{A}\n## c\n<!-- key: k -->\n## d\n<!-- key: k -->\n## e\n<!-- key: k · category: profile -->\n"
    assert [(fact.title, len(fact.flags)) for fact in parse(text).facts] == [
        ("a", 1),
        ("b", 1),
        ("c", 1),
        ("d", 1),
        ("e", 0),
    ]


# Sections written by hand


def test_a_derived_id_is_the_same_at_each_read() -> None:
    """It depends on the title and its place among equal titles, on nothing else in the file."""
    text = "## Likes tea\nGreen\n\n## Dogs\n\n## likes TEA\nBlack\n"
    first, dogs, second = parse(text).facts
    assert len({first.id, dogs.id, second.id}) == 3
    assert parse(text).facts == (first, dogs, second)
    moved = parse("prose\n\n## Dogs\nx\n\n## Likes  tea\nRed\n\n## Other\n\n## Likes tea\n").facts
    assert [fact.id for fact in moved if fact.title != "Other"] == [dogs.id, first.id, second.id]


def test_a_derived_id_is_none_that_the_file_has() -> None:
    """Where the derived id is taken, another one is derived, in the same way each time."""
    (fact,) = parse("## a\n").facts
    text = f"## a\n\n## b\n<!-- id: {fact.id} -->\n"
    ids = [fact.id for fact in parse(text).facts]
    assert len(set(ids)) == 2
    assert [fact.id for fact in parse(text).facts] == ids


def test_a_derived_id_does_not_depend_on_the_ids_of_others() -> None:
    """The second of two equal titles keeps its id when the first gets one that was not derived."""
    second = parse("## a\n\n## a\n").facts[1]
    assert parse(f"## a\n{A}\n\n## a\n").facts[1].id == second.id


def test_derived_ids_are_different() -> None:
    """Of ten thousand titles some share a digest of six digits; their facts have ids of their own all the same."""
    facts = parse("".join(f"## {number}\n" for number in range(10_000))).facts
    assert len({fact.id for fact in facts}) == 10_000
    assert not any(fact.flags for fact in facts)


def test_a_section_by_hand_has_no_times_and_gets_metadata_when_saved() -> None:
    """A read writes nothing; a save writes the derived id, under the heading, and leaves the rest."""
    text = "## a  \nx  \n\n<!-- c -->\n## b\ny"
    (first, second) = parse(text).facts
    assert (first.created, first.updated) == (None, None)
    assert change(text, confidence=1) == f"## a  \n<!-- id: {first.id} · confidence: 1 -->\nx  \n\n<!-- c -->\n## b\ny"
    assert change(text, 1, body="z") == f"## a  \nx  \n\n<!-- c -->\n## b\n<!-- id: {second.id} -->\n\nz"
    assert [fact.id for fact in parse(change(text, confidence=1)).facts] == [first.id, second.id]


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        pytest.param("## a", {"body": "x"}, "## a\n<!-- id: ID -->\n\nx\n", id="heading-at-the-end"),
        pytest.param("## a\r\n", {"body": "x\ny"}, "## a\r\n<!-- id: ID -->\r\n\r\nx\r\ny\r\n", id="crlf"),
        pytest.param(
            "## a\n\n\nx\n\n\n## b", {"body": "y"}, "## a\n<!-- id: ID -->\n\ny\n\n\n## b", id="blank-lines-behind"
        ),
        pytest.param(f"## a\n{A}\n\nx\n\n## b", {"body": ""}, f"## a\n{A}\n\n## b", id="body-cleared"),
        pytest.param(f"## a\n{A}\n\n## b", {"body": "x"}, f"## a\n{A}\n\nx\n\n## b", id="body-added"),
        pytest.param(f"## a  \n\n  {A} \nx", {"title": "c"}, "## c\n\n<!-- id: m-00000a -->\nx", id="title"),
        pytest.param(f"## a\r\n{A}\r\nx\r\n", {"title": "c"}, f"## c\r\n{A}\r\nx\r\n", id="title-crlf"),
        pytest.param(f"## a\n{A}\n\rx\r\n", {"title": "c"}, f"## c\n{A}\n\rx\r\n", id="lone-cr-in-a-body-that-stays"),
        pytest.param(f"## a\r\n{A}\r\nx\r\n\r\n## b", {"body": ""}, f"## a\r\n{A}\r\n\r\n## b", id="body-cleared-crlf"),
        pytest.param(f"\n## a\n{A}\nx\r\n\r\n## b", {"body": ""}, f"\n## a\n{A}\n\r\n## b", id="body-cleared-mixed"),
        pytest.param(
            "## a\n<!-- key: k -->\nx", {"key": "j"}, "## a\n<!-- key: j · id: ID -->\nx", id="metadata-without-id"
        ),
    ],
)
def test_what_an_update_changes(text: str, changes: dict[str, object], expected: str) -> None:
    """An update writes the line of the field that changed, in the file's line ends."""
    assert change(text, **changes) == expected.replace("ID", parse(text).facts[0].id)


# An older flat file


@pytest.mark.parametrize(
    ("prefix", "body"),
    [
        pytest.param("", "- a\n- b", id="bullets"),
        pytest.param("# Notes\n\n<!-- c -->\n\n", "- a\n\n# Another\n- b", id="behind-h1-and-comment"),
        pytest.param("<!-- c\nd -->\n# Notes\n", "### x\ny", id="behind-comment-and-h1"),
        pytest.param("\ufeff---\r\na: b\r\n---\r\n# H\r\n", "x\r\ny", id="behind-bom-and-front-matter"),
        pytest.param("", "---\na: b\n\nx", id="front-matter-that-is-never-closed"),
        pytest.param("", "<!-- c --> x", id="a-comment-with-text-behind"),
        pytest.param("", "<!-- never closed", id="a-comment-that-is-never-closed"),
        pytest.param("# H\n", "```\n## a\n```", id="a-heading-in-a-fence"),
        pytest.param("# H\n", "    code\n  \n" + "long " * 10_000, id="long"),
        pytest.param("# yolop memory\n\n", "- a", id="yolop"),
    ],
)
def test_a_text_without_sections_is_one_fact(prefix: str, body: str) -> None:
    """It is "Imported notes"; the first write puts heading and metadata above the text and changes nothing else."""
    text = prefix + body + "\n"
    (fact,) = parse(text).facts
    assert (fact.title, fact.body) == ("Imported notes", body.replace("\r\n", "\n"))
    nl = "\r\n" if "\r\n" in text else "\n"
    heading = f"## Imported notes{nl}<!-- id: {fact.id} -->{nl}{nl}"
    written = put(text, NEW)
    assert written.startswith(prefix + "## New title")
    assert written.endswith(f"New body.{nl}{nl}{heading}{body}\n")
    assert change(text, confidence=1) == prefix + heading.replace(" -->", " · confidence: 1 -->") + body + "\n"
    assert bare(parse(written).facts[1]) == fact


def test_a_file_with_our_comment_is_never_legacy() -> None:
    """Its prose is the user's, not a fact."""
    assert parse(f"# Memory\n\n{COMMENT}\n\nprose\n").facts == ()


@pytest.mark.parametrize("prefix", ["# H\n\nprose", "prose\n", "\ufeffprose\r\n\r\n"])
def test_forgetting_the_last_section_marks_the_prose(prefix: str) -> None:
    """The comment is added, so that prose does not become a fact; the prose stays as it is."""
    text = prefix.rstrip("\r\n") + "\n\n" + f"## a\n{A}\n\nx\n"
    left = parse(text).drop([0]).checked()
    assert left.startswith(prefix.rstrip("\r\n") + "\n\n" + COMMENT)
    assert parse(left).facts == ()


@pytest.mark.parametrize("prefix", ["", "# H\n\n<!-- c -->\n\n", f"# Memory\n\n{COMMENT}\n\nprose\n\n"])
def test_forgetting_the_last_section_leaves_the_rest(prefix: str) -> None:
    """Where there is no prose, or it is marked, nothing is added."""
    assert parse(f"{prefix}## a\n{A}\n\nx\n").drop([0]).checked() == prefix


def test_the_mark_stands_behind_a_blank_line() -> None:
    """Else Markdown would show it as part of the paragraph."""
    assert parse(f"prose\n## a\n{A}\n").drop([0]).checked() == f"prose\n\n{COMMENT}\n"


def test_forgetting_a_flat_text_takes_it_whole() -> None:
    """It is one fact, and forgotten as one."""
    assert parse("# H\n\n- a\n- b\n").drop([0]).checked() == "# H\n\n"


def test_a_flat_text_that_a_comment_opens_a_fence_over_is_refused() -> None:
    """Its first write would turn the heading in the fence into a section."""
    text = "<!--\n```\n-->\n## a\n```\n"
    assert titles(text) == ["Imported notes"]
    with pytest.raises(ConflictError):
        put(text, NEW)


# yolop's file


def test_yolop_file_is_read_as_it_stands() -> None:
    """Its ids, its times with nanoseconds, its heading and comment, and bodies that hold bare headings."""
    first, second, third = parse(sample("yolop.md")).facts
    assert [first.id, second.id, third.id] == ["m-0a1b2c", "m-3d4e5f", "m-778899"]
    assert first.created == datetime(2026, 3, 1, 9, 15, 30, tzinfo=UTC)
    assert first.updated == datetime(2026, 6, 2, 18, 0, 1, tzinfo=UTC)
    assert first.body.startswith("Commit messages are one line:\n\n## Heading rules\nUse `## ` for sections")
    assert (third.title, third.body) == ("Größe der Schrift", "14 Punkt – überall.")
    assert {first.flags, second.flags, third.flags} == {()}


def test_yolop_sections_all_get_ids_before_the_first_is_written() -> None:
    """Else the bare ones would end up in the body of the one above, there and here."""
    text = "# Yolop Memory\n\n## a\nx\n\n## b\n\n## c\n```\n## d\n```\n"
    facts = parse(text).facts
    assert [fact.title for fact in facts] == ["a", "b", "c"]
    for written in (put(text, NEW), change(text, 1, body="y")):
        assert {fact.id: fact.title for fact in facts}.items() <= {f.id: f.title for f in parse(written).facts}.items()
        assert written.count("<!-- id: ") == len(parse(written).facts)
    assert parse(text).drop([0]).checked() == "# Yolop Memory\n\n## b\n\n## c\n```\n## d\n```\n"


def test_in_a_yolop_file_with_ids_a_write_leaves_the_other_sections() -> None:
    """Comments that are spelled in another way keep their bytes."""
    text = "# yolop memory\n\n## a\n<!--id:m-00000a-->\nx\n\n## b\n  <!-- id: m-00000b -->\ny"
    assert put(text, NEW).endswith(text.removeprefix("# yolop memory\n\n"))


def test_in_another_file_bare_headings_start_sections_beside_anchored_ones() -> None:
    """The rule is for yolop's heading alone."""
    body = f"\n\n## a\n{A}\nx\n## b\ny\n"
    assert titles("# yolop memory" + body) == ["a"]
    assert titles("# Yolop Memory  \r" + body) == ["a"]
    assert titles("# my yolop memory" + body) == ["a", "b"]
    assert titles("prose\n\n# yolop memory" + body) == ["a", "b"]


def read_as_yolop(content: str) -> list[tuple[str, str, str]]:
    """Read (id, title, body) by yolop's rules (github.com/everruns/yolop, src/capabilities/memory.rs)."""

    def is_metadata(line: str) -> bool:
        line = line.strip()
        words = ("id:", "created:", "updated:")
        return line.startswith("<!--") and line.endswith("-->") and any(word in line for word in words)

    lines = [line.removesuffix("\r") for line in content.split("\n")]
    heads = [i for i, line in enumerate(lines) if line.startswith("## ") and is_metadata("".join(lines[i + 1 : i + 2]))]
    found = []
    for start, end in zip(heads, [*heads, len(lines)][1:], strict=True):
        comment = lines[start + 1].strip().removeprefix("<!--").removesuffix("-->")
        fields = dict(part.strip().split(":", 1) for part in comment.split("·") if ":" in part)
        title = lines[start]
        while title.startswith("## "):
            title = title.removeprefix("## ")
        found.append((fields["id"].strip(), title.strip(), "\n".join(lines[start + 2 : end]).strip()))
    return found


# Any text


LINES = st.sampled_from(
    [
        "## x",
        "## x",
        "## y",
        "## ",
        "\\## x",
        "\\\\## ",
        "### z",
        "# H",
        "# yolop memory",
        "<<<<<<< HEAD",
        ">>>>>>> x",
        "=======",
    ]
    + ["```", "```", "````", "  ```py", "    ```", "~~~", "~~~~ x", "\\```", "``` a`b", "---", "---", "..."]
    + [A, B, A, "  " + B + "  ", "<!-- id: m-00000a · mood: fine · confidence: 150 -->", "<!-- category: profile -->"]
    + ["<!-- TODO -->", "<!--", "-->", COMMENT, "<!-- id: nothing -->", "<!-- -->"]
    + ["", "", " ", "\t", "text", "text  ", "- bullet", "a\x00b", "\ufeff", "a\u2028## x", "\x85", "\x0b", "\\"]
)
ENDS = st.sampled_from(["\n"] * 8 + ["\r\n", "\r\n", "\r", ""])
FILES = st.builds(
    lambda start, lines: start + "".join(line + end for line, end in lines),
    st.sampled_from(["", "", "", "\ufeff", "---\n", "# yolop memory\n", "# Memory\n\n" + COMMENT + "\n\n"]),
    st.lists(st.tuples(LINES | st.text(st.characters(exclude_categories=["Cs"]), max_size=8), ENDS), max_size=16),
)
TITLES = (
    (LINES | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
    .filter(str.strip)
    .map(clean_title)
)
TEXTS = st.lists(LINES | st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=8)
BODIES = TEXTS.map("\n".join).map(normal_body)
FACTS = st.builds(
    Fact,
    id=st.integers(0xF00000, 0xFFFFFF).map(lambda number: f"m-{number:06x}"),
    title=TITLES,
    body=BODIES,
    category=st.sampled_from(["profile", "other"]),
    context=LINES.map(clean_context),
    confidence=st.integers(0, 100),
    created=st.just(NOON),
    updated=st.none() | st.just(NOON),
)


def same_facts(left: Document, right: Document) -> bool:
    """Say whether two documents hold the same facts, flags included."""
    return left.facts == right.facts


def is_ours(document: Document) -> bool:
    """Say whether every section has its own id in the file, as it is where only we have written."""
    return all(section.reading.fact.id for section in document.sections)


@given(FILES)
@example("## ")
@example("---\n---")
@example("<!---->")
@example("# H\r")
def test_any_text_is_read(text: str) -> None:
    """Reading never raises, loses no byte, and gives the same facts each time, each with an id."""
    document = parse(text)
    assert document.render() == text
    assert same_facts(document, parse(text))
    assert all(len(fact.id) == 8 for fact in document.facts)
    assert document.checked() == text


@given(
    st.sampled_from(["", "\ufeff", "# Memory\n\n", "# yolop memory\n", "---\n"]) | FILES, st.lists(FILES, max_size=3)
)
@example("no line end", ["x\n"])
@example("", ["x", "y\n"])
@example("```\n", ["```\n"])
def test_the_quick_check_lets_nothing_through_that_the_whole_one_refuses(prefix: str, bodies: list[str]) -> None:
    """Whatever sections are put together, the bytes are given only where reading them again gives these sections."""
    document = Document(prefix, tuple(Section("## Title\n" + body) for body in bodies))
    try:
        expected = document.checked().encode()
    except ConflictError:
        with pytest.raises(ConflictError):
            document.data()
    else:
        assert document.data() == expected


@given(FILES, FILES)
def test_a_reading_before_makes_no_difference(text: str, other: str) -> None:
    """Sections that are taken over from an earlier reading read as they would anew."""
    before = parse(other + text)
    assert before.facts is not None
    assert same_facts(parse(text, before), parse(text))


@given(FILES)
def test_line_ends_and_bom_make_no_difference(text: str) -> None:
    """The same file with LF, with CRLF, and with BOM and CRLF gives the same facts, and keeps its bytes."""
    assume("\r" not in text and not text.startswith("\ufeff"))
    crlf = text.replace("\n", "\r\n")
    for variant in (crlf, "\ufeff" + crlf):
        assert same_facts(parse(variant), parse(text))
        assert parse(variant).conflict_line == parse(text).conflict_line
        assert parse(variant).render() == variant


@pytest.mark.parametrize("name", ["yolop.md", "flat.md", "hand.md"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_of_the_samples_are_kept(name: str, start: str) -> None:
    """A new fact and a changed one are written in the file's own line ends."""
    crlf = start + sample(name).replace("\n", "\r\n")
    assert parse(crlf).facts == parse(sample(name)).facts
    written = change(put(crlf, NEW), 1, body="a\nb", title="c")
    assert written.startswith(start)
    assert "\n" not in written.replace("\r\n", "")


@given(FILES, FACTS, st.data())
@example("## a\n```\n## b\n```\n", NEW, None)
def test_a_write_changes_its_own_section_alone(text: str, fact: Fact, data: st.DataObject | None) -> None:
    """Put or changed, the fact reads back exactly, and every byte outside of its section is the same."""
    document = parse(text)
    count = len(document.facts)
    place = data.draw(st.none() | st.integers(0, count - 1)) if data and count else None
    legacy = any(section.legacy for section in document.sections)
    owes_ids = legacy or (document.yolop and not any(section.reading.fact.id for section in document.sections))
    before = [bare(one) for one in document.facts]
    if place is not None:
        keep = (
            data.draw(st.sets(st.sampled_from(["title", "body", "category", "context", "confidence"]))) if data else ()
        )
        old = before[place]
        fact = replace(fact, id=old.id, created=old.created, **{name: getattr(old, name) for name in keep})
    changed = document.put(fact, place, ("title", "body", "category", "context", "confidence"))
    try:
        written = changed.checked()
    except ConflictError:
        assert legacy, "only an older text can hold what a first write would turn into a section"
        event("refused")
        return
    assert same_facts(changed, parse(written))
    after = [bare(one) for one in parse(written).facts]
    assert after[place or 0] == fact
    assert parse(written).conflict_line is None or document.conflict_line is not None
    others = after[:place] + after[place + 1 :] if place is not None else after[1:]
    known = [one for index, one in enumerate(before) if index != place]
    assert [replace(one, id="") for one in others] == [replace(one, id="") for one in known]
    if not owes_ids:
        sections = [section.raw for section in document.sections]
        tail = "".join(sections if place is None else sections[place + 1 :])
        head = document.prefix + "".join([] if place is None else sections[:place])
        assert written.startswith(head)
        assert written.endswith(tail)
    elif legacy:
        assert text.startswith(document.prefix)
        assert place is not None or written.endswith(document.sections[0].raw)


@given(FILES, st.data())
def test_a_drop_takes_its_own_section_alone(text: str, data: st.DataObject) -> None:
    """What is left keeps its bytes and ids, or the drop is refused; where all sections are ours it is not refused.

    Only a section without an id, of whose title there were several, gets it written: it would become another's.
    """
    document = parse(text)
    count = len(document.facts)
    assume(count)
    gone = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    kept = [index for index in range(count) if index not in gone]
    titles = Counter(fold(fact.title) for fact in document.facts)
    left = [document.sections[index].raw for index in kept]
    try:
        written = document.drop(gone).checked()
    except ConflictError:
        assert not is_ours(document) or document.yolop
        event("refused")
        return
    assert written.startswith(document.prefix)
    again = parse(written)
    assert len(again.sections) == len(left)
    if left:
        assert [fact.id for fact in again.facts] == [document.facts[index].id for index in kept]
    for index, before, after in zip(kept, left, again.sections, strict=True):
        fact = document.facts[index]
        pinned = titles[fold(fact.title)] > 1 or document.yolop
        assert after.raw == before or (pinned and not document.sections[index].reading.fact.id)
        assert (after.reading.fact.title, after.reading.fact.body) == (fact.title, fact.body)


@given(
    st.sampled_from(["", "# yolop memory\n", "prose\n\n## by hand\n```\nx\n", "- bullets\r\n"]),
    st.lists(FACTS, max_size=6, unique_by=lambda fact: fact.id),
    st.data(),
)
def test_facts_stay_through_further_writes(text: str, facts: list[Fact], data: st.DataObject) -> None:
    """A fact reads back exactly after whatever is put, changed and dropped around it."""
    model: dict[str, Fact] = {}
    for fact in facts:
        text = put(text, fact)
        model[fact.id] = fact
        chosen = data.draw(st.sampled_from(sorted(model)))
        index = [one.id for one in parse(text).facts].index(chosen)
        if data.draw(st.booleans()):
            model[chosen] = replace(model[chosen], title=data.draw(TITLES), body=data.draw(BODIES))
            text = put(text, model[chosen], index)
        elif data.draw(st.booleans()):
            try:
                text = parse(text).drop([index]).checked()
            except ConflictError:
                event("refused")
            else:
                del model[chosen]
        assert {one.id: bare(one) for one in parse(text).facts if one.id in model} == model


@given(
    st.lists(FACTS, max_size=4, unique_by=lambda fact: fact.id),
    st.sampled_from(["", "# yolop memory\n", "# yolop memory\r\n\r\n"]),
)
def test_yolop_reads_what_we_write(facts: list[Fact], text: str) -> None:
    """By yolop's own rules our files give the same ids, titles and bodies, the bodies as they are written."""
    facts = [fact for fact in facts if not fact.title.startswith("## ") and "id: nothing" not in fact.body]
    for fact in facts:
        text = put(text, fact)
    expected = [(fact.id, fact.title, fences.escape(fact.body).strip()) for fact in reversed(facts)]
    assert read_as_yolop(text) == expected


def test_yolop_reads_its_own_file_after_our_writes() -> None:
    """Ours and its facts are all there, in a file that both have written."""
    text = change(put(sample("yolop.md"), NEW), 2, body="Changed.", title="Prefer terse")
    assert [found[:2] for found in read_as_yolop(text)] == [
        ("m-ffffff", "New title"),
        ("m-0a1b2c", "Commit style"),
        ("m-3d4e5f", "Prefer terse"),
        ("m-778899", "Größe der Schrift"),
    ]
    assert read_as_yolop(text)[1] == read_as_yolop(sample("yolop.md"))[0]


# The sample written by hand


def test_the_sample_by_hand_is_read() -> None:
    """Prose, front matter and smaller headings are no facts; equal titles are two facts."""
    tea, black, server, ours = parse(sample("hand.md")).facts
    assert (tea.title, tea.body) == ("Likes tea", "Green only.   \n\n### Not a section\nstill the tea   ")
    assert black.body == "<!-- TODO: revisit -->\nBlack, in the morning.\n\n##No section either\n ## nor this"
    assert (server.key, server.category) == ("prod_server_ip", "technical")
    assert server.body == "It is 192.168.1.168.\n\n~~~\n## in a fence\n~~~"
    assert (ours.id, ours.updated) == ("m-1a2b3c", datetime(2026, 11, 30, 20, 20, tzinfo=UTC))
    assert len({tea.id, black.id, server.id, ours.id}) == 4


@pytest.mark.parametrize("index", range(4))
def test_a_save_in_the_sample_by_hand_shows_in_its_section_alone(index: int) -> None:
    """All lines of the others are the same, in the same order."""
    text = sample("hand.md")
    document = parse(text)
    written = change(text, index, body="Changed.")
    sections = [section.raw for section in document.sections]
    sections[index] = parse(written).sections[index].raw
    assert written == document.prefix + "".join(sections)
    assert parse(written).facts[index] == replace(document.facts[index], body="Changed.")


# Fifty by hand


def test_fifty_sections_with_prose_between_them() -> None:
    """One fact saved: the difference is its section's lines."""
    text = "".join(f"Prose {n}.\n\n## Fact {n}\n\nBody {n}.\n\n<!-- {n} ``` -->\n\n" for n in range(50))
    before, after = text.split("\n"), change(text, 25, confidence=5).split("\n")
    added = [line for line in after if line not in before]
    assert len(added) == 1
    after.remove(added[0])
    assert after == before


# The safety net


def test_a_section_that_vanishes_at_the_end_is_refused() -> None:
    """All sections that are left would read as before, but for the one that a fence would hide."""
    text = f"prose\n```\n## a\n{A}\ny\n## b\n```\nz\n"
    with pytest.raises(ConflictError):
        parse(text).drop([0]).checked()


def test_forgetting_one_of_several_adds_nothing() -> None:
    """The comment is for prose that is left alone."""
    text = f"prose\n\n## a\n{A}\n\n## b\n{B}\n"
    assert parse(text).drop([0]).checked() == f"prose\n\n## b\n{B}\n"


def test_a_change_that_moves_the_borders_of_another_section_is_refused() -> None:
    """Without the anchor between them, two unclosed fences by hand would become one over a section."""
    text = f"## a\n```\nx\n## b\n{A}\ny\n## c\n```\nz\n"
    assert titles(text) == ["a", "b", "c"]
    with pytest.raises(ConflictError, match="fence") as caught:
        parse(text).drop([1]).checked()
    assert caught.value.code == "memory_conflict"


def test_a_refusal_does_not_show_a_secret() -> None:
    """The title in the sentence is masked."""
    secret = "ghp_" + "a1B2" * 9
    text = f"## {secret}\n```\nx\n## b\n{A}\ny\n## c\n```\nz\n"
    with pytest.raises(ConflictError) as caught:
        parse(text).drop([1]).checked()
    assert secret not in str(caught.value)


def test_an_unclosed_fence_by_hand_does_not_reach_into_what_is_saved() -> None:
    """A bare section below it is saved with a fence of its own, and all others read as before."""
    text = "prose\n```\n\n## a\n~~~\nx\n\n## b\ny\n\n## c\nz\n"
    written = change(text, 1, body="```\n## in it\n```")
    assert bodies(written) == ["~~~\nx", "```\n## in it\n```", "z"]


def test_a_forged_section_in_a_body_stays_in_it() -> None:
    """Neither a heading nor an id in a body makes a fact."""
    body = "a\n## Fake\n<!-- id: m-000001 -->\nb"
    for text in (put("", replace(NEW, body=body)), put("", replace(NEW, body=f"```\n{body}\n```"))):
        assert [fact.id for fact in parse(text).facts] == [NEW.id]


# Conflict markers


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("## a\nx\n<<<<<<< HEAD\n", 3, id="opens"),
        pytest.param(">>>>>>> b\n## a\n", 1, id="closes-at-the-top"),
        pytest.param("\ufeff<<<<<<< b\n", 1, id="behind-a-bom"),
        pytest.param("## a\r\n=======\r\n>>>>>>> b\r\n<<<<<<< c", 3, id="the-first"),
        pytest.param(f"```\n<<<<<<< a\n## a\n{A}\n```\n", 2, id="in-a-fence-that-is-none"),
        pytest.param("## a\n=======\n", None, id="a-lone-line-between"),
        pytest.param("## a\n```\n<<<<<<< HEAD\n>>>>>>> b\n```\n", None, id="in-a-fence"),
        pytest.param("## a\n <<<<<<< HEAD\n<<<<<<<\n\\>>>>>>> b\n", None, id="not-in-column-0-not-whole-escaped"),
    ],
)
def test_conflict_markers(text: str, line: int | None) -> None:
    """The line of the first marker in column 0 outside of a fence is told; facts are read all the same."""
    assert parse(text).conflict_line == line
    assert parse(text).render() == text


# Size


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```\n" * 30_000, id="fence-lines"),
        pytest.param("```a\n" * 30_000, id="openings"),
        pytest.param("## a\n" * 3_000, id="headings"),
        pytest.param("## a\n```a\n" * 3_000, id="headings-and-openings"),
        pytest.param(f"## a\n{A}\n```a\n" * 3_000, id="anchors-and-openings"),
        pytest.param("## a\n" + "\\" * 1_000_000, id="backslashes"),
        pytest.param("## " + "x" * 1_000_000, id="one-line"),
        pytest.param("## a\n" + "\n" * 100_000 + "x", id="blank-lines"),
        pytest.param("## a\n<!--" + "--> " * 100_000, id="comment-ends"),
        pytest.param("<!-- a -->\n" * 30_000, id="comments"),
        pytest.param("---\n" + "a\n" * 100_000, id="front-matter-without-end"),
        pytest.param("<<<<<<< a\n" * 100_000, id="conflict-markers"),
        pytest.param("## a\n<!-- id: m-00000a" + " · a: b" * 100_000 + " -->", id="fields"),
        pytest.param("## a\n<!-- id: m-00000a" + " · " * 100_000 + "-->", id="separators"),
    ],
)
def test_hostile_files_take_linear_time(text: str) -> None:
    """Such a file is read and written in a moment; in quadratic time, the test would take minutes."""
    document = parse(text)
    if document.facts:
        document = document.put(replace(document.facts[-1], confidence=1), len(document.facts) - 1)
    assert len(parse(document.checked()).facts) == len(document.facts)


@given(TITLES, BODIES, LINES.map(clean_context), LINES | st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_text_survives_as_title_body_context_and_unknown_field(
    title: str, body: str, context: str, extra: str
) -> None:
    """What is stored reads back as it was; an unknown field is text without its separators and line ends."""
    assume(not any(mark in extra for mark in ("\n", "\r", "·", "-->")) and extra.strip(" \t") and fold(extra) != "id")
    fact = replace(NEW, title=title, body=body, context=context)
    text = put("", fact).replace("<!-- id: m-ffffff", f"<!-- x: {extra} · id: m-ffffff", 1)
    again = change(text, confidence=5)
    assert f"<!-- x: {extra}".rstrip(" \t") in again
    assert bare(parse(again).facts[0]) == replace(fact, confidence=5)
