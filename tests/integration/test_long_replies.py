"""A reply has an end, is kept up to there with the reason, and can be exported however long it is."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import World

MAX_CHARS = 1_000


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    env = {"TERTULIA_REPLY_MAX_CHARS": str(MAX_CHARS)}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@pytest.mark.parametrize(
    ("thinking", "reply", "kept"),
    [
        ("", ["a" * 300] * 5, MAX_CHARS),
        ("", ["a" * 5_000], MAX_CHARS),
        ("b" * 400, ["a" * 300] * 5, MAX_CHARS - 400),
        ("", ["a" * 500] * 2, MAX_CHARS),
    ],
)
async def test_a_reply_ends_at_its_limit_and_says_so(
    world: World, provider: ScriptedProvider, thinking: str, reply: list[str], kept: int
) -> None:
    provider.script("scripted-fast", Script(reply=reply, thinking=thinking))
    ada = await world.person(role="owner")
    (answer,) = (await ada.ask("At length, please."))["replies"]
    is_whole = len("".join(reply)) + len(thinking) <= MAX_CHARS
    assert answer["content"] == "a" * kept
    assert answer["status"] == ("done" if is_whole else "interrupted")
    assert (answer["error"] or {}).get("code") == (None if is_whole else "reply_too_long")


async def test_a_reply_at_its_limit_is_exported_and_continued_in_vain(
    world: World, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=["a" * 5_000]))
    ada = await world.person(role="owner")
    turn = await ada.start("At length, please.")
    (reply,) = (await ada.finished(turn))["replies"]
    exported = await ada.post(f"/api/conversations/{turn['conversation']['id']}/export")
    assert exported.json()["rounds"][0]["replies"][0]["content"] == "a" * MAX_CHARS
    again = (await ada.post(f"/api/replies/{reply['id']}/continue")).json()
    newest = (await ada.finished(again))["replies"][-1]
    assert (newest["content"], newest["error"]["code"]) == ("a" * MAX_CHARS, "reply_too_long")
