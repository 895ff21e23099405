"""A stored text as it may stand in a prompt: nothing hidden in it, in one line that imitates no structure. Pure."""

from __future__ import annotations

import re
import unicodedata

# What shows nothing: controls, joiners, marks of direction, fillers, selectors, tags. Text can hide in all of them.
_HIDDEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff]"
)
_NON_JOINER, _JOINER, _EMOJI_STYLE = "\u200c", "\u200d", "\ufe0f"

_DASH = r"[-/.\u2010-\u2015\u2212]?"
_DATE_OR_ID = re.compile(
    rf"[\[［(（]\s*(\d{{4}}{_DASH}\d\d{_DASH}\d\d(?:[T ][\d:.]+Z?)?|m-[0-9a-f]{{6}})\s*[\]］)）]", re.IGNORECASE
)
# Control words of chat templates that are written in square brackets, and the ends of such tags.
_CONTROL = re.compile(
    r"[\[［]\s*(/\s*\w+|INST|SYSTEM(?:_PROMPT)?|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS))\s*[\]］]", re.IGNORECASE
)
# "a <= 3" and "x <- y" stay; "<b", "</b", "< b" and "<!--" do not.
_OPENS_TAG = re.compile(r"[<＜﹤](?!\s*[=\d.-])")
_ENDS_COMMENT = re.compile(r"(?<=\]\])[>＞﹥]|(?<=--)[>＞﹥]|(?<=--!)[>＞﹥]")
_FENCE = re.compile(r"([`~])\1{2,}")
_HEADING_LINE = re.compile(r"^\s*(?:(?:[>*+-]|\d+[.)])\s*)*(?:#+(?:\s+|$))+")
_HEADING_MARK = re.compile(r"(?<!\S)#{2,}(?!\S)")


def without_hidden(text: str) -> str:
    """Take out what shows nothing; joiners and styles stay where emoji, Persian or Hindi need them."""
    if not _HIDDEN.search(text):
        return text
    kept: list[str] = []
    for place, character in enumerate(text):
        if not _HIDDEN.match(character) or _is_needed(character, kept, text[place + 1 : place + 2]):
            kept.append(character)
    return "".join(kept)


def _is_needed(character: str, kept: list[str], after: str) -> bool:
    before = kept[-1] if kept else ""
    if not before or _HIDDEN.match(before):
        return character == _JOINER and before == _EMOJI_STYLE and _is_symbol(after)
    if character in (_NON_JOINER, _JOINER):
        in_script = _is_cursive(before) or _is_virama(before) or (_is_virama(after) and before.isalpha())
        return in_script or (character == _JOINER and _is_symbol(before) and _is_symbol(after))
    if "\ufe00" <= character <= _EMOJI_STYLE:  # what a digit, a sign or a symbol looks like
        return _is_symbol(before) or before in "0123456789#*‼⁉ℹ〰" or unicodedata.category(before) == "Lo"
    # Forms of one ideograph.
    return "\U000e0100" <= character <= "\U000e01ef" and unicodedata.name(before, "").startswith("CJK")


def _is_symbol(character: str) -> bool:
    kind = unicodedata.category(character) if character else ""
    return kind in ("So", "Sk") or (kind == "Sm" and "\u2190" <= character <= "\u2bff")  # arrows, not "<"


def _is_virama(character: str) -> bool:
    return bool(character) and unicodedata.combining(character) == 9


def _is_cursive(character: str) -> bool:
    return unicodedata.name(character, "").startswith(("ARABIC", "SYRIAC", "MONGOLIAN"))


def inert_line(text: str) -> str:
    """Give the text in one line that opens or closes no tag, fence, comment or heading, and imitates no item of a list.

    Brackets of tags, and those around a date or an id, become ``‹`` and ``›``; fences and marks of headings go.
    """
    lines = [_HEADING_LINE.sub("", line) for line in without_hidden(text).splitlines()]
    line = " ".join(unicodedata.normalize("NFC", " ".join(lines)).split())
    line = " ".join(_HEADING_MARK.sub("", line).split())
    line = _FENCE.sub(r"\1", line)
    line = _ENDS_COMMENT.sub("›", _OPENS_TAG.sub("‹", line))
    return _CONTROL.sub(r"‹\1›", _DATE_OR_ID.sub(r"‹\1›", line))
