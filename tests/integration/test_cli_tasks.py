"""Tasks from the command line, against a real server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.accounts_door import ok
from tests.task_world import add_phase, add_project, add_task, list_tasks, list_titles
from tests.world import Json, Person

from tertulia.cli.commands import root
from tertulia.cli.errors import FileUnreadable, InTheWay, ServerRefused

Run = Callable[..., Awaitable[Result]]


@pytest.fixture
async def tertulia(ada: Person, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `tertulia tasks` as Ada."""
    monkeypatch.setenv("TERTULIA_URL", str(ada.client.base_url))

    async def run(*args: str | Path, piped: str = "") -> Result:
        runner = CliRunner(env={"TERTULIA_TOKEN": ada.token})
        line = ["tasks", *map(str, args)]
        return await asyncio.to_thread(runner.invoke, root, line, input=piped or None)

    return run


def rows(result: Result) -> list[list[str]]:
    """Return the lines of a list that succeeded, cell by cell."""
    assert result.exit_code == 0, (result.output, result.exception)
    return [line.split("\t") for line in result.stdout.splitlines()]


async def the_task(person: Person) -> Json:
    (task,) = await list_tasks(person)
    return task


async def test_a_line_of_words_becomes_a_task(ada: Person, tertulia: Run) -> None:
    result = await tertulia("add", "Write the report #writing", "!HIGH", "#q4", "#42", "--due", "2026-11-20")
    task = await the_task(ada)
    assert rows(result) == [[task["id"]]]
    assert (task["title"], task["priority"], task["tags"]) == (
        "Write the report #42",
        "high",
        ["writing", "q4"],
    )
    assert task["due_date"] == "2026-11-20"


async def test_days_in_words_say_when_it_is_due(ada: Person, tertulia: Run) -> None:
    result = await tertulia("add", "Write the report by 20 November 2030 #writing")
    task = await the_task(ada)
    assert (task["title"], task["due_date"], task["tags"]) == ("Write the report", "2030-11-20", ["writing"])
    assert "20" in result.stderr
    await tertulia("add", "--plain", "Watch 20 November 2030")
    assert await list_titles(ada) == ["Write the report", "Watch 20 November 2030"]


async def test_a_time_that_was_named_is_kept_although_something_lies_there(
    ada: Person, tertulia: Run
) -> None:
    ok(await ada.client.patch("/api/me", json={"time_zone": "Asia/Tokyo"}))
    first = await tertulia("add", "Call Mara on 20 November 2030 at 16:00")
    assert "On your calendar: Wednesday 2030-11-20 16:00-17:00 (Asia/Tokyo).\n" in first.stderr
    second = await tertulia("add", "Call Bea on 20 November 2030 at 16:00")
    assert second.exit_code == 0
    assert "(Asia/Tokyo). Something else lies there too." in second.stderr
    shown = (await tertulia("show", second.stdout.strip())).stdout
    assert "Planned:   Wednesday 2030-11-20 16:00-17:00 (Asia/Tokyo)" in shown


async def test_lists_say_what_is_not_done_unless_asked(ada: Person, tertulia: Run) -> None:
    project = await add_project(ada)
    phase = await add_phase(ada, project, "Roof")
    await add_task(ada, "Dentist", due_date="2026-11-20", tags=["health"], duration_minutes=30)
    tile = await add_task(ada, "Tile", phase_id=phase["id"], assignee_id=ada.principal.user_id)
    await add_task(ada, "Rest", status="done", rrule="FREQ=DAILY;COUNT=1", due_date="2026-11-18")

    async def titles(*args: str) -> list[str]:
        return [row[-1] for row in rows(await tertulia("list", *args))]

    first = rows(await tertulia("list"))[0]
    assert first[1:] == ["backlog", "medium", "2026-11-20", "30 min", "#health", "Dentist"]
    assert await titles() == ["Dentist", "Tile"]
    assert await titles("--all") == ["Dentist", "Tile", "Rest"]
    assert await titles("--status", "done") == ["Rest"]
    assert await titles("--project", "house", "--phase", "roof") == ["Tile"]
    assert await titles("--mine") == ["Tile"]
    assert await titles("--own") == ["Dentist"]
    assert await titles("--due-before", "2026-11-20") == ["Dentist"]
    shown = json.loads((await tertulia("list", "--text", "til", "--json")).stdout)
    assert shown == [tile]
    assert "Nothing was found." in (await tertulia("list", "--tag", "none")).stderr


