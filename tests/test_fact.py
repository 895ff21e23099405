"""The fields of a fact: what is accepted, what it becomes, and what is refused."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic import fact
from memory_magic.errors import EmptyTextError, InvalidError, MemoryMagicError, TooLongError
from memory_magic.fact import Fact, status
from memory_magic.times import clean_expires, clean_expires_days, end_of, read_moment, write_moment

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("  a \t b\n c ", "a b c"),
        ("cafe\u0301", "café"),
        ("yes", "yes"),
        ("# x: @y - 'z'", "# x: @y - 'z'"),
        ("0123", "0123"),
    ],
    ids=["white-space", "nfc", "yes", "signs", "digits"],
)
def test_a_title_is_one_line_in_nfc(given, title):
    """White space is collapsed and characters are composed; nothing else changes."""
    assert fact.clean_title(given) == title


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("", EmptyTextError),
        (" \n", EmptyTextError),
        ("x" * 121, TooLongError),
        (5, InvalidError),
        ("\ud800", InvalidError),
    ],
)
def test_a_title_has_1_to_120_characters(given, error):
    """Anything else is an error that names the title."""
    with pytest.raises(error, match="title"):
        fact.clean_title(given)


@pytest.mark.parametrize(
    ("given", "body"),
    [
        ("\n \n  a\r\nb\rc \n\t\n", "  a\nb\nc "),
        ("a\n\n\nb", "a\n\n\nb"),
        ("   ", ""),
        (" \n ", ""),
        ("", ""),
        ("\x0b", "\x0b"),
        ("a\u2028b", "a\u2028b"),
    ],
    ids=["ends", "inner-blank", "spaces", "blank-lines", "empty", "vertical-tab", "line-separator"],
)
def test_a_body_is_kept_but_for_blank_ends_and_line_ends(given, body):
    """Only blank lines at both ends go, and CR and CRLF become LF."""
    assert fact.clean_body(given) == body


def test_a_body_has_at_most_20_000_characters():
    """20,000 pass, one more is told with its number, and so is a megabyte."""
    assert len(fact.clean_body("x" * 20_000)) == 20_000
    with pytest.raises(TooLongError, match="20,001"):
        fact.clean_body("x" * 20_001)
    with pytest.raises(TooLongError, match="1,000,000"):
        fact.clean_body("x" * 1_000_000)


@pytest.mark.parametrize("key", ["a", "a1_b", "x" * 64])
def test_a_key_that_fits_is_kept(key):
    """Lower-case letters, digits and underscores, up to 64."""
    assert fact.clean_key(key) == key


@pytest.mark.parametrize("key", ["", "A", "1a", "_a", "a-b", "my key", "ä", "x" * 65, "a\nb", 5])
def test_a_key_that_does_not_fit_is_an_error_with_the_rule(key):
    """The sentence names the field."""
    with pytest.raises(InvalidError, match="key"):
        fact.clean_key(key)


@pytest.mark.parametrize(
    ("given", "number", "told"),
    [
        (0, 0, False),
        (100, 100, False),
        ("95", 95, False),
        (95.0, 95, False),
        (101, 100, True),
        (-1, 0, True),
        (float("inf"), 100, True),
        ("1e", None, False),
        ("abc", None, False),
        (True, None, False),
        (float("nan"), None, False),
        ([1], None, False),
        ("", None, False),
        ("nan", None, False),
        (10**400, 100, True),
        (-(10**400), 0, True),
    ],
    ids=str,
)
def test_confidence_is_clamped_or_refused(given, number, told):
    """Numbers outside are clamped and it is told; what is no number is an error; 0 is a value."""
    if number is None:
        with pytest.raises(InvalidError, match="confidence"):
            fact.clean_confidence(given)
    else:
        found, notice = fact.clean_confidence(given)
        assert (found, bool(notice)) == (number, told)


def test_a_truth_of_numpy_is_no_confidence():
    """It is refused as Python's own is; NumPy's numbers count."""
    numpy = pytest.importorskip("numpy")
    assert fact.clean_confidence(numpy.int64(80)) == (80, "")
    with pytest.raises(InvalidError, match="confidence"):
        fact.clean_confidence(numpy.bool_(True))  # noqa: FBT003


def test_an_unknown_source_becomes_conversation_and_is_told():
    """The four known ones pass without a word."""
    assert fact.clean_source("wikipedia")[0] == "conversation"
    assert fact.clean_source("wikipedia")[1]
    assert all(fact.clean_source(source) == (source, "") for source in fact.SOURCES)


@pytest.mark.parametrize(
    ("scope", "ok"),
    [("global", True), ("project:atlas", True), ("project:", False), ("local", False), ("project: x", False)],
)
def test_scope_is_global_or_a_project(scope, ok):
    """Nothing else is a scope."""
    if ok:
        assert fact.clean_scope(scope) == scope
    else:
        with pytest.raises(InvalidError, match="scope"):
            fact.clean_scope(scope)


def test_a_context_is_one_line_of_500():
    """Line breaks become spaces, other characters stay."""
    assert fact.clean_context(" a\r\nb  c ") == "a b  c"
    with pytest.raises(TooLongError, match="context"):
        fact.clean_context("x" * 501)


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("7d", datetime(2026, 12, 7, 12, tzinfo=UTC)),
        ("12h", datetime(2026, 12, 1, tzinfo=UTC)),
        ("2w", datetime(2026, 12, 14, 12, tzinfo=UTC)),
        ("1.5d", datetime(2026, 12, 2, tzinfo=UTC)),
        ("2026-12-31", date(2026, 12, 31)),
        ("2026-12-01T00:00:00", datetime(2026, 12, 1, tzinfo=UTC)),
        ("2026-12-01T00:00:00Z", datetime(2026, 12, 1, tzinfo=UTC)),
        ("2026-12-01T00:00:00+14:00", datetime(2026, 11, 30, 10, tzinfo=UTC)),
        ("never", None),
        (None, None),
        (date(2026, 12, 31), date(2026, 12, 31)),
    ],
    ids=str,
)
def test_expiry_is_a_duration_a_date_or_a_time(given, moment):
    """A time without a zone is UTC; durations count from now."""
    assert clean_expires(given, NOW) == moment


@pytest.mark.parametrize(
    "given",
    [
        "0d",
        "-1d",
        "2026-02-30",
        "soon",
        "",
        "7",
        7,
        True,
        "40000d",
        "9999-01-01",
        "9999-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "nan",
    ],
)
def test_an_expiry_that_is_none_is_an_error_that_names_the_field(given):
    """Nothing after the year 9998, no days that do not exist, no bare numbers."""
    with pytest.raises(InvalidError, match="expires"):
        clean_expires(given, NOW)


@pytest.mark.parametrize("given", [0, -1, float("nan"), float("inf"), True, "7", 36_501, None])
def test_expires_days_is_a_positive_number(given):
    """At most 36,500; zero, negative, NaN and true are errors with the field named."""
    with pytest.raises(InvalidError, match="expires_days"):
        clean_expires_days(given, NOW)


def test_fractions_of_a_day_are_allowed():
    """Half a day is twelve hours."""
    assert clean_expires_days(0.5, NOW) == datetime(2026, 12, 1, tzinfo=UTC)


def test_a_date_ends_at_the_next_midnight_utc():
    """It is valid until its end, and not an instant longer."""
    end = end_of(date(2026, 11, 30))
    assert end == datetime(2026, 12, 1, tzinfo=UTC)
    told = Fact("m-000001", "x", expires=date(2026, 11, 30))
    assert status(told, datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)) == "expiring"
    assert status(told, end) == "expired"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({}, "active"),
        ({"confidence": 49}, "low"),
        ({"confidence": 50}, "active"),
        ({"expires": datetime(2026, 12, 7, 12, tzinfo=UTC)}, "expiring"),
        ({"expires": datetime(2026, 12, 7, 12, 0, 1, tzinfo=UTC)}, "active"),
        ({"expires": NOW, "confidence": 0}, "expired"),
        ({"expires": datetime(2026, 12, 1, tzinfo=UTC), "confidence": 0}, "expiring"),
    ],
)
def test_there_is_one_status(fields, found):
    """Expired counts before expiring, expiring before low."""
    assert status(Fact("m-000001", "x", **fields), NOW) == found


@given(st.datetimes(max_value=datetime(9998, 12, 31)) | st.dates(max_value=date(9998, 12, 31)))
def test_a_moment_survives_writing_and_reading(moment):
    """Instants in whole seconds and dates come back as they were."""
    if isinstance(moment, datetime):
        moment = moment.replace(microsecond=0, tzinfo=UTC)
    assert read_moment(write_moment(moment)) == moment


@given(st.text(min_size=1).filter(lambda text: text.split()))
def test_titles_from_a_text_are_valid_different_and_begin_it(text):
    """Each is one line of at most 120 characters, and the first is recognised as derived."""
    titles = fact.titles_from(text)
    found = [next(titles) for _ in range(12)]
    assert all(1 <= len(title) <= 120 for title in found)
    assert len(set(found)) == 12
    if fact.one_line(text):
        assert fact.is_derived(found[0], fact.normal_body(text))


def test_a_derived_title_ends_at_a_word_and_then_takes_more():
    """At most 60 characters at first, then word by word up to 120, then a number."""
    titles = fact.titles_from("word " * 40)
    assert next(titles) == " ".join(["word"] * 12)
    assert next(titles) == " ".join(["word"] * 13)
    rest = [next(titles) for _ in range(12)]
    assert rest[10] == " ".join(["word"] * 24)
    assert rest[11] == " ".join(["word"] * 23) + " (2)"
    assert next(titles).endswith("word (3)")


@pytest.mark.parametrize(
    ("title", "body", "derived"),
    [
        ("Use", "Use pnpm", True),
        ("Use", "Useful", False),
        ("Use pnpm (2)", "Use pnpm", True),
        ("Own", "Use pnpm", False),
        ("Use", "", False),
    ],
)
def test_a_title_is_derived_when_it_begins_the_body(title, body, derived):
    """At a word's end, perhaps with a number behind it."""
    assert fact.is_derived(title, body) is derived


def test_a_repr_masks_credentials():
    """A repr ends up in outputs and logs."""
    secret = "ghp_" + "a1B2" * 9
    assert secret not in repr(Fact("m-000001", secret, f"token {secret}", context=secret))


@given(st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.booleans(), st.lists(st.integers())))
def test_any_value_in_any_field_is_accepted_or_refused_with_our_error(value):
    """No other exception comes out."""
    for clean in (
        fact.clean_title,
        fact.clean_body,
        fact.clean_category,
        fact.clean_key,
        fact.clean_source,
        fact.clean_confidence,
        fact.clean_context,
        fact.clean_scope,
    ):
        try:
            clean(value)
        except MemoryMagicError:
            pass
    for moment in (clean_expires, clean_expires_days):
        try:
            moment(value, NOW)
        except MemoryMagicError:
            pass
