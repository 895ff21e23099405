"""How the facts of one file are told apart: ids for those without one, flags on what two of them have."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from memory_magic.fact import Fact, fold


def told_apart(read: Sequence[Fact]) -> tuple[Fact, ...]:
    """Give the facts of a file, in its order, with derived ids, and flags on what is there twice."""
    facts = list(read)
    taken = {fact.id for fact in facts}
    if "" in taken:
        places: Counter[str] = Counter()
        for index, fact in reversed(list(enumerate(facts))):  # from below, since new ones come on top
            title = fold(fact.title)
            places[title] += 1
            if not fact.id:
                facts[index] = replace(fact, id=_derived_id(title, places[title], taken))
                taken.add(facts[index].id)
    names = [fact.id for fact in facts]
    addresses = [(fact.category, fact.key) for fact in facts if fact.key]
    if len(set(names)) < len(names) or len(set(addresses)) < len(addresses):
        ids, keys = Counter(names), Counter(addresses)
        for index, fact in enumerate(facts):
            twice = [f"another fact has the id {fact.id} too"] if ids[fact.id] > 1 else []
            if fact.key and keys[fact.category, fact.key] > 1:
                twice.append(f"another fact in {fact.category} has the key {fact.key} too")
            if twice:
                facts[index] = replace(fact, flags=(*fact.flags, *twice))
    return tuple(facts)


def _derived_id(title: str, place: int, taken: set[str]) -> str:
    for attempt in count():
        digest = hashlib.sha256(f"{title}\0{place}\0{attempt}".encode("utf-8", "surrogatepass")).hexdigest()
        if (found := f"m-{digest[:6]}") not in taken:
            return found
    raise AssertionError("count() does not end")
