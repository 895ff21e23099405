"""The options of the magics and of the command line: declared once, and split off a line without touching its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_magic.errors import EmptyTextError, InvalidError

VALUE = re.compile(r"""\s*(?:"([^"]*)"(?=\s|\Z)|'([^']*)'(?=\s|\Z)|(\S+))""")


@dataclass(frozen=True)
class Option:
    """One option: its names as typed, the argument of the store that it sets, its help; a flag takes no value."""

    names: tuple[str, ...]
    argument: str
    help: str
    flag: bool = False

    def declaration(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Give the arguments of ``add_argument`` that declare it."""
        action = {"action": "store_true"} if self.flag else {"metavar": self.argument.upper()}
        return self.names, {"dest": self.argument, "help": self.help, **action}


@dataclass(frozen=True)
class Action:
    """What can be written behind ``%memory``: what it takes, as help shows it, and what it does."""

    takes: str
    help: str


REMEMBER = (
    Option(("-t", "--title"), "title", "a title of its own; otherwise the beginning of the text"),
    Option(("-c", "--category"), "category", "profile, preferences, technical, projects or other"),
    Option(("-k", "--key"), "key", "a name to address it by, as in prod_server_ip"),
    Option(("-s", "--source"), "source", "conversation, tool_call, auto_discovery or user_explicit (what you type)"),
    Option(("--confidence",), "confidence", "0 to 100; 90 for what you type"),
    Option(("-e", "--expires"), "expires", "7d, 12h, 2w, a date (its end, UTC), an ISO time, or never"),
    Option(("--context",), "context", "where it comes from; otherwise the notebook and the cell"),
    Option(("--scope",), "scope", "global or project:<name>"),
    Option(("--id",), "id", "change the fact with this id"),
    Option(("--allow-secret",), "allow_secret", "store it although it looks like a credential", flag=True),
    Option(("-q", "--quiet"), "quiet", "show no receipt", flag=True),
)
RECALL = (
    Option(("--id",), "id", "the fact with this id"),
    Option(("-n", "--limit"), "limit", "how many facts at most"),
    Option(("-c", "--category"), "category", "only facts of this category"),
    Option(("--expired",), "expired", "the expired facts instead", flag=True),
)
FORGET = (
    Option(("-k", "--key"), "key", "the fact with this key"),
    Option(("-c", "--category"), "category", "only in this category"),
    Option(("--expired",), "expired", "all facts that have expired", flag=True),
    Option(("--purge",), "purge", "take them out of the history too; nothing brings them back then", flag=True),
)
APPLY = (
    Option(("--dry-run",), "dry_run", "show the differences, and write nothing", flag=True),
    Option(("--forget-missing",), "forget_missing", "forget the facts that have no row", flag=True),
    Option(("--allow-secret",), "allow_secret", "store what looks like a credential", flag=True),
)
TABLE = (
    Option(
        ("--static",), "static", "put the facts into the output, for exports and where there are no widgets", flag=True
    ),
)
ACTIONS = {
    "review": Action("", "list the facts that are doubtful, with what to do about each"),
    "confirm": Action("ID…", "note that facts are still true; an expiry moves on by its span"),
    "why": Action("ID", "say where a fact comes from, and what has become of it"),
    "edit": Action("ID", "put the fact into the next cell, to be changed there"),
    "undo": Action("[NUMBER]", "take back the latest change, or the one with this number"),
    "redo": Action("", "take back the latest undo"),
    "history": Action("[ID]", "list the changes, or those of the fact with this id"),
    "frame": Action("", "give all facts as a pandas DataFrame"),
    "apply": Action("[--dry-run] [--forget-missing] DF", "write an edited DataFrame back, all or nothing"),
    "plot": Action("", "draw how sure the facts are, what is about to go stale, and where they come from"),
    "use": Action("[PATH]", "use another file in this kernel; without a path, the one of the settings again"),
    "where": Action("", "give the path of the file"),
    "config": Action("", "list the settings: value and origin of each"),
    "prompt": Action("[titles|notes]", "give the section for a system prompt: what a model would be told"),
    "autoload": Action("[on|off]", "load the magics in every session from now on, or no longer"),
    "table": Action("[--static] [WORDS]", "show the facts in a table to edit, filtered by the words"),
}


def options_help(options: Sequence[Option], *usage: str) -> str:
    """Give how a magic is called, and a line for each of its options."""
    names = [", ".join(o.names) + ("" if o.flag else f" {o.argument.upper()}") for o in options]
    return _table(usage, [(name, option.help) for name, option in zip(names, options, strict=True)])


def actions_help() -> str:
    """Give how ``%memory`` is called, and a line for each of its actions: what it takes and what it does."""
    return _table(["%memory [ACTION]"], [(f"{name} {a.takes}", a.help) for name, a in ACTIONS.items()])


def _table(usage: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join([*usage, "", *(f"  {name:<{width}}  {about}" for name, about in rows)])


def split(line: str, options: Sequence[Option]) -> tuple[dict[str, Any], str]:
    """Split the options off the beginning of a line; the text behind them comes back verbatim.

    Options end at the first word that is none, or at ``--``. Raises InvalidError on an unknown option or a missing
    value. One pair of quotes around a value is taken off; nothing else is interpreted.
    """
    known = {name: option for option in options for name in option.names}
    found: dict[str, Any] = {}
    rest = line.strip()
    while rest.startswith("-") and not rest[1:2].isspace() and rest != "-":
        word = rest.split(maxsplit=1)[0]
        if word == "--":
            return found, rest[2:].strip()
        name, equals, _ = word.partition("=")
        option = known.get(name)
        if option is None:
            from memory_magic.showing import shown_line  # for errors only: it must not slow loading

            names = ", ".join(known)
            typed = shown_line(name, 60)
            raise InvalidError(f"There is no option {typed}; write -- before a text that begins with a dash ({names})")
        rest = rest[len(name) + len(equals) :]
        if option.flag:
            if equals:
                raise InvalidError(f"{name} takes no value; leave out {equals} and what follows")
            found[option.argument] = True
        else:
            match = VALUE.match(rest) if not equals or rest[:1].strip() else None
            if match is None:
                raise InvalidError(f"{name} needs a value behind it, as in {name} VALUE")
            found[option.argument] = next(group for group in match.groups() if group is not None)
            rest = rest[match.end() :]
        rest = rest.lstrip()
    return found, rest


def whole_number(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Give the values with this one, if it is there, as a whole number; raises InvalidError."""
    text = values.get(name)
    if text is None:
        return dict(values)
    if not re.fullmatch(r"\d{1,9}", str(text)):
        raise InvalidError(f"{name} must be a whole number of at least 1")
    return {**values, name: int(text)}


def remember_call(line: str, cell: str | None = None) -> tuple[tuple[str, ...], dict[str, Any], bool]:
    """Turn a line, or a line and a cell, into the arguments of ``Store.remember``, and whether to be quiet."""
    values, text = split(line, REMEMBER)
    quiet = bool(values.pop("quiet", False))
    if cell is None:
        body = text
    else:
        body = cell
        if text and "title" in values:
            raise InvalidError("The title was given twice; give it as --title or behind the options")
        if text:
            values["title"] = text
        if not body.strip():
            raise EmptyTextError("The cell is empty; write the fact below %%remember")
    return ((body,) if body else ()), values, quiet