async def test_tasks_are_done_changed_shown_deleted_and_restored(ada: Person, tertulia: Run) -> None:
    project = await add_project(ada)
    task = await add_task(ada, "Tile", rrule="FREQ=WEEKLY", due_date="2026-11-16")
    end = task["id"][-6:].lower()
    assert rows(await tertulia("done", end))[0][1] == "done"
    assert await list_titles(ada) == ["Tile", "Tile"]
    assert rows(await tertulia("reopen", task["id"]))[0][1] == "backlog"
    assert await list_titles(ada) == ["Tile"]

    await tertulia(
        "change", end, "--title", "Tile it", "--rrule", "", "--project", "House", "--minutes", "90"
    )
    changed = await the_task(ada)
    assert (changed["title"], changed["rrule"], changed["project_id"]) == ("Tile it", "", project["id"])
    await tertulia("change", end, "--no-due", "--no-project")
    changed = await the_task(ada)
    assert (changed["due_date"], changed["project_id"]) == (None, None)
    assert "Say what to change" in (await tertulia("change", end)).stderr

    await tertulia("change", end, "--rrule", "FREQ=WEEKLY;BYDAY=MO")
    shown = (await tertulia("show", end)).stdout
    assert shown.startswith("Tile it\n")
    assert "Recurs:    every week on Monday" in shown
    assert "title: Tile -> Tile it" in shown
    assert json.loads((await tertulia("show", end, "--json")).stdout)["history"][0]["kind"] == "changed"

    refused = await tertulia("delete", end, piped="n\n")
    assert refused.exit_code == 1
    deleted = await tertulia("delete", end, "--yes")
    assert await list_titles(ada) == []
    deletion = next(word for word in deleted.stderr.split() if word.startswith("del_")).rstrip("`")
    assert (await tertulia("restore", deletion)).exit_code == 0
    assert await list_titles(ada) == ["Tile it"]


async def test_phases_are_made_and_listed(ada: Person, tertulia: Run) -> None:
    await add_project(ada)
    made = await tertulia("add-phase", "Roof", "--project", "House", "--end", "2026-11-30")
    await tertulia("add", "Tile", "--project", "House", "--phase", "Roof", "--status", "done")
    listed = await tertulia("phases", "--project", "House")
    assert rows(listed) == [[made.stdout.strip(), "", "2026-11-30", "1 of 1", "Roof"]]
    wrong = await tertulia("add", "Tile", "--project", "House", "--phase", "Cellar")
    assert wrong.exit_code == 2
    assert "There are: Roof." in wrong.stderr


async def test_tasks_are_taken_from_one_project_to_another(
    ada: Person, tertulia: Run, tmp_path: Path
) -> None:
    house, boat = await add_project(ada), await add_project(ada, "Boat")
    phase = await add_phase(ada, house, "Roof")
    await add_task(ada, "Dentist")
    task = await add_task(ada, "Tile", phase_id=phase["id"], rrule="FREQ=WEEKLY", due_date="2026-11-16")
    ok(await ada.put(f"/api/tasks/{task['id']}", {"status": "done"}))
    file = tmp_path / "tasks.jsonl"
    assert (await tertulia("export", file, "--project", "House")).exit_code == 0
    assert isinstance((await tertulia("export", file)).exception, InTheWay)
    result = await tertulia("import", file, "--project", "Boat")
    taken = await list_tasks(ada, f"?project_id={boat['id']}")
    assert rows(result) == [[made["id"]] for made in taken]
    assert [(made["title"], made["status"], made["due_date"]) for made in taken] == [
        ("Tile", "done", "2026-11-16"),
        ("Tile", "backlog", "2026-11-23"),
    ]
    phases = ok(await ada.get(f"/api/projects/{boat['id']}/phases"))["phases"]
    assert [(shown["name"], shown["task_count"]) for shown in phases] == [("Roof", 2)]

    assert "Dentist" in (await tertulia("export", "-")).stdout
    file.write_text('{"title": "", "status": "backlog"}\n{"title": "Good"}\n')
    result = await tertulia("import", file)
    assert result.exit_code == 1
    assert "Task 1:" in result.stderr
    file.write_text("no JSON\n")
    assert isinstance((await tertulia("import", file)).exception, FileUnreadable)


async def test_what_the_server_refuses_is_said_in_its_words(tertulia: Run) -> None:
    result = await tertulia("add", "--plain", "Tile", "--rrule", "FREQ=HOURLY")
    assert isinstance(result.exception, ServerRefused)
    assert "FREQ=WEEKLY" in str(result.exception)
