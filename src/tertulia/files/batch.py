"""Many files in one upload: saved as they arrive, some at once, each by itself."""

import asyncio
from dataclasses import dataclass

from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.files import archives
from tertulia.files.domain import File, Skipped, Uploaded
from tertulia.files.errors import DuplicatePath
from tertulia.files.intake import Received
from tertulia.files.paths import joined
from tertulia.files.service import Files

#: What may wait to be written at once: enough for the writer to group, too little to fill the memory.
MOST_WAITING = 100
MOST_HELD = 16_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where an upload goes, and how."""

    project_id: str
    #: The conversation that the files are attached to; None for files of the project.
    conversation_id: str | None = None
    prefix: str = ""
    unpack: bool = False
    if_match: int | None = None


class Batch:
    """One upload. One bad file does not stop the others: it is told of at the end."""

    def __init__(self, files: Files, *, by: Principal) -> None:
        self._files = files
        self._by = by
        self._seen: set[str] = set()
        self._outcomes: list[File | Skipped | None] = []
        self._held = 0
        self._waiting: set[asyncio.Task[None]] = set()

    async def add(self, place: Place, name: str, received: Received) -> None:
        """Take a file that arrived; an archive is unpacked where that was asked for."""
        if not (place.unpack and name.lower().endswith(".zip")):
            await self._add_file(place, name, received)
            return
        try:
            await self._unpack(place, received)
        except TertuliaError as error:
            self.skip(name, error)
        finally:
            await received.discard()

    def skip(self, name: str, error: TertuliaError) -> None:
        """Note that a file was not taken."""
        self._outcomes.append(Skipped(name, error.code, error.message))

    async def finish(self) -> Uploaded:
        """Wait for what is still being written, and tell how each file went, in the order they came."""
        await self.settle()
        files = [one for one in self._outcomes if isinstance(one, File)]
        skipped = [one for one in self._outcomes if isinstance(one, Skipped)]
        return Uploaded(files, skipped)

    async def settle(self) -> None:
        """Wait for what is still being written."""
        if self._waiting:
            await asyncio.wait(self._waiting)

    async def _unpack(self, place: Place, archive: Received) -> None:
        spool, largest = self._files.spool, self._files.largest_archive
        async for member in archives.unpack(archive, spool=spool, largest=largest):
            if member.received is not None:
                await self._add_file(place, member.name, member.received)
            elif member.problem is not None:
                self.skip(member.name, member.problem)

    async def _add_file(self, place: Place, name: str, received: Received) -> None:
        try:
            path = joined(place.prefix, name)
            if path in self._seen:
                raise DuplicatePath
        except TertuliaError as error:
            self.skip(name, error)
            await received.discard()
            return
        self._seen.add(path)
        await self._room_for(received)
        self._outcomes.append(None)
        task = asyncio.create_task(self._save(place, path, received, len(self._outcomes) - 1))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _room_for(self, received: Received) -> None:
        size = len(received.data or b"")
        while self._waiting and (len(self._waiting) >= MOST_WAITING or self._held + size > MOST_HELD):
            await asyncio.wait(self._waiting, return_when=asyncio.FIRST_COMPLETED)
        self._held += size

    async def _save(self, place: Place, path: str, received: Received, number: int) -> None:
        try:
            self._outcomes[number] = await self._files.save(
                place.project_id,
                path,
                received,
                by=self._by,
                conversation_id=place.conversation_id,
                if_match=place.if_match,
            )
        except TertuliaError as error:
            self._outcomes[number] = Skipped(path, error.code, error.message)
        finally:
            self._held -= len(received.data or b"")
