"""An event stream ends by itself, or with its listener, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from starlette.types import Message

from tertulia.live.event_stream import EventStreamResponse

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
