"""`tertulia reclaim`: what was deleted is removed from disk at once."""

import click

from tertulia.cli.errors import FileUnreadable
from tertulia.cli.local_database import run_with_database
from tertulia.cli.output import print_table, print_to_stderr
from tertulia.cli.server_lock import is_server_stopped
from tertulia.core.byte_units import MEGABYTE_BYTES
from tertulia.files.blob_cleaner import count_unused_blobs
from tertulia.files.factory import open_files
from tertulia.infra.db import Database
from tertulia.infra.db.sqlite.reclaimer import COMPACTION_MAX_BYTES, Reclaimer, ReclaimStatus
from tertulia.retrieval.sqlite.tombstones import DELETED_WORDS
from tertulia.settings import Settings


@click.command()
@click.option("--check", is_flag=True, help="Only say what is still to be removed.")
@click.pass_context
def reclaim(ctx: click.Context, check: bool) -> None:
    """Remove from disk what was deleted, and say what is left of it; exits with 1 when something is.

    A running server does the same by itself within a quarter of an hour. A
    database of more than 512 MB is compacted only here, while no server runs.
    """
    settings = Settings.from_env()
    if settings.database_url:
        blobs = run_with_database(lambda db: reclaim_blobs(db, settings, check=check))
        print_table(("Still on disk", ""), [("large files without a row", str(blobs))])
        print_to_stderr("PostgreSQL makes room of deleted rows by itself: see its autovacuum.")
        ctx.exit(1 if blobs else 0)
    if not settings.database.is_file():
        raise FileUnreadable(
            f"There is no database in {settings.data_dir}. Set TERTULIA_DATA_DIR to its folder."
        )
    may_compact = is_server_stopped(settings.data_dir) or is_small_database(settings)
    left, blobs = run_with_database(
        lambda db: reclaim_and_read_status(db, settings, check=check, may_compact=may_compact)
    )
    print_status(left, blobs)
    if left.needs_compaction and not may_compact:
        print_to_stderr("The database is large: stop the server, then run this again to compact it.")
    ctx.exit(0 if left.is_clean and not blobs else 1)


async def reclaim_and_read_status(
    db: Database, settings: Settings, *, check: bool, may_compact: bool
) -> tuple[ReclaimStatus, int]:
    """Remove what can be removed unless only asked to look; return what is left, and the blobs."""
    reclaimer = Reclaimer(db, settings.database, leftovers=[DELETED_WORDS])
    blobs = await reclaim_blobs(db, settings, check=check)
    if not check:
        await reclaimer.reclaim(may_compact=may_compact and (await reclaimer.read_status()).needs_compaction)
    return await reclaimer.read_status(), blobs


async def reclaim_blobs(db: Database, settings: Settings, *, check: bool) -> int:
    """Delete the blobs that lost their row unless only asked to look; return how many are left."""
    if not check:
        await open_files(db, settings).blob_cleaner.delete_unused()
    return await db.read(count_unused_blobs, by=None)


def is_small_database(settings: Settings) -> bool:
    """Tell whether compacting keeps a running server waiting only for a moment."""
    return settings.database.stat().st_size <= COMPACTION_MAX_BYTES


def print_status(left: ReclaimStatus, blobs: int) -> None:
    """Print what is still on disk of what was deleted."""
    rows = [(f"{name}, pages", str(count)) for name, count in left.leftovers.items()]
    rows += [
        ("deletions since the last compaction", str(left.deletions)),
        ("large files without a row", str(blobs)),
        ("free pages, MB", f"{left.free_bytes / MEGABYTE_BYTES:.1f}"),
        ("write-ahead log, MB", f"{left.wal_bytes / MEGABYTE_BYTES:.1f}"),
        ("database, MB", f"{left.database_bytes / MEGABYTE_BYTES:.1f}"),
    ]
    print_table(("Still on disk", ""), rows)
