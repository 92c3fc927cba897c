"""What one tab knows of a conversation: built from events alone, refusing gaps and doubles."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field

import httpx2

from tests.world import Json, Person

#: How long a test waits for a round to end.
PATIENCE = 20


@dataclass
class Listener:
    """Follows a turn; `seq` is the number to resume from, however the connection ended."""

    person: Person
    turn: Json
    seq: int = -1
    texts: dict[str, str] = field(default_factory=dict)
    closed: dict[str, Json] = field(default_factory=dict)
    round_closed: bool = False
    others: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seq = self.turn["last_event_id"]
        for reply in self.turn["round"]["replies"]:
            self.texts[reply["id"]] = reply["content"]

    def take(self, event: Json) -> None:
        """Take in the next event, and only the next."""
        assert event["seq"] == self.seq + 1, f"event {event['seq']} came after {self.seq}"
        self.seq = event["seq"]
        if event["type"] == "reply.text":
            assert event["offset"] == len(self.texts[event["reply_id"]])
            self.texts[event["reply_id"]] += event["text"]
        elif event["type"] == "reply.added":
            self.texts[event["reply"]["id"]] = event["reply"]["content"]
        elif event["type"] == "reply.closed":
            self.closed[event["reply"]["id"]] = event["reply"]
        elif event["type"] == "round.closed":
            self.round_closed = True
        else:
            self.others.append(event)

    async def follow(self, *, until: str = "round.closed", pieces: int = 1) -> None:
        """Listen from where it stopped until so many events of a kind came."""
        conversation = self.turn["conversation"]["id"]
        async with (
            asyncio.timeout(PATIENCE),
            aclosing(self.person.events(conversation, after=self.seq)) as events,
        ):
            async for event in events:
                self.take(event)
                pieces -= event["type"] == until
                if pieces == 0:
                    return

    async def follow_until_lost(self) -> None:
        """Listen until the round closes or the connection breaks."""
        try:
            await self.follow()
        except httpx2.TransportError:
            return

    async def check_stored(self) -> Json:
        """Return the round as it is stored, which is byte for byte what was heard.

        But for titles of other conversations, which may have changed since.
        """
        round_ = await self.person.round(self.turn["conversation"]["id"], self.turn["round"]["id"])
        for reply in round_["replies"]:
            assert reply["content"] == self.texts[reply["id"]], reply["lane"]
            assert without_titles(reply) == without_titles(self.closed[reply["id"]])
        return round_


def without_titles(reply: Json) -> Json:
    """Return a reply without the titles of what it was shown."""
    return reply | {"passages": [passage | {"title": ""} for passage in reply["passages"]]}
