"""All replies that this process produces: begun, kept alive, stopped, taken over, drained."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from tertulia.conversations import rounds, tool_runs
from tertulia.conversations.domain import Note, Reply, ReplyStatus
from tertulia.conversations.events import ReplyWaits, encode
from tertulia.core.clock import uptime
from tertulia.core.errors import TertuliaError
from tertulia.core.threads import run_by_length
from tertulia.infra.db import Tx
from tertulia.turns import closing, recovery, store
from tertulia.turns.desk import Desk
from tertulia.turns.draft import Draft
from tertulia.turns.noting import with_all_notes
from tertulia.turns.run import Outcome, charge_for, final, learn_from, listen

log = logging.getLogger("tertulia.turns")


@dataclass(slots=True)
class Speaking:
    """A reply under way in this process."""

    task: asyncio.Task[None]
    draft: Draft
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
        desk.events.when_forgotten.append(self._stop_conversation)

    def lease(self) -> datetime:
        """Return until when a run that is begun or renewed now is surely ours."""
        return uptime() + timedelta(seconds=self._desk.settings.lease_seconds)

    @property
    def is_busy(self) -> bool:
        """Tell whether replies are being written here."""
        return bool(self._speaking)

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
        lapsed = uptime() + timedelta(days=365) if self._alone else uptime()
        while True:
            try:
                if not self.draining:
                    await self._take_over(lapsed)
                await self._renew()
            except TertuliaError as error:
                log.warning("Leases could not be renewed yet: %s", error.message)
            await asyncio.sleep(self._desk.settings.lease_seconds / 3)
            lapsed = uptime()

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
        listening = asyncio.create_task(listen(draft, outcome, desk=self._desk))
        speaking = Speaking(listening, draft)
        self._speaking[draft.reply.id] = speaking
        await asyncio.wait([listening])
        error = None if listening.cancelled() else listening.exception()
        finish = partial(final, draft, outcome, error, speaking.cut_off_as)
        reply = await run_by_length(finish, chars=draft.length)
        try:
            if outcome.waits and speaking.cut_off_as is None and error is None:
                await self._suspend(draft, reply, outcome)
            else:
                await self._close(draft, reply, outcome)
        except Exception:
            log.exception("Reply %s could not be closed; it is recovered from what was stored.", reply.id)
            await self._desk.db.write(lambda tx: store.let_go(tx, reply.id), by=None)
        finally:
            # One that was decided about while it still worked may be under way again already.
            if self._speaking.get(reply.id) is speaking:
                del self._speaking[reply.id]
            self._desk.job_news.set()

    async def _suspend(self, draft: Draft, reply: Reply, outcome: Outcome) -> None:
        """Keep a reply that waits for a person's yes as it is; it goes on once that is decided."""
        charge = charge_for(reply, outcome)
        waiting = replace(reply, status=ReplyStatus.WAITING, finished_at=None)

        def write(tx: Tx, ours: bool) -> None:
            if not ours:
                closing.book_if_deleted(tx, reply, charge)
                return
            rounds.save_reply(tx, with_all_notes(tx, waiting))
            store.suspend(tx, reply.id, reserved=charge.amount)
            self._desk.events.append(tx, reply.conversation_id, [encode(ReplyWaits(reply.id))])
            if not tool_runs.waiting(tx, reply.id):  # it was decided just before
                self.wake(tx, reply.id)

        await self._desk.recorder.end(draft, write)

    def wake(self, tx: Tx, reply_id: str) -> None:
        """Have a reply go on that has waited, once this is safe on disk."""
        run = store.wake(tx, reply_id, worker=self.worker, until=self.lease())
        if run is not None and (draft := recovery.recover(tx, run, self._desk)):
            tx.after_commit(lambda: self.begin([draft]))

    def note(self, reply_id: str, note: Note) -> None:
        """Keep a note for the next step of a reply that is being written here."""
        speaking = self._speaking.get(reply_id)
        if speaking is not None and note.id not in {known.id for known in speaking.draft.reply.notes}:
            speaking.draft.reply = replace(speaking.draft.reply, notes=[*speaking.draft.reply.notes, note])

    async def _close(self, draft: Draft, reply: Reply, outcome: Outcome) -> None:
        charge = charge_for(reply, outcome)

        def write(tx: Tx, ours: bool) -> None:
            if ours:
                text, thinking = draft.text, draft.thinking
                events = self._desk.events
                closing.close(tx, reply, text=text, thinking=thinking, charge=charge, events=events)
                learn_from(tx, outcome, by=draft.by)
            else:
                closing.book_if_deleted(tx, reply, charge)

        if not await self._desk.recorder.end(draft, write):
            log.info("Reply %s was deleted or taken over while it was written.", reply.id)

    def _stop_conversation(self, conversation_id: str) -> None:
        """Stop all replies of a conversation that was deleted."""
        mine = (one.draft.reply for one in self._speaking.values())
        self.stop([reply.id for reply in mine if reply.conversation_id == conversation_id])

    async def _renew(self) -> None:
        """Prolong our leases; stop what someone wants stopped, and what is no longer ours."""
        speaking = list(self._speaking)

        def renew(tx: Tx) -> tuple[set[str], set[str]]:
            wanted = store.renew(tx, worker=self.worker, until=self.lease())
            return wanted, store.alive(tx, speaking, worker=self.worker)

        wanted, ours = await self._desk.db.write(renew, by=None)
        self.stop(wanted)
        self.stop(set(speaking) - ours)

    async def _take_over(self, lapsed: datetime) -> None:
        """Finish what workers that are gone left behind; what they had not begun is begun here."""
        left = await self._desk.db.read(
            lambda tx: store.left_behind(tx, worker=self.worker, lapsed=lapsed), by=None
        )
        taken = await asyncio.gather(*(self._take_one(reply_id, lapsed) for reply_id in left))
        self.begin([draft for draft in taken if draft is not None])

    async def _take_one(self, reply_id: str, lapsed: datetime) -> Draft | None:
        """Take over one run: in a transaction of its own, so that one that fails harms no other."""

        def take(tx: Tx, output: int) -> Draft | None:
            run = store.take_over(tx, reply_id, worker=self.worker, until=self.lease(), lapsed=lapsed)
            return recovery.recover(tx, run, self._desk, output=output) if run else None

        try:
            output = await recovery.count_output(reply_id, self._desk)
            return await self._desk.db.write(partial(take, output=output), by=None)
        except Exception:
            log.exception("Reply %s could not be recovered; it is tried again later.", reply_id)
            return None


async def cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait until they are gone."""
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError):
            await task
