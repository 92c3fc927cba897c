"""The files of projects: everything that people and programs do with them."""

import asyncio
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from typing import BinaryIO, TypeVar

from tertulia.core.errors import Conflict, Invalid, NotFound
from tertulia.core.principal import Principal
from tertulia.files import access, deletion, file_moves, file_writer
from tertulia.files.attachments import attachment_path
from tertulia.files.contents import ContentStore
from tertulia.files.diff import diff_lines, read_diff_lines
from tertulia.files.domain import File, FileVersion
from tertulia.files.errors import NoText
from tertulia.files.extract.file_kinds import FILE_HEAD_BYTES, FileKind, Media, detect_kind
from tertulia.files.extract.picture_check import find_picture_problem
from tertulia.files.file_texts import FileTexts
from tertulia.files.file_writer import FileWrite
from tertulia.files.paths import normalise, normalise_folder
from tertulia.files.spool import ReceivedFile
from tertulia.files.text_lines import TextLines, read_lines
from tertulia.infra.db import Database, Tx
from tertulia.infra.undo import PendingDeletion
from tertulia.settings import Settings

T = TypeVar("T")


class Files:
    """Saves, reads, moves and deletes files; large bytes reach the blob store before the row naming them."""

    def __init__(
        self, db: Database, content_store: ContentStore, *, settings: Settings, blobs_released: asyncio.Event
    ) -> None:
        self._db = db
        self._settings = settings
        #: Wakes the keeper: something may have become unused.
        self._blobs_released = blobs_released
        self.contents = content_store
        self.spool = content_store.spool
        self.texts = FileTexts(db, content_store)
        self.archive_max_bytes = settings.largest_archive

    async def receive(self, blocks: AsyncIterable[bytes]) -> ReceivedFile:
        """Take in the bytes of one file."""
        return await self.spool.receive(blocks)

    async def save(
        self,
        project_id: str,
        path: str,
        received: ReceivedFile,
        *,
        by: Principal,
        conversation_id: str | None = None,
        if_match: int | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> File:
        """Make bytes the file at a path, new or not; the same bytes again change nothing.

        With a conversation it is attached to that, in the folder of attachments.
        """
        path = normalise(attachment_path(path) if conversation_id else path)

        def write(tx: Tx, new: FileWrite) -> File:
            return file_writer.save_at(tx, project_id, path, new, conversation_id=conversation_id)

        return await self._save(received, write, by=by, if_match=if_match, metadata=metadata)

    async def replace_file(
        self,
        project_id: str,
        file_id: str,
        received: ReceivedFile,
        *,
        by: Principal,
        if_match: int | None = None,
    ) -> File:
        """Make bytes the newest version of a file."""

        def write(tx: Tx, new: FileWrite) -> File:
            return file_writer.save_new_version(tx, project_id, file_id, new)

        return await self._save(received, write, by=by, if_match=if_match)

    async def get(self, project_id: str, file_id: str, *, by: Principal) -> File:
        """Return a file, or raise `NotFound`."""
        return await self._db.read(lambda tx: access.get(tx, project_id, file_id), by=by)

    async def change_metadata(
        self, project_id: str, file_id: str, values: Mapping[str, object], *, by: Principal
    ) -> File:
        """Change tags, flags or the summary of a file."""

        def change(tx: Tx) -> File:
            return file_writer.change_metadata(tx, access.get(tx, project_id, file_id), values)

        return await self._db.write(change, by=by)

    async def move(self, project_id: str, file_id: str, path: str, *, by: Principal) -> File:
        """Give a file another path."""
        path = normalise(path)
        file = await self.get(project_id, file_id, by=by)
        kind = await self._kind_at(path, file, by=by)
        return await self._write(
            lambda tx: file_moves.move_file(tx, project_id, file_id, path, kind=kind), by=by
        )

    async def put_into_project(
        self, project_id: str, file_id: str, path: str | None, *, by: Principal, if_match: int | None = None
    ) -> File:
        """Make an attachment a file of its project, at a path or at its own."""
        file = await self.get(project_id, file_id, by=by)
        target = normalise(path) if path else file.path
        kind = await self._kind_at(target, file, by=by)
        return await self._write(
            lambda tx: file_moves.put_into_project(
                tx, project_id, file_id, target, kind=kind, if_match=if_match
            ),
            by=by,
        )

    async def move_folder(self, project_id: str, source: str, target: str, *, by: Principal) -> int:
        """Move everything in a folder to another one, and return how many files that were."""
        old, new = normalise_folder(source), normalise_folder(target)
        if not old:
            raise Invalid("Say which folder to move.")
        return await self._write(lambda tx: file_moves.move_folder(tx, project_id, old, new), by=by)

    async def delete(self, project_id: str, file_id: str, *, by: Principal) -> None:
        """Delete a file with its versions."""
        await self._write(lambda tx: file_moves.delete_file(tx, project_id, file_id), by=by)

    async def delete_folder(self, project_id: str, prefix: str, *, by: Principal) -> int:
        """Delete everything in a folder, and return how many files that were."""
        path = normalise_folder(prefix)
        if not path:
            raise Invalid("Say which folder to delete.")
        return await self._write(lambda tx: file_moves.delete_folder(tx, project_id, path), by=by)

    async def delete_with_undo(
        self, project_id: str, file_ids: Sequence[str], folders: Sequence[str], *, by: Principal
    ) -> PendingDeletion:
        """Delete files and whole folders, with a short time in which they can be restored."""
        prefixes = [normalise_folder(prefix) for prefix in folders]
        if not all(prefixes):
            raise Invalid("Say which folder to delete.")
        return await self._write(
            lambda tx: deletion.delete_with_undo(tx, project_id, file_ids, prefixes), by=by
        )

    async def restore_version(self, project_id: str, file_id: str, number: int, *, by: Principal) -> File:
        """Make an earlier version the newest one, as a further version."""
        _, wanted = await self.get_version(project_id, file_id, number, by=by)
        problem = await self._version_problem(wanted, by=by)

        def write(tx: Tx) -> File:
            current = access.get(tx, project_id, file_id)
            old = access.get_version(tx, current.id, number)
            if old.hash == current.hash:
                return current
            values = {name: getattr(old, name) for name in ("hash", "size", "mime", "media")}
            values |= {"text_hash": None, "pages": [], "problem": problem}
            if not current.summary_is_own:
                values["summary"] = ""
            return file_writer.write_next_version(tx, current, values, keep=self._settings.file_versions)

        return await self._write(write, by=by)

    async def read_file_lines(
        self, file: File, *, start: int, end: int | None, by: Principal
    ) -> tuple[File, TextLines | None]:
        """Return a file as it is by now, and some lines of its text; None when it has none."""
        file, stream = await self.texts.open_text(file, by=by)
        if stream is None:
            return file, None
        with stream:
            return file, await asyncio.to_thread(read_lines, stream, start=start, end=end)

    async def get_version(
        self, project_id: str, file_id: str, number: int, *, by: Principal
    ) -> tuple[File, FileVersion]:
        """Return a file and one of its versions, or raise `NotFound`."""

        def find(tx: Tx) -> tuple[File, FileVersion]:
            file = access.get(tx, project_id, file_id)
            return file, access.get_version(tx, file.id, number)

        return await self._db.read(find, by=by)

    async def read_version_lines(
        self, version: FileVersion, *, start: int, end: int | None, by: Principal
    ) -> TextLines | None:
        """Return some lines of a version's text; None when it has none."""
        async with self.texts.open_version_text(version, by=by) as stream:
            if stream is None:
                return None
            return await asyncio.to_thread(read_lines, stream, start=start, end=end)

    async def diff_versions(self, file: File, old: FileVersion, new: FileVersion, *, by: Principal) -> str:
        """Return what changed between two versions, line by line."""
        texts: list[list[str]] = []
        for version in (old, new):
            async with self.texts.open_version_text(version, by=by) as stream:
                if stream is None:
                    raise NoText
                texts.append(await asyncio.to_thread(read_diff_lines, stream))
        names = [f"{file.path} (version {version.version})" for version in (old, new)]
        return await asyncio.to_thread(diff_lines, *texts, old_name=names[0], new_name=names[1])

    async def _save(
        self,
        received: ReceivedFile,
        write: Callable[[Tx, FileWrite], File],
        *,
        by: Principal,
        if_match: int | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> File:
        """Put large bytes into the blob store, then write the rows that name them: all of them, or none."""
        try:
            problem = await self._picture_problem(received)
            blob = await self.contents.put_if_large(received, by=by)
        finally:
            await received.discard()
        new = FileWrite(received, blob, if_match, metadata or {}, self._settings.file_versions, problem)
        try:
            return await self._write(lambda tx: write(tx, new), by=by)
        except (NotFound, Conflict, Invalid):
            # After any other failure it is not certain that nothing was written: the keeper's sweep decides.
            await self.contents.discard_blob(blob)
            raise

    async def _write(self, call: Callable[[Tx], T], *, by: Principal) -> T:
        try:
            return await self._db.write(call, by=by)
        finally:
            self._blobs_released.set()

    async def _picture_problem(self, received: ReceivedFile) -> str:
        """Return what is wrong with a picture; text is read later, and what is wrong with it found then."""
        kind = detect_kind("", received.head)
        if kind.media is not Media.IMAGE:
            return ""
        return await asyncio.to_thread(lambda: read_picture_problem(received.open(), kind.mime))

    async def _version_problem(self, version: FileVersion, *, by: Principal) -> str:
        """Return what is wrong with a version that is a picture."""
        if version.media is not Media.IMAGE:
            return ""
        stream = await self.contents.open(version.hash, by=by)
        return await asyncio.to_thread(read_picture_problem, stream, version.mime)

    async def _kind_at(self, path: str, file: File, *, by: Principal) -> FileKind:
        """Return what a file's bytes are under another name."""
        with await self.contents.open(file.hash, by=by) as stream:
            return detect_kind(path, await asyncio.to_thread(stream.read, FILE_HEAD_BYTES))


def read_picture_problem(stream: BinaryIO, mime: str) -> str:
    """Return what is wrong with a picture, from its header."""
    with stream:
        return find_picture_problem(stream, mime)
