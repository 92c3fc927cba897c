"""Many files in one upload: saved as they arrive, some at once, each by itself."""

import asyncio
from dataclasses import dataclass

from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.files import archives
from tertulia.files.domain import File, SkippedFile, UploadResult
from tertulia.files.errors import DuplicatePath
from tertulia.files.paths import join_path
from tertulia.files.service import Files
from tertulia.files.spool import ReceivedFile

#: What may wait to be written at once: enough for the writer to group, too little to fill the memory.
PENDING_SAVES_MAX = 100
PENDING_SAVES_MAX_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class UploadTarget:
    """Where an upload goes, and how."""

    project_id: str
    #: The conversation that the files are attached to; None for files of the project.
    conversation_id: str | None = None
    prefix: str = ""
    unpack: bool = False
    if_match: int | None = None


class UploadBatch:
    """One upload. One bad file does not stop the others: it is told of at the end."""

    def __init__(self, files: Files, *, by: Principal) -> None:
        self._files = files
        self._by = by
        self._seen_paths: set[str] = set()
        self._outcomes: list[File | SkippedFile | None] = []
        self._pending_bytes = 0
        self._pending_saves: set[asyncio.Task[None]] = set()

    async def add(self, target: UploadTarget, name: str, received: ReceivedFile) -> None:
        """Take a file that arrived; an archive is unpacked where that was asked for."""
        if not (target.unpack and name.lower().endswith(".zip")):
            await self._add_file(target, name, received)
            return
        try:
            await self._unpack(target, received)
        except TertuliaError as error:
            self.skip(name, error)
        finally:
            await received.discard()

    def skip(self, name: str, error: TertuliaError) -> None:
        """Note that a file was not taken."""
        self._outcomes.append(SkippedFile(name, error.code, error.message))

    async def finish(self) -> UploadResult:
        """Wait for what is still being written, and tell how each file went, in the order they came."""
        await self.wait_for_saves()
        files = [outcome for outcome in self._outcomes if isinstance(outcome, File)]
        skipped = [outcome for outcome in self._outcomes if isinstance(outcome, SkippedFile)]
        return UploadResult(files, skipped)

    async def wait_for_saves(self) -> None:
        """Wait for what is still being written."""
        if self._pending_saves:
            await asyncio.wait(self._pending_saves)

    async def _unpack(self, target: UploadTarget, archive: ReceivedFile) -> None:
        spool, largest = self._files.spool, self._files.archive_max_bytes
        async for member in archives.unpack_archive(archive, spool=spool, max_bytes=largest):
            if member.received is not None:
                await self._add_file(target, member.name, member.received)
            elif member.problem is not None:
                self.skip(member.name, member.problem)

    async def _add_file(self, target: UploadTarget, name: str, received: ReceivedFile) -> None:
        try:
            path = join_path(target.prefix, name)
            if path in self._seen_paths:
                raise DuplicatePath
        except TertuliaError as error:
            self.skip(name, error)
            await received.discard()
            return
        self._seen_paths.add(path)
        await self._wait_for_room(received)
        self._outcomes.append(None)
        task = asyncio.create_task(self._save(target, path, received, len(self._outcomes) - 1))
        self._pending_saves.add(task)
        task.add_done_callback(self._pending_saves.discard)

    async def _wait_for_room(self, received: ReceivedFile) -> None:
        size = len(received.data or b"")
        while self._pending_saves and (
            len(self._pending_saves) >= PENDING_SAVES_MAX
            or self._pending_bytes + size > PENDING_SAVES_MAX_BYTES
        ):
            await asyncio.wait(self._pending_saves, return_when=asyncio.FIRST_COMPLETED)
        self._pending_bytes += size

    async def _save(self, target: UploadTarget, path: str, received: ReceivedFile, number: int) -> None:
        try:
            self._outcomes[number] = await self._files.save(
                target.project_id,
                path,
                received,
                by=self._by,
                conversation_id=target.conversation_id,
                if_match=target.if_match,
            )
        except TertuliaError as error:
            self._outcomes[number] = SkippedFile(path, error.code, error.message)
        finally:
            self._pending_bytes -= len(received.data or b"")
