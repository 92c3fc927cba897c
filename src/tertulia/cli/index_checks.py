"""What the doctor looks at for files and search: the embedder, the index, the blob store."""

import asyncio
import fcntl
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import apsw

from tertulia.cli.blob_copy import blobs_of, named_in
from tertulia.cli.findings import Finding, State
from tertulia.core.clock import now
from tertulia.infra.db.reclaim import read_deletions
from tertulia.infra.db.tx import Tx
from tertulia.models.embedding import weights
from tertulia.retrieval.repair import agrees, is_sound
from tertulia.settings import Settings

#: The migration that brought the index.
INDEXED_SINCE = 8
#: The migration that began to count deletions, and how long a server may take to remove their traces.
DELETIONS_SINCE = 19
DELETIONS_OVERDUE = timedelta(hours=1)
REBUILT = "The next `tertulia serve` rebuilds it from the chunks, by itself."


def check_search(settings: Settings, *, online: bool) -> Generator[Finding]:
    """Yield what is found about files and search."""
    yield check_embedder(settings)
    if settings.database.is_file():
        try:
            yield from check_index(settings)
            yield check_blobs(settings, online=online)
            yield from check_deleted(settings.database)
        except apsw.Error as error:
            yield Finding("index", State.FAIL, f"Cannot be read: {error}", "Restore the latest backup.")


def check_embedder(settings: Settings) -> Finding:
    """Look for what turns texts into vectors."""
    if settings.embedder == "off":
        return Finding("embedder", State.OK, "Switched off by TERTULIA_EMBEDDER: search goes by words alone")
    if settings.embedder != "builtin":
        return Finding("embedder", State.OK, f"Texts are sent to {settings.embedder}")
    if not weights.is_installed(settings):
        fix = "Run `tertulia models install embedder`; until then search goes by words alone."
        return Finding("embedder", State.WARN, "Not installed", fix)
    return Finding("embedder", State.OK, "Installed")


def check_index(settings: Settings) -> Generator[Finding]:
    """Compare the index of words with the chunks: all of it where no server runs, else their number."""
    connection = apsw.Connection(str(settings.database), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if int(connection.pragma("user_version")) < INDEXED_SINCE:
            return
        tx = Tx(connection, by=None, tenant_tables=frozenset(), scoped=set())
        closed = is_closed(settings.data_dir)
        if not (is_sound(tx) if closed else agrees(tx)):
            yield Finding("index", State.WARN, "The index of words does not agree with the chunks", REBUILT)
            return
        looked = "Read from end to end" if closed else "As many entries as chunks; a server runs"
        yield Finding("index", State.OK, f"{looked}: {tx.value('SELECT count(*) FROM chunks')} chunks")
    finally:
        connection.close()


def check_deleted(path: Path) -> Generator[Finding]:
    """Look whether a database has traces of deleted texts that its server had no occasion to remove."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if int(connection.pragma("user_version")) < DELETIONS_SINCE:
            return
        found = read_deletions(Tx(connection, by=None, tenant_tables=frozenset(), scoped=set()))
    finally:
        connection.close()
    if found.oldest_at and now() - found.oldest_at > DELETIONS_OVERDUE:
        message = f"Traces of {found.count} deletions are still on disk"
        yield Finding("deleted data", State.WARN, message, "Run `tertulia reclaim`.")
    else:
        yield Finding("deleted data", State.OK, "Gone from disk, or about to be")


def is_closed(data_dir: Path) -> bool:
    """Tell whether no server uses the data directory just now."""
    lock = data_dir / "server.lock"
    if not lock.exists():
        return True
    with lock.open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def check_blobs(settings: Settings, *, online: bool) -> Finding:
    """Look whether every file that lies in the blob store is there."""
    if settings.blobs and "://" in settings.blobs and not settings.blobs.startswith("file:") and not online:
        return Finding("blob store", State.OK, f"{settings.blobs}; --online looks whether all is there")
    named = named_in(settings.database)
    if not named:
        return Finding("blob store", State.OK, "Nothing lies there yet")
    try:
        there = {one.place for one in asyncio.run(blobs_of(settings).list())}
        asyncio.run(blobs_of(settings).open(named[0].place)).close()
    except OSError as error:
        fix = "Check TERTULIA_BLOBS, or who may read the folder."
        return Finding("blob store", State.FAIL, f"Cannot be read: {error}", fix)
    lost = [one.place for one in named if one.place not in there]
    if lost:
        fix = "Put them back from a backup's folder `blobs`."
        return Finding("blob store", State.FAIL, f"{len(lost)} of {len(named)} are missing: {lost[0]} …", fix)
    return Finding("blob store", State.OK, f"{len(named)} large files, all there")
