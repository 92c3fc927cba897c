"""The scripted provider ends in good order, wherever its test stands."""

import asyncio
from contextlib import suppress

from tests.scripted_provider import ScriptedProvider


async def test_a_provider_with_an_open_connection_ends_within_a_running_loop() -> None:
    with ScriptedProvider.running() as provider:
        reader, writer = await asyncio.open_connection("127.0.0.1", provider.port)
        writer.write(b"POST /v1/chat/completions HTTP/1.1\r\n")
        await writer.drain()
        assert provider.wait_for(lambda: len(asyncio.all_tasks(provider._loop)) > 0)
    # What it had not read yet makes the end of a connection a reset.
    with suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()
