"""All replies that this process produces: begun, kept alive, stopped, taken over, drained."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from tertulia.conversations import rounds, tool_runs
from tertulia.conversations.domain import Note, Reply, ReplyStatus
from tertulia.conversations.events import ReplyWaits, encode_event
from tertulia.core.clock import uptime
from tertulia.core.errors import TertuliaError
from tertulia.core.threads import run_in_thread_if_long
from tertulia.infra.db import Tx
from tertulia.turns import billing, finalisation, recovery, store
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.reply_notes import with_all_notes
from tertulia.turns.run import ReplyOutcome, calibrate_tokens, charge_of, final_reply, produce_reply
from tertulia.turns.services import TurnServices

log = logging.getLogger("tertulia.turns")


@dataclass(slots=True)
class RunningReply:
    """A reply under way in this process."""

    task: asyncio.Task[None]
    draft: ReplyDraft
    #: What to call the reply when it is cut off: by a person, or by us.
    stop_status: ReplyStatus | None = None


class ReplyRunner:
    """Runs each reply as a task of its own, so that one that fails harms no other."""

    def __init__(self, services: TurnServices, *, worker: str, is_only_worker: bool) -> None:
        self._services = services
        self.worker = worker
        self._is_only_worker = is_only_worker
        self._running: dict[str, RunningReply] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_draining = False
        services.events.on_topic_ended.append(self._stop_conversation)

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

    def stop(self, reply_ids: Iterable[str], *, status: ReplyStatus = ReplyStatus.STOPPED) -> None:
        """Cut off those of the replies that are under way here; what they said is kept."""
        for reply_id in reply_ids:
            if speaking := self._running.get(reply_id):
                speaking.stop_status = speaking.stop_status or status
                speaking.task.cancel()

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
        """Take no new work, give what is under way some time, then keep the rest as interrupted."""
        self.is_draining = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._services.settings.drain_seconds)
        self.stop(list(self._running), status=ReplyStatus.INTERRUPTED)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._services.settings.drain_seconds + 5)

    async def _produce(self, draft: ReplyDraft) -> None:
        """Produce one reply to its end, whatever happens."""
        outcome = ReplyOutcome()
        listening = asyncio.create_task(produce_reply(draft, outcome, services=self._services))
        speaking = RunningReply(listening, draft)
        self._running[draft.reply.id] = speaking
        await asyncio.wait([listening])
        error = None if listening.cancelled() else listening.exception()
        finish = partial(final_reply, draft, outcome, error, speaking.stop_status)
        reply = await run_in_thread_if_long(finish, chars=draft.length)
        try:
            if outcome.is_waiting and speaking.stop_status is None and error is None:
                await self._suspend(draft, reply, outcome)
            else:
                await self._close(draft, reply, outcome)
        except Exception:
            log.exception("Reply %s could not be closed; it is recovered from what was stored.", reply.id)
            await self._services.db.write(lambda tx: store.release_run(tx, reply.id), by=None)
        finally:
            # One that was decided about while it still worked may be under way again already.
            if self._running.get(reply.id) is speaking:
                del self._running[reply.id]
            self._services.jobs_queued.set()

    async def _suspend(self, draft: ReplyDraft, reply: Reply, outcome: ReplyOutcome) -> None:
        """Keep a reply that waits for a person's yes as it is; it goes on once that is decided."""
        charge = charge_of(reply, outcome)
        waiting = replace(reply, status=ReplyStatus.WAITING, finished_at=None)

        def write(tx: Tx, ours: bool) -> None:
            if not ours:
                billing.charge_deleted_reply(tx, reply, charge)
                return
            rounds.save_reply(tx, with_all_notes(tx, waiting))
            store.suspend_run(tx, reply.id, reserved=charge.amount)
            self._services.events.append(tx, reply.conversation_id, [encode_event(ReplyWaits(reply.id))])
            if not tool_runs.count_waiting(tx, reply.id):  # it was decided just before
                self.resume(tx, reply.id)

        await self._services.recorder.finish(draft, write)

    def resume(self, tx: Tx, reply_id: str) -> None:
        """Have a reply go on that has waited, once this is safe on disk."""
        run = store.resume_run(tx, reply_id, worker=self.worker, until=self.lease_end())
        if run is not None and (draft := recovery.recover_run(tx, run, self._services)):
            tx.after_commit(lambda: self.start([draft]))

    def add_note(self, reply_id: str, note: Note) -> None:
        """Keep a note for the next step of a reply that is being written here."""
        speaking = self._running.get(reply_id)
        if speaking is not None and note.id not in {known.id for known in speaking.draft.reply.notes}:
            speaking.draft.reply = replace(speaking.draft.reply, notes=[*speaking.draft.reply.notes, note])

    async def _close(self, draft: ReplyDraft, reply: Reply, outcome: ReplyOutcome) -> None:
        charge = charge_of(reply, outcome)

        def write(tx: Tx, ours: bool) -> None:
            if ours:
                text, thinking = draft.text, draft.thinking
                events = self._services.events
                finalisation.finalise_reply(
                    tx, reply, text=text, thinking=thinking, charge=charge, events=events
                )
                calibrate_tokens(tx, outcome, by=draft.by)
            else:
                billing.charge_deleted_reply(tx, reply, charge)

        if not await self._services.recorder.finish(draft, write):
            log.info("Reply %s was deleted or taken over while it was written.", reply.id)

    def _stop_conversation(self, conversation_id: str) -> None:
        """Stop all replies of a conversation that was deleted."""
        mine = (running_reply.draft.reply for running_reply in self._running.values())
        self.stop([reply.id for reply in mine if reply.conversation_id == conversation_id])

    async def _renew_leases(self) -> None:
        """Prolong our leases; stop what someone wants stopped, and what is no longer ours."""
        speaking = list(self._running)

        def renew(tx: Tx) -> tuple[set[str], set[str]]:
            wanted = store.renew_leases(tx, worker=self.worker, until=self.lease_end())
            return wanted, store.filter_owned_runs(tx, speaking, worker=self.worker)

        wanted, ours = await self._services.db.write(renew, by=None)
        self.stop(wanted)
        self.stop(set(speaking) - ours)

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
