"""The blob store. A blob is whole from the moment it has its name, and is never changed."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.datadir import to_storage_error, write_probe

T = TypeVar("T")
#: What is not whole yet lies here; a sweep deletes what was left behind.
UNFINISHED_BLOBS_FOLDER = "unfinished"
#: Empty files by which processes recognise a store that they share.
STORE_MARKS_FOLDER = "marks"


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """A blob that is there, and when it was written."""

    key: str
    written_at: datetime


class Blobs:
    """Keeps blobs under places such as `wsp_…/<name>`; what takes time runs in a thread."""

    def __init__(self, url: str, *, folder: Path) -> None:
        self._url = url or f"file://{folder.resolve()}"

    async def put(self, source: Path, key: str) -> None:
        """Keep a file under a place; a local store moves it, so `source` may be gone afterwards."""
        await asyncio.to_thread(self._put, source, key)

    async def open(self, key: str) -> BinaryIO:
        """Open a blob for reading, or raise `FileNotFoundError`."""
        return await asyncio.to_thread(self._open, key)

    async def fetch_file(self, key: str, copy_path: Path) -> Path:
        """Return a local file with a blob's bytes: its own in a local store, else a copy at `copy_path`."""
        return await asyncio.to_thread(self._fetch_file, key, copy_path)

    async def delete(self, key: str) -> None:
        """Delete a blob; one that is gone already is no failure."""
        await asyncio.to_thread(self._delete, key)

    async def has(self, key: str) -> bool:
        """Tell whether a blob is there."""
        return await asyncio.to_thread(self._has, key)

    async def list(self) -> list[StoredBlob]:
        """Return every blob that lies in the store, unfinished ones too."""
        return await asyncio.to_thread(lambda: list(self._list()))

    async def put_mark(self, mark: str) -> None:
        """Leave a mark by which the store can be recognised."""
        await asyncio.to_thread(self._put_mark, mark)

    async def has_mark(self, mark: str) -> bool:
        """Tell whether this is the store in which a mark was left."""
        return await asyncio.to_thread(self._has_mark, mark)

    async def check(self) -> None:
        """Raise where the store cannot be reached, or a local one not be written."""
        await asyncio.to_thread(self._check)

    @cached_property
    def _store(self) -> tuple[Any, str]:
        """Return the file system and the folder in it; the library takes its time to load."""
        from fsspec import core

        opened: Any = cast("Any", core).url_to_fs(self._url, auto_mkdir=True)
        fs, root = cast("tuple[Any, str]", opened)
        return fs, root.rstrip("/")

    @property
    def _is_local(self) -> bool:
        return self._url.startswith(("file:", "local:", "/"))

    def _put(self, source: Path, key: str) -> None:
        fs, root = self._store
        target, unfinished = f"{root}/{key}", f"{root}/{UNFINISHED_BLOBS_FOLDER}/{new_id('blb')}"
        if self._is_local:
            Path(unfinished).parent.mkdir(parents=True, exist_ok=True)
            fs.mv(str(source), unfinished)
        else:
            fs.put_file(str(source), unfinished)
        if self._is_local:
            move_durably(Path(unfinished), Path(target))
        else:
            fs.mv(unfinished, target)

    def _open(self, key: str) -> BinaryIO:
        fs, root = self._store
        return cast("BinaryIO", fs.open(f"{root}/{key}", "rb"))

    def _fetch_file(self, key: str, copy_path: Path) -> Path:
        fs, root = self._store
        if self._is_local:
            return Path(f"{root}/{key}")
        fs.get_file(f"{root}/{key}", str(copy_path))
        return copy_path

    def _delete(self, key: str) -> None:
        fs, root = self._store
        with suppress(FileNotFoundError):
            fs.rm_file(f"{root}/{key}")

    def _has(self, key: str) -> bool:
        fs, root = self._store
        return bool(fs.exists(f"{root}/{key}"))

    def _put_mark(self, mark: str) -> None:
        fs, root = self._store
        fs.pipe_file(f"{root}/{STORE_MARKS_FOLDER}/{mark}", b"")

    def _has_mark(self, mark: str) -> bool:
        return self._has(f"{STORE_MARKS_FOLDER}/{mark}")

    def _check(self) -> None:
        fs, root = self._store
        if not self._is_local:
            with suppress(FileNotFoundError):
                fs.info(f"{root}/{UNFINISHED_BLOBS_FOLDER}/none")
            return
        try:
            Path(root).mkdir(parents=True, exist_ok=True)
            write_probe(Path(root))
        except OSError as error:
            raise to_storage_error(error) from error

    def _list(self) -> Iterator[StoredBlob]:
        fs, root = self._store
        found: dict[str, dict[str, Any]] = fs.find(root, detail=True)
        base = fs._strip_protocol(root).rstrip("/")  # noqa: SLF001 - how fsspec's own tools name what was found
        for name, facts in found.items():
            key = name.removeprefix(base).lstrip("/")
            if not key.startswith(f"{STORE_MARKS_FOLDER}/"):
                yield StoredBlob(key, written_at_of(facts))


def move_durably(source: Path, target: Path) -> None:
    """Give a file its name so that a power cut does not take it away again."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fsync_path(source)
    source.replace(target)
    fsync_path(target.parent)


def fsync_path(path: Path) -> None:
    """Have what was written to a file or folder reach the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def written_at_of(facts: dict[str, Any]) -> datetime:
    """Return when a blob was written; each kind of store says it in its own way, and some do not."""
    moment: Any = facts.get("mtime") or facts.get("LastModified") or facts.get("created")
    if isinstance(moment, int | float):
        return datetime.fromtimestamp(moment, UTC)
    if isinstance(moment, datetime):
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return now()
