"""What the database takes: room on the disk, and time for a commit."""

import asyncio
from pathlib import Path
from time import perf_counter

import apsw

from bench.figures import Measure, single
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.infra.events import EventLog

BODY = '{"type":"reply.text","reply_id":"msg_01KX0000000000000000000000","offset":123,"text":" some words"}'
WRITERS = 200
#: The text of all chunks; those of messages have theirs there, and only know where.
CHUNK_BYTES_SQL = """SELECT
    sum(CASE content WHEN '' THEN end_char - start_char ELSE octet_length(content) END) FROM chunks"""
#: What one message may take in all, with its receipt, its place in the index and what is kept of its search.
MESSAGE_MAX_BYTES = 6_000


def measure_growth(data_dir: Path, place: Path) -> list[Measure]:
    """Measure what messages leave behind: at once, and when their events are no longer kept."""
    lasting = place / "lasting.db"
    connection = apsw.Connection(str(data_dir / "tertulia.db"))
    messages = max(1, connection.execute("SELECT count(*) FROM messages").get)
    with_events = size(connection) / messages
    text = max(1, connection.execute(CHUNK_BYTES_SQL).get or 0)
    words = connection.execute("SELECT sum(length(block)) FROM chunk_words_data").get
    connection.execute("DELETE FROM events")
    connection.execute(f"VACUUM INTO '{lasting}'")
    connection.close()
    per_message = lasting.stat().st_size / messages
    return [
        single("Storing", "a message, events included", "bytes", with_events, digits=0),
        single(
            "Storing",
            "a message, once events are pruned",
            "bytes",
            per_message,
            aim=MESSAGE_MAX_BYTES,
            digits=0,
        ),
        single("Storing", "the index of words", "% of the text", 100 * words / text, aim=50, digits=0),
    ]


def size(connection: apsw.Connection) -> int:
    """Return the bytes of all pages."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return connection.pragma("page_count") * connection.pragma("page_size")


def measure_commits(place: Path, *, seconds: float) -> list[Measure]:
    """Measure how fast events are stored: each in a commit of its own, and by many writers at once."""
    alone, together = asyncio.run(commits(place / "commits.db", seconds))
    return [
        single("Storing", "commits a second, one writer", "", alone, digits=0),
        single("Storing", f"writes a second, {WRITERS} writers sharing commits", "", together, digits=0),
    ]


async def commits(path: Path, seconds: float) -> tuple[float, float]:
    """Return the writes a second of one writer and of many."""
    db = SqliteDatabase(path)
    log = EventLog(db)

    async def write(topic: str, until: float) -> int:
        done = 0
        while perf_counter() < until:
            await db.write(lambda tx: log.append(tx, topic, [BODY]), by=None)
            done += 1
        return done

    try:
        alone = await write("alone", perf_counter() + seconds)
        until = perf_counter() + seconds
        together = await asyncio.gather(*(write(f"topic{number}", until) for number in range(WRITERS)))
    finally:
        db.close()
    return alone / seconds, sum(together) / seconds
