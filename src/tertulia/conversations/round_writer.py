"""Writing a conversation: a round is opened, its replies start and close. All in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tertulia.conversations import event_publisher, rounds, store
from tertulia.conversations.access import get_for_reading, get_message_without_texts, get_round, get_unchecked
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Attachment,
    Conversation,
    Message,
    Policy,
    Reply,
    ReplyKind,
    ReplyStatus,
    Round,
    Seat,
    speaker_of,
)
from tertulia.conversations.errors import ChoiceMissing
from tertulia.conversations.events import ReplyAdded, ReplyClosed, RoundClosed, RoundOpened, encode_event
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.conversations.message_index import MessageScope
from tertulia.conversations.views import ReplyView, RoundView
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.events.log import last_seq

#: Where a new round goes when nobody says: after the round that is shown last.
HEAD_PARENT = "head"
#: A longer text is not in the event that closes its reply; listeners have it piece by piece.
CLOSING_TEXT_MAX_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """What a person asks, of whom, and where in the conversation."""

    text: str
    seats: Sequence[Seat]
    policy: Policy = Policy.EVERYONE
    #: The message to follow: a question, one chosen reply, `HEAD`, or None for a new beginning.
    parent_id: str | None = HEAD_PARENT
    attachments: Sequence[Attachment] = ()


def open_round(
    tx: Tx, conversation: Conversation, question: NewQuestion, *, log: EventLog
) -> tuple[FullRound, Conversation]:
    """Add the round, its question and a queued reply for each seat; the branch that is shown ends there.

    Return the round with its conversation as it is then.
    """
    # What came before the first round is no more than a few changes.
    seq = last_seq(tx, conversation.id) if conversation.round_count else 0
    round_, asked, conversation = _add_round(tx, conversation, question)
    replies = [_queued_reply(round_, seat, first_seq=seq) for seat in question.seats]
    rounds.add_replies(tx, replies)
    full = FullRound(
        round=round_,
        question=asked,
        answers=[ReplyWithMessage(reply, None) for reply in replies],
        siblings=rounds.find_siblings(tx, round_) if conversation.round_count > 1 else [round_.id],
    )
    event = RoundOpened(RoundView.of(full), conversation.sort_key)
    log.append(tx, conversation.id, [encode_event(event)])
    return full, conversation


def add_past_round(tx: Tx, conversation: Conversation, question: NewQuestion, *, answer: str) -> str:
    """Add a round that happened elsewhere, with its one answer, and return its question's id."""
    round_, asked, _ = _add_round(tx, get_for_reading(tx, conversation.id), question)
    reply = replace(_queued_reply(round_, question.seats[0], first_seq=0), status=ReplyStatus.DONE)
    rounds.add_replies(tx, [replace(reply, finished_at=reply.created_at)])
    rounds.add_message(tx, _reply_message(reply, asked.id, content=answer))
    return asked.id


def _add_round(
    tx: Tx, conversation: Conversation, question: NewQuestion
) -> tuple[Round, Message, Conversation]:
    """Add a round and its question where they belong, show them, and return the conversation too."""
    parent = _parent_message(tx, conversation, question.parent_id)
    if question.policy is Policy.CHOSEN and (parent is None or parent.speaker == USER_SPEAKER):
        raise ChoiceMissing
    before = get_round(tx, parent.round_id) if parent else None
    round_ = Round(
        id=new_id("rnd"),
        workspace_id=conversation.workspace_id,
        conversation_id=conversation.id,
        parent_id=before.id if before else None,
        number=before.number + 1 if before else 1,
        policy=question.policy,
        author_id=tx.by.user_id,
        created_at=now(),
    )
    asked = _question_message(round_, question, parent)
    rounds.add_round(tx, round_)
    rounds.add_message(tx, asked, scope=MessageScope.of(conversation, round_.number))
    used = store.mark_used(tx, conversation, at=round_.created_at, new_round_id=round_.id)
    return round_, asked, used


