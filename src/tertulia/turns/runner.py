"""All replies that this process produces: begun, kept alive, stopped, taken over, drained."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from tertulia.conversations.domain import Note
from tertulia.core.clock import uptime
from tertulia.core.errors import TertuliaError
from tertulia.infra.courier.news import JobsQueued, TopicEnded
from tertulia.infra.db import Tx
from tertulia.turns import recovery, store
from tertulia.turns.domain import StopCause
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.run import run_reply
from tertulia.turns.running_reply import RunningReply
from tertulia.turns.services import TurnServices

log = logging.getLogger("tertulia.turns")


class ReplyRunner:
    """Runs each reply as a task of its own, so that one that fails harms no other."""

    def __init__(self, services: TurnServices, *, worker: str, is_only_worker: bool) -> None:
        self._services = services
        self.worker = worker
        self._is_only_worker = is_only_worker
        self._running: dict[str, RunningReply] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_draining = False
        services.courier.subscribe(TopicEnded, self._stop_conversation)

    def lease_end(self) -> datetime:
        """Return until when a run that is begun or renewed now is surely ours."""
        return uptime() + timedelta(seconds=self._services.settings.lease_seconds)

    @property
    def is_busy(self) -> bool:
        """Tell whether replies are being written here."""
        return bool(self._running)

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
        lapsed = uptime() + timedelta(days=365) if self._is_only_worker else uptime()
        while True:
            try:
                if not self.is_draining:
                    await self._take_over_lapsed(lapsed)
                await self._renew_leases()
            except TertuliaError as error:
                log.warning("Leases could not be renewed yet: %s", error.message)
            await asyncio.sleep(self._services.settings.lease_seconds / 3)
            lapsed = uptime()

    async def drain(self) -> None:
        """Take no new work, give what is under way some time, then cut off the rest; what it said is kept."""
        self.is_draining = True
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
            await self._services.db.write(lambda tx: store.release_run(tx, reply_id), by=None)
        finally:
            # One that was decided about while it still worked may be under way again already.
            if self._running.get(reply_id) is running:
                del self._running[reply_id]
            self._services.courier.publish(JobsQueued())

    def resume(self, tx: Tx, reply_id: str) -> None:
        """Have a reply go on that has waited, once this is safe on disk."""
        run = store.resume_run(tx, reply_id, worker=self.worker, until=self.lease_end())
        if run is not None and (draft := recovery.recover_run(tx, run, self._services)):
            tx.after_commit(lambda: self.start([draft]))

    def add_note(self, reply_id: str, note: Note) -> None:
        """Keep a note for the next step of a reply that is being written here."""
        running = self._running.get(reply_id)
        if running is None:
            return
        reply = running.draft.reply
        if note.id not in {known.id for known in reply.notes}:
            running.draft.replace_reply(replace(reply, notes=[*reply.notes, note]))

    def _stop_conversation(self, ended: TopicEnded) -> None:
        """Stop all replies of a conversation that was deleted."""
        mine = (running_reply.draft.reply for running_reply in self._running.values())
        self.stop([reply.id for reply in mine if reply.conversation_id == ended.topic])

    async def _renew_leases(self) -> None:
        """Prolong our leases; stop what someone wants stopped, and what is no longer ours."""
        running = list(self._running)

        def renew(tx: Tx) -> tuple[set[str], set[str]]:
            wanted = store.renew_leases(tx, worker=self.worker, until=self.lease_end())
            return wanted, store.filter_owned_runs(tx, running, worker=self.worker)

        wanted, ours = await self._services.db.write(renew, by=None)
        self.stop(wanted)
        self.stop(set(running) - ours)

    async def _take_over_lapsed(self, lapsed: datetime) -> None:
        """Finish what workers that are gone left behind; what they had not begun is begun here."""
        left = await self._services.db.read(
            lambda tx: store.find_lapsed_runs(tx, worker=self.worker, lapsed=lapsed), by=None
        )
        taken = await asyncio.gather(*(self._take_over_one(reply_id, lapsed) for reply_id in left))
        self.start([draft for draft in taken if draft is not None])

    async def _take_over_one(self, reply_id: str, lapsed: datetime) -> ReplyDraft | None:
        """Take over one run: in a transaction of its own, so that one that fails harms no other."""

        def take(tx: Tx, output: int) -> ReplyDraft | None:
            run = store.take_over_run(tx, reply_id, worker=self.worker, until=self.lease_end(), lapsed=lapsed)
            return recovery.recover_run(tx, run, self._services, output=output) if run else None

        try:
            output = await recovery.count_output(reply_id, self._services)
            return await self._services.db.write(partial(take, output=output), by=None)
        except Exception:
            log.exception("Reply %s could not be recovered; it is tried again later.", reply_id)
            return None
