"""Summaries and compressions that people ask for, each made once under its idempotency key."""

import asyncio
from typing import Protocol
from weakref import WeakValueDictionary

from tertulia.conversations.access import get_for_writing
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memory import summaries
from tertulia.memory.domain import Summary
from tertulia.turns.idempotency import IdempotentRequest, find_earlier_ids, record_request
from tertulia.turns.services import TurnServices
from tertulia.upkeep.compression_service import compress_now, summarise_now


class SummaryAction(Protocol):
    """Summarises or compresses a conversation."""

    async def __call__(self, conversation_id: str, *, by: Principal, services: TurnServices) -> Summary:
        """Return the summary that is in force then."""
        ...


class SummaryRequests:
    """Does what a person wants done now, and once a key."""

    def __init__(self, services: TurnServices) -> None:
        self._services = services
        #: Held while a request under a key is worked on, so that its repetition waits for it.
        self._locks = WeakValueDictionary[str, asyncio.Lock]()

    async def summarise(self, conversation_id: str, *, key: str | None, by: Principal) -> Summary:
        """Summarise all that was said so far."""
        request = IdempotentRequest.of(key, "summarise", conversation_id)
        return await self._do_once(request, conversation_id, summarise_now, by=by)

    async def compress(self, conversation_id: str, *, key: str | None, by: Principal) -> Summary:
        """Compress all but the last rounds."""
        request = IdempotentRequest.of(key, "compress", conversation_id)
        return await self._do_once(request, conversation_id, compress_now, by=by)

    async def _do_once(
        self, request: IdempotentRequest, conversation_id: str, do_now: SummaryAction, *, by: Principal
    ) -> Summary:
        if request.key is None:
            return await do_now(conversation_id, by=by, services=self._services)
        async with self._locks.setdefault(f"{by.user_id}:{request.key}", asyncio.Lock()):
            return await self._find_or_do(request, conversation_id, do_now, by=by)

    async def _find_or_do(
        self, request: IdempotentRequest, conversation_id: str, do_now: SummaryAction, *, by: Principal
    ) -> Summary:
        def find_earlier(tx: Tx) -> Summary | None:
            get_for_writing(tx, conversation_id)
            made = find_earlier_ids(tx, request)
            return next(iter(summaries.list_summaries_by_ids(tx, made)), None) if made else None

        if found := await self._services.db.read(find_earlier, by=by):
            return found
        summary = await do_now(conversation_id, by=by, services=self._services)
        await self._services.db.write(
            lambda tx: record_request(tx, request, conversation_id, [summary.id]), by=by
        )
        return summary
