"""An event stream ends by itself, or with its listener, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncGenerator, Collection
from typing import cast

import pytest
from starlette.types import Message

from tertulia.core.errors import NotFound, NotSignedIn, TertuliaError
from tertulia.infra.events import EventEntry
from tertulia.infra.events.log import Listener
from tertulia.live.event_stream import EventStreamResponse, SubscriptionCheck, filter_allowed

SCOPE = {"type": "http"}


async def listen_for_ever() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_stream_is_let_go_of_once_nobody_listens() -> None:
    heard, ended = asyncio.Event(), asyncio.Event()

    async def frames() -> AsyncGenerator[bytes, None]:
        try:
            yield b"first"
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def receive() -> Message:
        await heard.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message.get("body") == b"first":
            heard.set()

    before = asyncio.all_tasks()
    await EventStreamResponse(frames())(SCOPE, receive, send)

    assert ended.is_set()
    assert asyncio.all_tasks() == before


async def test_a_stream_that_ends_by_itself_is_sent_whole() -> None:
    sent: list[Message] = []

    async def frames() -> AsyncGenerator[bytes, None]:
        yield b"all"

    async def send(message: Message) -> None:
        sent.append(message)

    await EventStreamResponse(frames())(SCOPE, listen_for_ever, send)

    assert [(message.get("body"), message.get("more_body")) for message in sent[1:]] == [
        (b"all", True),
        (b"", False),
    ]


async def test_a_failure_of_a_stream_is_raised() -> None:
    async def frames() -> AsyncGenerator[bytes, None]:
        yield b"first"
        raise LookupError

    async def send(_: Message) -> None:
        pass

    with pytest.raises(LookupError):
        await EventStreamResponse(frames())(SCOPE, listen_for_ever, send)


WORDS = EventEntry("cnv_1", 4, '{"type":"reply.text"}')
END = EventEntry("cnv_1", 6, '{"type":"conversation.deleted"}')


class ScriptedListener:
    """A listener who is given one slice after the other, and waits in between."""

    def __init__(self, *slices: list[EventEntry]) -> None:
        self._slices = list(slices)

    async def read_topic(self, topic: str) -> list[EventEntry]:
        return self._slices.pop(0) if self._slices else []

    async def wait(self, seconds: float) -> bool:
        await asyncio.sleep(0 if self._slices else seconds)
        return bool(self._slices)


def refuse(error: type[TertuliaError]) -> SubscriptionCheck:
    async def check(_: Collection[str]) -> None:
        raise error("conversation")

    return check


@pytest.mark.parametrize(
    ("slices", "heard"),
    [([[], [WORDS], [END]], [END]), ([[WORDS]], []), ([], [])],
    ids=["it ends a little later", "access ended otherwise", "nothing more comes"],
)
async def test_the_end_of_a_topic_is_heard_though_its_last_words_are_not(
    slices: list[list[EventEntry]], heard: list[EventEntry]
) -> None:
    listener = cast("Listener", ScriptedListener(*slices))
    assert await filter_allowed([WORDS], listener, refuse(NotFound)) == heard


async def test_whoever_may_not_act_any_more_hears_nothing() -> None:
    listener = cast("Listener", ScriptedListener([END]))
    assert await filter_allowed([WORDS], listener, refuse(NotSignedIn)) == []
