"""10,000 facts: ``frame(store)`` beside ``pandas.DataFrame(list_of_dicts)`` of the same data.

Run from the repository: ``python benchmarks/frame.py [FACTS]``. The file has been read before; both sides are
measured in turns, in one run; the figure is the median of the ratios. The aim is at most 4. The first frame of a store
looks for credentials in texts that were never shown before, and is told by itself.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pandas as pd
from scale import FACTS, in_turns, taken, texts, write_memory

from memory_magic import Fact, Store, frame
from memory_magic.fact import status
from memory_magic.settings import MemorySettings

ROUNDS = 15


def main() -> None:
    """Print the ratio, and what the first frame takes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FACTS
    facts, _ = texts(count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "MEMORY.md")
        write_memory(path, [(title, f"topic_{number}", body) for number, (title, _, body) in enumerate(facts)])
        store = Store(path, settings=MemorySettings(soft_cap=0))
        rows = [row(fact, store) for fact in store.facts()]
        first = taken(lambda: frame(store))
        assert list(frame(store).reset_index().columns) == list(rows[0])
        ratios = in_turns([lambda: frame(store)] * ROUNDS, [lambda: pd.DataFrame(rows)] * ROUNDS)
    low, _, high = quantiles(ratios, n=4)
    print(f"{count:,} facts, pandas {pd.__version__}")
    print(f"frame / DataFrame: {median(ratios):.2f} (quartiles {low:.2f} to {high:.2f}, {ROUNDS} pairs; aim 4)")
    print(f"the first frame of the store: {first / 1e6:.0f} ms")


def row(fact: Fact, store: Store) -> dict[str, Any]:
    """Give a fact as a row of the frame, in plain Python."""
    end = fact.expires_at
    return {
        "id": fact.id,
        "title": fact.title,
        "key": fact.key,
        "category": fact.category,
        "body": fact.body,
        "confidence": fact.confidence,
        "status": status(fact, store.now()),
        "expires": end,
        "days_left": None if end is None else (end - store.now()).total_seconds() / 86_400,
        "source": fact.source,
        "context": fact.context,
        "scope": fact.scope,
        "created": fact.created,
        "updated": fact.updated,
        "confirmed": fact.confirmed,
        "version": fact.version,
    }


if __name__ == "__main__":
    main()
