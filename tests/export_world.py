"""Conversations of every shape, written straight into a database, to be exported."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from tertulia.conversations import access, rounds, service, store
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Message,
    Policy,
    Reply,
    ReplyKind,
    ReplyStatus,
    Round,
    speaker_of,
)
from tertulia.conversations.export import read_outline
from tertulia.conversations.export_stream import stream_json, stream_markdown
from tertulia.conversations.message_pictures import add_attachment
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.files.factory import open_files
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.models.calls import Image
from tertulia.settings import Settings
from tests.databases import open_database

T = TypeVar("T")
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class ExportWorld:
    """A database with two workspaces, and someone in each."""

    db: Database
    log: EventLog
    files: Files
    ana: Principal
    ben: Principal

    def read(self, call: Callable[[Tx], T], *, by: Principal | None = None) -> T:
        return run(self.db.read(call, by=by or self.ana))

    def write(self, call: Callable[[Tx], T], *, by: Principal | None = None) -> T:
        return run(self.db.write(call, by=by or self.ana))


def exported(
    world: ExportWorld, conversation_id: str, *, by: Principal | None = None, markdown: bool = False
) -> bytes:
    """Return a conversation as it is exported."""
    return run(collect(world, conversation_id, by=by or world.ana, markdown=markdown))


async def collect(
    world: ExportWorld, conversation_id: str, *, by: Principal, markdown: bool = False
) -> bytes:
    """Return all that an export yields."""
    outline = await world.db.read(lambda tx: read_outline(tx, conversation_id), by=by)
    if markdown:
        return b"".join([part async for part in stream_markdown(outline, db=world.db, by=by)])
    parts = stream_json(outline, db=world.db, files=world.files, by=by)
    return b"".join([part async for part in parts])


def run(awaitable: Awaitable[T]) -> T:
    """Wait for something in a test that is not itself asynchronous, as Hypothesis wants them."""

    async def wait() -> T:
        return await awaitable

    return asyncio.run(wait())


def open_world(folder: Path) -> ExportWorld:
    db = open_database(folder / "tertulia.db")
    people = [Principal(new_id("usr"), new_id("wsp"), Role.OWNER) for _ in range(2)]

    def add(tx: Tx) -> None:
        for one in people:
            tx.run("INSERT INTO workspaces VALUES (:id, 'w', '{}', 0)", id=one.workspace_id)
            tx.run(
                """INSERT INTO users (id, email, name, password_hash, status, created_at)
                   VALUES (:id, :email, 'n', '', 'active', 0)""",
                id=one.user_id,
                email=f"{one.user_id.lower()}@example.org",
            )

    run(db.write(add, by=None))
    settings = Settings.from_env({"TERTULIA_DATA_DIR": str(folder)})
    return ExportWorld(db, EventLog(db), open_files(db, settings).files, *people)


def ask(
    tx: Tx,
    conversation_id: str,
    text: str,
    *,
    parent_id: str | None = None,
    pictures: Sequence[bytes] = (),
    policy: Policy = Policy.EVERYONE,
) -> Round:
    """Add a round that has no replies yet, after the message named, and show it."""
    parent = access.get_message_without_texts(tx, parent_id) if parent_id else None
    before = access.get_round(tx, parent.round_id) if parent else None
    round_ = Round(
        id=new_id("rnd"),
        workspace_id=tx.by.workspace_id,
        conversation_id=conversation_id,
        parent_id=before.id if before else None,
        number=before.number + 1 if before else 1,
        policy=policy,
        author_id=tx.by.user_id,
        created_at=now(),
    )
    rounds.add_round(tx, round_)
    kept = [add_attachment(tx, conversation_id, Image("image/png", PNG + one)) for one in pictures]
    said(tx, round_, new_id("msg"), text, parent_id=parent_id, speaker=USER_SPEAKER, attachments=kept)
    store.change(tx, conversation_id, head_id=round_.id)
    return round_


def said(tx: Tx, round_: Round, message_id: str, content: str, **values: Any) -> None:
    """Add a message to a round."""
    place = {"workspace_id": round_.workspace_id, "conversation_id": round_.conversation_id}
    message = Message(
        id=message_id, round_id=round_.id, content=content, created_at=round_.created_at, **place, **values
    )
    rounds.add_message(tx, message)


def reply(tx: Tx, round_: Round, content: str, *, thinking: str = "", **values: Any) -> Reply:
    """Add a reply as it may stand in the database; one that is final has its message."""
    known = Reply(
        id=new_id("msg"),
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        lane="librarian",
        model="librarian",
        kind=ReplyKind.ANSWER,
        attempt=1,
        continues=None,
        effort=None,
        temperature=None,
        status=ReplyStatus.DONE,
        error=None,
        usage=None,
        cost=None,
        tool_calls=[],
        first_seq=0,
        created_at=now(),
        started_at=None,
        first_token_at=None,
        finished_at=now() + timedelta(seconds=1),
    )
    one = replace(known, **values)
    rounds.add_replies(tx, [one])
    if one.status.is_final:
        question = rounds.get_question(tx, round_.id)
        speaker = speaker_of(one.model)
        said(tx, round_, one.id, content, parent_id=question.id, speaker=speaker, thinking=thinking)
    return one


def new_conversation(tx: Tx, world: ExportWorld, **columns: Any) -> str:
    """Make a conversation and set columns of it."""
    made = service.create(tx, log=world.log)
    if columns:
        store.change(tx, made.id, **columns)
    return made.id
