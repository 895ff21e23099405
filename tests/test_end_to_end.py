"""The whole way, as a person goes it: real kernels, with a home of their own, over one file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

CELLS = (
    "%load_ext memory_magic",
    "%remember prefer terse answers",
    "%remember -c technical -k prod_server_ip --confidence 95 -e 7d Production runs on 192.168.1.168 (branch master)",
    "%%remember -c projects Release checklist\n1. run the tests   2. bump the version   3. tag",
)


def test_what_was_said_once_is_known_after_a_restart(kernel: Callable[[], Any]) -> None:
    """All forms of ``%remember`` reach the file, and a new process finds them there."""
    one = kernel()
    for cell in CELLS:
        one.run(cell)
    before = one.run("%recall server ip")
    assert "Production runs on 192.168.1.168 (branch master)" in before
    one.restart()
    one.run("%load_ext memory_magic")
    after = one.run("%recall server ip")
    assert "Production runs on 192.168.1.168 (branch master)" in after
    assert "technical/prod_server_ip" in after
    assert "95 %" in after
    assert "1. run the tests   2. bump the version   3. tag" in one.run("%recall release")
    assert "3 facts" in one.run("%recall")


def test_a_second_kernel_sees_a_new_fact_without_reloading(kernel: Callable[[], Any]) -> None:
    """What one kernel says after the other has read is there at the other's next look."""
    one, other = kernel(), kernel()
    for each in (one, other):
        each.run("%load_ext memory_magic")
    one.run("%remember prefer terse answers")
    assert "prefer terse answers" in other.run("%recall terse")
    one.run("%remember the staging database is read-only on Sundays")
    assert "read-only on Sundays" in other.run("%recall staging")
    other.run("%forget prefer terse answers")
    assert "prefer terse answers" not in one.run("%recall")


def test_forget_takes_the_id_that_was_shown(kernel: Callable[[], Any]) -> None:
    """Any id of a receipt or of a recall can be forgotten, and is gone from the file."""
    one = kernel()
    for cell in CELLS:
        one.run(cell)
    shown = re.findall(r"m-[0-9a-f]{6}", one.run("%recall server ip"))
    assert "Production runs on" in one.run(f"%forget {shown[0]}")
    assert "2 facts" in one.run("%recall")
    assert "192.168.1.168" not in one.run("import os; print(open(os.environ['MEMORY_MAGIC_PATH']).read())")
