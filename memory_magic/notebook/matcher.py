"""Tab completion in a shell: the hook that asks ``completion`` what can be written, in both ways that IPython has.

Imports little, since it is loaded with the magics; the rest comes with the first completion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Thread
from typing import TYPE_CHECKING, Any

from IPython.core import completer
from IPython.core.interactiveshell import InteractiveShell

from memory_magic.errors import MemoryMagicError

if TYPE_CHECKING:
    from memory_magic.fact import Fact
    from memory_magic.notebook.completion import Answer
    from memory_magic.notebook.magics import MemoryMagics
    from memory_magic.store import Store

# Seconds to wait for a file that is being read. An answer takes 0.05 at most; the first time, when nothing is known yet
# and all has to be imported, an empty one would only send IPython to Jedi, whose own first time takes longer than this.
_PATIENCE, _FIRST_PATIENCE = 0.025, 0.3
# Behind punctuation, and behind the characters of scripts that are written without spaces. Compiled at the first use.
_BREAKS = "(?<=[!-/:-@\\[-`{-~\u2013\u2014\u2026\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef])(?=[^ ])"


class Matcher:
    """Completes the lines of one shell's magics, from memory; never writes, and never waits for a lock."""

    def __init__(self, magics: MemoryMagics) -> None:
        self._magics = magics
        self._reading: Thread | None = None
        self._store: Store | None = None
        self._facts: Sequence[Fact] | None = None

    def complete(self, context: completer.CompletionContext) -> completer.SimpleMatcherResult:
        """Answer as a matcher of IPython's second API, of 8.6 and later."""
        answer = self._answer(context.full_text, context.cursor_line, context.cursor_position)
        shown = unbroken if hasattr(self._magics.shell, "kernel") else str
        return {
            # What stands beside the text, in terminal and JupyterLab, is the type.
            "completions": [completer.SimpleCompletion(text, type=shown(beside)) for text, beside in answer.offers],
            "matched_fragment": answer.replaced,
            "suppress": bool(answer.offers),
            "ordered": True,
        }

    complete.matcher_api_version = 2  # type: ignore[attr-defined]
    complete.matcher_identifier = "memory_magic"  # type: ignore[attr-defined]

    def complete_line(self, line: str) -> list[str]:
        """Answer as a matcher of a magic's arguments in earlier IPythons, where it silences all others.

        These replace the last word by their own rules of what a word is, and know the line only.
        """
        shell: Any = self._magics.shell
        before = shell.Completer.text_until_cursor
        word = shell.Completer.splitter.split_line(line, len(before))
        answer = self._answer(line, 0, len(before))
        if len(word) > len(answer.replaced):
            head = word[: len(word) - len(answer.replaced)]
            return [head + text for text, _ in answer.offers]
        kept = answer.replaced[: len(answer.replaced) - len(word)]
        return [text[len(kept) :] for text, _ in answer.offers if text.startswith(kept)]

    def _answer(self, code: str, row: int, column: int) -> Answer:
        from memory_magic.notebook import completion

        call = completion.find_call(code, row, column, bare=self._may_be_bare(code))
        return completion.complete(call, self._known, datetime.now(UTC)) if call else completion.NOTHING

    def _may_be_bare(self, code: str) -> bool:
        """Say whether a magic may be written without its ``%`` here: no variable has its name."""
        from IPython.core.prefilter import is_shadowed

        shell: Any = self._magics.shell
        name, *_ = code.split(maxsplit=1) or [""]
        return bool(shell.automagic) and not is_shadowed(name, shell)

    def _known(self) -> Sequence[Fact]:
        """Give the facts as they are now or, where reading takes too long, as they were when last read."""
        patience = _PATIENCE
        if self._reading is None or not self._reading.is_alive():
            patience = _PATIENCE if self._facts is not None else _FIRST_PATIENCE
            self._reading = Thread(target=self._read, daemon=True)
            try:
                self._reading.start()
            except RuntimeError:  # there are no threads, as on Emscripten
                self._read()
                return self._facts or ()
        self._reading.join(patience)
        return self._facts or ()

    def _read(self) -> None:
        from memory_magic.notebook import completion

        try:
            store = self._magics.store()
            if store is not self._store:
                self._store, self._facts = store, None
            facts = store.facts()
        except (MemoryMagicError, OSError):  # the command itself will say what is wrong
            facts = []
        for fact in facts[: completion.OFFERED]:
            completion.label(fact)
        self._facts = facts


def unbroken(text: str) -> str:
    """Give a text that is shown in one line: JupyterLab breaks what stands beside a suggestion wherever it can."""
    return re.sub(_BREAKS, "\u2060", text).replace(" ", "\xa0")


def install(magics: MemoryMagics) -> None:
    """Complete the lines of these magics, in their shell."""
    matcher, shell = Matcher(magics), magics.shell
    if hasattr(completer, "context_matcher"):
        shell.Completer.custom_matchers.append(matcher.complete)
    else:
        shell.Completer.magic_arg_matchers.append(matcher.complete_line)


def remove(shell: InteractiveShell) -> None:
    """Take back what ``install`` did."""
    for matchers in (shell.Completer.custom_matchers, shell.Completer.magic_arg_matchers):
        matchers[:] = [each for each in matchers if not isinstance(getattr(each, "__self__", None), Matcher)]
