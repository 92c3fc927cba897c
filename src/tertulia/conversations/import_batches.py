"""Importing a conversation of any size, a few rounds in each transaction, so that others write in between."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic

from tertulia.conversations import service
from tertulia.conversations.domain import Conversation
from tertulia.conversations.export_documents import ConversationDocument, RoundDocument
from tertulia.conversations.exported_files import import_files
from tertulia.conversations.import_child import check_in_child
from tertulia.conversations.import_reader import RoundOutline, outline_round, read_document, read_round
from tertulia.conversations.import_writer import add_rounds, allocate_refs, begin_import, finish_import
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.files.spool import ReceivedFile, Spool
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog

#: How long one transaction should take; the number of rounds in it follows from how long the last one took.
IMPORT_BATCH_SECONDS = 0.005
IMPORT_BATCH_MIN_ROUNDS = 2
IMPORT_BATCH_MAX_ROUNDS = 64
#: Whatever came before: long rounds may follow short ones. The last round may be over.
IMPORT_BATCH_MAX_CHARS = 400_000
#: After each slice, others have so many times as long as it took.
IMPORT_PAUSE_FACTOR = 1.0


@dataclass(frozen=True, slots=True)
class CheckedImport:
    """A conversation to import of which nothing is doubted any more."""

    document: ConversationDocument
    outlines: Sequence[RoundOutline]
    rounds: Iterator[RoundDocument]


async def import_received(
    received: ReceivedFile,
    spool: Spool,
    *,
    files: Files,
    db: Database,
    log: EventLog,
    by: Principal,
    project_id: str | None,
) -> Conversation:
    """Import what arrived: all of it is seen at once, or nothing when anything is wrong with it."""
    if received.path is None:
        document = await asyncio.to_thread(read_document, received.data or b"")
        outlines = [outline_round(round_) for round_ in document.rounds]
        checked = CheckedImport(document, outlines, iter(document.rounds))
        return await import_with_files(checked, files=files, db=db, log=log, by=by, project_id=project_id)
    into = spool.new_path()
    try:
        verdict = await check_in_child(received.path, into, size=received.size)
        document = ConversationDocument.model_validate_json(verdict.document)
        checked = CheckedImport(document, verdict.outlines, read_rounds(into))
        return await import_with_files(checked, files=files, db=db, log=log, by=by, project_id=project_id)
    finally:
        await asyncio.to_thread(into.unlink, missing_ok=True)


def read_rounds(path: Path) -> Iterator[RoundDocument]:
    """Read rounds from a file that holds one in each line."""
    with path.open(encoding="utf-8") as lines:
        yield from map(read_round, lines)


async def import_with_files(
    checked: CheckedImport,
    *,
    files: Files,
    db: Database,
    log: EventLog,
    by: Principal,
    project_id: str | None,
) -> Conversation:
    """Import a conversation and attach its files, or leave nothing of it."""
    added = await import_in_batches(checked, db=db, log=log, by=by, project_id=project_id)
    try:
        await import_files(added, checked.document.files, files=files, db=db, by=by)
    except TertuliaError:
        await db.write(lambda tx: service.delete(tx, added.id, log=log), by=by)
        raise
    return added


async def import_in_batches(
    checked: CheckedImport, *, db: Database, log: EventLog, by: Principal, project_id: str | None
) -> Conversation:
    """Write a conversation down slice by slice; nobody sees it before it is whole."""
    document, rounds = checked.document, checked.rounds
    names = await asyncio.to_thread(allocate_refs, checked.outlines)
    target = await db.write(lambda tx: begin_import(tx, document, names, project_id=project_id), by=by)
    count = IMPORT_BATCH_MIN_ROUNDS
    while some := await asyncio.to_thread(take_rounds, rounds, count):
        began = monotonic()
        await db.write(lambda tx, some=some: add_rounds(tx, some, target), by=by)
        took = monotonic() - began
        count = next_batch_size(len(some), took)
        await asyncio.sleep(IMPORT_PAUSE_FACTOR * took)
    return await db.write(lambda tx: finish_import(tx, document, target, log=log), by=by)


def take_rounds(rounds: Iterator[RoundDocument], count: int) -> list[RoundDocument]:
    """Return the next rounds, at most so many, and fewer where they are long."""
    taken: list[RoundDocument] = []
    chars = 0
    for round_ in islice(rounds, count):
        taken.append(round_)
        chars += count_chars(round_)
        if chars >= IMPORT_BATCH_MAX_CHARS:
            break
    return taken


def count_chars(round_: RoundDocument) -> int:
    """Return how many characters were said in a round, thought, and given by tools."""
    replies = sum(
        len(reply.content) + len(reply.thinking) + sum(len(call.result) for call in reply.tool_calls)
        for reply in round_.replies
    )
    return len(round_.question.content) + replies


def next_batch_size(count: int, seconds: float) -> int:
    """Return how many rounds the next slice has, after one of so many took so many seconds."""
    fitting = int(count * IMPORT_BATCH_SECONDS / max(seconds, 0.000_1))
    return max(IMPORT_BATCH_MIN_ROUNDS, min(fitting, 2 * count, IMPORT_BATCH_MAX_ROUNDS))
