"""Photograph the result of ``%recall`` where people see it; the README shows two of the pictures.

python docs/screenshots.py [--all FOLDER]
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
# The JupyterLab and the Chromium of the tests.
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from browsing import CHROMIUM, FLAGS, Server, Window  # noqa: E402
from pages import Notebook  # noqa: E402

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

IMAGES = ROOT / "docs" / "images"
CELLS = ("%recall", "%recall --expired", "%recall nothing of the kind")
DEPLOY = """Deploys go out on Tuesdays and Thursdays after the stand-up, never on a Friday. Who deploys says so in the \
channel first, watches the dashboards for half an hour, and rolls back without asking when the error rate doubles.

- Migrations run before the code that needs them, in a release of their own.
- Feature flags are off at first, then on for us, then for a tenth of all users.
- What went wrong is written down on the same day, without names.
- The release notes are for customers: what they can do now, not what we did.

The staging system is rebuilt from production every Monday at six; whoever needs it as it is says so in the channel.
"""
CHECKS = """uv sync          # what is needed
ruff check .     # the linter
pytest -q        # the tests, about a minute
"""


def memory(now: datetime) -> str:
    """Give a memory with facts of every status, as if they had come over some months."""

    def fact(id: str, title: str, body: str, days: float, fields: str) -> str:
        then = f"{now - timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"
        return f"## {title}\n<!-- id: {id} · created: {then} · updated: {then} · {fields} -->\n\n{body}\n"

    def ahead(**length: float) -> str:
        return f"expires: {now + timedelta(**length):%Y-%m-%dT%H:%M:%SZ}"

    mine = "source: user_explicit"
    facts = [
        fact(
            "m-4d5e6f",
            "Production runs on 192.168.1.168",
            "Production runs on 192.168.1.168",
            0.002,
            f"category: technical · key: prod_server_ip · {mine} · confidence: 95"
            f" · {ahead(days=6, hours=1)} · context: deploy.ipynb, In [3]",
        ),
        fact(
            "m-1a2b3c",
            "Prefer terse answers",
            "Facts first, no preamble, code over prose.",
            1,
            f"category: preferences · {mine} · confidence: 90 · context: notes.ipynb, In [2]",
        ),
        fact(
            "m-c0ffee",
            "How we deploy",
            DEPLOY,
            12,
            f"category: projects · key: deploy · {mine} · confidence: 90"
            f" · {ahead(days=80)} · context: notes.ipynb, In [5]",
        ),
        fact(
            "m-5e1f00",
            "The nightly export may be moving to Parquet",
            "The nightly export may be moving to Parquet",
            20,
            "category: technical · source: auto_discovery · confidence: 40 · context: read in exports.ipynb",
        ),
        fact(
            "m-7a11e5",
            "Checks before a commit",
            CHECKS,
            45,
            f"category: projects · key: checks · {mine} · confidence: 90 · context: notes.ipynb, In [9]",
        ),
        fact(
            "m-0dd0ff",
            "Guest network until the move",
            "Guest network until the move",
            70,
            f"category: other · {mine} · confidence: 70 · {ahead(days=-3)} · context: notes.ipynb, In [1]",
        ),
    ]
    return "# Memory\n\n" + "\n".join(facts)


def photographs(folder: Path) -> None:
    """Take all the pictures into a folder."""
    if CHROMIUM is None:
        sys.exit("Chromium is not installed")
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        memory_file = Path(home) / "MEMORY.md"
        memory_file.write_text(memory(datetime.now(UTC)), "utf-8")
        server = Server(Path(home))
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            window = Window(chromium, f"{server.url}/lab?token={server.token}", scale=1.25)
            notebook = in_lab(window, server, memory_file, folder)
            window.context.close()
            page = chromium.new_page(viewport={"width": 1000, "height": 1200})
            exported(page, server.folder / notebook, folder)
            terminal(page, memory_file, folder)
        finally:
            chromium.close()
            server.close()


def in_lab(window: Window, server: Server, memory_file: Path, folder: Path) -> str:
    """Photograph JupyterLab in both themes, wide and narrow; gives the name of the notebook, which is saved."""
    page, notebook = window.page, Notebook(window, server, memory_file)
    page.wait_for_function("() => window.jupyterapp?.restored")
    page.evaluate("() => window.jupyterapp.restored.then(() => window.jupyterapp.shell.collapseLeft())")
    notebook.open(*CELLS)
    tables = page.locator(".memory-magic")
    tables.nth(2).wait_for()
    size = {"width": 1250, "height": 1300}
    for name in THEMES:
        change_theme(page, name)
        page.set_viewport_size(size)
        page.screenshot(path=folder / f"lab-{name}.png")
        page.locator(".jp-Cell").nth(1).screenshot(path=folder / f"recall-{name}.png")
    tables.first.locator("summary").click()  # it makes the cell the active one, which is drawn with a toolbar
    for name in THEMES:
        change_theme(page, name)
        tables.first.screenshot(path=folder / f"open-{name}.png")
        page.set_viewport_size({**size, "width": 600})
        page.screenshot(path=folder / f"narrow-{name}.png")
        page.set_viewport_size(size)
    notebook.close()
    return notebook.name


def change_theme(page: Any, name: str) -> None:
    """Change the theme, and wait until its colours are there."""
    theme = THEMES[name]
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")
    page.locator("#jupyterlab-splash").wait_for(state="detached")


def exported(page: Any, notebook: Path, folder: Path) -> None:
    """Photograph the notebook as nbconvert exports it, and the table as a viewer shows it that takes out all style."""
    read = nbformat.read(notebook, as_version=4)
    for template, theme in (("lab", "light"), ("lab", "dark"), ("classic", "light")):
        text, _ = HTMLExporter(template_name=template, theme=theme, embed_images=True).from_notebook_node(read)
        show(page, folder / f"export-{template}-{theme}.png", text)
    table = read.cells[1].outputs[0]["data"]["text/html"]
    bare = re.sub(r"<style>.*?</style>| (?:style|class)=\"[^\"]*\"", "", table, flags=re.DOTALL)
    viewer = (
        "body{font:16px sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:6px}"
    )
    show(page, folder / "bare.png", f"<!doctype html><meta charset=utf-8><style>{viewer}</style>{bare}")


def terminal(page: Any, path: Path, folder: Path) -> None:
    """Photograph what the command line prints, as a terminal of 80 columns shows it."""
    text = ""
    for line in ("recall", "recall m-4d5e6f"):
        command = [sys.executable, "-m", "memory_magic", *line.split()]
        done = subprocess.run(
            command, env={"MEMORY_MAGIC_PATH": str(path)}, capture_output=True, encoding="utf-8", check=True
        )
        text += f"$ memory-magic {line}\n{done.stdout}"
    look = "background:#1e1e1e;color:#ddd;width:80ch;padding:1em;white-space:pre-wrap;word-break:break-all;"
    look += "font:15px/1.35 'DejaVu Sans Mono',monospace;display:inline-block;margin:0"
    show(
        page,
        folder / "terminal.png",
        f'<!doctype html><meta charset=utf-8><pre style="{look}">{html.escape(text)}</pre>',
    )


def show(page: Any, picture: Path, text: str) -> None:
    """Photograph a page."""
    page.set_content(text, wait_until="domcontentloaded")
    page.screenshot(path=picture, full_page=True)


def main() -> None:
    """Take the pictures; keep those of the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="keep all pictures in this folder")
    kept = parser.parse_args().all
    with tempfile.TemporaryDirectory() as scratch:
        folder = kept or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        photographs(folder)
        for name in ("recall-light.png", "recall-dark.png"):
            (IMAGES / name).write_bytes((folder / name).read_bytes())


if __name__ == "__main__":
    main()
