"""The tests test something: with any one safeguard taken out, those that must notice fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutations import MUTATIONS

HERE = Path(__file__).parent
# For each safeguard the tests that must notice, whichever others do too. The lock is not what keeps writers from losing
# anything, the exchange does that as well; it is what makes them wait. The check alone keeps us from publishing for a
# moment over what an editor has just saved, and from going on with a lock that is none.
NOTICED_BY = {
    "fsync": [
        "test_power.py::test_power_loss_at_any_point[update]",
        "test_power.py::test_power_loss_at_any_point[create]",
    ],
    "folder sync": ["test_power.py::test_power_loss_at_any_point[update]"],
    "lock": [
        "test_locking.py::test_a_holder_that_does_not_let_go[hung]",
        "test_locking.py::test_a_deleted_lock_file_is_noticed",
    ],
    "re-read": ["test_writers.py::test_a_save_starts_from_the_file_as_it_is"],
    "check": [
        "test_locking.py::test_a_deleted_lock_file_is_noticed",
        "test_locking.py::test_a_save_whose_lock_file_goes_starts_again",
        "test_editors.py::test_an_edit_before_the_check_is_never_out_of_its_place",
        "test_editors.py::test_without_exchange_and_links_the_check_is_what_is_left",
    ],
    "exchange": [
        "test_editors.py::test_an_edit_between_check_and_publication[rename-exchange]",
        "test_editors.py::test_an_edit_between_check_and_publication[append-exchange]",
    ],
    "settling": ["test_editors.py::test_a_half_saved_file_is_never_the_base[0-MEMORY.md]"],
    "late write": ["test_editors.py::test_a_late_write_into_the_replaced_version[exchange]"],
}


def run(taken_out: str, tests: list[str]) -> tuple[int, str]:
    """Run tests in a pytest of their own, with one thing taken out; gives its exit code and what it printed."""
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "--override-ini=addopts=", "-p", "mutations"]
    done = subprocess.run(
        [*command, *(str(HERE / test) for test in tests)],
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parent.parent,
        env=os.environ | {"PYTHONPATH": str(HERE), "TAKEN_OUT": taken_out},
    )
    return done.returncode, done.stdout


def test_each_safeguard_has_tests_that_notice() -> None:
    """No safeguard that can be taken out is without a test that must notice."""
    assert NOTICED_BY.keys() == MUTATIONS.keys()


def test_with_nothing_taken_out_they_pass() -> None:
    """The tests that must notice pass while everything is in its place."""
    tests = sorted({test for tests in NOTICED_BY.values() for test in tests})
    code, printed = run("", tests)
    assert code == 0, printed
    assert f"{len(tests)} passed" in printed


@pytest.mark.parametrize("taken_out", MUTATIONS)
def test_with_one_thing_taken_out_they_fail(taken_out: str) -> None:
    """Every one of the tests that must notice fails without what it is there for."""
    tests = NOTICED_BY[taken_out]
    code, printed = run(taken_out, tests)
    assert code == 1, printed
    assert f"{len(tests)} failed" in printed
    assert "passed" not in printed
