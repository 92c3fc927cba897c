"""Long answers that break off once the caller may not read them any more."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from fastapi.responses import StreamingResponse
from starlette.types import Send

from tertulia.core.errors import NotFound, NotSignedIn
from tertulia.core.principal import Principal
from tertulia.infra.http.identity import Authenticator

logger = logging.getLogger(__name__)

#: Raises `NotFound` once the caller may not see what they are being sent.
AccessCheck = Callable[[], Awaitable[object]]


class RevocableResponse(StreamingResponse):
    """An answer that is sent whole, or else breaks off without an end, so that no part is taken for it."""

    async def stream_response(self, send: Send) -> None:
        """Send the answer; once the caller may not read it any more, send neither more nor an end."""
        try:
            await super().stream_response(send)
        except (NotFound, NotSignedIn) as error:
            logger.info("An answer was broken off: %s", error.code)


async def while_allowed(
    content: AsyncGenerator[bytes],
    *,
    by: Principal,
    authenticator: Authenticator,
    check: AccessCheck | None = None,
) -> AsyncGenerator[bytes]:
    """Yield the parts of an answer while the caller's credential is valid and `check` does not raise."""
    async with aclosing(content) as parts:
        async for part in parts:
            if not await authenticator.is_still_allowed(by):
                raise NotSignedIn
            if check is not None:
                await check()
            yield part
