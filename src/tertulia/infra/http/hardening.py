"""What every answer carries and every request must respect, whatever route it meets."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tertulia.core.errors import TooLarge
from tertulia.infra.http.errors import from_error

LARGEST_BODY = 100_000_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": POLICY,
}


class BodyTooLarge(TooLarge):
    """A request is larger than any we take."""

    code = "body_too_large"

    def __init__(self) -> None:
        super().__init__(f"A request may have at most {LARGEST_BODY // 1_000_000} MB.")


@dataclass(frozen=True, slots=True)
class Room:
    """How large some requests may be, and what is said of those that are larger."""

    largest: int
    is_for: Callable[[Scope], bool]
    refusal: Callable[[], TooLarge]


USUAL = Room(LARGEST_BODY, lambda _: True, BodyTooLarge)


class Hardening:
    """Adds the security headers and refuses bodies that are too large, counted as they arrive."""

    def __init__(self, app: ASGIApp, *, larger: Room = USUAL) -> None:
        self._app = app
        self._larger = larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        room = self._larger if self._larger.is_for(scope) else USUAL
        if self._announced(scope) > room.largest:
            await from_error(room.refusal())(scope, receive, send)
            return
        await self._app(scope, self._counted(receive, room), self._with_headers(send))

    def _announced(self, scope: Scope) -> int:
        length = Headers(scope=scope).get("content-length", "0")
        return int(length) if length.isdecimal() else 0

    def _counted(self, receive: Receive, room: Room) -> Receive:
        total = 0

        async def counting() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > room.largest:
                raise room.refusal()
            return message

        return counting

    def _with_headers(self, send: Send) -> Send:
        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        return adding
