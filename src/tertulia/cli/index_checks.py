"""What the doctor looks at for files and search: the embedder, the index, the blob store."""

import asyncio
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import apsw

from tertulia.cli.blob_copy import open_blob_store
from tertulia.cli.check_results import CheckResult, CheckState
from tertulia.cli.database_address import read_database_address
from tertulia.cli.server_lock import is_server_stopped
from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.embedding import weights
from tertulia.files.blob_references import read_blob_references
from tertulia.infra.db.sqlite.compaction import read_uncompacted_deletions
from tertulia.infra.db.sqlite.statements import SqliteStatements
from tertulia.infra.db.tx import Tx
from tertulia.retrieval.full_text_rebuild import has_all_chunks, is_readable
from tertulia.retrieval.index_stats import count_chunks
from tertulia.retrieval.sqlite.fts5 import Fts5Index
from tertulia.settings import Settings

#: The migration that brought the index.
INDEX_MIGRATION = 8
#: The migration that began to count deletions, and how long a server may take to remove their traces.
DELETIONS_MIGRATION = 19
DELETIONS_OVERDUE_AFTER = timedelta(hours=1)
INDEX_REBUILD_HINT = "The next `tertulia serve` rebuilds it from the chunks, by itself."


def check_search(settings: Settings, *, online: bool) -> Generator[CheckResult]:
    """Yield what is found about files and search."""
    yield check_embedder(settings)
    if settings.database_url:
        try:
            yield check_blobs(settings, online=online)
        except TertuliaError as error:
            yield CheckResult("blob store", CheckState.FAIL, "Cannot be compared", str(error))
    elif settings.database.is_file():
        try:
            yield from check_index(settings)
            yield check_blobs(settings, online=online)
            yield from check_deletions(settings.database)
        except apsw.Error as error:
            yield CheckResult(
                "index", CheckState.FAIL, f"Cannot be read: {error}", "Restore the latest backup."
            )


def check_embedder(settings: Settings) -> CheckResult:
    """Look for what turns texts into vectors."""
    if settings.embedder == "off":
        return CheckResult(
            "embedder", CheckState.OK, "Switched off by TERTULIA_EMBEDDER: search goes by words alone"
        )
    if settings.embedder != "builtin":
        return CheckResult("embedder", CheckState.OK, f"Texts are sent to {settings.embedder}")
    if not weights.is_installed(settings):
        fix = "Run `tertulia models install embedder`; until then search goes by words alone."
        return CheckResult("embedder", CheckState.WARN, "Not installed", fix)
    return CheckResult("embedder", CheckState.OK, "Installed")


def check_index(settings: Settings) -> Generator[CheckResult]:
    """Compare the index of words with the chunks: all of it where no server runs, else their number."""
    connection = apsw.Connection(str(settings.database), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if int(connection.pragma("user_version")) < INDEX_MIGRATION:
            return
        tx = Tx(SqliteStatements(connection), by=None, tenant_tables=frozenset(), checked_statements=set())
        words, closed = Fts5Index(), is_server_stopped(settings.data_dir)
        if not (is_readable(tx, words) if closed else has_all_chunks(tx, words)):
            yield CheckResult(
                "index",
                CheckState.WARN,
                "The index of words does not agree with the chunks",
                INDEX_REBUILD_HINT,
            )
            return
        looked = "Read from end to end" if closed else "As many entries as chunks; a server runs"
        yield CheckResult("index", CheckState.OK, f"{looked}: {count_chunks(tx)} chunks")
    finally:
        connection.close()


def check_deletions(path: Path) -> Generator[CheckResult]:
    """Look whether a database has traces of deleted texts that its server had no occasion to remove."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        if int(connection.pragma("user_version")) < DELETIONS_MIGRATION:
            return
        found = read_uncompacted_deletions(
            Tx(SqliteStatements(connection), by=None, tenant_tables=frozenset(), checked_statements=set())
        )
    finally:
        connection.close()
    if found.oldest_at and now() - found.oldest_at > DELETIONS_OVERDUE_AFTER:
        message = f"Traces of {found.count} deletions are still on disk"
        yield CheckResult("deleted data", CheckState.WARN, message, "Run `tertulia reclaim`.")
    else:
        yield CheckResult("deleted data", CheckState.OK, "Gone from disk, or about to be")


def check_blobs(settings: Settings, *, online: bool) -> CheckResult:
    """Look whether every file that lies in the blob store is there."""
    if settings.blobs and "://" in settings.blobs and not settings.blobs.startswith("file:") and not online:
        return CheckResult(
            "blob store", CheckState.OK, f"{settings.blobs}; --online looks whether all is there"
        )
    with read_database_address(settings).open_reader(settings) as reader:
        named = read_blob_references(reader)
    if not named:
        return CheckResult("blob store", CheckState.OK, "Nothing lies there yet")
    try:
        there = {stored_blob.key for stored_blob in asyncio.run(open_blob_store(settings).list())}
        asyncio.run(open_blob_store(settings).open(named[0].key)).close()
    except OSError as error:
        fix = "Check TERTULIA_BLOBS, or who may read the folder."
        return CheckResult("blob store", CheckState.FAIL, f"Cannot be read: {error}", fix)
    lost = [blob_reference.key for blob_reference in named if blob_reference.key not in there]
    if lost:
        fix = "Put them back from a backup's folder `blobs`."
        return CheckResult(
            "blob store", CheckState.FAIL, f"{len(lost)} of {len(named)} are missing: {lost[0]} …", fix
        )
    return CheckResult("blob store", CheckState.OK, f"{len(named)} large files, all there")
