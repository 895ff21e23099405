"""The way back from an edited frame: what differs, whether it may be, and all of it in one write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_magic.display import quoted
from memory_magic.errors import ConflictError, InvalidError
from memory_magic.notebook import rows as reading
from memory_magic.notebook.cells import EDITABLE
from memory_magic.notebook.comparing import Comparison, Difference, Wanted
from memory_magic.notebook.frame import VERSIONS, installed, shown
from memory_magic.notebook.rehearsal import rehearse, steps
from memory_magic.results import Saved
from memory_magic.store import Store

if TYPE_CHECKING:
    import pandas as pd

    from memory_magic.notebook.dataframes import Differences

_NAMED = 3


class FrameError(InvalidError):
    """An edited frame cannot be applied; ``differences`` has every cell that differs, and what is wrong with it."""

    def __init__(self, sentence: str, differences: Differences) -> None:
        super().__init__(sentence)
        self.differences = differences


class StaleFrameError(ConflictError):
    """Facts have changed in the file since the frame was taken, and nothing else is wrong; ``differences`` has all."""

    def __init__(self, sentence: str, differences: Differences) -> None:
        super().__init__(sentence)
        self.differences = differences


def apply_frame(
    df: pd.DataFrame,
    store: Store | None = None,
    *,
    dry_run: bool = False,
    forget_missing: bool = False,
    allow_secret: bool = False,
) -> Differences:
    """Write what was edited in a frame of facts back, in one write, all or nothing; gives what differs, a row a cell.

    With ``dry_run`` nothing is written. A row whose id no fact has is a new fact, and needs a title or a body; the
    store gives its id and times. A missing row or column changes nothing; with ``forget_missing`` the facts without a
    row are forgotten, but for those that the frame never had, as far as it still knows (``df.attrs``). Computed columns
    are ignored. The index may be a column, the rows filtered, sorted, concatenated, or read from a CSV file.

    Each cell must be as its field takes it: nothing is clamped. The frame of differences names each bad cell in
    ``problem``; without ``dry_run`` these are raised, with the frame as ``differences`` of the error: InvalidError, or
    ConflictError where facts have changed in the file since the frame was taken and nothing else is wrong. Raises
    InvalidError too on what is no DataFrame, and what writing raises.
    """
    with installed("pandas"):
        import pandas as pd

        from memory_magic.notebook.dataframes import Differences
    if not isinstance(df, pd.DataFrame):
        raise InvalidError(f"apply_frame takes a DataFrame, such as frame() gives, not {type(df).__name__}")
    store = store or Store()
    rows, draft = reading.read(df), store.draft()
    comparison = Comparison(draft.document.facts, draft.now)
    comparison.read(rows)
    if forget_missing:
        comparison.forget_missing(rows, set(str(df.attrs.get(VERSIONS, "")).splitlines()))
    wanted = comparison.wanted
    found = [
        *(Difference(None, None, name, None, None, problem) for name, problem in reading.unknown_columns(df)),
        *comparison.problems,
        *rehearse(draft, wanted, allow_secret=allow_secret),
    ]
    places = {name: place for place, name in enumerate(("id", *EDITABLE))}
    found.sort(key=lambda each: (len(rows) if each.row is None else each.row, places.get(each.field, len(places))))
    titles = {seen.id: seen.title for seen in shown(comparison.facts)}
    if dry_run or any(each.problem for each in found):
        differences = Differences.of(found, titles)
        if not dry_run:
            raise _error(differences, found)
        return differences
    ids, notices = _write(store, wanted, allow_secret=allow_secret)
    made = [replace(each, id=each.id if each.row is None else ids.get(each.row, each.id)) for each in found]
    return Differences.of(made, titles, applied=True, notices=notices)


def _write(store: Store, wanted: Sequence[Wanted], *, allow_secret: bool) -> tuple[dict[int, str], tuple[str, ...]]:
    """Apply it all in one write; gives the ids of the new facts by the places of their rows, and notices."""
    if not wanted:
        return {}, ()
    to_do = steps(wanted, allow_secret=allow_secret)
    with store.batch() as batch:
        # First of all, and without a change: a first write gives ids to sections, and so changes versions.
        for each in wanted:
            if each.fact:
                batch.amend(each.fact.id, version=each.fact.version)
        for step in to_do:
            step.on(batch)
    results = batch.results[-len(to_do) :]
    ids = {
        step.wanted.row.place: result.fact.id
        for step, result in zip(to_do, results, strict=True)
        if step.wanted.row and isinstance(result, Saved) and result.created
    }
    return ids, results[-1].notices


def _error(differences: Differences, found: Sequence[Difference]) -> FrameError | StaleFrameError:
    problems = [each for each in found if each.problem]
    named = "; ".join(f"{_cell(each)}: {each.problem}" for each in problems[:_NAMED])
    more = f"; and {len(problems) - _NAMED} more, which a dry run lists" if len(problems) > _NAMED else ""
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    kind = StaleFrameError if all(each.stale for each in problems) else FrameError
    return kind(f"Nothing was applied, for {count}: {named}{more}", differences)


def _cell(each: Difference) -> str:
    """Name a cell by its fact, or by the place of its row, and by its field, with the value that it has."""
    where = each.id or ("column" if each.row is None else f"row {each.row}")
    return f"{where} {each.field}" + (f" {quoted(each.after, 40)}" if each.after else "")
