"""What is built beside the package: the panel of JupyterLab, put together from the files of the package."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PanelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the panel to the data files of a wheel, an editable one too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Assemble it before the wheel is made, in a folder of this build's own: two may run at once."""
        sys.path.insert(0, self.root)
        from memory_magic.server.assembly import assemble

        self.folder = Path(tempfile.mkdtemp())
        assemble(self.folder, self.metadata.version)
        build_data["shared_data"][str(self.folder)] = "share/jupyter/labextensions/memory-magic"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Take the folder away again."""
        shutil.rmtree(self.folder)
