"""All replies that this process produces: begun, kept alive, stopped, taken over, drained."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from tertulia.conversations.domain import ReplyStatus
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.infra.db import Tx
from tertulia.turns import closing, recovery, store
from tertulia.turns.draft import Draft
from tertulia.turns.run import Desk, Outcome, final, listen

log = logging.getLogger("tertulia.turns")


@dataclass(slots=True)
class Speaking:
    """A reply under way in this process."""

    task: asyncio.Task[None]
    #: What to call the reply when it is cut off: by a person, or by us.
    cut_off_as: ReplyStatus | None = None


class Runner:
    """Runs each reply as a task of its own, so that one that fails harms no other."""

    def __init__(self, desk: Desk, *, worker: str, alone: bool) -> None:
        self._desk = desk
        self.worker = worker
        self._alone = alone
        self._speaking: dict[str, Speaking] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.draining = False

    def lease(self) -> datetime:
        """Return until when a run that is begun or renewed now is surely ours."""
        return now() + timedelta(seconds=self._desk.settings.lease_seconds)

    def begin(self, drafts: Iterable[Draft]) -> None:
        """Start producing replies; called once their runs are safe on disk."""
        for draft in drafts:
            task = asyncio.create_task(self._produce(draft))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def stop(self, reply_ids: Iterable[str], *, status: ReplyStatus = ReplyStatus.STOPPED) -> None:
        """Cut off those of the replies that are under way here; what they said is kept."""
        for reply_id in reply_ids:
            if speaking := self._speaking.get(reply_id):
                speaking.cut_off_as = speaking.cut_off_as or status
                speaking.task.cancel()

    async def watch(self) -> None:
        """Keep our leases alive, hear of stops asked for elsewhere, and take over what others left behind."""
        lapsed = now() + timedelta(days=365) if self._alone else now()
        while True:
            try:
                await self._take_over(lapsed)
                wanted = await self._desk.db.write(
                    lambda tx: store.renew(tx, worker=self.worker, until=self.lease()), by=None
                )
                self.stop(wanted)
            except TertuliaError as error:
                log.warning("Leases could not be renewed yet: %s", error.message)
            await asyncio.sleep(self._desk.settings.lease_seconds / 3)
            lapsed = now()

    async def drain(self) -> None:
        """Take no new work, give what is under way some time, then keep the rest as interrupted."""
        self.draining = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._desk.settings.drain_seconds)
        self.stop(list(self._speaking), status=ReplyStatus.INTERRUPTED)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._desk.settings.drain_seconds + 5)

    async def _produce(self, draft: Draft) -> None:
        """Produce one reply to its end, whatever happens."""
        outcome = Outcome()
        speaking = Speaking(asyncio.create_task(listen(draft, outcome, desk=self._desk)))
        self._speaking[draft.reply.id] = speaking
        await asyncio.wait([speaking.task])
        error = None if speaking.task.cancelled() else speaking.task.exception()
        reply = final(draft, outcome, error, speaking.cut_off_as)
        ours = await self._desk.recorder.end(
            draft,
            lambda tx: closing.close(
                tx, reply, text=draft.text, thinking=draft.thinking, events=self._desk.events
            ),
        )
        self._speaking.pop(reply.id, None)
        self._desk.job_news.set()
        if not ours:
            log.info("Reply %s was deleted or taken over while it was written.", reply.id)

    async def _take_over(self, lapsed: datetime) -> None:
        """Finish what workers that are gone left behind; what they had not begun is begun here."""

        def take(tx: Tx) -> list[Draft]:
            runs = store.take_over(tx, worker=self.worker, until=self.lease(), lapsed=lapsed)
            return recovery.recover(tx, runs, self._desk)

        self.begin(await self._desk.db.write(take, by=None))


async def cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait until they are gone."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task
