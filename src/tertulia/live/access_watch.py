"""Ending the event streams of those who lost access: a credential, a membership, or their account."""

import asyncio
import logging

from tertulia.accounts.authentication import find_allowed
from tertulia.core.errors import TertuliaError
from tertulia.infra.db import Database
from tertulia.infra.events.streams import OpenStreams

log = logging.getLogger("tertulia.live")

#: Access may end in another process: a stream is over within a second, though nothing new is said in it.
ACCESS_POLL_SECONDS = 0.5


class AccessWatch:
    """Looks again and again whether all who listen here may still do so, in one query for all of them."""

    def __init__(self, db: Database, streams: OpenStreams) -> None:
        self._db = db
        self._streams = streams

    async def run(self) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(ACCESS_POLL_SECONDS)
            try:
                await self.end_revoked()
            except TertuliaError as error:
                # Whatever is sent meanwhile is checked by itself.
                log.warning("It could not be looked up who may still listen: %s", error)

    async def end_revoked(self) -> None:
        """End the streams of those who may not listen any more."""
        listening = self._streams.principals
        if listening:
            allowed = await self._db.read(lambda tx: find_allowed(tx, listening), by=None)
            self._streams.revoke(listening - allowed)
