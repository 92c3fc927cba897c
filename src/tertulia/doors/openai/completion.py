"""From the events of a round to OpenAI's answers: pieces of a stream, or one whole."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

import msgspec

from tertulia.conversations.domain import ReplyProblem
from tertulia.conversations.events import (
    EventReader,
    ReplyClosed,
    ReplyText,
    ReplyThinking,
)
from tertulia.conversations.views import ReplyView
from tertulia.core.errors import Unavailable
from tertulia.core.json_object import JsonObject
from tertulia.infra.events import EventLog

TRUNCATION_ERROR_CODES = ("reply_cut_at_limit",)
_reply_reader = EventReader(ReplyText, ReplyThinking, ReplyClosed)
#: Raises when the program may, at this moment, hear nothing of the conversation.
AccessCheck = Callable[[], Awaitable[None]]


class AllModelsFailed(Unavailable):
    """No model of the table said anything."""

    code = "upstream_failed"


@dataclass(slots=True)
class CompletionLane:
    """What one reply has said, and how much of it was handed on."""

    model: str
    text: str = ""
    thinking: str = ""
    reply: ReplyView | None = None
    _sent_chars: tuple[int, int] = (0, 0)

    def take_unsent(self) -> "CompletionPiece":
        """Return what was not handed on yet."""
        text, thinking = self._sent_chars
        self._sent_chars = len(self.text), len(self.thinking)
        return CompletionPiece(self.text[text:], self.thinking[thinking:])


@dataclass(frozen=True, slots=True)
class CompletionPiece:
    """A piece of text or thinking to hand on."""

    text: str = ""
    thinking: str = ""


@dataclass(slots=True)
class Completion:
    """All lanes of a round as one text: a single model's as it is, several under their names, in turn."""

    lanes: dict[str, CompletionLane]
    sent: list[CompletionPiece] = field(default_factory=list[CompletionPiece])
    _lane_index: int = -1

    @property
    def text(self) -> str:
        """Return the whole text handed on so far."""
        return "".join(piece.text for piece in self.sent)

    @property
    def thinking(self) -> str:
        """Return the whole thinking handed on so far."""
        return "".join(piece.thinking for piece in self.sent)

    @property
    def is_final(self) -> bool:
        """Tell whether nothing more will come."""
        return all(lane.reply is not None for lane in self.lanes.values())

    @property
    def usage(self) -> JsonObject:
        """Return the tokens of all lanes together, in OpenAI's words."""
        used = [lane.reply.usage for lane in self.lanes.values() if lane.reply and lane.reply.usage]
        prompt, completion = sum(usage.input for usage in used), sum(usage.output for usage in used)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": sum(usage.cached for usage in used)},
            "completion_tokens_details": {"reasoning_tokens": sum(usage.thinking for usage in used)},
        }

    @property
    def finish_reason(self) -> str:
        """Return why it ended, in OpenAI's words."""
        codes = [problem.code for problem in self.problems]
        return "length" if any(code in TRUNCATION_ERROR_CODES for code in codes) else "stop"

    @property
    def problems(self) -> list[ReplyProblem]:
        """Return what went wrong in each lane that failed."""
        return [lane.reply.error for lane in self.lanes.values() if lane.reply and lane.reply.error]

    def switch_lanes(self, lanes: dict[str, CompletionLane]) -> None:
        """Forget what was said and listen to other lanes instead."""
        self.lanes = lanes
        self.sent.clear()
        self._lane_index = -1

    def check_not_empty(self) -> None:
        """Raise the first lane's problem when nobody said anything."""
        if self.problems and not any(lane.text or lane.thinking for lane in self.lanes.values()):
            raise AllModelsFailed(self.problems[0].message, reason=self.problems[0].code)

    async def stream_pieces(
        self, log: EventLog, topic: str, cursor: int, *, check: AccessCheck
    ) -> AsyncGenerator[CompletionPiece, None]:
        """Yield what is to be handed on until every lane is final, for as long as `check` lets it."""
        if self.is_final:
            for piece in self._take_pieces():
                self.sent.append(piece)
                yield piece
            return
        async with aclosing(log.subscribe(topic, cursor, idle_seconds=60)) as batches:
            async for entries in batches:
                # Asked after the entries were read: whatever was written after access ended is not sent.
                await check()
                for event in _reply_reader.read(entry.body for entry in entries):
                    self._apply_event(event)
                for piece in self._take_pieces():
                    self.sent.append(piece)
                    yield piece
                if self.is_final:
                    return

    def _apply_event(self, event: ReplyText | ReplyThinking | ReplyClosed) -> None:
        match event:
            case ReplyText(reply_id=reply_id, text=text) if reply_id in self.lanes:
                self.lanes[reply_id].text += text
            case ReplyThinking(reply_id=reply_id, text=text) if reply_id in self.lanes:
                self.lanes[reply_id].thinking += text
            case ReplyClosed(reply=reply) if reply.id in self.lanes:
                self.lanes[reply.id].reply = reply
            case _:
                pass

    def _take_pieces(self) -> list[CompletionPiece]:
        """Return what may be handed on now: the lane whose turn it is speaks live, the others wait."""
        lanes = list(self.lanes.values())
        pieces: list[CompletionPiece] = []
        while self._lane_index < len(lanes):
            if self._lane_index >= 0:
                pieces.append(lanes[self._lane_index].take_unsent())
                if lanes[self._lane_index].reply is None:
                    break
            self._lane_index += 1
            if len(lanes) > 1 and self._lane_index < len(lanes):
                pieces.append(
                    CompletionPiece(lane_heading(lanes[self._lane_index].model, first=self._lane_index == 0))
                )
        return [piece for piece in pieces if piece.text or piece.thinking]


def lane_heading(model: str, *, first: bool) -> str:
    """Return the name that stands over one model's reply."""
    return f"**{model}**\n\n" if first else f"\n\n**{model}**\n\n"


@dataclass(frozen=True, slots=True)
class CompletionEncoder:
    """What every piece of one OpenAI answer says about it."""

    id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))

    def encode_chunk(self, delta: JsonObject, *, finish: str | None = None) -> bytes:
        """Return one event of a stream."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return self._encode_event({"choices": [choice]})

    def encode_piece(self, piece: CompletionPiece) -> bytes:
        """Return a piece as one event."""
        delta = {"content": piece.text} if piece.text else {}
        if piece.thinking:
            delta["reasoning_content"] = piece.thinking
        return self.encode_chunk(delta)

    def encode_usage(self, completion: Completion) -> bytes:
        """Return the event that tells the tokens used."""
        return self._encode_event({"choices": [], "usage": completion.usage})

    def encode_whole(self, completion: Completion) -> JsonObject:
        """Return the answer in one piece, with each model's own reply beside it."""
        message: JsonObject = {"role": "assistant", "content": completion.text}
        if completion.thinking:
            message["reasoning_content"] = completion.thinking
        replies = [
            {"model": lane.model, "content": lane.text, "error": lane.reply.error if lane.reply else None}
            for lane in completion.lanes.values()
        ]
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": completion.finish_reason}],
            "usage": completion.usage,
            "tertulia": {"replies": replies},
        }

    def _encode_event(self, rest: JsonObject) -> bytes:
        head = {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
        }
        return b"data: " + msgspec.json.encode(head | rest) + b"\n\n"
