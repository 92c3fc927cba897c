"""Phases put the work of a project into an order, and say how far it has come."""

import pytest
from tests.accounts_door import ok, refused
from tests.task_world import add_phase, add_project, add_task, change_task, list_titles
from tests.world import Json, Person

pytestmark = pytest.mark.both_engines


def path_of(project: Json, phase: Json | None = None) -> str:
    return f"/api/projects/{project['id']}/phases" + (f"/{phase['id']}" if phase else "")


async def phases_of(person: Person, project: Json, query: str = "") -> list[Json]:
    return ok(await person.get(path_of(project) + query))["phases"]


async def names_of(person: Person, project: Json, query: str = "") -> list[str]:
    return [phase["name"] for phase in await phases_of(person, project, query)]


async def test_phases_are_made_changed_moved_and_counted(ada: Person) -> None:
    project = await add_project(ada)
    roof, walls, garden = [await add_phase(ada, project, name) for name in ("Roof", "Walls", "Garden")]
    changed = ok(
        await ada.put(path_of(project, roof), {"start_date": "2026-11-18", "end_date": "2026-11-30"})
    )
    assert changed == roof | {"start_date": "2026-11-18", "end_date": "2026-11-30"}
    refused(await ada.put(path_of(project, roof), {"end_date": "2026-11-17"}), 422, "dates_reversed")
    assert await phases_of(ada, project, "?limit=1") == [changed]

    ok(await ada.post(f"{path_of(project, garden)}/move", {"after": None}))
    ok(await ada.post(f"{path_of(project, roof)}/move", {"after": walls["id"]}))
    assert await names_of(ada, project) == ["Garden", "Walls", "Roof"]
    assert await names_of(ada, project, f"?after={garden['id']}&limit=1") == ["Walls"]

    for status in ("done", "backlog", "done"):
        await add_task(ada, "Tile", phase_id=roof["id"], status=status)
    last = (await phases_of(ada, project))[-1]
    assert (last["task_count"], last["done_count"]) == (3, 2)


async def test_a_phase_is_a_projects_alone(ada: Person) -> None:
    house, boat = await add_project(ada), await add_project(ada, "Boat")
    roof = await add_phase(ada, house, "Roof")
    task = await add_task(ada, "Tile", phase_id=roof["id"])
    answer = await ada.post("/api/tasks", {"title": "X", "project_id": boat["id"], "phase_id": roof["id"]})
    refused(answer, 422, "phase_elsewhere")
    refused(await ada.put(path_of(boat, roof), {"name": "X"}), 404, "not_found")
    refused(await ada.delete(path_of(boat, roof)), 404, "not_found")
    moved = await change_task(ada, task, project_id=boat["id"])
    assert (moved["project_id"], moved["phase_id"]) == (boat["id"], None)


async def test_a_deleted_phase_leaves_its_tasks_and_has_them_again_once_restored(ada: Person) -> None:
    house, boat = await add_project(ada), await add_project(ada, "Boat")
    roof = await add_phase(ada, house, "Roof")
    task, other = [await add_task(ada, title, phase_id=roof["id"]) for title in ("Tile", "Paint")]
    deletion = ok(await ada.delete(path_of(house, roof)))
    assert await names_of(ada, house) == []
    assert ok(await ada.get(f"/api/tasks/{task['id']}"))["phase_id"] is None
    assert await list_titles(ada, f"?phase_id={roof['id']}") == []
    await change_task(ada, other, project_id=boat["id"])
    ok(await ada.post(f"/api/deletions/{deletion['id']}/restore"), 204)
    assert ok(await ada.get(f"/api/tasks/{task['id']}"))["phase_id"] == roof["id"]
    assert ok(await ada.get(f"/api/tasks/{other['id']}"))["phase_id"] is None, "it went elsewhere meanwhile"
    assert [phase["task_count"] for phase in await phases_of(ada, house)] == [1]
    assert await list_titles(ada, f"?phase_id={roof['id']}") == ["Tile"]
