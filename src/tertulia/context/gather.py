"""Collecting from the database what one lane may be shown. Nothing is left out for size here."""

from collections.abc import Sequence
from itertools import pairwise

from tertulia.context.budget import ROUNDS
from tertulia.context.domain import NOTHING, Memory, PastReply, PastRound, Scene
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.attachments import images_of
from tertulia.conversations.domain import Message, Origin, Reply, ReplyKind
from tertulia.conversations.rounds import Answer, FullRound
from tertulia.infra.db import Tx
from tertulia.models.calls import Image
from tertulia.models.domain import Tier
from tertulia.projects import store as projects

#: A program chooses by itself how much it sends; only the budget limits it.
MOST_ROUNDS = 1_000


def gather(tx: Tx, reply: Reply, *, tier: Tier, memory: Memory = NOTHING) -> Scene:
    """Return the scene for a reply that is about to be written."""
    conversation = get_for_reading(tx, reply.conversation_id)
    project = projects.get(tx, conversation.project_id) if conversation.project_id else None
    for_program = conversation.origin is Origin.API
    most = MOST_ROUNDS if for_program else ROUNDS[tier]
    found = rounds.path(tx, conversation.id, last=reply.round_id, limit=most + 1)
    full = rounds.fill(tx, found)
    own = [text for text in (project.instructions if project else "", conversation.instructions) if text]
    return Scene(
        lane=reply.lane if reply.kind is ReplyKind.ANSWER else reply.model,
        kind=reply.kind,
        policy=full[-1].round.policy,
        table=_table(full[-1]),
        past=tuple(_past(tx, before, follower=after.question) for before, after in pairwise(full)),
        now=_present(tx, full[-1], reply),
        project=project.name if project else "",
        brief=project.brief if project else "",
        instructions=tuple(own),
        begun=_begun(full[-1], reply),
        effort=reply.effort,
        temperature=reply.temperature,
        output_limit=reply.output_limit,
        recalled=memory.passages,
        shown=memory.images,
        for_program=for_program,
    )


def _table(full: FullRound) -> tuple[str, ...]:
    answers = (answer.reply for answer in full.answers if answer.reply.kind is ReplyKind.ANSWER)
    return tuple(dict.fromkeys(reply.lane for reply in answers))


def newest_attempts(answers: Sequence[Answer]) -> list[Answer]:
    """Return each lane's newest attempt that said something."""
    spoken = [answer for answer in answers if answer.message is not None and answer.message.content]
    return list({(answer.reply.kind, answer.reply.lane): answer for answer in spoken}.values())


def _past(tx: Tx, full: FullRound, *, follower: Message) -> PastRound:
    """Return an earlier round; when the person went on from one reply, the others do not count."""
    chosen = [answer for answer in full.answers if answer.reply.id == follower.parent_id]
    replies = [_said(answer) for answer in chosen or newest_attempts(full.answers)]
    return PastRound(full.question.content, tuple(replies), _images(tx, full.question))


def _present(tx: Tx, full: FullRound, reply: Reply) -> PastRound:
    read = newest_attempts(full.answers) if reply.kind is not ReplyKind.ANSWER else []
    replies = [_said(answer) for answer in read if answer.reply.kind is ReplyKind.ANSWER]
    return PastRound(full.question.content, tuple(replies), _images(tx, full.question))


def _said(answer: Answer) -> PastReply:
    text = answer.message.content if answer.message else ""
    return PastReply(answer.reply.lane, text, answer.reply.kind)


def _images(tx: Tx, message: Message) -> tuple[Image, ...]:
    ids = [attachment.id for attachment in message.attachments]
    return tuple(images_of(tx, ids).values()) if ids else ()


def _begun(full: FullRound, reply: Reply) -> str:
    for answer in full.answers:
        if answer.reply.id == reply.continues and answer.message is not None:
            return answer.message.content
    return ""
