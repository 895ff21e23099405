"""The command line: the same store outside of a notebook."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memory_magic.cli import main


@pytest.fixture
def run(memory: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run commands in this process, on a memory of their own."""
    return Command(memory, capsys)


class Command:
    """Commands on one memory; each gives exit code, output and error output."""

    def __init__(self, memory: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.memory = memory
        self._capture = capture

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        return (code, *self._capture.readouterr())

    def shell(
        self, line: str, *, input: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a line of a real shell in which ``memory-magic`` is the command."""
        function = f'memory-magic() {{ "{sys.executable}" -m memory_magic "$@"; }}; '
        return subprocess.run(
            ["bash", "-c", function + line],
            input=input,
            env={**os.environ, **(env or {})},
            capture_output=True,
            timeout=60,
            check=False,
        )


def test_remember_recall_forget(run: Command) -> None:
    """The three commands do what the magics do, with exit code 0."""
    code, out, err = run("remember", "-c", "profile", "Ann", "likes", "tea")
    assert (code, err) == (0, "")
    found = re.fullmatch(r"Remembered (m-[0-9a-f]{6}) “Ann likes tea” \(profile\)\n", out)
    assert found
    assert "source: user_explicit · confidence: 90" in run.memory.read_text("utf-8")
    code, out, err = run("recall", "tea")
    assert (code, err) == (0, "")
    assert out.startswith(f"{found[1]}  Ann likes tea\n")
    assert " 90 % · profile · " in out
    code, out, err = run("forget", found[1])
    assert (code, out[:15]) == (0, f"Forgot {found[1]}")


def test_where_prints_the_path(run: Command) -> None:
    """``where`` names the file and makes none."""
    assert run("where") == (0, f"{run.memory}\n", "")
    assert not run.memory.parent.exists()


def test_list_shows_all(run: Command) -> None:
    """``list`` has no limit; with ``--expired`` it shows the expired ones."""
    for number in range(30):
        run("remember", f"fact {number}")
    run("remember", "-e", "2020-01-01", "an old thing")
    assert run("list")[1].endswith("\n30 facts\n")
    assert run("list")[1].count("\nm-") == 29
    assert "an old thing" in run("list", "--expired")[1]
    assert run("list", "-c", "profile")[:2] == (0, "No fact in the category profile; there are other\n")


def test_search_is_bounded(run: Command) -> None:
    """``search`` gives 15 facts at most and needs words."""
    for number in range(20):
        run("remember", f"tea {number}")
    assert run("search", "tea", "-n", "99")[1].endswith("\n15 of 20, narrow the query\n")
    assert run("search")[0] == 1


def test_a_dash_reads_standard_input(run: Command) -> None:
    """``remember -`` takes the text from standard input, every line of it."""
    done = run.shell("memory-magic remember -t Steps -", input="1. ä\n\n  2. b\n".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert run.memory.read_text("utf-8").endswith("\n\n1. ä\n\n  2. b\n")


def test_standard_input_that_is_no_text_is_refused(run: Command) -> None:
    """Bytes that are not UTF-8 are an error in one line, and nothing is stored."""
    done = run.shell("memory-magic remember -", input=b"caf\xe9\n", env={"PYTHONUTF8": "1"})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"memory-magic: ")
    assert done.stderr.count(b"\n") == 1
    assert not run.memory.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(["remember"], 1, "nothing to remember", id="no-text"),
        pytest.param(["remember", "--confidence", "high", "x"], 1, "confidence must be", id="field"),
        pytest.param(["remember", "--id", "m-000000", "x"], 1, "No fact has the id", id="id"),
        pytest.param(["forget"], 1, "Nothing was named", id="forget-nothing"),
        pytest.param(["forget", "nothing"], 1, "No fact has", id="forget-unknown"),
        pytest.param(["recall", "m-000000"], 1, "No fact has the id", id="recall-unknown"),
        pytest.param(["recall", "-n", "0", "x"], 1, "limit must be", id="limit"),
        pytest.param(["recall", "-n", "x", "x"], 1, "limit must be", id="limit-text"),
        pytest.param(["remember", "password is hunter2hunter2"], 1, "looks like it holds", id="secret"),
        pytest.param(["remember", "--unknown", "x"], 2, "--unknown", id="option"),
        pytest.param(["remember", "--cat", "profile", "x"], 2, "--cat", id="abbreviation"),
        pytest.param(["frobnicate"], 2, "frobnicate", id="command"),
        pytest.param([], 2, "COMMAND", id="no-command"),
    ],
)
def test_errors_take_one_line_on_stderr(run: Command, arguments: list[str], code: int, words: str) -> None:
    """An error has exit code 1, a wrong call 2; one line says what to do and nothing is on stdout."""
    got, out, err = run(*arguments)
    assert (got, out) == (code, "")
    assert err.startswith("memory-magic: ")
    assert words in err
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert not run.memory.parent.exists()


def test_an_unknown_option_is_masked(run: Command) -> None:
    """What looks like a credential is not repeated, as an option or as a command."""
    secret = "ghp_" + "a1B2c3D4" * 4
    for arguments in (("recall", f"--{secret}"), (secret,)):
        code, _, err = run(*arguments)
        assert code == 2
        assert "ghp_…" in err
        assert secret not in err


def test_an_unreadable_file_is_told(run: Command) -> None:
    """The path is in the one line, and the bytes stay."""
    run.memory.parent.mkdir()
    run.memory.write_bytes("## x\n".encode("utf-16"))
    for command in (["list"], ["recall", "x"], ["remember", "x"], ["forget", "x"]):
        code, out, err = run(*command)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert str(run.memory) in err
    assert run.memory.read_bytes() == "## x\n".encode("utf-16")


def test_text_keeps_its_spaces_and_dashes(run: Command) -> None:
    """What the shell passes on is stored as it is; -- ends the options."""
    run("remember", "two  spaces, $x and {y}")
    run("remember", "--", "--force is", "my style")
    run("remember", "-5 is cold")
    text = run.memory.read_text("utf-8")
    assert all(f"\n{body}\n" in text for body in ("two  spaces, $x and {y}", "--force is my style", "-5 is cold"))


def test_quiet_prints_nothing(run: Command) -> None:
    """``-q`` leaves only the exit code."""
    assert run("remember", "-q", "likes tea") == (0, "", "")


def test_a_closed_pipe_is_no_error(run: Command) -> None:
    """``memory-magic list | head -1`` shows one line and no traceback."""
    run.memory.parent.mkdir()
    run.memory.write_text("".join(f"## fact {number}\n\n{'x' * 900}\n" for number in range(500)), "utf-8")
    done = run.shell("memory-magic list | head -1")
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_gets_its_lines(run: Command, encoding: str) -> None:
    """A terminal that lacks a character gets another one, not a traceback."""
    run("remember", "Ann likes grünen 茶")
    done = run.shell("memory-magic recall tea; memory-magic forget nothing", env={"PYTHONIOENCODING": encoding})
    assert b"Traceback" not in done.stderr
    done = run.shell("memory-magic recall Ann", env={"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Ann likes gr" in done.stdout
    assert ("茶" in done.stdout.decode(encoding)) == (encoding == "utf-8")


def test_help_lists_the_commands(run: Command) -> None:
    """``--help`` has every command, and each command its options."""
    out = run("--help")[1]
    assert all(name in out for name in ("remember", "recall", "search", "forget", "list", "where"))
    assert all(name in run("remember", "--help")[1] for name in ("--title", "--category", "--allow-secret"))


def test_history_undo_and_redo_outside_of_a_notebook(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The promise holds at every door."""
    main(["remember", "likes tea"])
    before = memory.read_bytes()
    main(["forget", "likes tea"])
    capsys.readouterr()
    assert [main(line.split()) for line in ("history", "undo")] == [0, 0]
    assert "command line: forget" in capsys.readouterr().out
    assert memory.read_bytes() == before
    assert main(["redo"]) == 0
    assert main(["undo", "99"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_terminal_that_lacks_characters_stays_legible(run: Command) -> None:
    """Bars, dots and quotation marks have plain forms; only what was stored can become a question mark."""
    run("remember", "-c", "profile", "likes 茶")
    command = [sys.executable, "-m", "memory_magic", "recall"]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=True)
    assert b"####- 90 % - profile - " in done.stdout
    assert b"likes ?" in done.stdout
