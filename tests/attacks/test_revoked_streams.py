"""A credential that is revoked while a stream is open: nothing that is said afterwards reaches it."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import timedelta

import httpx2
import pytest
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

from tertulia.accounts import sessions
from tertulia.accounts.cookies import SESSION_COOKIE
from tertulia.accounts.domain import ClientInfo, SignInContext
from tertulia.infra.db import Tx
from tertulia.live.event_stream import HEARTBEAT_SECONDS

CREDENTIALS = ["tokens", "sessions"]
EVENT_STREAMS = ["/api/events", "/api/events?conversation={}", "/api/conversations/{}/events"]
#: How somebody may lose access, as another process would write it.
ACCESS_LOSSES = {
    "token revoked": "DELETE FROM api_tokens WHERE user_id = :me",
    "token expired": "UPDATE api_tokens SET expires_at = 1 WHERE user_id = :me",
    "member suspended": "UPDATE members SET status = 'suspended' WHERE user_id = :me",
    "member demoted": "UPDATE members SET role = 'viewer' WHERE user_id = :me",
    "member removed": "DELETE FROM members WHERE user_id = :me",
    "person suspended": "UPDATE users SET status = 'suspended' WHERE id = :me",
}
#: Said after the credential was revoked.
SECRET = "gannet-4411"
QUESTION = {"model": "scripted-fast", "messages": [{"role": "user", "content": "Hello"}]}
#: More than the buffers between a server and a client hold.
LARGE_FILE_BYTES = 20_000_000
STREAMED = QUESTION | {"stream": True}


@asynccontextmanager
async def client_with(world: World, person: Person, kind: str) -> AsyncGenerator[httpx2.AsyncClient]:
    """Give a client a credential of its own."""
    header = await (token_of(person) if kind == "tokens" else session_of(world, person))
    async with httpx2.AsyncClient(base_url=world.url, headers=header, trust_env=False, timeout=20) as client:
        yield client


async def token_of(person: Person) -> dict[str, str]:
    made = (await person.post("/api/tokens", {"name": "stolen"})).json()
    return {"authorization": f"Bearer {made['token']}"}


async def session_of(world: World, person: Person) -> dict[str, str]:
    def open_session(tx: Tx) -> str:
        user_id = person.principal.user_id
        how = SignInContext(ClientInfo("127.0.0.1"), timedelta(days=1))
        return sessions.open_session(tx, user_id, sessions.choose_membership(tx, user_id), context=how).secret

    return {"cookie": f"{SESSION_COOKIE}={await world.db.write(open_session, by=None)}"}


async def revoke(person: Person, kind: str) -> None:
    """Revoke every credential of a kind but the one that a person uses here."""
    for listed in (await person.get(f"/api/{kind}")).json()["items"]:
        if listed.get("name") != "test":
            assert (await person.delete(f"/api/{kind}/{listed['id']}")).status_code == 204


@pytest.mark.parametrize("kind", CREDENTIALS)
@pytest.mark.parametrize("path", EVENT_STREAMS)
async def test_an_event_stream_hears_nothing_after_its_credential_was_revoked(
    world: World, ada: Person, path: str, kind: str
) -> None:
    turn = await ada.start("Hello")
    await ada.finished(turn)
    conversation_id = turn["conversation"]["id"]
    other = (await ada.post("/api/conversations", {"title": "Other"})).json()
    async with client_with(world, ada, kind) as client:
        async with client.stream("GET", path.format(conversation_id)) as stream:
            lines = stream.aiter_lines()
            assert await anext(lines) == "event: ping"
            await revoke(ada, kind)
            # Deletions are told even to those who may no longer read what was deleted.
            await ada.delete(f"/api/conversations/{other['id']}")
            await ada.ask(f"The safe opens with {SECRET}", conversation_id=conversation_id)
            await ada.delete(f"/api/conversations/{conversation_id}")
            heard = "".join([line async for line in lines])
        assert (await client.get("/api/me")).status_code == 401

    assert SECRET not in heard
    assert "conversation.deleted" not in heard


@pytest.mark.parametrize("path", EVENT_STREAMS)
@pytest.mark.parametrize("loss", ACCESS_LOSSES)
async def test_an_event_stream_ends_soon_after_access_though_nothing_is_said(
    world: World, ada: Person, path: str, loss: str
) -> None:
    quiet = (await ada.post("/api/conversations", {"title": "Quiet"})).json()
    async with (
        client_with(world, ada, "tokens") as client,
        client.stream("GET", path.format(quiet["id"])) as stream,
    ):
        lines = stream.aiter_lines()
        assert await anext(lines) == "event: ping"
        # By another process: nobody here is told.
        await world.db.write(lambda tx: tx.run(ACCESS_LOSSES[loss], me=ada.principal.user_id), by=None)
        async with asyncio.timeout(HEARTBEAT_SECONDS / 2):
            await exhaust(lines)


@pytest.mark.parametrize("kind", CREDENTIALS)
@pytest.mark.parametrize("model", ["scripted-fast", "table/Merge"])
async def test_a_completion_hears_nothing_after_its_credential_was_revoked(
    world: World, ada: Person, provider: ScriptedProvider, kind: str, model: str
) -> None:
    await ada.post(
        "/api/presets",
        {"name": "Merge", "models": ["scripted-fast", "scripted-smart"], "merge_model": "scripted-fast"},
    )
    provider.script("scripted-fast", Script(reply=f"One two {SECRET} four.", pause_after=2))
    async with (
        client_with(world, ada, kind) as client,
        client.stream(
            "POST", "/v1/chat/completions", json=QUESTION | {"model": model, "stream": True}
        ) as stream,
    ):
        lines = stream.aiter_lines()
        assert "assistant" in await anext(lines)
        conversation_id = stream.headers["x-tertulia-conversation"]
        await ada.wait_for({"conversation": {"id": conversation_id}, "last_event_id": 0}, "reply.text")
        await revoke(ada, kind)
        provider.resume()
        heard = [json.loads(line[6:]) async for line in lines if line and not line.endswith("[DONE]")]

    assert SECRET not in str(heard)
    assert heard[-1]["error"]["code"] == "not_signed_in"


async def test_a_completion_in_one_piece_is_refused_once_its_credential_was_revoked(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=f"One two {SECRET} four.", pause_after=2))
    async with client_with(world, ada, "tokens") as client:
        asking = asyncio.create_task(client.post("/v1/chat/completions", json=QUESTION))
        assert await asyncio.to_thread(provider.wait_for, lambda: provider.requests("scripted-fast"))
        await revoke(ada, "tokens")
        provider.resume()
        refused = await asking

    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "not_signed_in")
    assert SECRET not in refused.text


async def test_a_completion_ends_when_its_conversation_is_deleted(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=f"One two {SECRET} four.", pause_after=2))
    asked = ada.client.stream("POST", "/v1/chat/completions", json=STREAMED)
    async with asked as stream:
        lines = stream.aiter_lines()
        assert "assistant" in await anext(lines)
        await ada.delete(f"/api/conversations/{stream.headers['x-tertulia-conversation']}")
        heard = [json.loads(line[6:]) async for line in lines if line and not line.endswith("[DONE]")]

    assert heard[-1]["error"]["code"] == "not_found"


async def check_breaks_off(client: httpx2.AsyncClient, path: str, revocation: Awaitable[object]) -> None:
    """Begin a download, take access away, and see that the server hangs up before its end."""
    async with client.stream("GET", path) as download:
        blocks = download.aiter_bytes()
        assert await anext(blocks)
        await revocation
        with pytest.raises(httpx2.RemoteProtocolError):
            await exhaust(blocks)


async def exhaust(blocks: AsyncIterator[object]) -> None:
    async for _ in blocks:
        pass


@pytest.mark.parametrize("kind", CREDENTIALS)
async def test_a_download_breaks_off_once_its_credential_was_revoked(
    world: World, ada: Person, kind: str
) -> None:
    shelf = await Shelf.of(ada)
    file = (await shelf.send(("large.bin", bytes(LARGE_FILE_BYTES))))["files"][0]
    async with client_with(world, ada, kind) as client:
        await check_breaks_off(client, f"{shelf.url}/{file['id']}/content", revoke(ada, kind))


async def test_a_download_breaks_off_once_its_file_was_deleted(ada: Person) -> None:
    shelf = await Shelf.of(ada)
    file = (await shelf.send(("large.bin", bytes(LARGE_FILE_BYTES))))["files"][0]
    await check_breaks_off(ada.client, f"{shelf.url}/{file['id']}/content", shelf.delete(file["id"]))
