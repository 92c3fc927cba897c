"""F19: told to stop, the server finishes what it can, keeps the rest, and loses nothing."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest

from tests.faults.listener import Listener
from tests.faults.truth import check_integrity
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedProvider

WORDS = " ".join(f"word{number}" for number in range(200))
REST = " and the rest."
SHORT = " ".join(f"word{number}" for number in range(40))


@pytest.fixture
async def server(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[ServerProcess]:
    env = {"TERTULIA_DRAIN_SECONDS": "1.5", "TERTULIA_SILENCE_SECONDS": "60", "TERTULIA_BUILTIN_MODEL": "off"}
    provider.script("long", Script(reply=WORDS, tokens_per_second=30))
    provider.script("mute", Script(reply=WORDS, first_token_seconds=60), Script(reply=SHORT))
    provider.script("short", Script(reply=SHORT, tokens_per_second=60))
    async with ServerProcess.running(tmp_path / "data", provider, **env) as server:
        yield server


async def test_replies_finish_or_are_kept_and_new_questions_are_sent_away(
    server: ServerProcess, provider: ScriptedProvider
) -> None:
    ada = await server.person()
    listener = Listener(ada, await ada.start("Hello", models=["openai/long", "openai/short", "openai/mute"]))
    await listener.follow(until="reply.text", pieces=4)
    following = asyncio.create_task(listener.follow())
    ending = asyncio.create_task(asyncio.to_thread(server.terminate))
    await asyncio.sleep(0.4)
    refused = await ada.post("/api/turn", {"message": "Too late", "models": ["openai/short"]})
    read = await ada.get(f"/api/conversations/{listener.turn['conversation']['id']}")
    async with asyncio.timeout(10):
        await following
        exit_code = await ending

    assert exit_code == 0
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "shutting_down")
    assert int(refused.headers["Retry-After"]) > 0
    assert read.status_code == 200
    assert listener.round_closed, "the listener heard the end before its stream was closed"
    assert all(call.ended for call in provider.requests())
    check_integrity(server.database)

    await server.start()
    long, short, mute = (await listener.check_stored())["replies"]
    assert (short["status"], short["content"]) == ("done", SHORT)
    assert (long["status"], long["error"]["code"]) == ("interrupted", "server_stopped")
    assert WORDS.startswith(long["content"])
    assert len(long["content"]) > len(SHORT) / 2
    assert (mute["status"], mute["error"]["code"]) == ("failed", "server_stopped")
    assert (mute["content"], "kept" in mute["error"]["message"]) == ("", False)

    provider.script("long", Script(reply=REST))
    for reply, verb in ((long, "continue"), (mute, "regenerate")):
        answered = await ada.post(f"/api/replies/{reply['id']}/{verb}")
        assert answered.status_code == 202, answered.text
        [*_, newest] = (await ada.finished(answered.json()))["replies"]
        assert newest["status"] == "done"
        assert newest["content"] == (f"{long['content']}{REST}" if reply is long else SHORT)
    await ada.client.aclose()


async def test_an_idle_server_with_listeners_ends_at_once(server: ServerProcess) -> None:
    ada = await server.person()
    turn = await ada.start("Hello", models=["openai/short"])
    await ada.finished(turn)
    path = f"/api/conversations/{turn['conversation']['id']}/events"
    async with ada.client.stream("GET", path) as stream, asyncio.timeout(8):
        exit_code = await asyncio.to_thread(server.terminate)
        heard = await stream.aread()
    await ada.client.aclose()

    assert exit_code == 0
    assert b"round.closed" in heard
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"{server.url}/health", trust_env=False)
