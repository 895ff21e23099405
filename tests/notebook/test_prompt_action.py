"""``%memory prompt``: the section for a system prompt, as a person looks at it and hands it to a model."""

from __future__ import annotations

from typing import Any

from memory_magic.prompt import Section

FACT = "the settings are {dict} and {{x}}, cost $5"


def test_the_section_is_shown_as_text_and_given_as_text(ip: Any) -> None:
    """What the cell shows is what the variable holds."""
    ip.run(f"%remember {FACT}")
    ip.run("section = %memory prompt")
    section = ip.value("section")
    assert type(section) is Section
    assert f"] {FACT} (" in section
    assert repr(ip.run("%memory prompt")) == section == ip.value("section + ''")
    assert ip.printed("%memory prompt").endswith(f"{section}\n")


def test_the_style_stands_behind_it(ip: Any) -> None:
    """Titles for models with tools, notes for others; anything else is an error that names both."""
    ip.run(f"%remember -t Costs {FACT}")
    assert "## Recalled memory" in ip.run("%memory prompt notes")
    assert ip.run("%memory prompt titles") == ip.run("%memory prompt")
    assert "titles, notes" in ip.fails("%memory prompt all")


def test_a_section_goes_into_an_ai_cell_as_it_stands(ip: Any) -> None:
    """``{section}`` in ``%%ai``, which fills in the names of the notebook as Jupyter AI does: once."""
    ip.run(f"%remember {FACT}")
    ip.run("section = %memory prompt notes")
    ip.shell.register_magic_function(lambda line, cell: cell.format_map(ip.shell.user_ns), "cell", "ai")
    asked = ip.run("%%ai some-model\nAnswer briefly.\n{section}\nWhat does it cost?")
    assert asked.startswith("Answer briefly.\n## Recalled memory\n")
    assert asked.strip().endswith(f"] {FACT}\nWhat does it cost?")


def test_the_settings_of_the_shell_count(ip: Any) -> None:
    """``%config`` decides how much is told."""
    for number in range(3):
        ip.run(f"%remember fact number {number}")
    ip.run("%config MemoryMagics.disclosed_titles = 1")
    assert len(ip.run("%memory prompt").included) == 1
    ip.run("%config MemoryMagics.prompt_chars = 200")
    assert len(ip.run("%memory prompt notes")) <= 200
