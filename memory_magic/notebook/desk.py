"""What ``%memory`` does in a shell: a fact into the next cell, and another file for this kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_magic import addressing, settings
from memory_magic.display import named
from memory_magic.errors import SecretError
from memory_magic.fact import Fact, is_derived, masked, one_line
from memory_magic.results import Told
from memory_magic.showing import typed_id, visible
from memory_magic.store import Store


def edit(store: Store, shell: Any, target: str) -> Told:
    """Put ``%%remember --id …`` with the fact's text into the next cell; raises as ``Store.why`` does.

    A title of its own stands on the first line. A fact that holds a credential is not put into a cell: SecretError.
    """
    facts = store.facts()
    fact = facts[addressing.one(facts, target)]
    if masked(fact) != fact:
        raise SecretError(
            f"{named(fact)} holds what looks like a credential, which no cell should; edit it in the file"
        )
    shell.set_next_input(_cell(fact))
    return Told(f"{named(fact)} is in the next cell; change it there, and run it")


def _cell(fact: Fact) -> str:
    head = f"%%remember --id {typed_id(fact.id)}"
    if not is_derived(fact.title, fact.body):
        title = one_line(fact.title)
        head += f" -- {title}" if title.startswith("-") else f" {title}"
    return f"{head}\n{fact.text}"


def use(store: Callable[[], Store], path: str) -> Told:
    """Make another file the store of this kernel or, without a path, the one that the settings name again.

    Raises InvalidError on what is no path, and UnreadableError where the file cannot be read; then nothing changes.
    """
    known = settings.current()
    before = known.chosen
    name = path[1:-1] if len(path) > 1 and path[0] == path[-1] and path[0] in "\"'" else path
    known.chosen = settings.store_path(name, known) if path else None
    try:
        count = len(store())
    except Exception:
        known.chosen = before
        raise
    facts = "1 fact" if count == 1 else f"{count} facts" if count else "nothing stored yet"
    return Told(f"Using {visible(str(store().path))} ({facts})")
