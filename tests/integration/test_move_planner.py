"""What people planned and what is remembered of them is the same after a move to PostgreSQL, and back."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.accounts_door import ok
from tests.caldav_server import TOKEN, StandIn, event_text
from tests.calendar_world import add_event
from tests.context_world import settled
from tests.integration.test_cli_backup import tertulia
from tests.integration.test_move import url
from tests.integration.test_move_server import SECRET_KEY, environment, reopen
from tests.memory_world import extract, remember, say
from tests.planner_world import ask_and_allow, tool_call
from tests.reminders_world import Browser
from tests.scripted_provider import ScriptedProvider
from tests.search_world import until
from tests.task_world import add_phase, add_project, add_task, change_task
from tests.world import Json, Person, World

from tertulia.core.clock import now
from tertulia.reminders import loop

pytestmark = pytest.mark.postgres

__all__ = ["environment", "url"]

#: Tables of memories, profiles, entities, tasks, calendars, planning and reminders.
TABLES = (
    "brief_versions",
    "calendar_accounts",
    "calendar_objects",
    "calendar_preferences",
    "calendar_pushes",
    "calendars",
    "entities",
    "entity_mentions",
    "entity_reads",
    "event_links",
    "memories",
    "memory_preferences",
    "memory_words",
    "phases",
    "profiles",
    "push_subscriptions",
    "reminder_deliveries",
    "reminder_plans",
    "reminder_preferences",
    "reminders",
    "replans",
    "scheduled_tasks",
    "task_changes",
    "task_links",
    "tasks",
)
#: What a person is shown of them.
PATHS = (
    "/api/memories",
    "/api/memories?status=proposed",
    "/api/memories/preferences",
    "/api/memory/profile",
    "/api/memory/consent",
    "/api/tasks",
    "/api/calendars",
    "/api/calendar/accounts",
    "/api/calendar/preferences",
    "/api/reminders",
    "/api/reminders/settings",
)
WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@pytest.fixture(autouse=True)
def reminders_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "REMINDER_POLL_SECONDS", 0.02)


@pytest.fixture
def there() -> Generator[StandIn]:
    """A server of calendars."""
    with StandIn().running() as server:
        server.write("tea.ics", event_text("tea", "Tea"))
        yield server


def at(days: int, clock: str) -> str:
    return f"{(now() + timedelta(days=days)).date()}T{clock}:00+00:00"


async def fill(person: Person, provider: ScriptedProvider, there: StandIn) -> str:
    """Have a person use all of it, and return a conversation in which things were mentioned."""
    conversation = await say(person, "I prefer window seats. I live at 12 Elm Street, Springfield. 😀")
    await extract(person, conversation)
    await remember(person, "The spare key is under the ferns.", pinned=True)
    ok(await person.put("/api/memories/preferences", {"in_background": True}))
    ok(await person.put("/api/memory/consent", {"consented": True}))
    ok(await person.put("/api/memory/profile", {"freeform_notes": "Früh wach."}))
    await plan(person)
    await ask_and_allow(person, provider, tool_call("create_task", title="Read", description=""))
    day = str((now() + timedelta(days=3)).date())
    await ask_and_allow(person, provider, tool_call("create_event", title="Yoga", start_time=f"{day}T18:00"))
    body = {"kind": "caldav", "url": there.url, "token": TOKEN}
    [calendar] = ok(await person.post("/api/calendars", body), 201)["calendars"]
    ok(await person.post(f"/api/calendars/{calendar['id']}/sync"))
    await add_event(person, "Cake", at(4, "10:00"), at(4, "11:00"), calendar_id=calendar["id"])
    ok(await person.post(f"/api/calendars/{calendar['id']}/sync"))
    return conversation


async def plan(person: Person) -> None:
    """Have a person make a project with tasks, put them on the calendar, and be reminded."""
    browser = Browser("https://push.example.org/one")
    assert (await person.post("/api/reminders/push", browser.subscription)).status_code == 204
    ok(await person.put("/api/reminders/settings", {"task_time": "00:00", "channels": ["app"]}))
    hours = {day: [{"start": "00:00", "end": "24:00"}] for day in WEEK}
    ok(await person.put("/api/calendar/preferences", {"working_hours": hours, "buffer_minutes": 5}))
    project = await add_project(person)
    for brief in ("First", "Second"):
        ok(await person.put(f"/api/projects/{project['id']}", {"brief": brief}))
    phase = await add_phase(person, project, "Foundations")
    task = await add_task(person, "Dig", project_id=project["id"], phase_id=phase["id"])
    await change_task(person, task, tags=["mud"])
    ok(await person.post(f"/api/tasks/{task['id']}/schedule", {"start": at(2, "14:00")}))
    await add_event(person, "Dentist", at(2, "13:30"), at(2, "15:00"))
    ok(await person.post("/api/calendar/replan", {}))
    await add_task(person, "Every day", due_date=str(now().date()), rrule="FREQ=DAILY")
    soon = now().replace(second=0, microsecond=0) + timedelta(minutes=10)
    end = soon + timedelta(hours=1)
    await add_event(person, "Train", soon.isoformat(), end.isoformat(), reminders=[10])


async def look(person: Person, conversation: str) -> dict[str, Any]:
    """Return all that a person is shown."""
    seen = {path: ok(await person.get(path)) for path in PATHS}
    for calendar in seen["/api/calendars"]["calendars"]:
        calendar.pop("last_synced_at")  # a job may sync at any moment
    for task in seen["/api/tasks"]["tasks"]:
        path = f"/api/tasks/{task['id']}/history"
        seen[path] = ok(await person.get(path))
    for project in ok(await person.get("/api/projects"))["projects"]:
        for part in ("phases", "brief-versions"):
            path = f"/api/projects/{project['id']}/{part}"
            seen[path] = ok(await person.get(path))
    for calendar in seen["/api/calendars"]["calendars"]:
        path = f"/api/calendars/{calendar['id']}/export"
        seen[path] = (await person.get(path)).text
    for part in ("entities", "created"):
        seen[part] = ok(await person.get(f"/api/conversations/{conversation}/{part}"))
    days = f"start={now().date()}&end={(now() + timedelta(days=9)).date()}"
    seen["events"] = ok(await person.get(f"/api/calendar/events?{days}"))
    return seen


async def reminded(person: Person) -> None:
    async def look() -> list[Json]:
        return ok(await person.get("/api/reminders"))["waiting"]

    await until(look)


def empty_tables(path: Path) -> list[str]:
    connection = apsw.Connection(str(path))
    empty = [table for table in TABLES if not connection.execute(f"SELECT count(*) FROM {table}").get]
    connection.close()
    return empty


async def test_plans_and_memories_move_with_everything_else(
    tmp_path: Path, provider: ScriptedProvider, url: str, environment: dict[str, str], there: StandIn
) -> None:
    data = tmp_path / "data"
    async with World.open(data, provider=provider, TERTULIA_SECRET_KEY=SECRET_KEY) as world:
        ada = await world.person(role="owner")
        conversation = await fill(ada, provider, there)
        await reminded(ada)
        await settled(world, "entities")
        before = await look(ada, conversation)
    assert empty_tables(data / "tertulia.db") == []

    assert (await tertulia("move", "--to", url)).exit_code == 0
    async with reopen(data, provider, ada, DATABASE_URL=url, TERTULIA_SECRET_KEY=SECRET_KEY) as moved:
        assert await look(moved, conversation) == before
        calendars = before["/api/calendars"]["calendars"]
        [synced] = [calendar["id"] for calendar in calendars if calendar["kind"] == "caldav"]
        ok(await moved.post(f"/api/calendars/{synced}/sync"))

    (data / "tertulia.db").rename(tmp_path / "old.db")
    back = await tertulia("move", "--from", url, "--to", data / "tertulia.db")
    assert back.exit_code == 0, back.exception
    assert empty_tables(data / "tertulia.db") == []
    async with reopen(data, provider, ada, TERTULIA_SECRET_KEY=SECRET_KEY) as returned:
        assert await look(returned, conversation) == before
