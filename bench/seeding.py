"""Data of the size that years of use leave behind, written with the features' own functions."""

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from tests.world import add_person

from bench.plan import MODEL
from tertulia.conversations import rounds, store
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Anchor,
    Conversation,
    Message,
    Policy,
    Reply,
    ReplyKind,
    ReplyStatus,
    Round,
    speaker_of,
)
from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.models.calls import Usage

QUESTION = "How do lighthouses keep turning when the keeper sleeps? " * 2
ANSWER = "A clockwork, wound every few hours, turns the lens upon a bath of mercury. " * 8


@dataclass(frozen=True, slots=True)
class Seeded:
    """Who is there, and the conversations that were made."""

    principal: Principal
    token: str
    #: The tokens of all members, theirs first.
    tokens: tuple[str, ...] = ()
    short: str = ""
    long: str = ""


async def seed_person(data_dir: Path, *, mates: int = 0) -> Seeded:
    """Make a database with someone to ask, and so many more members of their workspace."""
    return await add_people(SqliteDatabase(data_dir / "tertulia.db"), mates=mates)


async def add_people(db: Database, *, mates: int = 0, apart: bool = False) -> Seeded:
    """Add someone to ask to a database, and so many more members of their workspace, and close it.

    Where they live apart, each has a workspace of their own instead.
    """
    try:
        principal, token = await add_person(db, role=Role.OWNER, workspace=None, email="b@example.org")
        role, home = (Role.OWNER, None) if apart else (Role.MEMBER, principal.workspace_id)
        tokens = [token]
        for number in range(mates):
            email = f"mate{number}@example.org"
            tokens.append((await add_person(db, role=role, workspace=home, email=email))[1])
    finally:
        db.close()
    return Seeded(principal, token, tuple(tokens))


async def seed_history(data_dir: Path, seeded: Seeded, *, messages: int, conversations: int) -> Seeded:
    """Add a conversation of 100 messages, one of `messages`, and many empty ones."""
    db = SqliteDatabase(data_dir / "tertulia.db")
    try:
        short = await db.write(lambda tx: add_conversation(tx, rounds_=50), by=seeded.principal)
        long = await db.write(lambda tx: add_conversation(tx, rounds_=messages // 2), by=seeded.principal)
        await db.write(lambda tx: add_many(tx, conversations), by=seeded.principal)
        # What was said over years was indexed over years, and does not wait all at once.
        await db.write(lambda tx: tx.run("DELETE FROM sources"), by=None)
    finally:
        db.close()
    return replace(seeded, short=short, long=long)


def add_many(tx: Tx, count: int) -> None:
    """Add empty conversations with titles."""
    for number in range(count):
        store.add(tx, project_id=None, anchor=Anchor.WORKSPACE, title=f"Conversation {number}")


def add_conversation(tx: Tx, *, rounds_: int) -> str:
    """Add a conversation of so many rounds, each a question and one reply."""
    conversation = store.add(tx, project_id=None, anchor=Anchor.WORKSPACE, title=f"{rounds_} rounds")
    before: tuple[Round, Message] | None = None
    for number in range(1, rounds_ + 1):
        before = add_round(tx, conversation, number, before)
    store.change(tx, conversation.id, head_id=before[0].id if before else None, round_count=rounds_)
    return conversation.id


def add_round(
    tx: Tx,
    conversation: Conversation,
    number: int,
    before: tuple[Round, Message] | None,
    *,
    asked: str = QUESTION,
    answered: str = ANSWER,
) -> tuple[Round, Message]:
    """Add one closed round after another."""
    round_ = Round(
        id=new_id("rnd"),
        workspace_id=conversation.workspace_id,
        conversation_id=conversation.id,
        parent_id=before[0].id if before else None,
        number=number,
        policy=Policy.EVERYONE,
        author_id=conversation.owner_id,
        created_at=now(),
    )
    question = Message(
        id=new_id("msg"),
        workspace_id=conversation.workspace_id,
        conversation_id=conversation.id,
        round_id=round_.id,
        parent_id=before[1].id if before else None,
        speaker=USER_SPEAKER,
        content=asked,
        created_at=now(),
    )
    reply = closed_reply(round_)
    answer = replace(
        question, id=reply.id, parent_id=question.id, speaker=speaker_of(MODEL), content=answered
    )
    rounds.add_round(tx, round_)
    rounds.add_replies(tx, [reply])
    rounds.add_message(tx, question)
    rounds.add_message(tx, answer)
    return round_, question


def closed_reply(round_: Round) -> Reply:
    """Return a reply that is done."""
    return Reply(
        id=new_id("msg"),
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        lane=MODEL,
        model=MODEL,
        kind=ReplyKind.ANSWER,
        attempt=1,
        continues=None,
        effort=None,
        temperature=None,
        status=ReplyStatus.DONE,
        error=None,
        usage=Usage(30, 120),
        cost=0.0,
        tool_calls=[],
        first_seq=0,
        created_at=now(),
        started_at=now(),
        first_token_at=now(),
        finished_at=now() + timedelta(seconds=2),
    )
