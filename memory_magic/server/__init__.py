"""What Jupyter Server sees: the route, and where the panel's files lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "memory_magic.server"}]


def _load_jupyter_server_extension(server: ServerApp) -> None:
    from memory_magic.server.route import handlers

    application = server.web_app
    application.add_handlers(".*$", handlers(application.settings["base_url"]))  # type: ignore[no-untyped-call]
