"""Tasks through the API: made, changed, listed, and put into an order."""

from typing import Any

import pytest
from tests.accounts_door import ok, refused
from tests.task_world import add_phase, add_project, add_task, change_task, list_tasks, list_titles
from tests.world import Json, Person

pytestmark = pytest.mark.both_engines


async def history_of(person: Person, task: Json, query: str = "") -> list[Json]:
    return ok(await person.get(f"/api/tasks/{task['id']}/history{query}"))["changes"]


async def move(person: Person, task: Json, after: Json | None, **values: Any) -> Json:
    body = {"after": after and after["id"], **values}
    return ok(await person.post(f"/api/tasks/{task['id']}/move", body))


async def test_a_task_is_made_changed_and_read_with_its_history(ada: Person) -> None:
    made = await add_task(ada, "Write the report", due_date="2026-11-20", tags=["writing", "writing"])
    assert (made["status"], made["priority"], made["task_type"]) == ("backlog", "medium", "one_off")
    assert (made["tags"], made["made_by"], made["project_id"]) == (["writing"], "person", None)
    assert made["owner_id"] == ada.principal.user_id
    changed = await change_task(
        ada, made, status="in_progress", start_date="2026-11-18", duration_minutes=90, tags=[]
    )
    assert changed == made | {
        "status": "in_progress",
        "start_date": "2026-11-18",
        "duration_minutes": 90,
        "tags": [],
        "changed_at": changed["changed_at"],
    }
    assert ok(await ada.get(f"/api/tasks/{made['id']}")) == changed

    entry, creation = await history_of(ada, made)
    assert (creation["kind"], creation["fields"]) == ("created", [])
    assert {field["name"]: [field["before"], field["after"]] for field in entry["fields"]} == {
        "status": ["backlog", "in_progress"],
        "start_date": [None, "2026-11-18"],
        "duration_minutes": [None, 90],
        "tags": [["writing"], []],
    }
    assert (entry["kind"], entry["user_id"], entry["made_by"]) == ("changed", ada.principal.user_id, "person")
    await change_task(ada, made, status="in_progress")
    assert len(await history_of(ada, made)) == 2, "what stays as it is makes no history"
    assert await history_of(ada, made, f"?after={entry['id']}&limit=1") == [creation]


async def test_done_says_when_and_to_do_again_says_nothing(ada: Person) -> None:
    made = await add_task(ada, "Call Mara")
    done = await change_task(ada, made, status="done")
    assert done["completed_at"] == done["changed_at"]
    assert (await change_task(ada, made, title="Call Marta"))["completed_at"] == done["completed_at"]
    assert (await change_task(ada, made, status="blocked"))["completed_at"] is None
    assert (await add_task(ada, "Was done", status="done"))["completed_at"] is not None


