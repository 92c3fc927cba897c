"""`tertulia reclaim`: what was deleted is removed from disk at once."""

import click

from tertulia.cli.errors import FileUnreadable
from tertulia.cli.index_checks import is_closed
from tertulia.cli.output import note, table
from tertulia.cli.place import with_database
from tertulia.files.opening import open_files
from tertulia.infra.db import Database
from tertulia.infra.db.reclaimer import COMPACTION_MAX_BYTES, Reclaimer, Remaining
from tertulia.retrieval.tombstones import WORDS
from tertulia.settings import Settings

MEGABYTE = 1_000_000


@click.command()
@click.option("--check", is_flag=True, help="Only say what is still to be removed.")
@click.pass_context
def reclaim(ctx: click.Context, check: bool) -> None:
    """Remove from disk what was deleted, and say what is left of it; exits with 1 when something is.

    A running server does the same by itself within a quarter of an hour. A
    database of more than 512 MB is compacted only here, while no server runs.
    """
    settings = Settings.from_env()
    if not settings.database.is_file():
        raise FileUnreadable(
            f"There is no database in {settings.data_dir}. Set TERTULIA_DATA_DIR to its folder."
        )
    may_compact = is_closed(settings.data_dir) or is_small(settings)
    left, blobs = with_database(lambda db: work(db, settings, check=check, may_compact=may_compact))
    show(left, blobs)
    if left.needs_compaction and not may_compact:
        note("The database is large: stop the server, then run this again to compact it.")
    ctx.exit(0 if left.is_nothing and not blobs else 1)


async def work(db: Database, settings: Settings, *, check: bool, may_compact: bool) -> tuple[Remaining, int]:
    """Remove what can be removed unless only asked to look; return what is left, and the blobs."""
    reclaimer = Reclaimer(db, settings.database, leftovers=[WORDS])
    if not check:
        await open_files(db, settings).keeper.delete_unused()
        await reclaimer.reclaim(may_compact=may_compact and (await reclaimer.remaining()).needs_compaction)
    blobs = await db.read(lambda tx: tx.value("SELECT count(*) FROM unused_blobs"), by=None)
    return await reclaimer.remaining(), int(blobs)


def is_small(settings: Settings) -> bool:
    """Tell whether compacting keeps a running server waiting only for a moment."""
    return settings.database.stat().st_size <= COMPACTION_MAX_BYTES


def show(left: Remaining, blobs: int) -> None:
    """Print what is still on disk of what was deleted."""
    rows = [(f"{name}, pages", str(count)) for name, count in left.leftovers.items()]
    rows += [
        ("deletions since the last compaction", str(left.deletions)),
        ("large files without a row", str(blobs)),
        ("free pages, MB", f"{left.free_bytes / MEGABYTE:.1f}"),
        ("write-ahead log, MB", f"{left.log_bytes / MEGABYTE:.1f}"),
        ("database, MB", f"{left.database_bytes / MEGABYTE:.1f}"),
    ]
    table(("Still on disk", ""), rows)
