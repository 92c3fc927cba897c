"""The text of a file: taken out when it is first needed, and kept as contents of its own."""

import asyncio
import codecs
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.files import contents, store
from tertulia.files.contents import Contents
from tertulia.files.domain import WITHOUT_TEXT, File, FileVersion
from tertulia.files.errors import FileChanged
from tertulia.files.extract.domain import Extracted
from tertulia.files.extract.media import HEAD
from tertulia.files.extract.service import extract
from tertulia.files.intake import BLOCK, Received
from tertulia.files.summaries import shortened, summary_of
from tertulia.infra.db import Database, Tx

#: How many files are read at once: each costs a process.
AT_ONCE = 2
#: How often a file may change under our hands before we give up.
ATTEMPTS = 20
NO_TEXT_INSIDE = "There is no text in it that could be read."


@dataclass(frozen=True, slots=True)
class FileText:
    """The whole text of a file, piece by piece, and what it is the text of."""

    path: str
    media: str
    problem: str
    #: At most a million characters each; cut anywhere. To be read in a thread.
    pieces: Iterator[str]


class Texts:
    """Reads files as text. Two may read the same file at once; whoever is later changes nothing."""

    def __init__(self, db: Database, held: Contents) -> None:
        self._db = db
        self._contents = held
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def pieces_of(self, file_id: str, by: Principal) -> FileText:
        """Return the text of a file, or raise `NotFound` when it was deleted."""
        file, stream = await self.opened(await self._again(file_id, by=by), by=by)
        return FileText(file.path, file.media, file.problem, pieces_in(stream) if stream else iter(()))

    async def opened(self, file: File, *, by: Principal) -> tuple[File, BinaryIO | None]:
        """Return a file as it is once its text is taken out, and that text opened; None where it has none."""
        for _ in range(ATTEMPTS):
            file = await self.text_of(file, by=by)
            if file.text_hash is None:
                return file, None
            try:
                return file, await self._contents.open(file.text_hash, by=by)
            except NotFound:  # replaced since: its next version has another text
                file = await self._again(file.id, by=by)
        raise FileChanged(file.version)

    async def text_of(self, file: File, *, by: Principal) -> File:
        """Return the file with its text taken out, as far as that can be had."""
        for _ in range(ATTEMPTS):
            if file.is_read:
                return file
            try:
                return await self._read(file, by=by)
            except (NotFound, FileNotFoundError):  # replaced meanwhile, or deleted
                file = await self._again(file.id, by=by)
        raise FileChanged(file.version)

    @asynccontextmanager
    async def opened_version(self, version: FileVersion, *, by: Principal) -> AsyncGenerator[BinaryIO | None]:
        """Hold the text of any version, taken out anew and not kept; None where there is none."""
        if version.media in WITHOUT_TEXT:
            yield None
            return
        into = self._contents.spool.new_path()
        try:
            async with self._contents.as_file(version.hash, by=by) as source:
                async with self._turn:
                    found = await extract(source, kind=version.kind, into=into)
                if found.text is None:
                    yield None
                    return
                with found.text.open("rb") as stream:
                    yield stream
        finally:
            into.unlink(missing_ok=True)

    async def _again(self, file_id: str, *, by: Principal) -> File:
        return await self._db.read(lambda tx: store.get_anywhere(tx, file_id), by=by)

    async def _read(self, file: File, *, by: Principal) -> File:
        into = self._contents.spool.new_path()
        try:
            async with self._contents.as_file(file.hash, by=by) as source, self._turn:
                found = await extract(source, kind=file.kind, into=into)
                text = await self._taken(found, source)
                head = await asyncio.to_thread(head_of, found.text)
            return await self._keep(file, found, text, summary_of(head, file.media), by=by)
        finally:
            into.unlink(missing_ok=True)

    async def _taken(self, found: Extracted, source: Path) -> Received | None:
        """Return the text that was written; None when there is none, or the file is its own text."""
        if found.text is None or found.text == source:
            return None
        return await asyncio.to_thread(self._contents.spool.look_at, found.text)

    async def _keep(
        self, file: File, found: Extracted, text: Received | None, summary: str, *, by: Principal
    ) -> File:
        blob = await self._contents.put(text, by=by) if text else None

        def write(tx: Tx) -> File:
            current = store.get_anywhere(tx, file.id)
            if current.hash != file.hash or current.media != file.media:
                raise NotFound("version")
            if current.is_read:
                contents.release(tx, blob)
                return current
            if text is not None:
                contents.add(tx, text, blob=blob)
            return store.note(tx, file.id, findings(current, found, text, summary))

        try:
            return await self._db.write(write, by=by)
        except NotFound:
            await self._contents.take_back(blob)
            raise


def head_of(text: Path | None) -> str:
    """Return how a text begins."""
    if text is None:
        return ""
    with text.open("rb") as file:
        return file.read(HEAD).decode(errors="ignore")


def findings(file: File, found: Extracted, text: Received | None, summary: str) -> dict[str, Any]:
    """Return what an extraction says about a file."""
    values: dict[str, Any] = {"pages": found.pages, "problem": found.problem}
    if found.text is None:
        # Where nothing was found and nothing said, the reason must still be there: it marks the file as read.
        return values | {"text_hash": None, "problem": found.problem or NO_TEXT_INSIDE}
    if not file.summary_is_own:
        values["summary"] = shortened(found.title) or summary
    return values | {"text_hash": text.hash if text else file.hash}


def pieces_in(stream: BinaryIO) -> Iterator[str]:
    """Yield a text piece by piece, and close it."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    with stream:
        while block := stream.read(BLOCK - 8):
            if piece := decoder.decode(block):
                yield piece
        if rest := decoder.decode(b"", final=True):
            yield rest
