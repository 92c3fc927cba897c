"""Memories that should be looked at again, and how a person says that they still hold."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.memory_world import extract, listed, open_memory_world, remember, say
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def test_a_person_says_that_what_is_flagged_still_holds(ada: Person, world: World) -> None:
    await remember(ada, "My editor is Vim.")
    plugins = await remember(ada, "The plugin list for Vim is in dotfiles.")
    await remember(ada, "My editor is Emacs.")
    assert [memory["id"] for memory in await listed(ada, "?needs_review=true")] == [plugins["id"]]
    bea = await world.person(like=ada)
    assert (await bea.post(f"/api/memories/{plugins['id']}/confirm")).status_code == 404
    for _ in range(2):
        confirmed = ok(await ada.post(f"/api/memories/{plugins['id']}/confirm"))
        assert (confirmed["content"], confirmed["review_reason"]) == (plugins["content"], "")
    assert await listed(ada, "?needs_review=true") == []


async def test_what_waits_or_is_outdated_cannot_be_confirmed(ada: Person) -> None:
    [proposed] = await extract(ada, await say(ada, "I live in Porto. What now?"))
    old = await remember(ada, "My editor is Vim.")
    await remember(ada, "My editor is Emacs.")
    for memory in (proposed, old):
        refused = await ada.post(f"/api/memories/{memory['id']}/confirm")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "memory_unfit")
