"""Which fact is meant: by id, key, title or text. What is not found is an error that names near ones. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from memory_magic.errors import AmbiguousError, EmptyTextError, InvalidError, NotFoundError
from memory_magic.fact import DEFAULT_CATEGORY, ID, Fact, fold, masked, one_line
from memory_magic.showing import shown_id, shown_line

_LISTED = 10


def by_id(facts: Sequence[Fact], wanted: object) -> int:
    """Give the place of the fact with this id; raises NotFoundError, or AmbiguousError where two have it."""
    matches = _with_id(facts, wanted)
    if not matches:
        raise NotFoundError(f"No fact has the id {_short(wanted)}{_near_ids(facts, str(wanted))}")
    return _only(facts, matches, f"Two facts have the id {_short(wanted)}; give one of them another id in the file")


def by_key(facts: Sequence[Fact], key: str, category: str | None) -> int | None:
    """Give the place of the fact with this key, in this category or in the only one; None where there is none."""
    matches = with_key(facts, key, category)
    return (
        _only(facts, matches, f"Several facts have the key {key}; say which one by category or id") if matches else None
    )


def with_key(facts: Sequence[Fact], key: str, category: str | None) -> list[int]:
    """Give the places of all facts with this key."""
    return [i for i, fact in enumerate(facts) if fact.key == key and category in (None, fact.category)]


def by_title(facts: Sequence[Fact], title: str) -> int | None:
    """Give the place of the fact with this title; None where there is none, AmbiguousError where there are several."""
    matches = with_title(facts, title, None)
    return _only(facts, matches, "Several facts have this title; say which one by id") if matches else None


def with_title(facts: Sequence[Fact], title: str, category: str | None) -> list[int]:
    """Give the places of all facts with this title, compared by NFKC and case folding."""
    wanted = fold(one_line(title))
    return [i for i, fact in enumerate(facts) if fold(fact.title) == wanted and category in (None, fact.category)]


def by_text(facts: Sequence[Fact], text: str) -> int | None:
    """Give the place of a fact that holds this very text already, whatever its title."""
    wanted, folded = text, fold(text)
    near = [index for index, fact in enumerate(facts) if len(fact.text) == len(wanted) and fold(fact.text) == folded]
    return next((index for index in near if facts[index].text == wanted), near[0] if near else None)


def targets(facts: Sequence[Fact], target: object, category: str | None) -> list[int]:
    """Give the places that a line means: ids, or an exact title, or a key, also as ``category/key``.

    A fact means its own id. Raises EmptyTextError on a blank line, NotFoundError with near matches, AmbiguousError
    with the ids, InvalidError on what is no text.
    """
    if isinstance(target, Fact):
        return [_in_category(facts, by_id(facts, target.id), category)]
    if target is None or (isinstance(target, str) and not target.strip()):
        raise EmptyTextError("Nothing was named; give an id, an exact title or a key")
    if not isinstance(target, str):
        raise InvalidError(f"A fact is named by text, not {type(target).__name__}; give an id, an exact title or a key")
    if _with_id(facts, target):  # which need not be one of ours: that of a note may be any text
        return [_in_category(facts, by_id(facts, target), category)]
    words = target.replace(",", " ").split()
    titled, keyed = with_title(facts, target, category), _addressed(facts, target.strip(), category)
    ours = bool(words) and all(map(ID.fullmatch, words))
    ids = ours or (bool(words) and {fact.id for fact in facts}.issuperset(words))
    if ids and titled and not ours:
        raise AmbiguousError(f"These are ids, and together a title: {listed(facts, titled)}; name one by one")
    if ids and not (len(words) == 1 and titled):
        return [_in_category(facts, by_id(facts, word), category) for word in dict.fromkeys(words)]
    # A title that was derived from the key is no name of its own.
    if titled and titled != keyed:
        _refuse_several(facts, titled, keyed)
    for index in keyed:
        # In several categories a key means all of them; twice in one category it is a fault in the file.
        by_key(facts, facts[index].key or "", facts[index].category)
    if not (titled or keyed):
        where = in_category(category)
        raise NotFoundError(f"No fact{where} has this id, title or key: {_short(target)}{near(facts, target)}")
    return titled or keyed


def one(facts: Sequence[Fact], target: object) -> int:
    """Give the one place that a line means; raises as ``targets`` does, and AmbiguousError where it means several."""
    return _only(facts, targets(facts, target, None), "This names several facts; name one by its id")


def in_category(category: str | None) -> str:
    """Say where something was looked for, as a part of a sentence; empty where it was everywhere."""
    return f" in the category {_short(category)}" if category else ""


def _addressed(facts: Sequence[Fact], target: str, category: str | None) -> list[int]:
    """Give the places of all facts with this key, or with this category and key as receipts show them."""
    return with_key(facts, target, category) or [
        index
        for index, fact in enumerate(facts)
        if fact.key
        and target == f"{fact.category or DEFAULT_CATEGORY}/{fact.key}"
        and category in (None, fact.category)
    ]


def _in_category(facts: Sequence[Fact], index: int, category: str | None) -> int:
    if category not in (None, facts[index].category):
        there = _short(facts[index].category)
        raise NotFoundError(f"{shown_id(facts[index].id)} is in the category {there}, not in {_short(category)}")
    return index


def _refuse_several(facts: Sequence[Fact], titled: list[int], keyed: list[int]) -> None:
    if len(titled) > 1:
        raise AmbiguousError(f"Several facts have this title: {listed(facts, titled)}; say which one by id")
    if keyed:
        both = listed(facts, dict.fromkeys(titled + keyed))
        raise AmbiguousError(f"This is one fact's title and another's key: {both}; say which one by id")


def near(facts: Sequence[Fact], wanted: str) -> str:
    """Say which facts come near, as the end of a sentence; empty where none does."""
    folded = fold(one_line(wanted))
    names: dict[str, int] = {}
    for index, fact in enumerate(facts):
        for name in filter(None, (fold(fact.title), fact.key)):
            names.setdefault(name, index)
    close = [name for name in names if len(folded) >= 3 and folded in name][:3]
    close += get_close_matches(folded[:200], names, n=3, cutoff=0.6)
    places = list(dict.fromkeys(names[name] for name in close))[:3]
    return f"; near: {listed(facts, places)}" if places else _near_ids(facts, wanted.strip())


def listed(facts: Sequence[Fact], places: Iterable[int]) -> str:
    """List facts by id and title, ten at most, and count the others."""
    chosen = [facts[index] for index in places]
    names = ", ".join(f"{shown_id(fact.id)} (“{_short(masked(fact).title)}”)" for fact in chosen[:_LISTED])
    return f"{names} and {len(chosen) - _LISTED} more" if len(chosen) > _LISTED else names


def _only(facts: Sequence[Fact], matches: list[int], sentence: str) -> int:
    if len(matches) > 1:
        raise AmbiguousError(f"{sentence}: {listed(facts, matches)}")
    return matches[0]


def _with_id(facts: Sequence[Fact], wanted: object) -> list[int]:
    """Give the places of all facts with this id; white space around it counts where it has to."""
    exact = [index for index, fact in enumerate(facts) if fact.id == wanted]
    if exact or not isinstance(wanted, str):
        return exact
    return [index for index, fact in enumerate(facts) if fact.id.strip() == wanted.strip()]


def _near_ids(facts: Sequence[Fact], wanted: str) -> str:
    close = get_close_matches(wanted[:40], [fact.id for fact in facts], n=3, cutoff=0.6)
    places = [index for index, fact in enumerate(facts) if fact.id in close][:3]
    return f"; near: {listed(facts, places)}" if places else ""


def _short(text: object) -> str:
    return shown_line(str(text), 60)
