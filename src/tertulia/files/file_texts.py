"""The text of a file: taken out when it is first needed, and kept as contents of its own."""

import asyncio
import codecs
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.files import access, contents, store
from tertulia.files.contents import ContentStore
from tertulia.files.domain import MEDIA_WITHOUT_TEXT, File, FileVersion
from tertulia.files.errors import FileChanged
from tertulia.files.extract.domain import Extraction
from tertulia.files.extract.file_kinds import FILE_HEAD_BYTES
from tertulia.files.extract.service import extract_file
from tertulia.files.file_summaries import summarise_text, truncate_summary
from tertulia.files.spool import INTAKE_BLOCK_BYTES, ReceivedFile
from tertulia.infra.db import Database, Tx

#: How many files are read at once: each costs a process.
CONCURRENT_EXTRACTIONS_MAX = 2
#: How often a file may change under our hands before we give up.
EXTRACTION_ATTEMPTS_MAX = 20
NO_TEXT_INSIDE = "There is no text in it that could be read."


@dataclass(frozen=True, slots=True)
class FileTextStream:
    """The whole text of a file, piece by piece, and what it is the text of."""

    path: str
    media: str
    problem: str
    #: At most a million characters each; cut anywhere. To be read in a thread.
    pieces: Iterator[str]
    #: The lines on which its pages, slides or sheets begin.
    page_lines: tuple[int, ...] = ()


class FileTexts:
    """Reads files as text. Two may read the same file at once; whoever is later changes nothing."""

    def __init__(self, db: Database, content_store: ContentStore) -> None:
        self._db = db
        self._contents = content_store
        self._extraction_slots = asyncio.Semaphore(CONCURRENT_EXTRACTIONS_MAX)

    async def stream_text(self, file_id: str, by: Principal) -> FileTextStream:
        """Return the text of a file, or raise `NotFound` when it was deleted."""
        file, stream = await self.open_text(await self._reload(file_id, by=by), by=by)
        return FileTextStream(
            file.path,
            file.media,
            file.problem,
            read_text_pieces(stream) if stream else iter(()),
            tuple(page.start_line for page in file.pages),
        )

    async def open_text(self, file: File, *, by: Principal) -> tuple[File, BinaryIO | None]:
        """Return a file as it is once its text is taken out, and that text opened; None where it has none."""
        for _ in range(EXTRACTION_ATTEMPTS_MAX):
            file = await self.ensure_extracted(file, by=by)
            if file.text_hash is None:
                return file, None
            try:
                return file, await self._contents.open(file.text_hash, by=by)
            except NotFound:  # replaced since: its next version has another text
                file = await self._reload(file.id, by=by)
        raise FileChanged(file.version)

    async def ensure_extracted(self, file: File, *, by: Principal) -> File:
        """Return the file with its text taken out, as far as that can be had."""
        for _ in range(EXTRACTION_ATTEMPTS_MAX):
            if file.is_extracted:
                return file
            try:
                return await self._extract(file, by=by)
            except (NotFound, FileNotFoundError):  # replaced meanwhile, or deleted
                file = await self._reload(file.id, by=by)
        raise FileChanged(file.version)

    @asynccontextmanager
    async def open_version_text(
        self, version: FileVersion, *, by: Principal
    ) -> AsyncGenerator[BinaryIO | None]:
        """Hold the text of any version, taken out anew and not kept; None where there is none."""
        if version.media in MEDIA_WITHOUT_TEXT:
            yield None
            return
        into = self._contents.spool.new_path()
        try:
            async with self._contents.open_as_file(version.hash, by=by) as source:
                async with self._extraction_slots:
                    found = await extract_file(source, kind=version.kind, into=into)
                if found.text is None:
                    yield None
                    return
                with found.text.open("rb") as stream:
                    yield stream
        finally:
            into.unlink(missing_ok=True)

    async def _reload(self, file_id: str, *, by: Principal) -> File:
        return await self._db.read(lambda tx: access.get_unchecked(tx, file_id), by=by)

    async def _extract(self, file: File, *, by: Principal) -> File:
        into = self._contents.spool.new_path()
        try:
            async with self._contents.open_as_file(file.hash, by=by) as source, self._extraction_slots:
                found = await extract_file(source, kind=file.kind, into=into)
                text = await self._receive_text(found, source)
                head = await asyncio.to_thread(read_head, found.text)
            return await self._save_text(file, found, text, summarise_text(head, file.media), by=by)
        finally:
            into.unlink(missing_ok=True)

    async def _receive_text(self, extraction: Extraction, source: Path) -> ReceivedFile | None:
        """Return the text that was written; None when there is none, or the file is its own text."""
        if extraction.text is None or extraction.text == source:
            return None
        return await asyncio.to_thread(self._contents.spool.inspect_file, extraction.text)

    async def _save_text(
        self, file: File, extraction: Extraction, text: ReceivedFile | None, summary: str, *, by: Principal
    ) -> File:
        blob = await self._contents.put_if_large(text, by=by) if text else None

        def write(tx: Tx) -> File:
            current = access.get_unchecked(tx, file.id)
            if current.hash != file.hash or current.media != file.media:
                raise NotFound("version")
            if current.is_extracted:
                contents.release_blob(tx, blob)
                return current
            if text is not None:
                contents.add_content(tx, text, blob=blob)
            return store.set_columns(tx, file.id, extraction_columns(current, extraction, text, summary))

        try:
            return await self._db.write(write, by=by)
        except NotFound:
            await self._contents.discard_blob(blob)
            raise


def read_head(text: Path | None) -> str:
    """Return how a text begins."""
    if text is None:
        return ""
    with text.open("rb") as file:
        return file.read(FILE_HEAD_BYTES).decode(errors="ignore")


def extraction_columns(
    file: File, extraction: Extraction, text: ReceivedFile | None, summary: str
) -> dict[str, object]:
    """Return what an extraction says about a file."""
    values: dict[str, object] = {"pages": extraction.pages, "problem": extraction.problem}
    if extraction.text is None:
        # Where nothing was found and nothing said, the reason must still be there: it marks the file as read.
        return values | {"text_hash": None, "problem": extraction.problem or NO_TEXT_INSIDE}
    if not file.summary_is_own:
        values["summary"] = truncate_summary(extraction.title) or summary
    return values | {"text_hash": text.hash if text else file.hash}


def read_text_pieces(stream: BinaryIO) -> Iterator[str]:
    """Yield a text piece by piece, and close it."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    with stream:
        while block := stream.read(INTAKE_BLOCK_BYTES - 8):
            if piece := decoder.decode(block):
                yield piece
        if rest := decoder.decode(b"", final=True):
            yield rest
