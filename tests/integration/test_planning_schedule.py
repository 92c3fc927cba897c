"""Tasks on the calendar through the API: scheduled, moved, pinned, followed, and planned again."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.accounts_door import ok, refused
from tests.search_world import until
from tests.task_world import add_project, add_task, change_task
from tests.world import Json, Person, World

from tertulia.core.clock import now

ALL_DAY = [{"start": "00:00", "end": "24:00"}]
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@pytest.fixture
async def planner(ada: Person) -> Person:
    """Somebody who works at any hour, so that it does not matter when a test runs."""
    hours = dict.fromkeys(WEEKDAYS, ALL_DAY)
    ok(await ada.put("/api/calendar/preferences", {"working_hours": hours}))
    return ada


def day(ahead: int) -> str:
    return (now() + timedelta(days=ahead)).date().isoformat()


def at(ahead: int, clock: str) -> str:
    return f"{day(ahead)}T{clock}:00+00:00"


async def schedule(person: Person, task: Json, **body: Any) -> Json:
    return ok(await person.post(f"/api/tasks/{task['id']}/schedule", body))


async def schedule_of(person: Person, task: Json) -> Json | None:
    return ok(await person.get(f"/api/tasks/{task['id']}"))["schedule"]


async def add_event(person: Person, title: str, start: str, end: str) -> Json:
    return ok(await person.post("/api/calendar/events", {"title": title, "start": start, "end": end}), 201)


async def events_of(person: Person, first: int = 0, last: int = 40) -> list[Json]:
    return ok(await person.get(f"/api/calendar/events?start={day(first)}&end={day(last)}"))["events"]


async def follows(person: Person, task: Json, holds: Callable[[Json | None], bool]) -> None:
    """Wait until what follows from a task is done."""

    async def look() -> bool:
        return holds(await schedule_of(person, task))

    await until(look)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.both_engines
async def test_a_task_is_put_on_the_calendar_at_a_time(planner: Person) -> None:
    task = await add_task(planner, "Write the report", duration_minutes=90)
    made = await schedule(planner, task, start=at(3, "10:00"))
    assert (made["event"]["title"], made["event"]["task_id"]) == ("Write the report", task["id"])
    assert moment(made["event"]["end"]) - moment(made["event"]["start"]) == timedelta(minutes=90)
    shown = made["task"]["schedule"]
    assert (shown["event_id"], shown["pinned"]) == (made["event"]["id"], False)
    assert moment(shown["start"]) == moment(at(3, "10:00"))
    moved = await schedule(planner, task, start=at(4, "12:00"), duration_minutes=30, pinned=True)
    assert moved["event"]["id"] == made["event"]["id"], "the event that it has is moved"
    assert moved["task"]["schedule"]["pinned"] is True
    assert len(await events_of(planner)) == 1


async def test_a_time_in_words_is_one_in_the_persons_zone(planner: Person) -> None:
    task = await add_task(planner, "Call")
    made = await schedule(planner, task, start="tomorrow at 15:00")
    assert moment(made["event"]["start"]) == moment(at(1, "15:00"))
    refused(
        await planner.post(f"/api/tasks/{task['id']}/schedule", {"start": "some day"}), 422, "time_unreadable"
    )


async def test_a_time_that_is_taken_is_refused_with_what_lies_there(planner: Person) -> None:
    await add_event(planner, "Team meeting", at(2, "10:00"), at(2, "11:00"))
    task = await add_task(planner, "Write")
    answer = await planner.post(f"/api/tasks/{task['id']}/schedule", {"start": at(2, "10:30")})
    refused(answer, 409, "time_taken")
    error = answer.json()["error"]
    assert "Team meeting" in error["message"]
    assert [event["title"] for event in error["data"]["in_the_way"]] == ["Team meeting"]
    await schedule(planner, task, start=at(2, "11:00"), duration_minutes=30)
    assert await schedule(planner, task, start=at(2, "10:30"), allow_overlap=True)


async def test_without_a_time_the_first_slot_that_is_free_and_liked_is_taken(planner: Person) -> None:
    ok(await planner.put("/api/calendar/preferences", {"preferred_times": ["afternoon"]}))
    await add_event(planner, "Lunch", at(1, "12:00"), at(1, "13:20"))
    task = await add_task(planner, "Write", duration_minutes=60, start_date=day(1), due_date=day(2))
    assert moment((await schedule(planner, task))["event"]["start"]) == moment(at(1, "13:20"))
    morning = await schedule(planner, task, preferred_time="morning")
    assert moment(morning["event"]["start"]) == moment(at(1, "00:00"))


async def test_where_nothing_is_free_a_sentence_says_so(planner: Person) -> None:
    await add_event(planner, "Fair", at(1, "00:00"), at(2, "00:00"))
    task = await add_task(planner, "Write", start_date=day(1), due_date=day(1))
    refused(await planner.post(f"/api/tasks/{task['id']}/schedule", {}), 409, "no_slot_free")


@pytest.mark.both_engines
async def test_a_moved_or_deleted_event_is_the_tasks_too(planner: Person) -> None:
    task = await add_task(planner, "Write")
    event = (await schedule(planner, task, start=at(2, "10:00")))["event"]
    change = {"start": at(5, "08:00"), "end": at(5, "09:00"), "revision": event["revision"]}
    ok(await planner.put(f"/api/calendar/events/{event['id']}", change))
    shown = await schedule_of(planner, task)
    assert shown is not None
    assert moment(shown["start"]) == moment(at(5, "08:00"))
    ok(await planner.delete(f"/api/calendar/events/{event['id']}"))
    assert await schedule_of(planner, task) is None


async def test_a_task_is_taken_off_the_calendar_and_brought_back(planner: Person) -> None:
    task = await add_task(planner, "Write")
    await schedule(planner, task, start=at(2, "10:00"))
    deletion = ok(await planner.delete(f"/api/tasks/{task['id']}/schedule"))
    assert await schedule_of(planner, task) is None
    assert await events_of(planner) == []
    assert (await planner.post(f"/api/deletions/{deletion['id']}/restore")).status_code == 204
    assert await schedule_of(planner, task) is not None
    ok(await planner.delete(f"/api/tasks/{task['id']}/schedule"))
    assert (await planner.delete(f"/api/tasks/{task['id']}/schedule")).status_code == 404


@pytest.mark.both_engines
async def test_a_task_that_is_done_leaves_the_calendar_and_comes_back_with_the_undo(planner: Person) -> None:
    task = await add_task(planner, "Write")
    await schedule(planner, task, start=at(2, "10:00"))
    await change_task(planner, task, status="done")
    await follows(planner, task, lambda found: found is None)
    refused(await planner.post(f"/api/tasks/{task['id']}/schedule", {}), 409, "schedule_unfit")
    await change_task(planner, task, status="in_progress")
    await follows(planner, task, lambda found: found is not None)
    assert [event["title"] for event in await events_of(planner)] == ["Write"]


@pytest.mark.both_engines
async def test_a_deleted_task_leaves_every_calendar_and_is_restored_to_them(
    planner: Person, world: World
) -> None:
    bea = await world.person(like=planner)
    project = await add_project(planner)
    task = await add_task(planner, "Write", project_id=project["id"])
    for person in (planner, bea):
        await schedule(person, task, start=at(2, "10:00"))
    deletion = ok(await planner.delete(f"/api/tasks/{task['id']}"))

    async def are_gone() -> bool:
        return not await events_of(planner) and not await events_of(bea)

    await until(are_gone)
    assert (await planner.post(f"/api/deletions/{deletion['id']}/restore")).status_code == 204
    await follows(planner, task, lambda found: found is not None)
    await follows(bea, task, lambda found: found is not None)


async def test_each_person_has_a_project_task_on_a_calendar_of_their_own(
    planner: Person, world: World
) -> None:
    bea = await world.person(like=planner)
    project = await add_project(planner)
    task = await add_task(planner, "Write", project_id=project["id"])
    await schedule(planner, task, start=at(2, "10:00"))
    assert await schedule_of(bea, task) is None
    assert await events_of(bea) == []
    await schedule(bea, task, start=at(3, "10:00"))
    mine = await schedule_of(planner, task)
    assert mine is not None
    assert moment(mine["start"]) == moment(at(2, "10:00"))


@pytest.mark.both_engines
async def test_planning_again_moves_what_overlaps_and_is_one_undo(planner: Person) -> None:
    ok(
        await planner.put(
            "/api/calendar/preferences",
            {"working_hours": {name: [{"start": "09:00", "end": "17:00"}] for name in WEEKDAYS}},
        )
    )
    kept = await add_task(planner, "Pinned")
    await schedule(planner, kept, start=at(2, "10:00"), pinned=True)
    moved = await add_task(planner, "Moved", start_date=day(2), duration_minutes=60)
    await schedule(planner, moved, start=at(2, "14:00"))
    stays = await add_task(planner, "Stays", duration_minutes=60)
    await schedule(planner, stays, start=at(3, "14:00"))
    await add_event(planner, "Dentist", at(2, "13:30"), at(2, "15:00"))
    await add_event(planner, "Visit", at(2, "10:00"), at(2, "10:30"))

    tried = ok(await planner.post("/api/calendar/replan", {"dry_run": True}))
    assert tried["id"] is None
    done = ok(await planner.post("/api/calendar/replan", {}))
    assert done["moves"] == tried["moves"]
    (move,) = done["moves"]
    assert (move["task_id"], move["title"], move["reason"]) == (
        moved["id"],
        "Moved",
        "“Dentist” is at the same time.",
    )
    assert moment(move["from"]["start"]) == moment(at(2, "14:00"))
    assert moment(move["to"]["start"]) == moment(at(2, "09:00"))
    shown = await schedule_of(planner, moved)
    assert shown is not None
    assert moment(shown["start"]) == moment(at(2, "09:00"))
    assert ok(await planner.post("/api/calendar/replan", {}))["moves"] == []

    undone = ok(await planner.post(f"/api/calendar/replans/{done['id']}/undo"))
    assert [back["task_id"] for back in undone["moves"]] == [moved["id"]]
    shown = await schedule_of(planner, moved)
    assert shown is not None
    assert moment(shown["start"]) == moment(at(2, "14:00"))
    refused(await planner.post(f"/api/calendar/replans/{done['id']}/undo"), 409, "replan_undone")


async def test_planning_again_moves_nothing_to_long_before_it_was_planned(planner: Person) -> None:
    tree = await add_task(planner, "Buy the tree", duration_minutes=60)
    await schedule(planner, tree, start=at(20, "10:00"))
    due = await add_task(planner, "Send the cards", due_date=day(20), duration_minutes=60)
    await schedule(planner, due, start=at(20, "22:00"))
    await add_event(planner, "Fire drill", at(20, "00:00"), at(21, "00:00"))
    moves = {move["title"]: move for move in ok(await planner.post("/api/calendar/replan"))["moves"]}
    assert moment(moves["Buy the tree"]["to"]["start"]) == moment(at(21, "00:00"))
    assert moment(moves["Send the cards"]["to"]["end"]) <= moment(at(20, "00:00"))


async def test_planning_again_moves_what_is_too_late_too_early_or_in_the_way(planner: Person) -> None:
    late = await add_task(planner, "Late", due_date=day(2), duration_minutes=60)
    await schedule(planner, late, start=at(4, "10:00"))
    early = await add_task(planner, "Early", start_date=day(6), duration_minutes=60)
    await schedule(planner, early, start=at(3, "10:00"))
    first = await add_task(planner, "First", priority="high", duration_minutes=60)
    second = await add_task(planner, "Second", priority="low", duration_minutes=60)
    for task in (second, first):
        await schedule(planner, task, start=at(5, "10:00"), allow_overlap=True)
    moves = {move["title"]: move for move in ok(await planner.post("/api/calendar/replan"))["moves"]}
    assert moves.keys() == {"Late", "Early", "Second"}
    assert moves["Late"]["reason"].startswith("It is due on ")
    assert moment(moves["Late"]["to"]["end"]) <= moment(at(3, "00:00"))
    assert moves["Early"]["reason"].startswith("It cannot begin before ")
    assert moment(moves["Early"]["to"]["start"]) >= moment(at(6, "00:00"))
    assert moves["Second"]["reason"] == "“First” is at the same time."
    places = [(moment(move["to"]["start"]), moment(move["to"]["end"])) for move in moves.values()]
    assert all(one == other or one[1] <= other[0] or other[1] <= one[0] for one in places for other in places)


async def test_an_undo_leaves_alone_what_was_moved_since(planner: Person) -> None:
    task = await add_task(planner, "Write", duration_minutes=60)
    event = (await schedule(planner, task, start=at(2, "10:00")))["event"]
    await add_event(planner, "Dentist", at(2, "10:00"), at(2, "11:00"))
    done = ok(await planner.post("/api/calendar/replan", {}))
    assert len(done["moves"]) == 1
    ok(
        await planner.put(
            f"/api/calendar/events/{event['id']}", {"start": at(9, "10:00"), "end": at(9, "11:00")}
        )
    )
    assert ok(await planner.post(f"/api/calendar/replans/{done['id']}/undo"))["moves"] == []
    shown = await schedule_of(planner, task)
    assert shown is not None
    assert moment(shown["start"]) == moment(at(9, "10:00"))


@pytest.mark.both_engines
async def test_a_day_has_its_events_tasks_and_suggestions(planner: Person, world: World) -> None:
    bea = await world.person(like=planner)
    await add_event(planner, "Breakfast", at(1, "07:00"), at(1, "08:00"))
    await add_event(planner, "Elsewhere", at(2, "07:00"), at(2, "08:00"))
    due = await add_task(planner, "Due", due_date=day(1), duration_minutes=60)
    placed = await add_task(planner, "Placed", due_date=day(1), duration_minutes=60)
    await schedule(planner, placed, start=at(1, "08:00"))
    await add_task(planner, "Vague", due_date=day(1))
    late = await add_task(planner, "Late", due_date=day(-1), duration_minutes=30)
    await add_task(planner, "Done", due_date=day(1), status="done")
    project = await add_project(planner)
    await add_task(
        planner, "Bea's", due_date=day(1), project_id=project["id"], assignee_id=bea.principal.user_id
    )
    found = ok(await planner.get(f"/api/today?date={day(1)}"))
    assert (found["date"], found["weekday"]) == (day(1), f"{now() + timedelta(days=1):%A}")
    assert [event["title"] for event in found["events"]] == ["Breakfast", "Placed"]
    assert [task["title"] for task in found["tasks"]] == ["Due", "Placed", "Vague"]
    assert [task["title"] for task in found["overdue"]] == ["Late"]
    assert [(slot["task_id"], slot["start"], slot["end"]) for slot in found["slots"]] == [
        (late["id"], at(1, "00:00"), at(1, "00:30")),
        (due["id"], at(1, "00:30"), at(1, "01:30")),
    ]
    assert ok(await planner.get("/api/today"))["date"] == day(0)
    assert (await planner.get("/api/today?date=someday")).status_code == 422
