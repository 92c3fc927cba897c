"""A real Caddy with our configuration, in front of a real server."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from tests.deploy_files import CADDY_FILES, DEPLOY
from tests.world import NO_TLS, World, free_port, read_events


@asynccontextmanager
async def run_caddy(config: Path, *upstreams: str, folder: Path) -> AsyncGenerator[str]:
    """Run Caddy over plain HTTP in front of some servers; give its address once it answers."""
    url = f"http://127.0.0.1:{free_port()}"
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "CADDY_ADMIN": f"unix/{folder}/admin.sock",
        "SITE": url,
        "UPSTREAM": upstreams[0],
        "UPSTREAMS": " ".join(upstreams),
    }
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(config)]
    with (folder / "caddy.log").open("wb") as log:
        caddy = await asyncio.create_subprocess_exec(*command, env=environment, stdout=log, stderr=log)
    try:
        async with asyncio.timeout(30), httpx2.AsyncClient(trust_env=False, verify=NO_TLS) as client:
            while not await is_answering(client, url):
                assert caddy.returncode is None, (folder / "caddy.log").read_text()
                await asyncio.sleep(0.02)
        yield url
    finally:
        caddy.kill()
        await caddy.wait()


async def is_answering(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(f"{url}/health")).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.mark.parametrize("config", CADDY_FILES, ids=lambda path: path.name)
async def test_events_come_through_as_they_are_made(config: Path, tmp_path: Path) -> None:
    async with World.open(tmp_path) as world:
        ada = await world.person()
        async with run_caddy(config, world.url.removeprefix("http://"), folder=tmp_path) as url:
            ada.client.base_url = url
            async with ada.client.stream("GET", "/api/events?after=0") as stream:
                made = (await ada.post("/api/conversations", {"title": "Gannets"})).json()
                async with asyncio.timeout(10):
                    heard = await anext(read_events(stream))
    assert heard["conversation"]["id"] == made["id"]


async def test_a_host_that_has_died_is_passed_over(tmp_path: Path) -> None:
    async with World.open(tmp_path) as world:
        upstreams = (f"127.0.0.1:{free_port()}", world.url.removeprefix("http://"))
        async with run_caddy(DEPLOY / "caddy" / "hosts.Caddyfile", *upstreams, folder=tmp_path) as url:
            client = world.client()
            answers = [await client.get(f"{url}/health") for _ in range(6)]
            await client.aclose()
    assert [answer.status_code for answer in answers] == [200] * 6
