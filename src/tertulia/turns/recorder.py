"""Writing down what models say, for all replies of this process together.

One flush stores the new events of many drafts in one transaction; only then are
they heard. A first word is flushed at once and alone; later ones wait a moment so
that many share a commit. A reply's end goes through here too, in one transaction
with its last words, so nothing can overtake them.

A flush is small however much was heard, so that others write in between: the rest
waits for the next one, and a reply's end for the flush that stores its last words.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from time import monotonic

from tertulia.core.errors import TertuliaError
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import CommitUnknown, DatabaseBusy, DiskFull, StorageFailed
from tertulia.infra.events import EventLog
from tertulia.infra.events.log import is_stored
from tertulia.turns import store
from tertulia.turns.reply_draft import ReplyDraft

log = logging.getLogger("tertulia.turns")

#: The shortest pause between two flushes, in which words wait to share a commit; no reader notices it.
FLUSH_INTERVAL_SECONDS = 0.04
#: The pause grows with the drafts of the last flush and with the time it took, so that under load
#: fewer commits store more words each. The longest of the three counts.
FLUSH_INTERVAL_PER_DRAFT_SECONDS = 0.0005
FLUSH_DURATION_FACTOR = 2
FLUSH_RETRY_SECONDS = 0.5
#: What one flush stores of all drafts, in a few milliseconds; the last of them may be over by a piece.
FLUSH_MAX_CHARS = 400_000
#: What passes by itself, or once someone makes room: worth trying again with the same words.
RETRYABLE_STORAGE_ERRORS = (DatabaseBusy, DiskFull, StorageFailed)


@dataclass(slots=True)
class FinalWrite:
    """What makes a draft final, and who waits for it."""

    draft: ReplyDraft
    write: Callable[[Tx, bool], None]
    done: asyncio.Future[bool]


class Recorder:
    """Stores drafts as they grow; what could not be stored is kept and tried again."""

    def __init__(self, db: Database, events: EventLog, *, worker: str) -> None:
        self._db = db
        self._events = events
        self._worker = worker
        self._changed: dict[str, ReplyDraft] = {}
        #: Those of them that cannot wait.
        self._urgent: set[str] = set()
        self._final_writes: list[FinalWrite] = []
        self._has_changes = asyncio.Event()
        self._has_urgent = asyncio.Event()
        self._due = 0.0
        #: Told after each flush which replies must not go on: they were deleted, taken over, or are to stop.
        self.on_cut_off: Callable[[Collection[str]], None] = cut_off_nobody

    def mark_changed(self, draft: ReplyDraft, *, urgent: bool = False) -> None:
        """Say that a draft has something new; urgent news does not wait for others."""
        self._changed[draft.reply.id] = draft
        self._has_changes.set()
        if urgent:
            self._urgent.add(draft.reply.id)
            self._has_urgent.set()

    async def finish(self, draft: ReplyDraft, write: Callable[[Tx, bool], None]) -> bool:
        """Store a draft's last words and then run `write`, in the transaction of the very last.

        `write` is told, as is the caller, whether the reply is still ours: it may
        have been deleted, or taken over by another worker.
        """
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._final_writes.append(FinalWrite(draft, write, done))
        self.mark_changed(draft, urgent=True)
        return await done

    async def run(self) -> None:
        """Flush for ever."""
        while True:
            await self._has_changes.wait()
            await self._pause()
            began = monotonic()
            everything = not self._urgent or began >= self._due
            taken, endings = self._take(everything=everything)
            await self._flush(taken, endings)
            if everything:
                rest = max(
                    FLUSH_INTERVAL_SECONDS,
                    FLUSH_INTERVAL_PER_DRAFT_SECONDS * len(taken),
                    FLUSH_DURATION_FACTOR * (monotonic() - began),
                )
                self._due = monotonic() + rest

    async def _pause(self) -> None:
        """Wait until all is due, or something is urgent."""
        try:
            async with asyncio.timeout(max(0.0, self._due - monotonic())):
                await self._has_urgent.wait()
        except TimeoutError:
            pass

    def _take(self, *, everything: bool) -> tuple[dict[ReplyDraft, list[str]], list[FinalWrite]]:
        """Return the drafts that are to be stored now, each with its next events, and what ends with them."""
        taken: dict[ReplyDraft, list[str]] = {}
        endings: list[FinalWrite] = []
        ids = list(self._changed) if everything else list(self._urgent)
        room = FLUSH_MAX_CHARS
        for reply_id in ids:
            if room <= 0:
                break
            draft = self._changed.pop(reply_id)
            self._urgent.discard(reply_id)
            taken[draft] = draft.take_unsaved(FLUSH_MAX_CHARS // len(ids))
            room -= sum(map(len, taken[draft]))
            if draft.has_unsaved:
                self._changed[reply_id] = draft  # behind the others, and no longer urgent
            elif ended := self._take_final_writes(draft):
                endings += ended
                room -= draft.length
        if not self._urgent:
            self._has_urgent.clear()
        if not self._changed:
            self._has_changes.clear()
        return taken, endings

    def _take_final_writes(self, draft: ReplyDraft) -> list[FinalWrite]:
        ended = [ending for ending in self._final_writes if ending.draft is draft]
        self._final_writes = [ending for ending in self._final_writes if ending.draft is not draft]
        return ended

    async def _flush(self, taken: dict[ReplyDraft, list[str]], endings: list[FinalWrite]) -> None:
        """Store the words of replies that go on together, and each reply that ends by itself."""
        ended: dict[ReplyDraft, list[FinalWrite]] = {}
        # Taken away one by one: whoever wrote last has the list at hand until there is more to write.
        while endings:
            ending = endings.pop(0)
            ended.setdefault(ending.draft, []).append(ending)
        going_on = {draft: events for draft, events in taken.items() if draft not in ended}
        await asyncio.gather(
            self._store_together(going_on),
            *(self._store_alone(draft, taken[draft], writes) for draft, writes in ended.items()),
        )

    async def _store_together(self, taken: dict[ReplyDraft, list[str]]) -> None:
        try:
            await self._save_words(taken)
        except RETRYABLE_STORAGE_ERRORS as error:
            await self._retry_later(taken, [], error)
        except CommitUnknown as error:
            await self._retry_later(await self._leave_out_stored(taken), [], error)
        except Exception:
            log.exception("Something that models said cannot be stored; now each reply is stored alone.")
            for draft, events in taken.items():
                await self._store_words_first(draft, events, [])

    async def _store_alone(self, draft: ReplyDraft, events: list[str], endings: list[FinalWrite]) -> None:
        try:
            await self._save_reply(draft, events, endings)
        except RETRYABLE_STORAGE_ERRORS as error:
            await self._retry_later({draft: events}, endings, error)
        except CommitUnknown as error:
            # One that was closed is no longer ours when it is to be closed again.
            await self._retry_later(await self._leave_out_stored({draft: events}), endings, error)
        except Exception:
            log.exception("A reply cannot be closed; now its words are stored alone.")
            await self._store_words_first(draft, events, endings)

    async def _store_words_first(
        self, draft: ReplyDraft, events: list[str], endings: list[FinalWrite]
    ) -> None:
        """Store a reply's words and then its end: its words are kept even if it cannot be closed."""
        try:
            await self._save_reply(draft, events, [])
            events = []
            await self._save_reply(draft, events, endings)
        except RETRYABLE_STORAGE_ERRORS as error:
            await self._retry_later({draft: events}, endings, error)
        except Exception as error:  # noqa: BLE001 - whoever waits for the end must hear of it
            for ending in endings:
                ending.done.set_exception(error)

    async def _save_words(self, taken: dict[ReplyDraft, list[str]]) -> None:
        """Store the events of those replies that are still ours, and cut off what must not go on."""
        if not taken:
            return
        reply_ids = [draft.reply.id for draft in taken]

        def write(tx: Tx) -> dict[str, bool]:
            owned = store.hold_owned_runs(tx, reply_ids, worker=self._worker)
            news: dict[str, list[str]] = {}
            for draft, events in taken.items():
                if draft.reply.id in owned:
                    news.setdefault(draft.reply.conversation_id, []).extend(events)
            self._events.append_all(tx, news)
            return owned

        owned = await self._db.write(write, by=None, concurrent=True)
        self.on_cut_off(find_cut_off(reply_ids, owned))

    async def _save_reply(self, draft: ReplyDraft, events: list[str], endings: list[FinalWrite]) -> None:
        """Store the last events of a reply if it is still ours, and what ends with them."""

        def write(tx: Tx) -> bool:
            is_ours = store.hold_run(tx, draft.reply.id, worker=self._worker)
            if is_ours:
                self._events.append_all(tx, {draft.reply.conversation_id: events})
            for ending in endings:
                ending.write(tx, is_ours)
            return is_ours

        # As its person: what ends a reply also counts the others of its round and of its workspace.
        is_ours = await self._db.write(write, by=draft.by)
        for ending in endings:
            if not ending.done.done():
                ending.done.set_result(is_ours)

    async def _leave_out_stored(self, taken: dict[ReplyDraft, list[str]]) -> dict[ReplyDraft, list[str]]:
        """Return drafts without their events where those are stored, as soon as that can be known."""

        def look(tx: Tx) -> dict[ReplyDraft, list[str]]:
            return {
                draft: [] if events and is_stored(tx, draft.reply.conversation_id, events[0]) else events
                for draft, events in taken.items()
            }

        while True:
            try:
                return await self._db.read(look, by=None)
            except RETRYABLE_STORAGE_ERRORS as error:
                log.warning("It could not be looked up what was stored: %s", error)
                await asyncio.sleep(FLUSH_RETRY_SECONDS)

    async def _retry_later(
        self, taken: dict[ReplyDraft, list[str]], endings: list[FinalWrite], error: TertuliaError
    ) -> None:
        """Put back what could not be stored; it comes first the next time."""
        log.warning("What models say could not be stored yet: %s", error)
        for draft, events in taken.items():
            draft.put_back(events)
            self.mark_changed(draft, urgent=True)
        self._final_writes = endings + self._final_writes
        await asyncio.sleep(FLUSH_RETRY_SECONDS)


def find_cut_off(reply_ids: Collection[str], owned: Mapping[str, bool]) -> set[str]:
    """Return the replies that are no longer ours, and those that someone wants stopped."""
    return {reply_id for reply_id in reply_ids if owned.get(reply_id, True)}


def cut_off_nobody(_: Collection[str]) -> None:
    """Let every reply go on."""
