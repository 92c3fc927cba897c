"""Ids in addresses: ULIDs are the same in either case, and we store capitals."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from tertulia.core.ids import ID_PATTERN, canonical_id

#: An id in either case, as a whole segment of a path or a whole value of a query.
ID_SEGMENT_PATTERN = re.compile(rf"(?<![^/=,]){ID_PATTERN.pattern}(?![^/&,:])", re.IGNORECASE)


class CanonicalIdMiddleware:
    """Writes the ids in a request's path and query in the case in which they are stored."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            scope["path"] = canonicalise_ids(scope["path"])
            scope["query_string"] = canonicalise_ids(scope["query_string"].decode("latin-1")).encode(
                "latin-1"
            )
        await self._app(scope, receive, send)


def canonicalise_ids(address: str) -> str:
    """Return an address with every id in its canonical case."""
    return ID_SEGMENT_PATTERN.sub(lambda found: canonical_id(found[0]), address)
