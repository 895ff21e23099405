"""Copies beside a file that hold another version of it: conflict copies of ours, of sync services, of a hurry."""

from __future__ import annotations

import os
import re
from pathlib import Path

# Dropbox and Nextcloud: "MEMORY (Ada's conflicted copy 2026-11-30).md"; iCloud: "MEMORY 2.md";
# a browser: "MEMORY (1).md";
# Syncthing: "MEMORY.sync-conflict-….md"; ours: "MEMORY.conflict-<time>.md".
_MARKS = re.compile(r" \([^()]*conflict[^()]*\)| \(\d+\)| \d+|\.(?:sync-)?conflict-.+|[-_ ]conflict.*", re.IGNORECASE)


def beside(target: Path) -> list[Path]:
    """Give the copies of a file in its folder, by name; an error of the system gives none."""
    try:
        names = sorted(os.listdir(target.parent))
    except OSError:
        return []
    found = []
    for name in names:
        stem, suffix = os.path.splitext(name)
        if suffix == target.suffix and stem.startswith(target.stem) and _MARKS.fullmatch(stem[len(target.stem) :]):
            found.append(target.with_name(name))
    return found
