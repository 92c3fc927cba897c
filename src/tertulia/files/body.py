"""How large a request may be: one that brings files may be larger than others."""

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tertulia.files.errors import UploadTooLarge
from tertulia.infra.http.errors import from_error
from tertulia.infra.http.hardening import LARGEST_BODY, Hardening

BRINGS_FILES = re.compile(r"/api/projects/[^/]+/files(/[^/]+)?")
#: What a form has besides its files.
FRAME = 1_000_000


class RoomForFiles(Hardening):
    """Takes as much where files are sent as the largest file has, and elsewhere what is usual."""

    def __init__(self, app: ASGIApp, *, largest_file: int) -> None:
        super().__init__(app)
        self._largest = max(largest_file, LARGEST_BODY) + FRAME

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if not brings_files(scope):
            await super().__call__(scope, receive, send)
        elif self._announced(scope) > self._largest:
            await from_error(UploadTooLarge(self._largest))(scope, receive, send)
        else:
            await self._app(scope, self._bounded(receive), self._with_headers(send))

    def _bounded(self, receive: Receive) -> Receive:
        total = 0

        async def counting() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._largest:
                raise UploadTooLarge(self._largest)
            return message

        return counting


def brings_files(scope: Scope) -> bool:
    """Tell whether a request may bring files."""
    return (
        scope["type"] == "http"
        and scope["method"] in ("POST", "PUT")
        and BRINGS_FILES.fullmatch(scope["path"]) is not None
    )
