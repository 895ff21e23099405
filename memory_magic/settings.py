"""The settings, the sources they come from, and where the store lives.

Precedence: argument, environment, IPython's configuration, ``memory_magic_config.json``, default.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from traitlets import Bool, Enum, Float, Int, TraitError, Unicode, default
from traitlets.config import Config, Configurable
from traitlets.config.loader import DeferredConfig

from memory_magic.errors import InvalidError

SECTION = "MemoryMagics"
FILE_NAME = "MEMORY.md"
CONFIG_NAME = "memory_magic_config.json"
PATH_VARIABLE, READ_ONLY_VARIABLE = "MEMORY_MAGIC_PATH", "MEMORY_MAGIC_READ_ONLY"

_UNSUPPORTED = re.compile(r"\A[A-Za-z][A-Za-z0-9+.-]+://")
_DEFAULTS: dict[str, Any] = {
    "path": "",
    "disclosed_titles": 15,
    "recall_limit": 5,
    "soft_cap": 200,
    "prompt_chars": 1200,
    "note_chars": 500,
    "model_writes": "apply",
    "read_only": False,
    "refresh_seconds": 2,
}
NAMES = tuple(_DEFAULTS)
_log = logging.getLogger("memory_magic")


def _from_file(name: str) -> Any:
    return default(name)(lambda _: file_settings().get(name, (_DEFAULTS[name],))[0])


class MemorySettings(Configurable):
    """The settings of a shell or a program; the magics are one, under the section name ``MemoryMagics``."""

    chosen: Path | None = None  # the store that was chosen for this process alone, which counts as an argument

    path = Unicode(
        help="The store: the path of a Markdown file or of a notes array (.json); empty means the user's own."
    ).tag(config=True)
    disclosed_titles = Int(min=0, help="How many titles a prompt section discloses; 0 discloses none.").tag(config=True)
    recall_limit = Int(min=1, help="How many facts recall returns when not told otherwise.").tag(config=True)
    soft_cap = Int(min=0, help="Advise to tidy up beyond this many facts; 0 turns the advice off.").tag(config=True)
    prompt_chars = Int(min=1, help="The hard budget, in characters, of the notes in a prompt.").tag(config=True)
    note_chars = Int(min=1, help="The longest note, in characters, that is its own title.").tag(config=True)
    model_writes = Enum(("apply", "off"), help="Whether assistants may write (apply) or only read (off).").tag(
        config=True
    )
    read_only = Bool(help="Refuse every write, as for graded or scheduled notebooks.").tag(config=True)
    refresh_seconds = Float(min=0, help="How long a read from an object store may be trusted.").tag(config=True)

    _default_path = _from_file("path")
    _default_disclosed_titles = _from_file("disclosed_titles")
    _default_recall_limit = _from_file("recall_limit")
    _default_soft_cap = _from_file("soft_cap")
    _default_prompt_chars = _from_file("prompt_chars")
    _default_note_chars = _from_file("note_chars")
    _default_model_writes = _from_file("model_writes")
    _default_read_only = _from_file("read_only")
    _default_refresh_seconds = _from_file("refresh_seconds")

    def _load_config(self, cfg: Config, section_names: Any = None, traits: Any = None) -> None:
        """Load what is valid; a bad value falls back to its default, alone, and is logged once."""
        good = Config()
        for name, value in self._find_my_config(cfg).items():
            if _config_fault(name, value) is None:
                good[type(self).__name__][name] = value
            else:
                _complain(name, "the IPython configuration")
        super()._load_config(good, section_names, traits)

    def update_config(self, config: Config) -> None:
        """Set what ``%config`` says; raises InvalidError on a bad value, and then nothing changes."""
        for name, value in self._find_my_config(config).items():
            if fault := _config_fault(name, value):
                raise InvalidError(fault)
        super().update_config(config)

    def is_read_only(self) -> bool:
        """Say whether writes are refused, by the environment or, where that says nothing, by the setting."""
        value = os.environ.get(READ_ONLY_VARIABLE, "").strip().lower()
        return value not in ("0", "false", "f", "no", "n", "off") if value else self.read_only

    def origin(self, name: str) -> str:
        """Say where the value of a setting comes from."""
        if name == "path" and self.chosen is not None:
            return "%memory use"
        if name == "path" and PATH_VARIABLE in os.environ:
            return f"environment, {PATH_VARIABLE}"
        if name == "read_only" and os.environ.get(READ_ONLY_VARIABLE, "").strip():
            return f"environment, {READ_ONLY_VARIABLE}"
        configured = self._find_my_config(self.config)
        if name in configured and _config_fault(name, configured[name]) is None:
            return "IPython's configuration"
        value, *file = file_settings().get(name, (_DEFAULTS[name],))
        if value != getattr(self, name):
            return "set in Python, or read before it was changed"
        return str(file[0]) if file else "default"


def config_schema() -> dict[str, Any]:
    """Give the JSON Schema of the settings, generated from the traits."""
    kinds: dict[type, str] = {Int: "integer", Float: "number", Bool: "boolean", Unicode: "string", Enum: "string"}
    properties = {}
    for name, trait in MemorySettings.class_traits(config=True).items():
        entry = {"type": kinds[type(trait)], "default": _DEFAULTS[name], "description": trait.help}
        if isinstance(trait, (Int, Float)):
            entry["minimum"] = trait.min
        if isinstance(trait, Enum):
            entry["enum"] = list(trait.values or ())
        properties[name] = entry
    return {"type": "object", "properties": properties, "additionalProperties": False}


def validate_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Give the settings with null as the default; raises InvalidError on a wrong value or an unknown name."""
    if not isinstance(config, Mapping):
        raise InvalidError("The settings must be an object of names and values")
    checked = dict(_DEFAULTS)
    for name, value in config.items():
        if name not in _DEFAULTS:
            from memory_magic.showing import shown_line  # for errors only: it must not slow loading

            raise InvalidError(f"There is no setting {shown_line(str(name), 60)}; there are {', '.join(_DEFAULTS)}")
        if value is not None:
            if fault := _fault(name, value):
                raise InvalidError(fault)
            checked[name] = value
    return checked


