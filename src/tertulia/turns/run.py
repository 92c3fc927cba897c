"""One lane's reply, in three steps. A new concern gets a folder below it, or a job after it."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Tx
from tertulia.turns.billing import charge_deleted_reply
from tertulia.turns.preparation import NotAsked, prepare_reply
from tertulia.turns.running_reply import RunningReply
from tertulia.turns.services import TurnServices
from tertulia.turns.settlement import HeardReply, Settlement, save_settlement, settle
from tertulia.turns.streaming import StreamedReply, stream_reply

log = logging.getLogger("tertulia.turns")


async def run_reply(
    running: RunningReply, *, resume: Callable[[Tx, str], None], services: TurnServices
) -> None:
    """Prepare a reply, stream it and settle it; `resume` has one go on that has waited."""
    prepared = await running.run_part(prepare_reply(running.draft, services=services))
    if isinstance(prepared, BaseException):
        outcome = NotAsked(prepared)
    else:
        outcome = await stream_reply(prepared, running, services=services)
    settlement = await settle_heard(running, outcome)
    await save(settlement, running, resume=resume, services=services)


async def settle_heard(running: RunningReply, outcome: NotAsked | StreamedReply) -> Settlement:
    """Return what became of a reply; an error that nobody foresaw is logged."""
    draft, error = running.draft, outcome.error
    if error is not None and not isinstance(error, TertuliaError | asyncio.CancelledError):
        log.error("A reply failed in a way nobody foresaw.", exc_info=error)
    reply = replace(draft.reply, first_token_at=draft.first_token_at)
    heard = HeardReply(reply, draft.text + draft.thinking, draft.charge_before)
    settled = partial(settle, heard, outcome, stopped_by=running.stopped_by, at=now())
    return await run_in_thread_if_long(settled, chars=draft.length)


async def save(
    settlement: Settlement,
    running: RunningReply,
    *,
    resume: Callable[[Tx, str], None],
    services: TurnServices,
) -> None:
    """Store a reply's last words and what became of it in one transaction."""
    draft, reply = running.draft, settlement.reply

    def write(tx: Tx, ours: bool) -> None:
        if ours:
            save_settlement(tx, settlement, draft, resume=resume, services=services)
        else:
            charge_deleted_reply(tx, reply, settlement.charge)

    if not await services.recorder.finish(draft, write):
        log.info("Reply %s was deleted or taken over while it was written.", reply.id)
