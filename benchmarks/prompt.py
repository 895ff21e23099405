"""The prompt sections of 200 and of 10,000 facts, the file unchanged, beside one ``os.stat``.

Run from the repository: ``python benchmarks/prompt.py [CALLS]``. Both sides of a ratio are measured in turns, in one
run and on one file; the figure is the median of the ratios. The aim is at most 25. What the first section after a
change costs, with the file read anew, is printed beside it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from scale import texts, write_memory

from memory_magic import Store, prompt_section
from memory_magic.prompt import STYLES

COUNTS, CALLS, ROUNDS = (200, 10_000), 2_000, 15


def each(call: Callable[[], object], calls: int) -> float:
    """Give the nanoseconds of one call, on average."""
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls


def main() -> None:
    """Measure each number of facts in each style, and print a line for each."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    print(f"Prompt sections beside one os.stat, {ROUNDS} rounds of {calls} calls:")
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            path = Path(folder, f"{count}.md")
            write_memory(path, texts(count)[0])
            time.sleep(0.1)  # a file that was written this moment is read again each time
            for style in STYLES:
                section, stat = partial(prompt_section, Store(path), style), partial(os.stat, path)
                first = each(section, 1)
                ratios = [each(section, calls) / each(stat, calls) for _ in range(ROUNDS)]
                print(f"  {count:6,} facts, {style:6}: {median(ratios):5.1f} (aim 25); the first {first / 1e6:.1f} ms")


if __name__ == "__main__":
    main()
