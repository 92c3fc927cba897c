"""The conversations that are searched: Markdown to be written by hand, JSON to be imported.

`# title`, then rounds: `## 2026-01-14 14:03`, the question, and `### model` before each reply.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "conversations"
#: What a model takes to answer, as far as the dates of messages go.
ANSWERED_AFTER = timedelta(seconds=40)
ROUND = re.compile(r"^## (.+)$", re.MULTILINE)
REPLY = re.compile(r"^### (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Said:
    """What one speaker said; the person who asks is the speaker `user`."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Round:
    """A question and its replies."""

    at: datetime
    question: str
    replies: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, oldest round first."""

    title: str
    rounds: tuple[Round, ...]

    def messages(self) -> list[Said]:
        """Return everything that was said, in order."""
        return [said for one in self.rounds for said in (Said("user", one.question), *one.replies)]


def conversations() -> tuple[Conversation, ...]:
    """Return every conversation, by the name of its file."""
    return tuple(read(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.md")))


def read(text: str) -> Conversation:
    """Read a conversation as it is written by hand."""
    head, *parts = ROUND.split(text)
    rounds = (round_of(when, body) for when, body in zip(parts[::2], parts[1::2], strict=True))
    return Conversation(head.strip().removeprefix("# "), tuple(rounds))


def round_of(when: str, body: str) -> Round:
    """Read one round."""
    question, *parts = REPLY.split(body)
    replies = (Said(name, said.strip()) for name, said in zip(parts[::2], parts[1::2], strict=True))
    at = datetime.strptime(when, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    return Round(at, question.strip(), tuple(replies))


def document(conversation: Conversation) -> Json:
    """Return a conversation in the form of an export, to be imported."""
    rounds: list[Json] = []
    for number, one in enumerate(conversation.rounds, 1):
        parent = rounds[-1]["question"]["ref"] if rounds else None
        rounds.append(round_document(one, number=number, parent=parent, before=written(rounds)))
    return {
        "format": "tertulia.conversation",
        "version": 1,
        "title": conversation.title,
        "title_by": "person",
        "anchor": {"kind": "project"},
        "visibility": "private",
        "created_at": moment(conversation.rounds[0].at),
        "updated_at": moment(conversation.rounds[-1].at),
        "head": rounds[-1]["ref"],
        "rounds": rounds,
    }


def round_document(one: Round, *, number: int, parent: str | None, before: int) -> Json:
    """Return a round in the form of an export; `before` messages were written before it."""
    replies = [
        reply_document(said, ref=f"m{before + place + 1}", at=one.at + place * ANSWERED_AFTER)
        for place, said in enumerate(one.replies, 1)
    ]
    return {
        "ref": f"r{number}",
        "parent": parent,
        "policy": "everyone",
        "created_at": moment(one.at),
        "question": {"ref": f"m{before + 1}", "content": one.question},
        "replies": replies,
    }


def reply_document(said: Said, *, ref: str, at: datetime) -> Json:
    """Return a reply in the form of an export."""
    return {
        "ref": ref,
        "lane": said.speaker,
        "model": said.speaker,
        "kind": "answer",
        "attempt": 1,
        "status": "done",
        "content": said.text,
        "created_at": moment(at),
        "finished_at": moment(at),
    }


def written(rounds: list[Json]) -> int:
    """Return how many messages rounds have."""
    return sum(1 + len(one["replies"]) for one in rounds)


def moment(at: datetime) -> str:
    """Write a moment as an export does."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
