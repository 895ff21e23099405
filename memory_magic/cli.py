"""The command line: ``memory-magic remember TEXT``, ``recall``, ``forget``, ``undo``, ``where`` and others."""

from __future__ import annotations

import argparse
import codecs
import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from memory_magic import display, settings
from memory_magic.errors import MemoryMagicError, UnknownActionError
from memory_magic.fact import COMMAND
from memory_magic.notebook import actions, options
from memory_magic.showing import shown_line
from memory_magic.store import Store

# The actions of %memory that need no shell.
_SHARED = ("review", "confirm", "why", "undo", "redo", "history", "config", "where", "prompt")
_PLAIN = {"■": "#", "□": "-", "·": "-", "—": "-", "…": "...", "“": '"', "”": '"'}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives 0, or 1 after an error told in one line on the error stream."""
    values = vars(_parser().parse_args(arguments))
    command, text = values.pop("command"), " ".join(values.pop("text", []))
    given = {name: value for name, value in values.items() if value is not None}
    try:
        answer = _run(command, text, given)
        if answer is not None:
            _write(str(answer))
    except MemoryMagicError as error:
        print(f"memory-magic: {display.error_line(error)}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, such as head, has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to fail at exit
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _run(command: str, text: str, given: dict[str, Any]) -> object:
    if command in _SHARED:
        return actions.run(_Desk(), f"{command} {text}")
    if command == "mcp":
        _serve(**given)
        return None
    store = _Desk().store()
    given = options.whole_number(given, "limit")
    if command == "remember":
        quiet = given.pop("quiet")
        saved = store.remember(*([_standard_input() if text == "-" else text] if text else []), **given)
        return None if quiet else saved
    if command == "list":
        return store.recall(limit=max(1, len(store)), **given)
    if command == "forget":
        return store.forget(text or None, **given)
    return store.recall(text, **given) if command == "recall" else store.search(text, **given)


def _serve(store: str | None = None, vocabulary: str = "notes", *, read_only: bool) -> None:
    try:
        from memory_magic.assistants import mcp
    except ImportError:
        sentence = "The MCP server needs a package more: python -m pip install 'memory-magic[mcp]'"
        raise UnknownActionError(sentence) from None
    chosen = settings.MemorySettings()
    if read_only:
        chosen.model_writes = "off"
    mcp.serve(Store(store, settings=chosen), vocabulary)


class _Desk:
    """Where the actions that the command line shares with ``%memory`` are done."""

    shell = None

    def store(self) -> Store:
        return Store(settings.store_path(None, settings.current()), writer=COMMAND)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors take one line, as all others do."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"memory-magic: {shown_line(message)}; {self.prog} --help says what there is\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="memory-magic", description="What you told your notebooks once.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    search = [option for option in options.RECALL if option.argument in ("limit", "category")]
    plain = [option for option in options.RECALL if option.argument in ("category", "expired")]
    for name, about, declared, text in (
        ("remember", "store a fact", options.REMEMBER, "the fact; - reads it from standard input"),
        ("recall", "find facts by words; the most recent ones without", options.RECALL, "words, or an id"),
        ("search", "find up to 15 facts by words", search, "words"),
        ("forget", "delete facts", options.FORGET, "ids, an exact title, or a key"),
        ("list", "show all facts that have not expired", plain, None),
        *((name, options.ACTIONS[name].help, (), options.ACTIONS[name].takes) for name in _SHARED),
    ):
        _declare(commands.add_parser(name, help=about, description=about, allow_abbrev=False), declared, text)
    about = "serve the memory to an assistant over standard input and output (MCP)"
    server = commands.add_parser("mcp", help=about, description=about, allow_abbrev=False)
    server.add_argument("--store", metavar="PATH", help="another file than your own memory")
    server.add_argument("--read-only", action="store_true", help="give it no tool that writes")
    server.add_argument(
        "--vocabulary", choices=("notes", "memory"), help="remember, recall, forget; or one tool, memory"
    )
    return parser


def _declare(parser: argparse.ArgumentParser, declared: Iterable[options.Option], text: str | None) -> None:
    for option in declared:
        names, values = option.declaration()
        parser.add_argument(*names, **values)
    if text:
        parser.add_argument("text", nargs="*", help=text)


def _standard_input() -> str:
    """Read a text; bytes that are none become half characters, which the store refuses in words."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    return sys.stdin.read()


def _write(text: str) -> None:
    """Print, also where the terminal's encoding lacks a character."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "memory_magic.plain").decode(encoding), flush=True)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Give what stands for characters that an encoding lacks; see ``codecs.register_error``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(c, "?") for c in error.object[error.start : error.end]), error.end


codecs.register_error("memory_magic.plain", _plain)
