"""What pandas shows of facts: DataFrames with an HTML of their own. Imported only by what needs pandas anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from memory_magic.display import with_notices
from memory_magic.notebook import marking

if TYPE_CHECKING:
    from memory_magic.notebook.comparing import Difference

_COLUMNS = ("id", "field", "before", "after", "problem")


class Facts(pd.DataFrame):
    """A DataFrame whose texts are not read as mathematics where a notebook shows it; all else is pandas'."""

    @property
    def _constructor(self) -> type[Facts]:
        return type(self)

    def _repr_html_(self) -> Any:
        html = super()._repr_html_()  # type: ignore[misc]
        # Around it, since pandas before 2.3 knows only one of these names.
        return html and f'<div class="mathjax_ignore tex2jax_ignore">{html}</div>'


class Differences(Facts):
    """What an edited frame changes: a row a cell, with ``id``, ``field``, ``before``, ``after`` and ``problem``.

    The index, ``row``, is the place of the row in the edited frame, counted from 0; it is missing for what is in no
    row. The id is missing for a fact that is not there yet. Texts are as a frame shows them. A forgotten fact has the
    field ``fact``.
    """

    @classmethod
    def of(
        cls,
        found: Sequence[Difference],
        titles: Mapping[str, str],
        *,
        applied: bool = False,
        notices: Sequence[str] = (),
    ) -> Differences:
        """Make the frame; ``titles`` are those of the facts by their ids, for the HTML."""
        columns = {name: pd.array([getattr(each, name) for each in found], dtype="string") for name in _COLUMNS}
        places = pd.array([each.row for each in found], dtype="Int64")
        made = cls(columns, index=pd.Index(places, name="row"))
        named = {each.id: titles.get(each.id, "") for each in found if each.id}
        made.attrs.update(titles=named, applied=applied, notices=tuple(notices))
        return made

    @property
    def message(self) -> str:
        """One line: how many cells differ, how many of them are a problem, and whether they are applied."""
        count, wrong = len(self), int(self["problem"].notna().sum())
        line = "1 difference" if count == 1 else f"{count} differences" if count else "No differences"
        if wrong:
            line += f", {wrong} of them a problem: nothing can be applied"
        elif count:
            line += ", applied; an undo takes them back" if self.attrs.get("applied") else "; nothing is applied yet"
        return with_notices(line, self.attrs.get("notices", ()))

    def __repr__(self) -> str:
        """Give pandas' table and, where it has its columns still, the message under it."""
        if not self._is_whole:
            return super().__repr__()
        return f"{super().__repr__()}\n{self.message}" if len(self) else self.message

    def _repr_html_(self) -> Any:
        if not self._is_whole:
            return super()._repr_html_()
        columns = [self.index.to_series(), *(self[name] for name in _COLUMNS)]
        cells = [column.astype(object).where(column.notna(), None) for column in columns]
        return marking.differences_html(
            list(zip(*cells, strict=True)),
            self.attrs.get("titles", {}),
            self.message,
        )

    @property
    def _is_whole(self) -> bool:
        return tuple(self.columns) == _COLUMNS
