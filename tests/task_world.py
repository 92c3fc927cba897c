"""Tasks in a test: made, changed and listed through the API."""

from typing import Any

from tests.accounts_door import ok
from tests.world import Json, Person


async def add_task(person: Person, title: str, **more: Any) -> Json:
    """Have a person make a task."""
    return ok(await person.post("/api/tasks", {"title": title, **more}), 201)


async def change_task(person: Person, task: Json, **values: Any) -> Json:
    """Have a person change fields of a task."""
    return ok(await person.put(f"/api/tasks/{task['id']}", values))


async def list_tasks(person: Person, query: str = "") -> list[Json]:
    """Return the tasks that a person is shown."""
    return ok(await person.get(f"/api/tasks{query}"))["tasks"]


async def list_titles(person: Person, query: str = "") -> list[str]:
    """Return the titles of the tasks that a person is shown."""
    return [task["title"] for task in await list_tasks(person, query)]


async def add_project(person: Person, name: str = "House") -> Json:
    """Have a person make a project."""
    return ok(await person.post("/api/projects", {"name": name}), 201)


async def add_phase(person: Person, project: Json, name: str, **more: Any) -> Json:
    """Have a person make a phase of a project."""
    return ok(await person.post(f"/api/projects/{project['id']}/phases", {"name": name, **more}), 201)
