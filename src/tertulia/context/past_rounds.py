"""Rounds as they were stored, turned into what a lane may be told of them."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.context.domain import PastReply, PastRound
from tertulia.context.tool_history import (
    describe_changes,
    describe_corrections,
    describe_others_calls,
    describe_past_calls,
    describe_tool_work,
)
from tertulia.conversations import tool_runs
from tertulia.conversations.domain import USER_SPEAKER, Mark, Message, Reply, ReplyKind, VisibleToolCall
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.conversations.message_pictures import load_images
from tertulia.infra.db import Tx
from tertulia.memory.domain import SourceMessage
from tertulia.models.calls import Image
from tertulia.models.prompt_frames import escape_attribute


def table_of(full: FullRound) -> tuple[str, ...]:
    """Return the lanes that were asked in a round."""
    answers = (answer.reply for answer in full.answers if answer.reply.kind is ReplyKind.ANSWER)
    return tuple(dict.fromkeys(reply.lane for reply in answers))


def newest_attempts(answers: Sequence[ReplyWithMessage]) -> list[ReplyWithMessage]:
    """Return each lane's newest attempt that said something."""
    spoken = [answer for answer in answers if answer.message is not None and answer.message.content]
    return list({(answer.reply.kind, answer.reply.lane): answer for answer in spoken}.values())


def to_past_round(tx: Tx, full: FullRound, follower: str | None) -> PastRound:
    """Return an earlier round; when the person went on from one reply, the others do not count."""
    chosen = [answer for answer in full.answers if answer.reply.id == follower]
    return _as_round(tx, full, [_past_reply(answer) for answer in chosen or newest_attempts(full.answers)])


def round_lines(full: FullRound, follower: str | None) -> list[SourceMessage]:
    """Return what was said in a round, to be summarised; nothing of what a person left out."""
    if Mark.EXCLUDED in full.marks:
        return []
    chosen = [answer for answer in full.answers if answer.reply.id == follower]
    question = full.question
    said = [_line(question, USER_SPEAKER, full, full.marks)]
    heard = chosen or newest_attempts(full.answers)
    said += [
        replace(
            _line(answer.message, answer.reply.lane, full, answer.marks),
            changes=(
                *describe_changes(answer.reply.tool_calls),
                *describe_corrections(answer.reply.corrections),
            ),
        )
        for answer in heard
        if answer.message is not None and Mark.EXCLUDED not in answer.marks
    ]
    return said


def _line(message: Message, speaker: str, full: FullRound, marks: Sequence[Mark]) -> SourceMessage:
    local_only = Mark.LOCAL_ONLY in marks or Mark.LOCAL_ONLY in full.marks
    pinned = Mark.PINNED in marks
    return SourceMessage(
        message.id,
        full.round.number,
        speaker,
        message.content,
        local_only=local_only,
        pinned=pinned,
        author_id=full.round.author_id if speaker == USER_SPEAKER else "",
    )


def to_current_round(tx: Tx, full: FullRound, reply: Reply) -> PastRound:
    """Return the round to speak in; its replies are there for one who merges or judges them."""
    read = newest_attempts(full.answers) if reply.kind is not ReplyKind.ANSWER else []
    return _as_round(
        tx, full, [_past_reply(answer) for answer in read if answer.reply.kind is ReplyKind.ANSWER]
    )


def _as_round(tx: Tx, full: FullRound, replies: Sequence[PastReply]) -> PastRound:
    return PastRound(
        full.question.content,
        tuple(replies),
        _images(tx, full.question),
        id=full.round.id,
        number=full.round.number,
        question_id=full.question.id,
        local_only=Mark.LOCAL_ONLY in full.marks,
    )


def _past_reply(answer: ReplyWithMessage) -> PastReply:
    text = answer.message.content if answer.message else ""
    local_only = Mark.LOCAL_ONLY in answer.marks
    corrections = describe_corrections(answer.reply.corrections)
    others_calls = describe_others_calls(answer.reply.tool_calls, speaker=escape_attribute(answer.reply.lane))
    return PastReply(
        answer.reply.lane,
        text,
        answer.reply.kind,
        id=answer.reply.id,
        local_only=local_only,
        own_calls="\n".join(filter(None, [describe_past_calls(answer.reply.tool_calls), *corrections])),
        others_calls="\n".join(filter(None, [others_calls, *corrections])),
    )


def _images(tx: Tx, message: Message) -> tuple[Image, ...]:
    ids = [attachment.id for attachment in message.attachments]
    return tuple(load_images(tx, ids).values()) if ids else ()


def continued_text(tx: Tx, full: FullRound, reply: Reply) -> tuple[str, str]:
    """Return what a reply goes on from, if it continues another: what was said, and what was done."""
    for answer in full.answers:
        if answer.reply.id == reply.continues and answer.message is not None:
            return answer.message.content, describe_tool_work(_with_readable_results(tx, answer.reply))
    return "", ""


def _with_readable_results(tx: Tx, reply: Reply) -> list[VisibleToolCall]:
    """Return the calls of a reply with those results that its audience may read and others perhaps not."""
    quoting = [run for run in tool_runs.list_of_reply(tx, reply.id) if run.is_read_apart]
    given = {run.id: run.result for run in tool_runs.hide_unreadable_results(tx, quoting)}
    return [replace(call, result=given.get(call.id, call.result)) for call in reply.tool_calls]
