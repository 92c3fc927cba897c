"""Reminders of events: of each time of a series, as it is moved, left out or called off."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.accounts_door import ok
from tests.clocks import Machine
from tests.reminders_world import (
    make_task,
    open_reminder_world,
    pass_minutes,
    reminders_of,
    until_settled,
    waiting,
)
from tests.world import Json, Person, World


@pytest.fixture
async def world(tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[World]:
    async with open_reminder_world(tmp_path, machine, monkeypatch) as world:
        yield world


async def make_event(person: Person, title: str = "Meeting", **fields: Any) -> Json:
    times = {"start": "2027-03-01T10:00:00+00:00", "end": "2027-03-01T11:00:00+00:00", "reminders": [10]}
    made = await person.post("/api/calendar/events", times | {"title": title} | fields)
    assert made.status_code == 201, made.text
    return made.json()


async def times_told(person: Person) -> list[str]:
    """Return when the events begin of which somebody was reminded, the first first."""
    return sorted(one["starts_at"] for one in (await reminders_of(person))["waiting"])


async def pass_time(world: World, machine: Machine, minutes: float) -> None:
    await until_settled(world)
    pass_minutes(machine, minutes)
    await until_settled(world)


async def test_an_event_is_told_before_it_begins_to_its_owner_alone(
    world: World, ada: Person, machine: Machine
) -> None:
    bea = await world.person(role="admin", like=ada)
    event = await make_event(ada, location="Room 12")
    await pass_time(world, machine, 59)
    assert await waiting(ada) == []
    await pass_time(world, machine, 2)
    [told] = (await reminders_of(ada))["waiting"]
    assert (told["subject_id"], told["title"], told["location"]) == (event["id"], "Meeting", "Room 12")
    assert (told["kind"], told["minutes"]) == ("event", 10)
    assert told["starts_at"] == "2027-03-01T10:00:00.000Z"
    assert await waiting(bea) == []


async def test_each_time_of_a_series_is_told_with_its_exceptions(
    world: World, ada: Person, machine: Machine
) -> None:
    event = await make_event(ada, rrule="FREQ=DAILY;COUNT=5")
    path = f"/api/calendar/events/{event['id']}"
    listed = ok(await ada.get("/api/calendar/events?start=2027-03-01&end=2027-03-06"))["events"]
    second, third = listed[1]["recurrence_id"], listed[2]["recurrence_id"]
    moved = {"start": "2027-03-02T15:00:00+00:00", "end": "2027-03-02T16:00:00+00:00"}
    ok(await ada.put(path, moved | {"scope": "this", "recurrence_id": second}))
    gone = await ada.client.delete(f"{path}?scope=this&recurrence_id={third}")
    assert gone.status_code in (200, 201, 204)
    for _ in range(6 * 24):
        pass_minutes(machine, 60)
        await until_settled(world)
    assert await times_told(ada) == [
        "2027-03-01T10:00:00.000Z",
        "2027-03-02T15:00:00.000Z",
        "2027-03-04T10:00:00.000Z",
        "2027-03-05T10:00:00.000Z",
    ]


async def test_an_event_that_is_moved_after_it_was_told_is_told_again(
    world: World, ada: Person, machine: Machine
) -> None:
    event = await make_event(ada)
    await pass_time(world, machine, 61)
    assert await times_told(ada) == ["2027-03-01T10:00:00.000Z"]
    later = {"start": "2027-03-01T12:00:00+00:00", "end": "2027-03-01T13:00:00+00:00"}
    ok(await ada.put(f"/api/calendar/events/{event['id']}", later))
    await until_settled(world)
    assert await times_told(ada) == []
    await pass_time(world, machine, 120)
    assert await times_told(ada) == ["2027-03-01T12:00:00.000Z"]


async def test_what_is_deleted_or_was_over_before_it_was_written_is_not_told(
    world: World, ada: Person, machine: Machine
) -> None:
    gone = await make_event(ada, "Gone")
    await make_event(ada, "Yesterday", start="2027-02-28T10:00:00+00:00", end="2027-02-28T11:00:00+00:00")
    await make_event(ada, "Soon", start="2027-03-01T08:55:00+00:00", end="2027-03-01T09:00:00+00:00")
    assert (await ada.delete(f"/api/calendar/events/{gone['id']}")).status_code in (200, 201, 204)
    await pass_time(world, machine, 90)
    assert await waiting(ada) == []


async def test_a_day_long_event_and_a_task_are_told_in_the_zone_of_the_person(
    world: World, ada: Person, machine: Machine
) -> None:
    assert (await ada.client.patch("/api/me", json={"time_zone": "America/New_York"})).status_code == 200
    day = {"start": "2027-03-02", "end": "2027-03-03", "all_day": True, "reminders": [60]}
    await make_event(ada, "Trip", **day)
    await make_task(ada, "Pack", due_date="2027-03-02")
    # It is 03:50 there: the day begins in 20 hours and ten minutes.
    await pass_time(world, machine, 19 * 60)
    assert await waiting(ada) == []
    await pass_time(world, machine, 12)
    assert [(one["title"], one["day"]) for one in (await reminders_of(ada))["waiting"]] == [
        ("Trip", "2027-03-02")
    ]
    await pass_time(world, machine, 10 * 60)
    assert sorted(await waiting(ada)) == ["Pack", "Trip"]
