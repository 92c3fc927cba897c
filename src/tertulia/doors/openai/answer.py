"""From the events of a round to OpenAI's answers: pieces of a stream, or one whole."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tertulia.conversations.events import (
    ReplyClosed,
    ReplyText,
    ReplyThinking,
    decode,
)
from tertulia.core.errors import Unavailable
from tertulia.infra.events import EventLog

LENGTH_CODES = ("reply_cut_at_limit",)
#: Raises when the program may, at this moment, hear nothing of the conversation.
Check = Callable[[], Awaitable[None]]


class AllFailed(Unavailable):
    """No model of the table said anything."""

    code = "upstream_failed"


@dataclass(slots=True)
class Lane:
    """What one reply has said, and how much of it was handed on."""

    model: str
    text: str = ""
    thinking: str = ""
    reply: dict[str, Any] | None = None
    _handed_on: tuple[int, int] = (0, 0)

    def take(self) -> "Piece":
        """Return what was not handed on yet."""
        text, thinking = self._handed_on
        self._handed_on = len(self.text), len(self.thinking)
        return Piece(self.text[text:], self.thinking[thinking:])


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text or thinking to hand on."""

    text: str = ""
    thinking: str = ""


@dataclass(slots=True)
class Answer:
    """All lanes of a round as one text: a single model's as it is, several under their names, in turn."""

    lanes: dict[str, Lane]
    spoken: list[Piece] = field(default_factory=list[Piece])
    _turn: int = -1

    @property
    def text(self) -> str:
        """Return the whole text handed on so far."""
        return "".join(piece.text for piece in self.spoken)

    @property
    def thinking(self) -> str:
        """Return the whole thinking handed on so far."""
        return "".join(piece.thinking for piece in self.spoken)

    @property
    def is_final(self) -> bool:
        """Tell whether nothing more will come."""
        return all(lane.reply is not None for lane in self.lanes.values())

    @property
    def usage(self) -> dict[str, Any]:
        """Return the tokens of all lanes together, in OpenAI's words."""
        used = [lane.reply["usage"] for lane in self.lanes.values() if lane.reply and lane.reply["usage"]]
        total = {name: sum(one[name] for one in used) for name in ("input", "output", "cached", "thinking")}
        return {
            "prompt_tokens": total["input"],
            "completion_tokens": total["output"],
            "total_tokens": total["input"] + total["output"],
            "prompt_tokens_details": {"cached_tokens": total["cached"]},
            "completion_tokens_details": {"reasoning_tokens": total["thinking"]},
        }

    @property
    def finish_reason(self) -> str:
        """Return why it ended, in OpenAI's words."""
        codes = [problem["code"] for problem in self.problems]
        return "length" if any(code in LENGTH_CODES for code in codes) else "stop"

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Return what went wrong in each lane that failed."""
        return [lane.reply["error"] for lane in self.lanes.values() if lane.reply and lane.reply["error"]]

    def listen_to(self, lanes: dict[str, Lane]) -> None:
        """Forget what was said and listen to other lanes instead."""
        self.lanes = lanes
        self.spoken.clear()
        self._turn = -1

    def check_said_something(self) -> None:
        """Raise the first lane's problem when nobody said anything."""
        if self.problems and not any(lane.text or lane.thinking for lane in self.lanes.values()):
            raise AllFailed(self.problems[0]["message"], reason=self.problems[0]["code"])

    async def follow(
        self, log: EventLog, topic: str, after: int, *, check: Check
    ) -> AsyncGenerator[Piece, None]:
        """Yield what is to be handed on until every lane is final, for as long as `check` lets it."""
        if self.is_final:
            for piece in self._next_pieces():
                self.spoken.append(piece)
                yield piece
            return
        async with aclosing(log.follow(topic, after, idle_seconds=60)) as batches:
            async for entries in batches:
                # Asked after the entries were read: whatever was written after access ended is not sent.
                await check()
                for entry in entries:
                    self._take_in(decode(entry.body))
                for piece in self._next_pieces():
                    self.spoken.append(piece)
                    yield piece
                if self.is_final:
                    return

    def _take_in(self, event: Any) -> None:
        match event:
            case ReplyText(reply_id=reply_id, text=text) if reply_id in self.lanes:
                self.lanes[reply_id].text += text
            case ReplyThinking(reply_id=reply_id, text=text) if reply_id in self.lanes:
                self.lanes[reply_id].thinking += text
            case ReplyClosed(reply=reply) if reply["id"] in self.lanes:
                self.lanes[reply["id"]].reply = reply
            case _:
                pass

    def _next_pieces(self) -> list[Piece]:
        """Return what may be handed on now: the lane whose turn it is speaks live, the others wait."""
        lanes = list(self.lanes.values())
        pieces: list[Piece] = []
        while self._turn < len(lanes):
            if self._turn >= 0:
                pieces.append(lanes[self._turn].take())
                if lanes[self._turn].reply is None:
                    break
            self._turn += 1
            if len(lanes) > 1 and self._turn < len(lanes):
                pieces.append(Piece(heading(lanes[self._turn].model, first=self._turn == 0)))
        return [piece for piece in pieces if piece.text or piece.thinking]


def heading(model: str, *, first: bool) -> str:
    """Return the name that stands over one model's reply."""
    return f"**{model}**\n\n" if first else f"\n\n**{model}**\n\n"


@dataclass(frozen=True, slots=True)
class Frame:
    """What every piece of one OpenAI answer says about it."""

    id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))

    def chunk(self, delta: dict[str, Any], *, finish: str | None = None) -> bytes:
        """Return one event of a stream."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return self._event({"choices": [choice]})

    def piece(self, piece: Piece) -> bytes:
        """Return a piece as one event."""
        delta = {"content": piece.text} if piece.text else {}
        if piece.thinking:
            delta["reasoning_content"] = piece.thinking
        return self.chunk(delta)

    def usage(self, answer: Answer) -> bytes:
        """Return the event that tells the tokens used."""
        return self._event({"choices": [], "usage": answer.usage})

    def whole(self, answer: Answer) -> dict[str, Any]:
        """Return the answer in one piece, with each model's own reply beside it."""
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.thinking:
            message["reasoning_content"] = answer.thinking
        replies = [
            {"model": lane.model, "content": lane.text, "error": (lane.reply or {}).get("error")}
            for lane in answer.lanes.values()
        ]
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
            "usage": answer.usage,
            "tertulia": {"replies": replies},
        }

    def _event(self, rest: dict[str, Any]) -> bytes:
        head = {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
        }
        return b"data: " + msgspec.json.encode(head | rest) + b"\n\n"
