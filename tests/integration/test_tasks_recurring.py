"""A recurring task that is done makes the next one, exactly once, and takes it back when it is not done."""

import asyncio
from datetime import date, timedelta

import pytest
from tests.accounts_door import ok
from tests.task_world import add_project, add_task, change_task, list_tasks, list_titles
from tests.world import Json, Person, World

from tertulia.tasks import service
from tertulia.tasks.domain import TaskLink, TaskLinkKind

pytestmark = pytest.mark.both_engines

WEEKLY = {"rrule": "FREQ=WEEKLY;BYDAY=MO", "due_date": "2026-11-16"}


async def open_days(person: Person) -> list[str]:
    """Return the days of what is left to do."""
    return [task["due_date"] for task in await list_tasks(person, "?status=backlog&sort=due")]


async def next_of(person: Person, task: Json) -> Json:
    """Return the occurrence of a series that comes after one."""
    series = await list_tasks(person, f"?series_id={task['series_id']}&sort=newest")
    (following,) = [other for other in series if other["status"] == "backlog"]
    return following


async def test_done_makes_the_next_with_all_its_days_moved(ada: Person) -> None:
    made = await add_task(
        ada, "Water plants", **WEEKLY, start_date="2026-11-14", tags=["home"], priority="low"
    )
    assert (made["task_type"], made["series_id"]) == ("recurring", made["id"])
    await change_task(ada, made, status="done")
    following = await next_of(ada, made)
    assert following["id"] != made["id"]
    assert (following["start_date"], following["due_date"]) == ("2026-11-21", "2026-11-23")
    same = ("title", "tags", "priority", "rrule", "series_id", "task_type", "owner_id", "duration_minutes")
    assert {name: following[name] for name in same} == {name: made[name] for name in same}
    assert following["completed_at"] is None
    assert [task["id"] for task in await list_tasks(ada)] == [made["id"], following["id"]]


async def test_done_by_two_devices_at_once_makes_one_next(ada: Person, world: World) -> None:
    project = await add_project(ada)
    made = await add_task(ada, "Water plants", **WEEKLY, project_id=project["id"])
    bob = await world.person(like=ada)
    path = f"/api/tasks/{made['id']}"
    answers = await asyncio.gather(
        *(person.put(path, {"status": "done"}) for person in (ada, bob) for _ in range(5))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert await open_days(ada) == ["2026-11-23"]


async def test_not_done_after_all_takes_back_what_nobody_touched(ada: Person) -> None:
    made = await add_task(ada, "Water plants", **WEEKLY)
    for _ in range(3):
        await change_task(ada, made, status="done")
        assert await open_days(ada) == ["2026-11-23"]
        await change_task(ada, made, status="backlog")
        assert await open_days(ada) == ["2026-11-16"]

    await change_task(ada, made, status="done")
    await change_task(ada, await next_of(ada, made), description="The cactus too")
    await change_task(ada, made, status="backlog")
    assert await open_days(ada) == ["2026-11-16", "2026-11-23"], "what was written into it is kept"
    await change_task(ada, made, status="done")
    assert await open_days(ada) == ["2026-11-23"], "and there is no second one"


async def test_what_is_linked_to_a_conversation_is_not_taken_back(ada: Person, world: World) -> None:
    made = await add_task(ada, "Water plants", **WEEKLY)
    await change_task(ada, made, status="done")
    following = await next_of(ada, made)
    talk = (await ada.start("How much water?"))["conversation"]["id"]
    link, log = TaskLink(talk, kind=TaskLinkKind.ABOUT), world.server.parts.events
    await world.db.write(lambda tx: service.add_link(tx, following["id"], link, log=log), by=ada.principal)
    await change_task(ada, made, status="backlog")
    kept = ok(await ada.get(f"/api/tasks/{following['id']}"))
    assert kept["links"] == [{"conversation_id": talk, "message_id": None, "kind": "about"}]


async def test_a_next_that_was_deleted_is_not_made_again(ada: Person) -> None:
    made = await add_task(ada, "Water plants", **WEEKLY)
    await change_task(ada, made, status="done")
    deletion = ok(await ada.delete(f"/api/tasks/{(await next_of(ada, made))['id']}"))
    await change_task(ada, made, status="backlog")
    await change_task(ada, made, status="done")
    assert await open_days(ada) == []
    ok(await ada.post(f"/api/deletions/{deletion['id']}/restore"), 204)
    assert await open_days(ada) == ["2026-11-23"]


async def test_a_series_ends_where_its_rule_does(ada: Person) -> None:
    for end in ("COUNT=3", "UNTIL=20261120"):
        made = await add_task(ada, end, rrule=f"FREQ=DAILY;{end}", due_date="2026-11-18")
        for _ in range(3):
            (left,) = await list_tasks(ada, f"?series_id={made['series_id']}&status=backlog")
            await change_task(ada, left, status="done")
        assert await list_titles(ada, f"?series_id={made['series_id']}") == [end] * 3
    assert await open_days(ada) == []


async def test_a_rule_alone_says_the_first_day(ada: Person) -> None:
    made = await add_task(ada, "Pay rent", rrule="rrule:freq=monthly;bymonthday=-1")
    due = date.fromisoformat(made["due_date"])
    assert (due + timedelta(days=1)).day == 1
    assert made["rrule"] == "FREQ=MONTHLY;BYMONTHDAY=-1"


async def test_a_task_becomes_recurring_and_a_single_one_again(ada: Person) -> None:
    made = await add_task(ada, "Run", due_date="2026-11-18")
    changed = await change_task(ada, made, rrule="FREQ=DAILY;INTERVAL=2")
    assert (changed["task_type"], changed["series_id"]) == ("recurring", made["id"])
    single = await change_task(ada, made, task_type="one_off")
    assert (single["rrule"], single["series_id"]) == ("", None)
    await change_task(ada, made, status="done")
    assert await open_days(ada) == []


async def test_what_is_made_done_makes_the_next_as_well(ada: Person) -> None:
    await add_task(ada, "Water plants", **WEEKLY, status="done")
    assert await open_days(ada) == ["2026-11-23"]