def add_reply(
    tx: Tx,
    full: FullRound,
    seat: Seat,
    *,
    kind: ReplyKind,
    log: EventLog,
    continues: ReplyWithMessage | None = None,
) -> Reply:
    """Add one more reply to a round: a further attempt, a continuation, a merge or a judgement."""
    topic = full.round.conversation_id
    attempt = 1 + sum(answer.reply.lane == seat.lane for answer in full.answers)
    reply = replace(
        _queued_reply(full.round, seat, first_seq=last_seq(tx, topic)),
        kind=kind,
        attempt=attempt,
        continues=continues.reply.id if continues else None,
    )
    rounds.add_replies(tx, [reply])
    partial_text = (continues.message.content, "") if continues and continues.message else ("", "")
    view = ReplyView.of(ReplyWithMessage(reply, None), partial_text)
    log.append(tx, topic, [encode_event(ReplyAdded(view))])
    return reply


def close_reply(tx: Tx, reply: Reply, *, content: str, thinking: str, log: EventLog) -> Message:
    """Make a reply final: its message is written once, and the round closes when it was the last."""
    conversation = get_unchecked(tx, reply.conversation_id)
    context = rounds.get_reply_context(tx, reply)
    message = _reply_message(reply, context.question_id, content=content, thinking=thinking)
    rounds.save_reply(tx, reply)
    rounds.add_message(tx, message, scope=MessageScope.of(conversation, context.round_number))
    events = [encode_event(_closing_event(reply, message))]
    if not context.unfinished_others:
        events.append(encode_event(RoundClosed(reply.round_id)))
    event_publisher.publish_used(tx, store.mark_used(tx, conversation, at=now()), log=log)
    log.append(tx, reply.conversation_id, events)
    return message


def _closing_event(reply: Reply, message: Message) -> ReplyClosed:
    """Tell of a final reply; a long text is not repeated, since everybody else's writes would wait for it."""
    content, thinking = len(message.content), len(message.thinking)
    omitted_content = content if content > CLOSING_TEXT_MAX_CHARS else 0
    omitted_thinking = thinking if thinking > CLOSING_TEXT_MAX_CHARS else 0
    told = replace(
        message,
        content="" if omitted_content else message.content,
        thinking="" if omitted_thinking else message.thinking,
    )
    return ReplyClosed(ReplyView.of(ReplyWithMessage(reply, told)), omitted_content, omitted_thinking)


def _parent_message(tx: Tx, conversation: Conversation, parent_id: str | None) -> Message | None:
    """Return the message that a new question follows, but for what it says."""
    if parent_id == HEAD_PARENT:
        head_id = conversation.head_id
        return rounds.get_question_without_texts(tx, head_id) if head_id else None
    if parent_id is None:
        return None
    message = get_message_without_texts(tx, parent_id)
    if message.conversation_id != conversation.id:
        raise NotFound("message")
    return message


def _question_message(round_: Round, question: NewQuestion, parent: Message | None) -> Message:
    return Message(
        id=new_id("msg"),
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=parent.id if parent else None,
        speaker=USER_SPEAKER,
        content=question.text,
        attachments=list(question.attachments),
        created_at=round_.created_at,
    )


def _reply_message(reply: Reply, question_id: str, *, content: str, thinking: str = "") -> Message:
    return Message(
        id=reply.id,
        workspace_id=reply.workspace_id,
        conversation_id=reply.conversation_id,
        round_id=reply.round_id,
        parent_id=question_id,
        speaker=speaker_of(reply.model),
        content=content,
        thinking=thinking,
        created_at=reply.finished_at or now(),
    )


def _queued_reply(round_: Round, seat: Seat, *, first_seq: int) -> Reply:
    return Reply(
        id=new_id("msg"),
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        lane=seat.lane,
        model=seat.model,
        kind=ReplyKind.ANSWER,
        attempt=1,
        continues=None,
        effort=seat.effort,
        temperature=seat.temperature,
        output_limit=seat.output_limit,
        leave_out=list(seat.leave_out),
        status=ReplyStatus.QUEUED,
        error=None,
        usage=None,
        cost=None,
        tool_calls=[],
        first_seq=first_seq,
        created_at=now(),
        started_at=None,
        first_token_at=None,
        finished_at=None,
    )
