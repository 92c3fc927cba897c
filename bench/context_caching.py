"""How much of each prompt a provider finds in its cache as a conversation goes on, as receipts tell."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import Any
from urllib.request import Request

import msgspec

from bench.figures import Measure, Point
from bench.processes import ServerUnderTest, direct, running
from bench.retrieval_text import Writer
from bench.seeding import seed_person

ABOUT = "A prompt, found in a provider's cache"
ROUNDS = 12
#: At the first round there is nothing to be found.
SHOWN = (2, 6, 12)
SPEAKERS = {"Anthropic": "anthropic/scripted-smart", "OpenAI": "openai/scripted-smart"}
WAIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Talker:
    """Someone who talks to a server."""

    server: ServerUnderTest
    token: str

    def ask(self, path: str, body: object = None) -> Any:
        """Get what is at a path, or post JSON to it."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else msgspec.json.encode(body)
        with direct.open(Request(f"{self.server.url}{path}", data=data, headers=headers)) as answer:
            return msgspec.json.decode(answer.read())

    def talk(self, model: str, questions: Sequence[str]) -> list[dict[str, Any]]:
        """Ask one question after the other, and return the receipts of the replies."""
        receipts: list[dict[str, Any]] = []
        conversation: dict[str, str] = {}
        for question in questions:
            turn = self.ask("/api/turn", {"message": question, "models": [model], **conversation})
            conversation = {"conversation_id": turn["conversation"]["id"]}
            receipts.append(self.last_receipt(turn["conversation"]["id"]))
        return receipts

    def last_receipt(self, conversation_id: str) -> dict[str, Any]:
        """Wait until the last reply is done, and return its receipt."""
        began = perf_counter()
        while perf_counter() - began < WAIT_SECONDS:
            reply = self.ask(f"/api/conversations/{conversation_id}?limit=1")["rounds"][-1]["replies"][0]
            if reply["status"] == "done":
                return self.ask(f"/api/replies/{reply['id']}/receipt")
            sleep(0.02)
        raise RuntimeError("a reply did not come")


def measure(data_dir: Path, provider_url: str) -> list[Measure]:
    """Talk for a while in each format, and return the share of each prompt that was cached."""
    data_dir.mkdir()
    seeded = asyncio.run(seed_person(data_dir))
    env = {"ANTHROPIC_API_KEY": "sk-bench", "ANTHROPIC_BASE_URL": f"{provider_url}/anthropic"}
    with running(ServerUnderTest(data_dir, provider_url, env=env)) as server:
        talker = Talker(server, seeded.token)
        return [
            shares(name, talker.talk(model, [*Writer.seeded(seed).texts(ROUNDS)]))
            for seed, (name, model) in enumerate(SPEAKERS.items())
        ]


def shares(name: str, receipts: Sequence[dict[str, Any]]) -> Measure:
    """Return the share at some rounds, and of all prompts together."""
    used = [receipt["usage"] for receipt in receipts]
    whole = sum(one["cached"] for one in used) / sum(one["input"] for one in used)
    points = [Point(f"round {number}", 100 * receipts[number - 1]["cached_share"]) for number in SHOWN]
    return Measure(ABOUT, f"{name}'s format", "%", [*points, Point("all", 100 * whole)], digits=0)
