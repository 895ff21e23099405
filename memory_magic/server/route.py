"""The route ``POST <base>/api/memory``: what a page asks, as JSON, done in a thread of its own and answered as JSON."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from http.client import responses
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.ioloop import IOLoop
from tornado.web import authenticated

from memory_magic.answers import Answer, answer
from memory_magic.errors import InvalidError, MemoryMagicError, TooLongError
from memory_magic.fact import PANEL
from memory_magic.settings import NAMES, current, store_path
from memory_magic.showing import visible
from memory_magic.store import Store

# The longest fact, each of its characters escaped as a pair of surrogates, or as many ids as a page may hold.
BODY_BYTES = 512 * 1024
# What the codes of errors mean over HTTP; all others are the caller's own fault.
_STATUS = {
    "memory_not_found": 404,
    "memory_ambiguous": 409,
    "memory_conflict": 409,
    "memory_full": 409,
    "memory_busy": 503,
    "memory_unreadable": 503,
    "memory_unwritable": 503,
}
# Apart from the threads of the server: one that waits for the lock keeps nobody but the memory waiting.
_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="memory_magic")


class MemoryHandler(APIHandler):
    """Answers as ``answers.answer`` does; authentication, authorisation and the XSRF check are the server's own.

    The status is 200, or 400, 404, 409, 503 by the code of the error.
    """

    auth_resource = "memory"

    @authenticated
    @authorized
    async def post(self) -> None:
        """Do what the body says, ``{"action": NAME, …}``."""
        said = await IOLoop.current().run_in_executor(_threads, _answered, self.request.body)
        self.set_status(200 if said["ok"] else _STATUS.get(said["code"], 400))
        self.finish(said)

    def write_error(self, status_code: int, **_: Any) -> None:
        """Say no more than the status of what the server refuses, and of a fault of ours, which its log describes."""
        self.finish({"ok": False, "code": "", "message": responses.get(status_code, "It did not work")})


def handlers(base_url: str) -> list[tuple[str, type[MemoryHandler]]]:
    """Give the route under the base URL of a server."""
    return [(url_path_join(base_url, "api", "memory"), MemoryHandler)]


def _answered(body: bytes) -> Answer:
    try:
        request = _request(body)
        return answer(_store(), request)
    except MemoryMagicError as error:
        return {"ok": False, "code": error.code, "message": visible(error.sentence)}


def _request(body: bytes) -> dict[str, Any]:
    """Read the body of a request; raises TooLongError, InvalidError."""
    if len(body) > BODY_BYTES:
        raise TooLongError(f"The request has {len(body):,} bytes; {BODY_BYTES:,} are allowed")
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise InvalidError('The request must be a JSON object with an action, such as {"action": "list"}')
    return request


def _store() -> Store:
    """Give the store that a bare ``Store()`` would be now; what it has read is kept as long as it is the same."""
    settings = current()
    return _made(store_path(None, settings), *(getattr(settings, name) for name in NAMES))


@lru_cache(maxsize=1)
def _made(*_: object) -> Store:
    return Store(writer=PANEL)
