"""A program sends the whole transcript each time; here it becomes a conversation that is kept."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from tertulia.conversations import rounds
from tertulia.conversations import service as conversations
from tertulia.conversations.access import get_for_writing, get_round
from tertulia.conversations.domain import Conversation, Origin, Seat
from tertulia.conversations.message_pictures import PictureInvalid, add_attachment, check_picture
from tertulia.conversations.round_writer import NewQuestion, add_past_round
from tertulia.doors.openai.domain import TranscriptMessage
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.models.calls import Image


@dataclass(frozen=True, slots=True)
class TranscriptExchange:
    """A question and, unless it is the last, the answer to it."""

    question: str
    images: tuple[Image, ...] = ()
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a program sent: its instructions, what was said before, and the question."""

    instructions: str
    past: tuple[TranscriptExchange, ...]
    question: TranscriptExchange
    model: str

    @property
    def fingerprint(self) -> str:
        """Return what tells this transcript, up to its question, from every other."""
        past = [
            (transcript_exchange.question, transcript_exchange.answer) for transcript_exchange in self.past
        ]
        whole = msgspec.json.encode([self.instructions, past, self.question.question])
        return hashlib.sha256(whole).hexdigest()

    def without_last_exchange(self) -> "Transcript | None":
        """Return the transcript as it was when the question before was asked."""
        if not self.past:
            return None
        return Transcript(self.instructions, self.past[:-1], self.past[-1], self.model)


def parse_transcript(messages: Sequence[TranscriptMessage], *, model: str) -> Transcript:
    """Read messages as exchanges; neighbours of one role are joined."""
    system = "\n\n".join(message.text for message in messages if message.role in ("system", "developer"))
    exchanges: list[TranscriptExchange] = []
    for message in messages:
        last = exchanges[-1] if exchanges else None
        if message.role == "assistant":
            if last is None:
                exchanges.append(TranscriptExchange("", answer=message.text))
            else:
                joined = message.text if last.answer is None else f"{last.answer}\n\n{message.text}"
                exchanges[-1] = TranscriptExchange(last.question, last.images, joined)
        elif message.role == "user":
            images = tuple(decode_picture(url) for url in message.picture_urls)
            if last is not None and last.answer is None:
                exchanges[-1] = TranscriptExchange(f"{last.question}\n\n{message.text}", last.images + images)
            else:
                exchanges.append(TranscriptExchange(message.text, images))
    return Transcript(system, tuple(exchanges[:-1]), exchanges[-1], model)


def decode_picture(url: str) -> Image:
    """Return the picture in a data URL, or raise."""
    head, _, data = url.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64")):
        raise PictureInvalid
    try:
        return check_picture(base64.b64decode(data, validate=True))
    except ValueError:
        raise PictureInvalid from None


@dataclass(frozen=True, slots=True)
class TranscriptPosition:
    """Where in which conversation a question goes."""

    conversation: Conversation
    parent_id: str | None


def find_position(
    tx: Tx, transcript: Transcript, *, project_id: str | None, log: EventLog
) -> TranscriptPosition:
    """Return where the program left off, or a new conversation that begins with what it says was said."""
    return _find_continued_position(tx, transcript) or _create_conversation(
        tx, transcript, project_id=project_id, log=log
    )


def record_transcript(tx: Tx, transcript: Transcript, round_id: str) -> None:
    """Note which round a transcript's question opened."""
    tx.run(
        """INSERT INTO transcripts (round_id, workspace_id, user_id, fingerprint)
           VALUES (:round_id, :workspace, :me, :fingerprint) ON CONFLICT DO NOTHING""",
        round_id=round_id,
        fingerprint=transcript.fingerprint,
    )


def record_answer(tx: Tx, round_id: str, answer: str) -> None:
    """Note what a program was answered, so that it is known again when it comes back."""
    tx.run(
        "UPDATE transcripts SET answer = :answer WHERE round_id = :round_id AND workspace_id = :workspace",
        round_id=round_id,
        answer=answer_digest(answer),
    )


def _find_continued_position(tx: Tx, transcript: Transcript) -> TranscriptPosition | None:
    """Return the newest round that this transcript goes on from, if it kept our answer as it was."""
    before = transcript.without_last_exchange()
    if before is None:
        return None
    sql = """SELECT round_id FROM transcripts WHERE user_id = :me AND workspace_id = :workspace
        AND fingerprint = :fingerprint AND answer = :answer ORDER BY round_id DESC LIMIT 1"""
    round_id = tx.value(
        sql, fingerprint=before.fingerprint, answer=answer_digest(before.question.answer or "")
    )
    if round_id is None:
        return None
    round_ = get_round(tx, round_id)
    return TranscriptPosition(
        get_for_writing(tx, round_.conversation_id), rounds.get_question_id(tx, round_.id)
    )


def answer_digest(text: str) -> str:
    """Return what tells two texts apart; white space around them does not count."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def _create_conversation(
    tx: Tx, transcript: Transcript, *, project_id: str | None, log: EventLog
) -> TranscriptPosition:
    conversation = conversations.create(
        tx, log=log, project_id=project_id, instructions=transcript.instructions, origin=Origin.API
    )
    parent_id: str | None = None
    for past in transcript.past:
        pictures = [add_attachment(tx, conversation.id, image) for image in past.images]
        seat = Seat(transcript.model, transcript.model)
        question = NewQuestion(past.question, [seat], parent_id=parent_id, attachments=pictures)
        parent_id = add_past_round(tx, conversation, question, answer=past.answer or "")
    return TranscriptPosition(conversation, parent_id)
