"""A reply under way in this process."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tertulia.turns.domain import StopCause
from tertulia.turns.reply_draft import ReplyDraft

T = TypeVar("T")


class RunningReply:
    """Does the work on a reply in parts that can be cut off at any moment."""

    def __init__(self, draft: ReplyDraft) -> None:
        self.draft = draft
        #: Who cut it off, if anyone did.
        self.stopped_by: StopCause | None = None
        self._parts: set[asyncio.Task[Any]] = set()

    def cut_off(self, cause: StopCause) -> None:
        """End the work at once; the first cause is the one that counts."""
        self.stopped_by = self.stopped_by or cause
        for part in self._parts:
            part.cancel()

    async def run_part(self, work: Coroutine[Any, Any, T]) -> T | BaseException:
        """Do a part of the work and return what it gives, or why it could not be done."""
        part = asyncio.create_task(work)
        self._parts.add(part)
        part.add_done_callback(self._parts.discard)
        if self.stopped_by is not None:
            part.cancel()
        await asyncio.wait([part])
        if part.cancelled():
            return asyncio.CancelledError()
        return part.exception() or part.result()