#: Fields that are refused, and with which code.
REFUSED_FIELDS: list[tuple[Json, str]] = [
    ({"title": ""}, "invalid_request"),
    ({"title": "Two\nlines"}, "invalid_request"),
    ({"status": "cancelled"}, "invalid_request"),
    ({"due_date": "2026-02-30"}, "invalid_request"),
    ({"due_date": "2026-11-20T10:00:00Z"}, "invalid_request"),
    ({"due_date": 1_700_000_000}, "invalid_request"),
    ({"duration_minutes": 0}, "invalid_request"),
    ({"start_date": "2026-11-21", "due_date": "2026-11-20"}, "dates_reversed"),
    ({"rrule": "FREQ=HOURLY"}, "rule_unreadable"),
    ({"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}, "rule_never_happens"),
    ({"task_type": "recurring"}, "rule_missing"),
    ({"task_type": "one_off", "rrule": "FREQ=DAILY"}, "rule_missing"),
    ({"project_id": "prj_01M7M4GQZ0FW0PK4QK1Y0A8V4T"}, "not_found"),
    ({"phase_id": "phs_01M7M4GQZ0FW0PK4QK1Y0A8V4T"}, "not_found"),
    ({"assignee_id": "usr_01M7M4GQZ0FW0PK4QK1Y0A8V4T"}, "not_found"),
]


async def test_what_makes_no_sense_is_refused(ada: Person) -> None:
    kept = await add_task(ada, "Call Mara")
    for fields, code in REFUSED_FIELDS:
        made = await ada.post("/api/tasks", {"title": "Call Mara", **fields})
        changed = await ada.put(f"/api/tasks/{kept['id']}", fields)
        assert [answer.json()["error"]["code"] for answer in (made, changed)] == [code, code], fields
    assert await list_tasks(ada) == [kept]


async def test_lists_are_filtered_as_asked(ada: Person) -> None:
    project = await add_project(ada)
    phase = await add_phase(ada, project, "Roof")
    roof = await add_task(ada, "Tile the roof", phase_id=phase["id"], due_date="2026-11-20", priority="high")
    assert roof["project_id"] == project["id"], "a phase says which project is meant"
    await add_task(
        ada,
        "Paint the door",
        project_id=project["id"],
        start_date="2026-11-22",
        status="in_progress",
        assignee_id=ada.principal.user_id,
    )
    await add_task(ada, "Buy STRASSE maps", description="100 % paper", tags=["shopping"], status="blocked")
    await add_task(ada, "Rest", due_date="2026-12-01", priority="low", status="done")

    lists = {
        "?status=backlog&status=blocked": ["Tile the roof", "Buy STRASSE maps"],
        "?priority=high&priority=low": ["Tile the roof", "Rest"],
        "?due_before=2026-11-22": ["Tile the roof", "Paint the door"],
        "?due_after=2026-11-22": ["Paint the door", "Rest"],
        "?due_after=2026-11-20&due_before=2026-11-20": ["Tile the roof"],
        f"?project_id={project['id']}": ["Tile the roof", "Paint the door"],
        f"?project_id={project['id'].lower()}": ["Tile the roof", "Paint the door"],
        "?no_project=true": ["Buy STRASSE maps", "Rest"],
        f"?phase_id={phase['id']}": ["Tile the roof"],
        f"?assignee_id={ada.principal.user_id}": ["Paint the door"],
        "?tag=shopping": ["Buy STRASSE maps"],
        "?text=the": ["Tile the roof", "Paint the door"],
        "?text=strasse": ["Buy STRASSE maps"],
        "?text=100 %25 p": ["Buy STRASSE maps"],
        "?text=%25": ["Buy STRASSE maps"],
        "?sort=due": ["Tile the roof", "Paint the door", "Rest", "Buy STRASSE maps"],
        "?sort=newest": ["Rest", "Buy STRASSE maps", "Paint the door", "Tile the roof"],
        "?conversation_id=cnv_01M7M4GQZ0FW0PK4QK1Y0A8V4T": [],
    }
    assert {query: await list_titles(ada, query) for query in lists} == lists
    for query in ("?status=cancelled", "?due_before=tomorrow", "?limit=0", "?sort=colour"):
        refused(await ada.get(f"/api/tasks{query}"), 422, "invalid_request")


async def test_pages_follow_each_other_also_after_what_was_just_deleted(ada: Person) -> None:
    for number, day in enumerate(["2026-11-20", None, "2026-11-19", "2026-11-20", None, None]):
        await add_task(ada, f"Shelf {number}", due_date=day)
    for sort in ("position", "due", "newest"):
        whole = await list_titles(ada, f"?sort={sort}")
        first = ok(await ada.get(f"/api/tasks?sort={sort}&limit=2"))
        await ada.delete(f"/api/tasks/{first['next']}")
        rest = ok(await ada.get(f"/api/tasks?sort={sort}&limit=10&after={first['next']}"))
        assert [task["title"] for task in (*first["tasks"], *rest["tasks"])] == whole
        assert rest["next"] is None
    refused(await ada.get("/api/tasks?after=tsk_01M7M4GQZ0FW0PK4QK1Y0A8V4T"), 404, "not_found")


async def test_people_put_tasks_into_an_order(ada: Person) -> None:
    one, two, three = [await add_task(ada, title) for title in ("One", "Two", "Three")]
    await move(ada, three, one)
    assert await list_titles(ada) == ["One", "Three", "Two"]
    await move(ada, two, None, status="in_progress")
    assert await list_titles(ada) == ["Two", "One", "Three"]
    assert await list_titles(ada, "?status=in_progress") == ["Two"]
    refused(await ada.post(f"/api/tasks/{one['id']}/move", {"after": one["id"]}), 409, "task_unfit")
    await ada.delete(f"/api/tasks/{three['id']}")
    refused(await ada.post(f"/api/tasks/{one['id']}/move", {"after": three["id"]}), 404, "not_found")


async def test_there_is_always_room_between_two_tasks(ada: Person) -> None:
    first, *others = [await add_task(ada, title) for title in ("One", "Two", "Three")]
    order = ["One", "Two", "Three"]
    for number in range(70):
        moved = others[number % 2]
        await move(ada, moved, first)
        order = ["One", moved["title"], others[1 - number % 2]["title"]]
    assert await list_titles(ada) == order


async def test_several_tasks_are_changed_and_deleted_together_or_not_at_all(ada: Person) -> None:
    tasks = [await add_task(ada, title) for title in ("One", "Two", "Three")]
    ids = [task["id"] for task in tasks]
    body = {"ids": [ids[1].lower(), ids[0], ids[0]], "change": {"status": "done", "tags": ["old"]}}
    changed = ok(await ada.post("/api/tasks/bulk", body))["tasks"]
    assert [(task["title"], task["status"], task["tags"]) for task in changed] == [
        ("Two", "done", ["old"]),
        ("One", "done", ["old"]),
    ]
    wrong = {"ids": [*ids, "tsk_01M7M4GQZ0FW0PK4QK1Y0A8V4T"]}
    refused(await ada.post("/api/tasks/bulk", wrong | {"change": {"title": "X"}}), 404, "not_found")
    refused(await ada.post("/api/tasks/bulk-delete", wrong), 404, "not_found")
    dates = {"ids": ids, "change": {"start_date": "2026-11-21", "due_date": "2026-11-20"}}
    refused(await ada.post("/api/tasks/bulk", dates), 422, "dates_reversed")
    assert await list_titles(ada) == ["One", "Two", "Three"]
    deletion = ok(await ada.post("/api/tasks/bulk-delete", {"ids": ids[:2]}))
    assert await list_titles(ada) == ["Three"]
    ok(await ada.post(f"/api/deletions/{deletion['id']}/restore"), 204)
    assert await list_titles(ada) == ["One", "Two", "Three"]
    assert [entry["kind"] for entry in await history_of(ada, tasks[0])] == [
        "restored",
        "deleted",
        "changed",
        "created",
    ]
