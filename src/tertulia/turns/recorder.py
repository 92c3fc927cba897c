"""Writing down what models say, for all replies of this process together.

One flush stores the new events of many drafts in one transaction; only then are
they heard. A first word is flushed at once and alone; later ones wait a moment so
that many share a commit. A reply's end goes through here too, so nothing can
overtake its last words.

A flush is small however much was heard, so that others write in between: the rest
waits for the next one, and a reply's end for the flush that stores its last words.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import DatabaseBusy, DiskFull, StorageFailed
from tertulia.infra.events import EventLog
from tertulia.turns import store
from tertulia.turns.draft import Draft

log = logging.getLogger("tertulia.turns")

#: How long words wait for others to share a commit with; too short for a reader to notice.
PAUSE = 0.04
#: The busier, the larger the shares: each draft prolongs the wait, and slow storing does by as many times.
PAUSE_PER_DRAFT = 0.0005
REST = 2
PAUSE_AFTER_FAILURE = 0.5
#: What one flush stores of all drafts, in some ten milliseconds; the last of them may be over by a piece.
FLUSH_MAX_CHARS = 1_000_000
#: What passes by itself, or once someone makes room: worth trying again with the same words.
STORAGE_ERRORS = (DatabaseBusy, DiskFull, StorageFailed)


@dataclass(slots=True)
class Ending:
    """What makes a draft final, and who waits for it."""

    draft: Draft
    write: Callable[[Tx, bool], None]
    done: asyncio.Future[bool]


class Recorder:
    """Stores drafts as they grow; what could not be stored is kept and tried again."""

    def __init__(self, db: Database, events: EventLog, *, worker: str) -> None:
        self._db = db
        self._events = events
        self._worker = worker
        self._grown: dict[str, Draft] = {}
        #: Those of them that cannot wait.
        self._urgent: set[str] = set()
        self._endings: list[Ending] = []
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self._due = 0.0

    def grew(self, draft: Draft, *, urgent: bool = False) -> None:
        """Say that a draft has something new; urgent news does not wait for others."""
        self._grown[draft.reply.id] = draft
        self._news.set()
        if urgent:
            self._urgent.add(draft.reply.id)
            self._hurry.set()

    async def end(self, draft: Draft, write: Callable[[Tx, bool], None]) -> bool:
        """Store a draft's last words and then run `write`, in the transaction of the very last.

        `write` is told, as is the caller, whether the reply is still ours: it may
        have been deleted, or taken over by another worker.
        """
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._endings.append(Ending(draft, write, done))
        self.grew(draft, urgent=True)
        return await done

    async def run(self) -> None:
        """Flush for ever."""
        while True:
            await self._news.wait()
            await self._pause()
            began = monotonic()
            everything = not self._urgent or began >= self._due
            taken, endings = self._take(everything=everything)
            await self._flush(taken, endings)
            if everything:
                rest = max(PAUSE, PAUSE_PER_DRAFT * len(taken), REST * (monotonic() - began))
                self._due = monotonic() + rest

    async def _pause(self) -> None:
        """Wait until all is due, or something is urgent."""
        try:
            async with asyncio.timeout(max(0.0, self._due - monotonic())):
                await self._hurry.wait()
        except TimeoutError:
            pass

    def _take(self, *, everything: bool) -> tuple[dict[Draft, list[str]], list[Ending]]:
        """Return the drafts that are to be stored now, each with its next events, and what ends with them."""
        taken: dict[Draft, list[str]] = {}
        endings: list[Ending] = []
        ids = list(self._grown) if everything else list(self._urgent)
        room = FLUSH_MAX_CHARS
        for reply_id in ids:
            if room <= 0:
                break
            draft = self._grown.pop(reply_id)
            self._urgent.discard(reply_id)
            taken[draft] = draft.take(FLUSH_MAX_CHARS // len(ids))
            room -= sum(map(len, taken[draft]))
            if draft.has_news:
                self._grown[reply_id] = draft  # behind the others, and no longer urgent
            elif ended := self._take_endings(draft):
                endings += ended
                room -= draft.length
        if not self._urgent:
            self._hurry.clear()
        if not self._grown:
            self._news.clear()
        return taken, endings

    def _take_endings(self, draft: Draft) -> list[Ending]:
        ended = [ending for ending in self._endings if ending.draft is draft]
        self._endings = [ending for ending in self._endings if ending.draft is not draft]
        return ended

    async def _flush(self, taken: dict[Draft, list[str]], endings: list[Ending]) -> None:
        try:
            await self._store(taken, endings)
        except STORAGE_ERRORS as error:
            log.warning("What models say could not be stored yet: %s", error.message)
            self._take_back(taken, endings)
            await asyncio.sleep(PAUSE_AFTER_FAILURE)
        except Exception:
            log.exception("Something that models said cannot be stored; now each reply is stored alone.")
            await self._store_one_by_one(taken, endings)

    async def _store(self, taken: dict[Draft, list[str]], endings: list[Ending]) -> None:
        alive = await self._db.write(lambda tx: self._save(tx, taken, endings), by=None)
        # Taken away one by one: whoever wrote last has the list at hand until there is more to write.
        while endings:
            ending = endings.pop(0)
            if not ending.done.done():
                ending.done.set_result(ending.draft.reply.id in alive)

    async def _store_one_by_one(self, taken: dict[Draft, list[str]], endings: list[Ending]) -> None:
        """Store each reply by itself, so that one that cannot be stored harms no other."""
        for draft, events in taken.items():
            await self._store_alone(draft, events, [one for one in endings if one.draft is draft])

    async def _store_alone(self, draft: Draft, events: list[str], endings: list[Ending]) -> None:
        """Store a reply's words and then its end: its words are kept even if it cannot be closed."""
        try:
            await self._store({draft: events}, [])
            events = []
            await self._store({draft: events}, endings)
        except STORAGE_ERRORS:
            self._take_back({draft: events}, endings)
        except Exception as error:  # noqa: BLE001 - whoever waits for the end must hear of it
            for ending in endings:
                ending.done.set_exception(error)

    def _save(self, tx: Tx, taken: dict[Draft, list[str]], endings: list[Ending]) -> set[str]:
        """Store the events of those replies that are still ours, and close those that end."""
        alive = store.alive(tx, [draft.reply.id for draft in taken], worker=self._worker)
        news: dict[str, list[str]] = {}
        for draft, events in taken.items():
            if draft.reply.id in alive:
                news.setdefault(draft.reply.conversation_id, []).extend(events)
        self._events.append_all(tx, news)
        for ending in endings:
            ending.write(tx.acting_for(ending.draft.by), ending.draft.reply.id in alive)
        return alive

    def _take_back(self, taken: dict[Draft, list[str]], endings: list[Ending]) -> None:
        for draft, events in taken.items():
            draft.put_back(events)
            self.grew(draft, urgent=True)
        self._endings = endings + self._endings
