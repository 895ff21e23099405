"""What is suggested: a cell, a cursor and facts in, suggestions out. A bar marks the cursor."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic import Store
from memory_magic.errors import MemoryMagicError
from memory_magic.fact import CATEGORIES, SOURCES, Fact
from memory_magic.notebook import options
from memory_magic.notebook.completion import OFFERED, Answer, complete, find_call
from memory_magic.notebook.options import ACTIONS, Action

NOW = datetime(2026, 11, 30, 20, 20, tzinfo=UTC)
PAST = datetime(2026, 11, 1, tzinfo=UTC)
FACTS = (
    Fact("m-1a0000", "Prefer terse answers", category="preferences"),
    Fact("m-1a0001", "Prod server ip", "10.0.0.1", category="technical", key="prod_server_ip", scope="project:web"),
    Fact("m-2b0000", "Old plan", category="projects", key="plan", expires=PAST),
    Fact("m-2b0001", "My drink", category="my stuff", key="drink", scope="project:two words"),
    Fact("m-2b0002", "Another drink", category="profile", key="drink"),
)
IDS = [fact.id for fact in FACTS]
ALIVE = [fact.id for fact in FACTS if fact.expires is None]


def ask(cell: str, facts: tuple[Fact, ...] = FACTS, *, bare: bool = False) -> Answer:
    """Ask with the cursor where the bar is."""
    before, _, after = cell.partition("|")
    line = before.split("\n")[-1]
    call = find_call(before + after, before.count("\n"), len(line), bare=bare)
    answer = complete(call, lambda: facts, NOW) if call else Answer("", [])
    assert line.endswith(answer.replaced)
    return answer


def texts(cell: str, facts: tuple[Fact, ...] = FACTS, *, bare: bool = False) -> list[str]:
    return [text for text, _ in ask(cell, facts, bare=bare).offers]


# Where


@pytest.mark.parametrize(
    "cell",
    [
        "%recall |",
        "  %recall |",
        "\t%recall\t|",
        "x = %recall |",
        "x: list = %recall |",
        "d['a=b'] = %recall |",
        "x = 1\n%recall |\ny = 2",
        "for i in x:\n    %recall |",
        "!echo 'a\n%recall |",
        "%%time\n%recall |",
        "a = '''\nb'''\n%recall |",
        "%recall |  ",
        "  a\n b\n%recall |",
    ],
)
def test_a_line_of_ours_is_known(cell: str) -> None:
    """Line and assignment forms, indented, on later lines, under other cell magics, and where indentation is wrong."""
    assert texts(cell)[:4] == ALIVE


@pytest.mark.parametrize(
    "cell",
    [
        "%recall|",
        "%recalls |",
        "%%recall |",
        "x %recall |",
        "x = 5 %recall |",
        "# %recall |",
        "print('%recall |')",
        "'''\n%recall |\n'''",
        "x = '''\n%recall |",
        "f(1,\n%recall |",
        "%%remember\n%recall |",
        "\n%%remember A title\n%recall |",
        "x = 1\n%%remember -|",
        "|%recall ",
        "%recall |m-1a",
    ],
)
def test_another_line_is_left_alone(cell: str) -> None:
    """Names, strings, comments, open brackets, the text of ``%%remember``, the middle of a word."""
    assert texts(cell) == []


def test_a_name_without_percent_counts_where_it_may() -> None:
    """Automagic is for a line alone, and only where the shell says so."""
    bare_line = "forget m-1a|"
    assert texts(bare_line) == []
    assert texts(bare_line, bare=True) == IDS[:2]
    assert texts(f"x = 1\n{bare_line}", bare=True) == []


# Options


@pytest.mark.parametrize(
    ("name", "declared"),
    [("remember", options.REMEMBER), ("recall", options.RECALL), ("forget", options.FORGET)],
)
def test_every_option_is_offered_with_its_help(name: str, declared: tuple[options.Option, ...]) -> None:
    """Those of the tables that the magics themselves read."""
    assert ask(f"%{name} -|").offers == [(each, option.help) for option in declared for each in option.names]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%remember --ca|", ["--category"]),
        ("%%remember --ca|", ["--category"]),
        ("%remember -c profile --c|", ["--confidence", "--context"]),
        ("%remember --allow-secret -q --s|", ["--source", "--scope"]),
        ('%remember -t "two words" --q|', ["--quiet"]),
        ("%remember --ca| some text", ["--category"]),
        ("%remember prefer -|", []),
        ("%remember -- -|", []),
        ("%remember - -|", []),
        ("%remember --unknown -|", []),
        ("%remember --quiet=1 -|", []),
        ("%remember -c= -|", []),
    ],
)
def test_options_end_where_the_text_begins(cell: str, expected: list[str]) -> None:
    """As when the line is run: at the first word that is none, or at ``--``; each once, and none behind a mistake."""
    assert texts(cell) == expected


@pytest.mark.parametrize(
    ("cell", "replaced", "expected"),
    [
        ("%remember -c |", "", list(CATEGORIES)),
        ("%remember --category=pro|", "pro", ["profile", "projects"]),
        ("%recall -c my|", "my", []),
        ('%recall -c "my|', '"my', ['"my stuff"']),
        ("%recall --category='|", "'", [f"'{name}'" for name in (*CATEGORIES, "my stuff")]),
        ("%recall -c o|", "o", ["other"]),
        ("%remember -s |", "", list(SOURCES)),
        ("%remember -e |", "", ["7d", "12h", "2w", "never"]),
        ("%remember --scope |", "", ["global", '"project:two words"', "project:web"]),
        ("%remember --scope=project:w|", "project:w", ["project:web"]),
        ("%remember -k prod_|", "prod_", ["prod_server_ip"]),
        ("%remember -k |", "", ["prod_server_ip", "drink"]),
        ("%forget -k |", "", ["prod_server_ip", "plan", "drink"]),
        ("%forget -c technical -k |", "", ["prod_server_ip"]),
        ("%remember --id |", "", ALIVE),
        ("%remember --id m-1a|", "m-1a", IDS[:2]),
        ("%remember --confidence |", "", []),
        ("%remember -t |", "", []),
        ("%remember -c profile|x", "", []),
    ],
)
def test_values_of_options(cell: str, replaced: str, expected: list[str]) -> None:
    """Categories (those in use too, where the store takes them), sources, keys, ids, durations, scopes."""
    answer = ask(cell)
    assert [text for text, _ in answer.offers] == expected
    assert answer.replaced == replaced or not expected


@pytest.mark.parametrize("cell", ["%remember |", "%remember m-1a|", "%remember -c profile |", "%%remember P|"])
def test_nothing_is_offered_inside_of_a_text(cell: str) -> None:
    """A fact is what the person writes."""
    assert texts(cell) == []


# Targets


def test_ids_come_newest_first_with_their_titles() -> None:
    """An id says nothing by itself."""
    assert ask("%recall m-1|").offers == [(IDS[0], "Prefer terse answers"), (IDS[1], "Prod server ip")]


@pytest.mark.parametrize(
    ("cell", "replaced", "expected"),
    [
        ("%forget |", "", [*IDS, "prod_server_ip", "plan", "drink"]),
        ("%forget m-1a0000 |", "", IDS[1:]),
        ("%forget m-1a0000,m-1|", "m-1", [IDS[1]]),
        ("%forget m-1| m-1a0000", "m-1", [IDS[1]]),
        ("%forget m-1| of mine", "", []),
        (
            "%forget pr|",
            "pr",
            ["prod_server_ip", "Prefer terse answers", "Prod server ip", "projects/plan", "profile/drink"],
        ),
        ("%forget prefer te|", "prefer te", ["Prefer terse answers"]),
        ("%forget technical/|", "technical/", ["technical/prod_server_ip"]),
        ("%forget drink|", "drink", ["drink"]),
        ("%forget profile/d|", "profile/d", ["profile/drink"]),
        ("%forget -c technical |", "", [IDS[1], "prod_server_ip"]),
        ("%forget --purge m-2b0000|", "m-2b0000", [IDS[2]]),
        ("%forget --expired |", "", []),
        ("%forget -k plan |", "", []),
        ("%recall |", "", [*ALIVE, "prod_server_ip", "drink"]),
        ("%recall --expired |", "", [IDS[2], "plan"]),
        ("%recall server |", "", []),
        ("%recall --id m-1a0000 |", "", []),
    ],
)
def test_targets(cell: str, replaced: str, expected: list[str]) -> None:
    """What the command takes there; expired facts only where it reaches them."""
    answer = ask(cell)
    assert [text for text, _ in answer.offers] == expected
    assert answer.replaced == replaced or not expected


def test_what_names_two_facts_is_not_offered() -> None:
    """The command would refuse it."""
    twice = (
        Fact("m-1a0000", "Tea"),
        Fact("m-1a0000", "tea"),
        Fact("m-2b0000", "tea_kind"),
        Fact("m-2b0001", "x", key="tea_kind"),
    )
    assert texts("%forget |", twice) == ["m-2b0000", "m-2b0001"]
    assert texts("%forget te|", twice) == []


def test_many_facts_are_offered_in_part_and_reached_by_typing_more() -> None:
    """Nobody reads 5,000 lines."""
    many = tuple(Fact(f"m-{number:06x}", f"Fact {number}") for number in range(5_000))
    assert texts("%forget |", many) == [fact.id for fact in many[:OFFERED]]
    assert texts("%forget m-00138|", many) == [f"m-00138{digit}" for digit in "01234567"]


# Secrets


def test_a_secret_is_neither_shown_nor_offered() -> None:
    """It is masked beside the id; what would be inserted is what is shown, so its title is not offered."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    facts = (Fact("m-1a0000", f"token {token}"), Fact("m-1a0001", "hunter2", key="wifi_password"))
    assert token not in str(ask("%forget m|", facts))
    assert "hunter2" not in str(ask("%forget m|", facts))
    assert texts("%forget tok|", facts) == []
    assert texts("%forget hun|", facts) == []


