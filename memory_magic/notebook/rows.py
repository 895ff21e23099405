"""The rows of an edited frame, whatever has become of its index and columns on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from memory_magic.notebook.cells import EDITABLE, TIMES
from memory_magic.showing import shown_line

if TYPE_CHECKING:
    import pandas as pd

COMPUTED = ("status", "days_left")
_KNOWN = ("id", *EDITABLE, *TIMES, *COMPUTED, "version")


@dataclass(frozen=True)
class Row:
    """One row: its place, counted from 0, what it says of its fact, and its cells; None is a missing value."""

    place: int
    id: str
    version: str
    cells: dict[str, Any]


def read(df: pd.DataFrame) -> list[Row]:
    """Give the rows; of two columns with one name, the first counts."""
    known = [name for name in (*EDITABLE, *TIMES) if name in df.columns]
    columns = [_cells(_column(df, name)) for name in known]
    versions = _cells(_column(df, "version")) if "version" in df.columns else [None] * len(df)
    return [
        Row(
            place,
            name,
            str(version or "").strip(),
            {name: column[place] for name, column in zip(known, columns, strict=True)},
        )
        for place, (name, version) in enumerate(zip(_ids(df), versions, strict=True))
    ]


def unknown_columns(df: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Give each column that no frame of facts has, or that is there twice, and what is wrong with it."""
    for name, again in zip(df.columns, df.columns.duplicated(), strict=True):
        label = shown_line(str(name), 60)
        if again:
            yield label, f"There are two columns {label}; keep one"
        elif name not in _KNOWN:
            near = get_close_matches(label, _KNOWN, n=1, cutoff=0.75)
            hint = f"did you mean {near[0]}?" if near else "drop it, or rename it"
            yield label, f"A fact has no field {label}; {hint}"


def _ids(df: pd.DataFrame) -> list[str]:
    """Give the ids: of the column ``id`` where it has one, else of the index, whatever its name is by now."""
    named = "id" in df.index.names
    labels = _cells(df.index.get_level_values("id")) if named else df.index.tolist()
    column = _cells(_column(df, "id")) if "id" in df.columns else [None] * len(df)
    return [
        str(cell).strip() if cell is not None else label.strip() if isinstance(label, str) else ""
        for cell, label in zip(column, labels, strict=True)
    ]


def _column(df: pd.DataFrame, name: str) -> pd.Series[Any]:
    return df.loc[:, df.columns == name].iloc[:, 0]


def _cells(values: pd.Series[Any] | pd.Index[Any]) -> list[Any]:
    return [None if missing else cell for cell, missing in zip(values.tolist(), values.isna(), strict=True)]
