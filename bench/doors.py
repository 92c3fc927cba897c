"""The ways to have a model speak: straight from its provider, or through Tertulia."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any

import msgspec

from bench.plan import MARK, MODEL, PAUSING_MODEL
from bench.wire import Asked, Connection, Hear

QUESTION = "What does a clock say?"
CLOSED = b'"type":"reply.closed"'
ROUND_CLOSED = b'"type":"round.closed"'


class Door(StrEnum):
    """Where a stream comes from."""

    RAW = "raw"
    TURN = "turn"
    COMPATIBLE = "compatible"
    #: A turn that is left with its first token.
    FIRST_TOKEN = "first-token"


@dataclass(slots=True)
class Heard:
    """What a client noticed of one stream."""

    began: float
    first: float = 0.0
    accepted: bool = False
    tokens: int = 0
    pieces: int = 0

    def take(self, said: bytes) -> None:
        """Count the tokens of a piece, and note when the first came."""
        found = said.count(MARK)
        if not found:
            return
        if not self.tokens:
            self.first = perf_counter()
        self.tokens += found
        self.pieces += 1


Listen = Callable[[str, str, Heard], Coroutine[Any, Any, None]]


async def through_turn(url: str, token: str, heard: Heard) -> None:
    """Ask in a new conversation and follow its events until the round is closed."""

    def hear(piece: bytes) -> bool:
        heard.take(piece.partition(CLOSED)[0])  # the closing event has the whole text once more
        return ROUND_CLOSED in piece

    await follow_turn(url, token, MODEL, heard, hear)


async def to_first_token(url: str, token: str, heard: Heard) -> None:
    """Ask in a new conversation and follow its events until the first token."""

    def hear(piece: bytes) -> bool:
        heard.take(piece)
        return heard.tokens > 0

    await follow_turn(url, token, PAUSING_MODEL, heard, hear)


async def follow_turn(url: str, token: str, model: str, heard: Heard, hear: Hear) -> None:
    """Ask one model in a new conversation and follow its events for as long as `hear` likes."""
    connection = await Connection.to(url)
    try:
        body = {"message": QUESTION, "models": [model]}
        turn = msgspec.json.decode(await connection.ask(Asked("/api/turn", token, body)))
        heard.accepted = True
        path = f"/api/conversations/{turn['conversation']['id']}/events"
        follow = Asked(path, token, headers={"last-event-id": str(turn["last_event_id"])})
        await connection.ask(follow, hear)
    finally:
        connection.close()


async def through_completions(url: str, token: str, heard: Heard) -> None:
    """Ask as clients of OpenAI do, of its own kind of server or of ours."""
    connection = await Connection.to(url)

    def hear(piece: bytes) -> bool:
        heard.accepted = True
        heard.take(piece)
        return False

    try:
        body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
        await connection.ask(Asked("/v1/chat/completions", token, body), hear)
    finally:
        connection.close()


LISTEN: dict[Door, Listen] = {
    Door.RAW: through_completions,
    Door.TURN: through_turn,
    Door.COMPATIBLE: through_completions,
    Door.FIRST_TOKEN: to_first_token,
}
