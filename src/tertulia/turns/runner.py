"""All replies that this process produces: begun, kept alive, stopped, taken over, drained."""

import asyncio
import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial

from tertulia.core.errors import TertuliaError
from tertulia.infra.courier.news import JobsQueued, NewsMayBeLost, StopRequested, TopicEnded
from tertulia.infra.db import Tx
from tertulia.turns import recovery, store
from tertulia.turns.domain import Run, StopCause
from tertulia.turns.recorder import find_cut_off
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.run import run_reply
from tertulia.turns.running_reply import RunningReply
from tertulia.turns.services import TurnServices

log = logging.getLogger("tertulia.turns")

LONGER_THAN_ANY_LEASE = timedelta(days=365)


class ReplyRunner:
    """Runs each reply as a task of its own, so that one that fails harms no other."""

    def __init__(self, services: TurnServices, *, worker: str, is_only_worker: bool) -> None:
        self._services = services
        self.worker = worker
        self._is_only_worker = is_only_worker
        self._running: dict[str, RunningReply] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_draining = False
        self._looking: asyncio.Task[None] | None = None
        services.courier.subscribe(TopicEnded, self._stop_conversation)
        services.courier.subscribe(StopRequested, lambda news: self.stop(news.reply_ids))
        services.courier.subscribe(NewsMayBeLost, self._look_for_stops)
        services.recorder.on_cut_off = self.stop

    def lease_end(self, tx: Tx) -> datetime:
        """Return until when a run that is begun or renewed now is surely ours."""
        return tx.uptime() + timedelta(seconds=self._services.settings.lease_seconds)

    @property
    def is_busy(self) -> bool:
        """Tell whether replies are being written here."""
        return bool(self._running)

    @property
    def drafts(self) -> list[ReplyDraft]:
        """Return the replies that are being written here."""
        return [running.draft for running in self._running.values()]

    def start(self, drafts: Iterable[ReplyDraft]) -> None:
        """Start producing replies; called once their runs are safe on disk."""
        for draft in drafts:
            task = asyncio.create_task(self._produce(draft))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def stop(self, reply_ids: Iterable[str], *, cause: StopCause = StopCause.PERSON) -> None:
        """Cut off those of the replies that are under way here; what they said is kept."""
        for reply_id in reply_ids:
            if running := self._running.get(reply_id):
                running.cut_off(cause)

    async def maintain_leases(self) -> None:
        """Keep our leases alive, hear of stops asked for elsewhere, and take over what others left behind."""
        ahead = LONGER_THAN_ANY_LEASE if self._is_only_worker else timedelta()
        while True:
            try:
                if not self.is_draining:
                    await self._take_over_lapsed(ahead)
                    ahead = timedelta()
                await self._renew_leases()
            except TertuliaError as error:
                log.warning("Leases could not be renewed yet: %s", error)
            await asyncio.sleep(self._services.settings.lease_seconds / 3)

    async def drain(self) -> None:
        """Take no new work, give what is under way some time, then cut off the rest; what it said is kept."""
        self.is_draining = True
        if self._looking is not None:
            self._looking.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._services.settings.drain_seconds)
        self.stop(list(self._running), cause=StopCause.SERVER)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._services.settings.drain_seconds + 5)

    async def _produce(self, draft: ReplyDraft) -> None:
        """Produce one reply to its end, whatever happens."""
        reply_id, running = draft.reply.id, RunningReply(draft)
        self._running[reply_id] = running
        try:
            await run_reply(running, resume=self.resume, services=self._services)
        except Exception:
            log.exception("Reply %s could not be closed; it is recovered from what was stored.", reply_id)
            await self._services.db.write(
                lambda tx: store.release_run(tx, reply_id), by=None, concurrent=True
            )
        finally:
            # One that was decided about while it still worked may be under way again already.
            if self._running.get(reply_id) is running:
                del self._running[reply_id]
            self._services.courier.publish(JobsQueued())

    def resume(self, tx: Tx, reply_id: str) -> None:
        """Have a reply go on that has waited, once this is safe on disk."""
        run = store.resume_run(tx, reply_id, worker=self.worker, until=self.lease_end(tx))
        if run is not None and (draft := recovery.recover_run(tx, run, self._services)):
            tx.after_commit(lambda: self.start([draft]))

    def _stop_conversation(self, ended: TopicEnded) -> None:
        """Stop all replies of a conversation that was deleted."""
        mine = (running_reply.draft.reply for running_reply in self._running.values())
        self.stop([reply.id for reply in mine if reply.conversation_id == ended.topic])

    async def _renew_leases(self) -> None:
        """Prolong our leases; stop what someone wants stopped, and what is no longer ours."""
        running = set(self._running)
        ours = await self._services.db.write(
            lambda tx: store.renew_leases(tx, worker=self.worker, until=self.lease_end(tx)),
            by=None,
            concurrent=True,
        )
        self.stop(find_cut_off(running, ours))

    def _look_for_stops(self, _: NewsMayBeLost) -> None:
        if self._running and not self.is_draining and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._hear_requested_stops())

    async def _hear_requested_stops(self) -> None:
        """Stop what someone wants stopped, whatever was heard of that."""
        try:
            self.stop(
                await self._services.db.read(
                    lambda tx: store.find_requested_stops(tx, worker=self.worker), by=None
                )
            )
        except TertuliaError as error:
            log.warning("It could not be looked up which replies to stop: %s", error)

    async def _take_over_lapsed(self, ahead: timedelta) -> None:
        """Finish what workers that are gone left behind; what they had not begun is begun here."""
        left = await self._services.db.read(
            lambda tx: store.find_lapsed_runs(tx, worker=self.worker, lapsed=tx.uptime() + ahead), by=None
        )
        taken = await asyncio.gather(*(self._take_over_one(run, ahead) for run in left))
        self.start([draft for draft in taken if draft is not None])

    async def _take_over_one(self, lapsed: Run, ahead: timedelta) -> ReplyDraft | None:
        """Take over one run: in a transaction of its own, so that one that fails harms no other."""

        def take(tx: Tx, output: int) -> ReplyDraft | None:
            run = store.take_over_run(
                tx,
                lapsed.reply_id,
                worker=self.worker,
                until=self.lease_end(tx),
                lapsed=tx.uptime() + ahead,
            )
            return recovery.recover_run(tx, run, self._services, output=output) if run else None

        try:
            output = await recovery.count_output(lapsed.reply_id, self._services)
            return await self._services.db.write(partial(take, output=output), by=lapsed.principal)
        except Exception:
            log.exception("Reply %s could not be recovered; it is tried again later.", lapsed.reply_id)
            return None
