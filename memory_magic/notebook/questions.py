"""Keep ``%remember does Ann like tea?`` from being turned into help, which would lose the fact."""

from __future__ import annotations

import re

# What an assignment is made to, with strings that are closed, as in names["a=b"].
TARGET = r"(?:(?:[^=%#'\"\n]|'[^'\n]*'|\"[^\"\n]*\")+=[ \t]*)?"
_LINE = re.compile(rf"([ \t]*)({TARGET})%(remember|recall|forget|memory)[ \t]+(\S.*\?)\s*\Z", re.DOTALL)
MAGIC = re.compile(rf"([ \t]*+){TARGET}[%!]")


def keep_questions(lines: list[str]) -> list[str]:
    """Write the magic lines of a cell that end in ``?`` as the calls that IPython would make of them without it.

    An input transformer for ``input_transformers_cleanup``: IPython's own for help runs later, and before magics.
    ``%remember?`` has no text and stays help. Lines inside of strings and cell magics are left alone.
    """
    if not any("?" in line for line in lines) or lines[0].startswith("%%"):
        return lines
    kept: list[str] = []
    python: list[str] = []  # the lines so far without magics: a lone quote in one would seem to open a string
    index = 0
    while index < len(lines):
        end = index
        while end + 1 < len(lines) and lines[end].endswith("\\\n"):
            end += 1
        text = " ".join(line.removesuffix("\n").removesuffix("\\") for line in lines[index : end + 1])
        magic = MAGIC.match(text)
        if magic and begins_a_statement(python):
            python.append(f"{magic[1]}pass\n")
            if match := _LINE.match(text):
                indent, target, name, words = match.groups()
                kept.append(f"{indent}{target}get_ipython().run_line_magic({name!r}, {words!r})\n")
            else:
                kept += lines[index : end + 1]
            index = end + 1
        else:
            kept.append(lines[index])
            python.append(lines[index])
            index += 1
    return kept


def begins_a_statement(before: list[str]) -> bool:
    """Say whether what follows these lines is a new statement, and not inside of a string or brackets."""
    from token import ENDMARKER

    from IPython.core.inputtransformer2 import make_tokens_by_line

    if not before:
        return True
    tokens = make_tokens_by_line(before)  # in an open string or bracket they come to no end, and there may be none
    return bool(tokens) and tokens[-1][-1].type == ENDMARKER
