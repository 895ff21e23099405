"""The panel's files as JupyterLab loads them: under names that change with the content, as browsers keep them."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

_SOURCE = Path(__file__).parent / "labextension"
_WEB = Path(__file__).parents[1] / "web"


def assemble(folder: Path, version: str) -> None:
    """Write the extension into a folder, in place of all that is there; ``version`` is that of the package."""
    loaded = [_SOURCE / "panel.css", *(file for file in _WEB.iterdir() if file.suffix in (".js", ".css"))]
    content = {file.name: file.read_bytes() for file in sorted(loaded) if file.name != "widget.js"}
    entry = (_SOURCE / "panel.js").read_bytes()
    digest = sha256(b"\0".join([entry, *(part for name in content for part in (name.encode(), content[name]))]))
    name = digest.hexdigest()[:20]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_SOURCE / "schemas", folder / "schemas")
    shutil.copy(_SOURCE / "install.json", folder)
    package = json.loads((_SOURCE / "package.json").read_text("utf-8"))
    package["version"] = version
    package["jupyterlab"]["_build"]["load"] = f"static/remoteEntry.{name}.js"
    (folder / "package.json").write_text(json.dumps(package, indent=2), "utf-8")
    (folder / "static" / name).mkdir(parents=True)
    (folder / "static" / f"remoteEntry.{name}.js").write_bytes(entry)
    for module, data in content.items():
        (folder / "static" / name / module).write_bytes(data)
