"""``%remember``, ``%recall``, ``%forget``, ``%memory``: a line becomes a call to the store, its result is returned.

What the calls need is imported at the first one: loading the extension must not slow a shell that never uses it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import MagicAlias, Magics, line_cell_magic, line_magic, magics_class, no_var_expand

from memory_magic import settings
from memory_magic.errors import MemoryMagicError
from memory_magic.notebook import matcher, options
from memory_magic.notebook.questions import keep_questions

if TYPE_CHECKING:
    from memory_magic.results import Forgotten, Found, Saved
    from memory_magic.store import Store

_Magic = TypeVar("_Magic", bound=Callable[..., Any])


def _documented(help_text: str) -> Callable[[_Magic], _Magic]:
    """Put the help that ``%remember?`` shows below the docstring. IPython's argparse for magics would do it slower."""

    def decorate(magic: _Magic) -> _Magic:
        magic.__doc__ = f"{magic.__doc__}\n\n{help_text}"
        return magic

    return decorate


@contextmanager
def _one_line_errors() -> Any:
    """Turn the package's errors into the one-line error of magics, which stops Run All."""
    try:
        yield
    except MemoryMagicError as error:
        from memory_magic import display

        raise UsageError(display.error_line(error)) from None


@magics_class
class MemoryMagics(settings.MemorySettings, Magics):
    """The magics of one shell; their settings are those of ``%config MemoryMagics``."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell=shell)
        # Asked of the shell, since its tables may hold a placeholder that is loaded at the first use.
        self.shadowed = {
            (kind, name): shell.find_magic(name, kind) for kind in self.magics for name in self.magics[kind]
        }
        self._store: Store | None = None

    def store(self) -> Store:
        """Give the store that environment and settings name now."""
        from memory_magic.fact import MAGIC
        from memory_magic.store import Store

        path = settings.store_path(None, self)
        if self._store is None or self._store.path != path:
            self._store = Store(path, writer=MAGIC, settings=self)
        return self._store

    @no_var_expand
    @line_cell_magic
    @_documented(options.options_help(options.REMEMBER, "%remember [options] TEXT", "%%remember [options] [TITLE]"))
    def remember(self, line: str, cell: str | None = None) -> Saved | None:
        """Remember a fact, in every notebook from now on."""
        with _one_line_errors():
            texts, values, quiet = options.remember_call(line, cell)
            saved = self.store().remember(*texts, auto_context=self._where(), **values)
            return None if quiet else saved

    @no_var_expand
    @line_magic
    @_documented(options.options_help(options.RECALL, "%recall [options] [WORDS or ID]"))
    def recall(self, line: str) -> Found:
        """Find facts by words; without any, the most recent ones."""
        with _one_line_errors():
            values, query = options.split(line, options.RECALL)
            return self.store().recall(query, **options.whole_number(values, "limit"))

    @no_var_expand
    @line_magic
    @_documented(options.options_help(options.FORGET, "%forget [options] IDS, TITLE or KEY"))
    def forget(self, line: str) -> Forgotten:
        """Delete facts: by id, by exact title, or by key."""
        with _one_line_errors():
            values, target = options.split(line, options.FORGET)
            return self.store().forget(target or None, **values)

    @no_var_expand
    @line_magic
    @_documented(options.actions_help())
    def memory(self, line: str) -> object:
        """Look at the whole: the file, its facts, what to look at; or do one of the actions."""
        from memory_magic.notebook import actions

        with _one_line_errors():
            return actions.run(self, line)

    def _where(self) -> str:
        """Say where a fact comes from: the notebook's file name and the execution count."""
        name = os.path.basename(os.environ.get("JPY_SESSION_NAME", "").replace("\\", "/")) or "IPython"
        name = name.encode("utf-8", "replace").decode()  # a file system may hold names that are not UTF-8
        # The shell's own counter is that of the next cell in some versions of IPython.
        return f"{name[:400]}, In [{self.shell.displayhook.prompt_count}]"


def load(shell: InteractiveShell) -> None:
    """Register the magics once; IPython's own ``%recall`` is shadowed, and ``%rep`` goes on reaching it."""
    if _loaded(shell):
        return
    magics = MemoryMagics(shell)
    shell.register_magics(magics)
    table = shell.magics_manager.magics["line"]
    alias, recall = table.get("rep"), magics.shadowed["line", "recall"]
    # %rep is an alias by name and would reach ours.
    if isinstance(alias, MagicAlias) and alias.magic_name == "recall" and recall is not None:
        magics.shadowed["line", "rep"] = alias
        table["rep"] = recall
    shell.input_transformers_cleanup.append(keep_questions)
    matcher.install(magics)
    settings.use(magics)


def unload(shell: InteractiveShell) -> None:
    """Undo ``load``: no magic, no hook and no setting stays behind."""
    magics = _loaded(shell)
    if magics is None:
        return
    manager = shell.magics_manager
    ours = {(kind, name): magic for kind in magics.magics for name, magic in magics.magics[kind].items()}
    ours["line", "rep"] = magics.shadowed["line", "recall"]
    for (kind, name), old in magics.shadowed.items():
        if manager.magics[kind].get(name) is ours[kind, name]:  # else the user has put something in its place
            del manager.magics[kind][name]
            if old is not None:
                manager.magics[kind][name] = old
    manager.registry.pop(MemoryMagics.__name__, None)
    shell.configurables[:] = [other for other in shell.configurables if other is not magics]
    shell.input_transformers_cleanup[:] = [
        hook for hook in shell.input_transformers_cleanup if hook is not keep_questions
    ]
    matcher.remove(shell)
    settings.stop_using(magics)


def _loaded(shell: InteractiveShell) -> MemoryMagics | None:
    found = shell.magics_manager.registry.get(MemoryMagics.__name__)
    return found if isinstance(found, MemoryMagics) else None
