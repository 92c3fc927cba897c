"""Deleted tasks are found nowhere at once, come back within a short time, and are gone for good after it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok, refused
from tests.faults.truth import tables_with
from tests.memory_world import open_memory_world
from tests.scripted_provider import ScriptedProvider
from tests.search_world import hits, indexed, rows, until
from tests.task_world import add_phase, add_project, add_task, change_task, list_tasks, list_titles
from tests.world import Json, Person, World

pytestmark = pytest.mark.both_engines

CANARY = "kookaburra"
OF_TASKS = {"kinds": ["task"]}


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def count_rows(world: World) -> dict[str, int]:
    """Return how many rows the tables of tasks have."""
    tables = ("tasks", "phases", "task_links", "task_changes")
    return await world.db.read(
        lambda tx: {table: tx.value(f"SELECT count(*) FROM {table}") for table in tables}, by=None
    )


async def found_ids(person: Person, query: str, project: Json | None = None) -> list[str]:
    """Return the tasks that a search finds."""
    found = await hits(person, query, project["id"] if project else None, filter=OF_TASKS)
    return [hit["location"]["task_id"] for hit in found]


async def test_tasks_are_found_by_those_whose_they_are(ada: Person, world: World) -> None:
    bob = await world.person(like=ada)
    house, boat = await add_project(ada), await add_project(ada, "Boat")
    shared = await add_task(
        ada, "Tile the roof", description="Slate, not clay.", project_id=house["id"], tags=["weekend"]
    )
    own = await add_task(ada, "Ask about slate")
    await indexed(world)
    (hit,) = await hits(bob, "slate", filter=OF_TASKS)
    assert (hit["kind"], hit["source_id"], hit["project_id"]) == ("task", shared["id"], house["id"])
    assert hit["content"] == "Tile the roof\n\nSlate, not clay.\n\n#weekend"
    assert set(await found_ids(ada, "slate")) == {shared["id"], own["id"]}
    assert await found_ids(ada, "slate", house) == [shared["id"]]
    assert await found_ids(ada, "slate", boat) == []
    assert await found_ids(bob, "weekend") == [shared["id"]]
    assert await hits(bob, "slate", filter={"kinds": ["message"]}) == []

    await change_task(ada, shared, description="Clay after all.")
    await change_task(ada, own, project_id=boat["id"])
    await indexed(world)
    assert await found_ids(bob, "slate") == [own["id"]]
    await change_task(ada, own, project_id=None)
    assert await found_ids(bob, "slate") == []


async def test_what_is_deleted_is_nowhere_and_comes_back_as_it_was(ada: Person, world: World) -> None:
    bob = await world.person(like=ada)
    project = await add_project(ada)
    task = await add_task(ada, "Tile with slate", project_id=project["id"])
    await indexed(world)
    deletion = ok(await bob.delete(f"/api/tasks/{task['id']}"))
    assert await list_titles(ada) == []
    assert await found_ids(ada, "slate") == []
    for answer in (
        await ada.get(f"/api/tasks/{task['id']}"),
        await ada.put(f"/api/tasks/{task['id']}", {"title": "X"}),
        await ada.delete(f"/api/tasks/{task['id']}"),
        await ada.post(f"/api/deletions/{deletion['id']}/restore"),
    ):
        refused(answer, 404, "not_found")
    ok(await bob.post(f"/api/deletions/{deletion['id']}/restore"), 204)
    assert await list_tasks(ada) == [task]
    await indexed(world)
    assert await found_ids(ada, "slate") == [task["id"]]


async def test_after_a_while_no_trace_is_left(ada: Person, world: World, tmp_path: Path) -> None:
    project = await add_project(ada)
    index, tables = await rows(world), await count_rows(world)
    phase = await add_phase(ada, project, CANARY, description=CANARY)
    turn = await ada.start("What is there to do?")
    await ada.finished(turn)
    link = {"conversation_id": turn["conversation"]["id"]}
    texts = {"description": CANARY, "tags": [CANARY]}
    task = await add_task(ada, CANARY, rrule="FREQ=DAILY", phase_id=phase["id"], link=link, **texts)
    await change_task(ada, task, title=f"{CANARY} again", status="done")
    await indexed(world)
    assert await found_ids(ada, CANARY)
    assert tables_with(tmp_path / "data" / "tertulia.db", CANARY).keys() >= {"tasks", "task_changes"}

    ids = [task["id"] for task in await list_tasks(ada)]
    ok(await ada.post("/api/tasks/bulk-delete", {"ids": ids}))
    ok(await ada.delete(f"/api/projects/{project['id']}/phases/{phase['id']}"))
    ok(await ada.delete(f"/api/conversations/{turn['conversation']['id']}"), 204)
    assert await found_ids(ada, CANARY) == []
    await world.db.write(lambda tx: tx.run("UPDATE jobs SET run_at = 0"), by=None)

    async def is_gone() -> bool:
        return await count_rows(world) == tables

    await until(is_gone)
    # That a search was made, and how long it took, is no trace of what it found.
    assert await rows(world) | {"retrieval_metrics": 0} == index
    # The words of an index are removed from its bytes when the server is at rest.
    assert set(tables_with(tmp_path / "data" / "tertulia.db", CANARY)) <= {"chunk_words_data"}


async def test_tasks_go_with_their_project(ada: Person, world: World) -> None:
    project = await add_project(ada)
    phase = await add_phase(ada, project, "Roof")
    index, tables = await rows(world), await count_rows(world)
    task = await add_task(ada, "Tile with slate", phase_id=phase["id"])
    await change_task(ada, task, status="in_progress")
    kept = await add_task(ada, "Dentist")
    await indexed(world)
    ok(await ada.delete(f"/api/projects/{project['id']}"), 204)
    assert await list_tasks(ada) == [kept]
    assert await found_ids(ada, "slate") == []
    ok(await ada.delete(f"/api/tasks/{kept['id']}"))
    assert (await count_rows(world))["task_changes"] == tables["task_changes"] + 2
    assert (await rows(world))["sources"] == index["sources"]