def test_a_title_is_shown_in_one_short_line() -> None:
    """Control characters are spelled out, and what is long is cut."""
    ((_, beside),) = ask("%recall m|", (Fact("m-1a0000", "a\x1b[31m" + "b" * 200),)).offers
    assert beside == ("a\\x1b[31m" + "b" * 200)[:59] + "…"


# %memory


def test_actions_are_offered_with_their_help() -> None:
    """All of the table, and what begins so."""
    assert ask("%memory |").offers == [(name, action.help) for name, action in ACTIONS.items()]
    assert texts("%memory hist|") == ["history"]
    assert texts("%memory nothing |") == []


@pytest.mark.parametrize(
    ("takes", "line", "expected"),
    [
        ("[ID]", "", ALIVE),
        ("ID", "m-1", IDS[:2]),
        ("ID", "m-1a0000 ", []),
        ("ID…", "m-1a0000 m-1", [IDS[1]]),
        ("on|off", "o", ["on", "off"]),
        ("on|off", "on ", []),
        ("[--static] [WORDS]", "-", ["--static"]),
        ("[--dry-run] [--forget-missing] DF", "--dry-run --", ["--forget-missing"]),
        ("[--static] [WORDS]", "tea", []),
        ("[NUMBER]", "", []),
        ("", "", []),
    ],
)
def test_what_an_action_takes_is_offered(
    takes: str, line: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what its help says: one id, several, or one of a few words."""
    monkeypatch.setitem(ACTIONS, "confirm", Action(takes, ""))
    assert texts(f"%memory confirm {line}|") == expected


@pytest.mark.parametrize(
    "cell", ["%remember --ca|", "%remember -c |", "%remember -e |", "%remember a text|", "%memory hi|"]
)
def test_no_file_is_read_for_what_is_not_in_it(cell: str) -> None:
    """Options, their fixed values and actions are there at once, also the first time; a text waits for nothing."""
    line = cell.removesuffix("|")
    call = find_call(line, 0, len(line))
    assert call
    complete(call, lambda: pytest.fail("the facts were asked for"), NOW)


# Whatever is there


WORDS = st.sampled_from(
    ["tea", "Tea", "m-1a0000", "m-1a0001", "a", "a_b", "other/a", "-x", '"', "'", "\\", "é", "ﬁ", "profile", "ß", ","]
)
LINES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
KEYS = st.sampled_from([None, "tea", "a", "a_b"])
STORED = st.builds(
    Fact,
    st.sampled_from([f"m-1a000{n}" for n in range(4)]),
    LINES,
    LINES,
    st.sampled_from(["other", "profile", " x", "a b"]),
    KEYS,
)
BEHIND = st.sampled_from(
    ["", "-c profile ", "-c other ", '-c "a b" ', "--purge ", "-- ", "-k ", "-c ", "m-1a0000 ", "m-1a0000,"]
)


@given(st.text(st.sampled_from("%remembrcallfogty -=\"'\n\tmx1a0/|\\#():é\ud800")), st.lists(STORED, max_size=4))
def test_nothing_makes_it_fail(cell: str, facts: list[Fact]) -> None:
    """Any text, any cursor."""
    for name in ("", "%remember ", "%recall ", "%forget ", "%memory ", "%%remember "):
        ask(name + cell, tuple(facts), bare=True)


@given(st.lists(STORED, min_size=1, max_size=5), BEHIND, st.text(st.sampled_from("teaTm-1a0_/ \"'"), max_size=4))
def test_what_is_offered_is_accepted(
    tmp_path_factory: pytest.TempPathFactory, facts: list[Fact], start: str, typed: str
) -> None:
    """Every suggestion for ``%forget``, once inserted, names facts that the store finds."""
    path = tmp_path_factory.mktemp("offered") / "MEMORY.md"
    sections = []
    for fact in facts:
        fields = f"id: {fact.id} · category: {fact.category}" + (f" · key: {fact.key}" if fact.key else "")
        sections.append(f"## {fact.title}\n<!-- {fields} -->\n\n{fact.body}\n")
    path.write_text("\n".join(sections), "utf-8")
    before = f"%forget {start}{typed}"
    answer = ask(f"{before}|", tuple(Store(path).facts()))
    for text, _ in answer.offers:
        line = before[: len(before) - len(answer.replaced)] + text
        values, target = ({}, "") if text[0] == "-" else options.split(line.removeprefix("%forget"), options.FORGET)
        if not (target or "key" in values):
            continue  # a line that is not finished
        try:
            assert Store(path).forget(target or None, **values).count
        except MemoryMagicError as error:
            raise AssertionError(line, path.read_text("utf-8")) from error
        path.write_text("\n".join(sections), "utf-8")


def test_ids_of_any_text_are_offered_where_they_can_be_typed() -> None:
    """Those of notes may be any text: one with spaces, a control or a credential cannot be, and hides a title."""
    names = ("tea", "a b", "x\n\x1b[31m## forged", "ghp_" + "a1B2" * 9)
    facts = tuple(Fact(name, title) for name, title in zip(names, ("one", "tea", "a b", "two"), strict=True))
    assert texts("%forget |", facts) == ["tea"]
    assert texts("%forget t|", facts) == ["tea", "two"]
    assert texts("%forget a|", facts) == []
