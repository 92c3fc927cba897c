"""Rounds written straight into a conversation with the features' own functions, hundreds at once."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.conversations import rounds, store
from tertulia.conversations.access import get_unchecked
from tertulia.conversations.domain import (
    USER_SPEAKER,
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
from tertulia.infra.db import Database, Tx
from tests.long_talk import Spoken
from tests.world import Person

MODEL = "openai/scripted-smart"


async def write_rounds(
    db: Database, person: Person, conversation_id: str, talk: Sequence[Spoken], *, model: str = MODEL
) -> list[str]:
    """Write rounds after those that are there, and return the ids of their questions."""

    def write(tx: Tx) -> list[str]:
        conversation = get_unchecked(tx, conversation_id)
        asked = list[Message]()
        for spoken in talk:
            conversation, question = add_round(tx, conversation, spoken, model)
            asked.append(question)
        return [question.id for question in asked]

    return await db.write(write, by=person.principal)


def add_round(tx: Tx, conversation: Conversation, spoken: Spoken, model: str) -> tuple[Conversation, Message]:
    """Add one closed round at the end of a conversation."""
    before = rounds.get_question(tx, conversation.head_id) if conversation.head_id else None
    number = conversation.round_count + 1
    round_ = Round(
        id=new_id("rnd"),
        workspace_id=conversation.workspace_id,
        conversation_id=conversation.id,
        parent_id=conversation.head_id,
        number=number,
        policy=Policy.EVERYONE,
        author_id=tx.by.user_id,
        created_at=now(),
    )
    question = Message(
        id=new_id("msg"),
        workspace_id=conversation.workspace_id,
        conversation_id=conversation.id,
        round_id=round_.id,
        parent_id=before.id if before else None,
        speaker=USER_SPEAKER,
        content=spoken.question,
        created_at=now(),
    )
    reply = closed_reply(round_, model)
    answer = replace(
        question, id=reply.id, parent_id=question.id, speaker=speaker_of(reply.lane), content=spoken.answer
    )
    rounds.add_round(tx, round_)
    rounds.add_replies(tx, [reply])
    rounds.add_message(tx, question)
    rounds.add_message(tx, answer)
    store.change(tx, conversation.id, head_id=round_.id, round_count=number)
    return replace(conversation, head_id=round_.id, round_count=number), question


def closed_reply(round_: Round, model: str) -> Reply:
    """Return a reply that is done."""
    return Reply(
        id=new_id("msg"),
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        lane=model.rpartition("/")[2],
        model=model,
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
        started_at=now(),
        first_token_at=now(),
        finished_at=now(),
    )