def _fault(name: str, value: object) -> str | None:
    """Say what is wrong with a value, or None."""
    trait: Any = MemorySettings.class_traits(config=True)[name]
    least = f" of at least {trait.min}" if isinstance(trait, (Int, Float)) else ""
    try:
        # To Python True is a number, and to traitlets 1 is a truth and 5.0 a whole number.
        fits = isinstance(value, bool) is isinstance(trait, Bool)
        fits = fits and (isfinite(value) and isinstance(trait, Float) if isinstance(value, float) else True)
        trait.validate(None, value if fits else None)
    except TraitError:
        return f"{name} must be {trait.info()}{least}"
    # A store of a kind that is not supported is told when it is used: the default would be another place than meant.
    if name == "path" and value and not _UNSUPPORTED.search(str(value)):
        try:
            _checked_path(str(value), "path")
        except InvalidError as error:
            return error.sentence
    return None


def _config_fault(name: str, value: object) -> str | None:
    """Say what is wrong with a value in a traitlets configuration; what is no setting of ours is not judged."""
    if name not in _DEFAULTS:
        return None
    if isinstance(value, DeferredConfig):  # a text from IPython's command line
        try:
            value = value.get_value(MemorySettings.class_traits(config=True)[name])
        except (TraitError, ValueError):
            return f"{name} is not valid"
    return _fault(name, value)


@cache
def _complain(name: str, where: str) -> None:
    _log.warning("The setting %s in %s is not valid and is ignored; its default counts", name, where)


def file_settings() -> dict[str, tuple[Any, Path]]:
    """Read section ``MemoryMagics`` of ``memory_magic_config.json`` on Jupyter's configuration path; never raises.

    Gives each value that is set there and valid, with the file that it comes from.
    """
    found: dict[str, tuple[Any, Path]] = {}
    for folder in reversed(_config_folders()):
        file = Path(folder, CONFIG_NAME)
        try:
            section = json.loads(file.read_text("utf-8")).get(SECTION, {})
            entries = list(section.items())
        except FileNotFoundError:
            continue
        except (OSError, ValueError, AttributeError):
            _complain("file", str(file))
            continue
        for name, value in entries:
            if name in _DEFAULTS and value is not None and _fault(name, value) is None:
                found[name] = value, file
            elif value is not None:
                _complain(name, str(file))
    return found


def _config_folders() -> list[str]:
    try:
        from jupyter_core.paths import jupyter_config_path

        return list(jupyter_config_path())
    except (ImportError, OSError):  # IPython without Jupyter, or with folders that are out of reach
        return [os.environ.get("JUPYTER_CONFIG_DIR") or str(Path.home() / ".jupyter")]


_in_use: list[MemorySettings] = []


def use(settings: MemorySettings) -> None:
    """Make these the settings of this process, as a shell does that loads the magics."""
    _in_use.append(settings)


def stop_using(settings: MemorySettings) -> None:
    """Go back to the settings before."""
    _in_use[:] = [other for other in _in_use if other is not settings]


def current() -> MemorySettings:
    """Give the settings of this process: those of the loaded magics, or else what file and environment say."""
    return _in_use[-1] if _in_use else MemorySettings()


def store_path(argument: str | os.PathLike[str] | None, settings: MemorySettings) -> Path:
    """Give the absolute path of the store; raises InvalidError on one that cannot be meant."""
    if argument is not None:
        try:
            path = os.fspath(argument)
        except TypeError:
            path = ""
        return _checked_path(path, "path", relative=True)
    if settings.chosen is not None:
        return settings.chosen
    if (value := os.environ.get(PATH_VARIABLE)) is not None:
        return _checked_path(value, PATH_VARIABLE)
    if settings.path:
        return _checked_path(settings.path, "the setting path")
    if sys.platform == "emscripten":  # only the working directory outlives the page
        return Path.cwd() / FILE_NAME
    from platformdirs import user_config_path

    return user_config_path("memory-magic", appauthor=False) / FILE_NAME


def _checked_path(value: str | bytes, name: str, *, relative: bool = False) -> Path:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise InvalidError(f"{name} must be the path of a file, such as ~/notes/MEMORY.md")
    if _UNSUPPORTED.search(value):
        raise InvalidError(f"{name} must name a file; URLs are not supported yet")
    try:
        path = Path(value).expanduser()
    except RuntimeError:
        raise InvalidError(f"{name} names a home directory that does not exist") from None
    if not relative and not path.is_absolute():
        raise InvalidError(
            f"{name} must be an absolute path or begin with ~, so that every notebook finds the same file"
        )
    return Path(os.path.abspath(path))
