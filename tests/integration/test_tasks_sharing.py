"""Whose tasks are: those of a project are every member's, all others their owner's alone."""

import asyncio

import pytest
from tests.accounts_door import ok, refused
from tests.task_world import add_phase, add_project, add_task, change_task, list_tasks, list_titles
from tests.world import Json, Person, World, read_events

from tertulia.accounts.deletion import delete_account_as_operator

pytestmark = pytest.mark.both_engines


async def feed_of(person: Person, count: int) -> list[Json]:
    """Return the first changes of tasks that a person's devices are told of."""
    heard: list[Json] = []
    async with asyncio.timeout(10), person.client.stream("GET", "/api/events?after=0") as stream:
        async for event in read_events(stream):
            heard += [event] if event["type"] == "tasks.changed" else []
            if len(heard) == count:
                break
    return heard


async def test_a_projects_tasks_are_every_members_and_others_are_nobodys_but_their_owners(
    ada: Person, world: World
) -> None:
    bob = await world.person(like=ada)
    eve = await world.person(role="owner")
    admin = await world.person(like=ada, role="admin")
    project = await add_project(ada)
    shared = await add_task(ada, "Paint", project_id=project["id"])
    own = await add_task(ada, "Dentist")
    for other in (bob, admin):
        assert await list_titles(other) == ["Paint"]
        assert (await other.get(f"/api/tasks/{own['id']}")).status_code == 404
        assert (await other.get(f"/api/tasks/{own['id']}/history")).status_code == 404
        assert (await other.post(f"/api/tasks/{shared['id']}/move", {"after": own["id"]})).status_code == 404
    assert await list_titles(eve) == []
    assert (await change_task(bob, shared, status="done"))["status"] == "done"
    refused(
        await eve.post("/api/tasks", {"title": "X", "project_id": project["id"]}),
        404,
        "not_found",
    )


async def test_a_task_moves_between_its_owner_and_a_project(ada: Person, world: World) -> None:
    bob = await world.person(like=ada)
    project = await add_project(ada)
    task = await add_task(ada, "Paint")
    await change_task(ada, task, project_id=project["id"])
    refused(await bob.put(f"/api/tasks/{task['id']}", {"project_id": None}), 409, "task_unfit")
    await change_task(bob, task, assignee_id=bob.principal.user_id)
    refused(await ada.put(f"/api/tasks/{task['id']}", {"project_id": None}), 409, "task_unfit")
    await change_task(ada, task, project_id=None, assignee_id=None)
    assert await list_titles(bob) == []
    refused(
        await ada.put(f"/api/tasks/{task['id']}", {"assignee_id": bob.principal.user_id}), 409, "task_unfit"
    )
    await change_task(ada, task, assignee_id=ada.principal.user_id)


async def test_what_a_deleted_person_planned_for_a_project_goes_on_without_them(
    ada: Person, world: World
) -> None:
    bob = await world.person(like=ada, role="owner")
    project = await add_project(ada)
    task = await add_task(
        ada,
        "Water the plants",
        project_id=project["id"],
        assignee_id=ada.principal.user_id,
        due_date="2031-05-05",
        rrule="FREQ=DAILY",
    )
    email = ok(await ada.get("/api/me"))["user"]["email"]
    await delete_account_as_operator(world.db, email=email)

    await change_task(bob, task, due_date="2031-05-06")
    await change_task(bob, task, status="done")
    assert [task["due_date"] for task in await list_tasks(bob, "?status=backlog")] == ["2031-05-07"]
    planned = "SELECT count(*) FROM reminder_plans WHERE user_id = :ada"
    assert not await world.db.read(lambda tx: tx.value(planned, ada=ada.principal.user_id), by=None)


async def test_only_members_are_assigned(ada: Person, world: World) -> None:
    eve = await world.person(role="owner")
    project = await add_project(ada)
    body = {"title": "Paint", "project_id": project["id"], "assignee_id": eve.principal.user_id}
    refused(await ada.post("/api/tasks", body), 404, "not_found")
    assert await list_tasks(ada) == []


async def test_viewers_read_what_is_shared_and_write_nothing(ada: Person, world: World) -> None:
    vic = await world.person(like=ada, role="viewer")
    project = await add_project(ada)
    phase = await add_phase(ada, project, "Roof")
    task = await add_task(ada, "Paint", phase_id=phase["id"])
    path, phases = f"/api/tasks/{task['id']}", f"/api/projects/{project['id']}/phases"
    assert ok(await vic.get(path)) == task
    assert [shown["name"] for shown in ok(await vic.get(phases))["phases"]] == ["Roof"]
    for answer in (
        await vic.post("/api/tasks", {"title": "Mine"}),
        await vic.put(path, {"title": "Mine"}),
        await vic.delete(path),
        await vic.post(f"{path}/move", {"after": None}),
        await vic.post("/api/tasks/bulk", {"ids": [task["id"]], "change": {"title": "Mine"}}),
        await vic.post("/api/tasks/bulk-delete", {"ids": [task["id"]]}),
        await vic.post(phases, {"name": "Mine"}),
        await vic.put(f"{phases}/{phase['id']}", {"name": "Mine"}),
        await vic.post(f"{phases}/{phase['id']}/move", {"after": None}),
        await vic.delete(f"{phases}/{phase['id']}"),
    ):
        refused(answer, 403, "not_allowed")
    assert await list_tasks(ada) == [task]


async def test_links_lead_only_whoever_may_go_there(ada: Person, world: World) -> None:
    bob = await world.person(like=ada)
    project = await add_project(ada)
    turn = await ada.start("What is there to paint?", project_id=project["id"])
    round_ = await ada.finished(turn)
    talk, message = turn["conversation"]["id"], round_["question"]["id"]
    link = {"conversation_id": talk.lower(), "message_id": message}
    made = await add_task(ada, "Paint", project_id=project["id"], link=link)
    assert made["links"] == [{"conversation_id": talk, "message_id": message, "kind": "created"}]
    assert await list_titles(ada, f"?conversation_id={talk}") == ["Paint"]
    (shown,) = await list_tasks(bob)
    assert shown["links"] == []
    assert await list_titles(bob, f"?conversation_id={talk}") == []
    refused(await bob.post("/api/tasks", {"title": "X", "link": link}), 404, "not_found")
    elsewhere = (await ada.start("Hello"))["conversation"]["id"]
    wrong = {"conversation_id": elsewhere, "message_id": message}
    refused(await ada.post("/api/tasks", {"title": "X", "link": wrong}), 404, "not_found")

    ok(await ada.put(f"/api/conversations/{talk}", {"visibility": "workspace"}))
    (shown,) = await list_tasks(bob)
    assert shown["links"] == made["links"]
    ok(await ada.delete(f"/api/conversations/{talk}"), 204)
    (shown,) = await list_tasks(ada)
    assert shown["links"] == []


async def test_every_device_hears_of_changes_and_none_hears_of_anothers_own(
    ada: Person, world: World
) -> None:
    bob = await world.person(like=ada)
    project = await add_project(ada)
    await add_task(ada, "Dentist")
    task = await add_task(ada, "Paint", project_id=project["id"])
    await change_task(ada, task, title="Paint it")
    await change_task(ada, task, title="Paint it")
    await change_task(ada, task, project_id=None)
    heard = [event["project_id"] for event in await feed_of(ada, 5)]
    assert heard == [None, project["id"], project["id"], project["id"], None]
    await add_phase(ada, project, "Roof")
    assert [event["project_id"] for event in await feed_of(bob, 4)] == [project["id"]] * 4
