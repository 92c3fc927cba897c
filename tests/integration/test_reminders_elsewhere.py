"""What a person changes of themselves in one workspace holds for their reminders in every other."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.clocks import Machine
from tests.reminders_world import make_task, open_reminder_world, pass_minutes, until_settled, waiting
from tests.world import Person, World

pytestmark = pytest.mark.both_engines


@pytest.fixture
async def world(tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[World]:
    async with open_reminder_world(tmp_path, machine, monkeypatch) as world:
        yield world


async def move_to(person: Person, zone: str) -> None:
    ok(await person.client.patch("/api/me", json={"time_zone": zone}))


async def test_whoever_moves_is_reminded_by_their_new_clock_in_all_their_workspaces(
    world: World, ada: Person, machine: Machine
) -> None:
    there = await world.person_elsewhere(ada)
    await move_to(ada, "America/Los_Angeles")
    await make_task(there, "Water the plants")
    await until_settled(world)

    await move_to(ada, "Etc/UTC")
    await until_settled(world)
    pass_minutes(machine, 11)
    await until_settled(world)
    assert await waiting(there) == ["Water the plants"]
