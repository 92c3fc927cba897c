"""F1: kill -9 at random moments while several people are being answered."""

import asyncio
import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tertulia.core.ids import new_id
from tests.effort import effort
from tests.faults.listener import Listener
from tests.faults.truth import check_integrity, rows
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

WORDS = " ".join(f"wörd{number} 🦜" for number in range(30))
KILLS = effort(3)
VISITORS = 5
MODELS = ["openai/steady", "anthropic/steady", "google/steady"]
UNFINISHED = "SELECT count(*) FROM replies WHERE status IN ('queued', 'running')"


@dataclass
class Visitor:
    """Someone who asks at some moment and listens until the connection breaks."""

    person: Person
    begins: float
    key: str
    listener: Listener | None = None

    async def visit(self) -> None:
        await asyncio.sleep(self.begins)
        try:
            answered = await self.person.post("/api/turn", self.body)
        except httpx2.TransportError:
            return
        assert answered.status_code == 202, answered.text
        self.listener = Listener(self.person, answered.json())
        await self.listener.follow_until_lost()

    @property
    def body(self) -> dict[str, object]:
        return {"message": f"Question {self.key}", "models": MODELS, "idempotency_key": self.key}

    async def come_back(self) -> None:
        """Send again what was not answered; hear the rest of what was."""
        if self.listener is None:
            again = await self.person.post("/api/turn", self.body)
            assert again.status_code == 202, again.text
            self.listener = Listener(self.person, again.json())
        if not self.listener.round_closed:
            await self.listener.follow()

    async def check(self) -> None:
        assert self.listener is not None
        round_ = await self.listener.check_stored()
        assert round_["question"]["content"] == f"Question {self.key}"
        for reply in round_["replies"]:
            assert WORDS.startswith(reply["content"])
            if reply["error"] is None:
                assert (reply["status"], reply["content"]) == ("done", WORDS)
            else:
                assert reply["error"]["code"] == "server_stopped"
                assert reply["status"] == ("interrupted" if reply["content"] else "failed")


@pytest.fixture
async def server(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[ServerProcess]:
    env = {
        "TERTULIA_UTILITY_MODEL": "scripted-smart",
        "TERTULIA_BUILTIN_MODEL": "off",
        # On PostgreSQL what a killed server wrote is taken over once its lease has ended.
        "TERTULIA_LEASE_SECONDS": "3",
    }
    async with ServerProcess.running(tmp_path / "data", provider, **env) as server:
        yield server


async def test_nothing_that_was_accepted_or_seen_is_lost_whenever_the_server_dies(
    server: ServerProcess, provider: ScriptedProvider
) -> None:
    provider.script("steady", Script(reply=WORDS, first_token_seconds=0.1, tokens_per_second=50))
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    person = await server.person()
    everyone: list[Visitor] = []
    for kill in range(KILLS):
        visitors = [Visitor(person, chance.uniform(0, 1), new_id("key")) for _ in range(VISITORS)]
        visits = [asyncio.create_task(visitor.visit()) for visitor in visitors]
        await asyncio.sleep(chance.uniform(0.05, 1.6))
        server.kill()
        await asyncio.gather(*visits)
        check_integrity(server.database)
        await server.start()
        async with asyncio.timeout(15):
            await asyncio.gather(*(visitor.come_back() for visitor in visitors))
        everyone += visitors
        assert rows(server.database, UNFINISHED) == [(0,)], f"kill {kill} of seed {seed}"

    for visitor in everyone:
        await visitor.check()
    keys = rows(server.database, "SELECT key, count(*) FROM idempotency_keys GROUP BY key")
    assert dict(keys) == {visitor.key: 1 for visitor in everyone}, f"seed {seed}"
    check_integrity(server.database)
    await person.client.aclose()
