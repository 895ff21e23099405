"""The documentation is true: its examples run, its links resolve, and it names all that there is."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import memory_magic
from memory_magic import Store, answers, cli, config_schema, errors, settings
from memory_magic.notebook import options
from memory_magic.settings import MemorySettings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
KEPT = [
    path
    for folder in ("memory_magic", "notebooks", "benchmarks", "binder", "docs")
    for path in ROOT.glob(f"{folder}/**/*")
]

MAGICS = {"remember": options.REMEMBER, "recall": options.RECALL, "forget": options.FORGET}
COMMANDS = re.findall(r"^    (\w+)  ", cli._parser().format_help(), re.MULTILINE)


def section(title: str) -> str:
    """Give the text of the README below a heading, up to the next heading of its rank or above."""
    match = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |^\1 |\Z)", README, re.MULTILINE | re.DOTALL)
    assert match, f"README has no section {title}"
    return match[2]


def rows(title: str) -> list[str]:
    """Give the first cells of the table in a section, without its head."""
    return [line.split("|")[1].strip() for line in section(title).splitlines() if line.startswith("| `")]


def blocks(language: str) -> list[str]:
    """Give the README's fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def same(text: str) -> str:
    """Take out of an output what differs from run to run: ids, ages, what remains, and how wide columns are."""
    text = re.sub(r"m-[0-9a-f]{6}", "m-ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\d|\b\d+ (?:s|min|d|days)\b", "TIME", text)
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def turns() -> Iterator[tuple[str, str]]:
    """Give the inputs and outputs of the README's sessions in IPython."""
    for block in blocks("ipython"):
        yield from re.findall(
            r"^In \[\d+\]: (.*?)\n(?:Out\[\d+\]:\s(.*?))?(?=\nIn \[|\Z)", block, re.MULTILINE | re.DOTALL
        )


@pytest.mark.parametrize("magic", MAGICS)
def test_the_table_of_a_magic_lists_its_options_and_no_others(magic: str) -> None:
    """What can be typed can be looked up."""
    documented = [tuple(re.findall(r"`([^`]+)`", row)) for row in rows(f"`%{magic}`")]
    assert sorted(documented) == sorted(option.names for option in MAGICS[magic])


def test_the_table_of_memory_lists_its_actions() -> None:
    """An action that can be typed can be looked up."""
    assert rows("`%memory`") == [f"`{action}`" for action in options.ACTIONS]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_and_its_options_are_documented(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command has an example, and each of its options is named somewhere."""
    assert f"$ memory-magic {command}" in section("On the command line")
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    named = set(re.findall(r"--[a-z][\w-]*", capsys.readouterr().out)) - {"--help"}
    assert [option for option in sorted(named) if f"`{option}`" not in README] == []


def test_the_table_of_the_route_lists_its_actions() -> None:
    """In the order in which an unknown one is told them."""
    assert re.findall(r"`(\w+)`", " ".join(rows("The panel in JupyterLab"))) == list(answers._ACTIONS)


def test_the_table_of_settings_lists_them_with_their_defaults() -> None:
    """The traits decide what settings there are."""
    documented = dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", section("Settings"), re.MULTILINE))
    assert set(documented) == set(MemorySettings.class_traits(config=True))
    defaults = {name: str(entry["default"]).lower() for name, entry in config_schema()["properties"].items()}
    assert {**documented, "path": ""} == defaults


@pytest.mark.parametrize(
    "name", [settings.PATH_VARIABLE, settings.READ_ONLY_VARIABLE, settings.CONFIG_NAME, settings.SECTION]
)
def test_each_source_of_settings_is_documented(name: str) -> None:
    """Whoever looks for the reason of a value finds the places to look at."""
    assert name in section("Settings")


def test_the_table_of_errors_lists_every_code() -> None:
    """A code that is met can be looked up."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert sorted(rows("Errors")) == sorted(f"`{kind.code}`" for kind in kinds if kind is not errors.MemoryMagicError)


@pytest.mark.parametrize("name", memory_magic.__all__)
def test_each_public_name_is_documented(name: str) -> None:
    """What the package offers is in the README."""
    assert re.search(rf"\b{name}\b", README)


@pytest.mark.parametrize("name", [name for name in dir(Store) if not name.startswith("_")])
def test_each_method_of_the_store_is_documented(name: str) -> None:
    """What a store can do is in the README's example."""
    assert re.search(rf"\b{name}\b", section("In Python"))


def test_the_sessions_give_what_the_readme_shows(new_shell: Callable[[], Any]) -> None:
    """The first thing that is read is also what happens."""
    session = new_shell()
    shown = [(cell, same(output)) for cell, output in turns()]
    assert shown
    ran = [(cell, same(repr(value)) if (value := session.run(cell)) is not None else "") for cell, _ in shown]
    assert ran == shown


@pytest.mark.parametrize("block", blocks("python"))
def test_the_python_examples_run(block: str, ip: Any) -> None:
    """In a shell, as they would be pasted, with a memory of their own."""
    ip.run(block)
    assert ip.memory.exists()


def test_the_commands_run(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of the example succeeds after the ones before it."""
    lines = re.findall(r"^\$ memory-magic (.*)$", "\n".join(blocks("console")), re.MULTILINE)
    assert [cli.main(shlex.split(line)) for line in lines] == [0] * len(lines)
    assert capsys.readouterr().out.endswith(f"{memory}\n")


def test_the_example_of_the_file_reads_as_it_says(memory: Path) -> None:
    """Two facts: one with all its fields, one by hand."""
    memory.parent.mkdir(parents=True)
    memory.write_text(blocks("markdown")[0], "utf-8")
    facts = Store(memory).facts()
    assert [(fact.title, fact.key, fact.confidence, fact.flags) for fact in facts] == [
        ("Prod server ip", "prod_server_ip", 95, ()),
        ("Likes tea", None, 70, ()),
    ]


def test_the_checks_run_the_readmes_test_command() -> None:
    """The command that newcomers are told to run is the one that is known to pass."""
    install, run = next(block for block in blocks("sh") if "pytest" in block).strip().split(" && ")
    checks = (ROOT / ".ci" / "run").read_text("utf-8")
    assert f"{install} && at_home {run}\n" in checks


@pytest.mark.parametrize("command", ["load.py 2", "scale.py 300", "prompt.py 20", "frame.py 300"])
def test_the_benchmarks_run(command: str) -> None:
    """They reach into the package to say where the time goes, and follow it where it changes."""
    run = [sys.executable, *shlex.split(f"benchmarks/{command}")]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "aim" in done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_resolve(page: Path) -> None:
    """A link to a file of the repository leads there."""
    targets = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_committed_clean(path: Path) -> None:
    """With outputs of one run from top to bottom, for any Python 3."""
    notebook = json.loads(path.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_files_hold_no_reordering_characters_and_no_home_of_anybody() -> None:
    """Text is in the order in which it is shown, and says nothing about the machine that it was written on."""
    suspect = re.compile("[\u202a-\u202e\u2066-\u2069]|/(?:home|Users)/\\w|/root/|[A-Z]:\\\\Users")
    texts = [*PAGES, *(path for path in KEPT if path.suffix in {".py", ".md", ".ipynb", ".cfg", ".txt", ".js", ".css"})]
    found = {str(path.relative_to(ROOT)): suspect.findall(path.read_text("utf-8")) for path in texts}
    assert {name: hits for name, hits in found.items() if hits} == {}


def test_the_checks_can_be_run() -> None:
    """Git keeps the mode of what is executed as it stands."""
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)
