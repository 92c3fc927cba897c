"""Which tasks, phases and people a command means."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from tertulia.cli import id_ends
from tertulia.cli.project_choice import find_project
from tertulia.core.ids import canonical_id, is_id
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

TASK_ID_PREFIX = "tsk"
TASKS_PAGE_SIZE = 200


def list_all(
    server: "ApiClient", path: str, name: str, **filters: str | bool | Sequence[str]
) -> Iterator[JsonObject]:
    """Yield every item of a list, page by page."""
    after = ""
    while True:
        page = server.get(path, after=after, limit=TASKS_PAGE_SIZE, **filters)
        yield from page[name]
        after = page["next"]
        if not after:
            return


def list_tasks(server: "ApiClient", **filters: str | bool | Sequence[str]) -> Iterator[JsonObject]:
    """Yield every task that a filter lets through, in the order that people gave them."""
    yield from list_all(server, "/api/tasks", "tasks", **filters)


def find_tasks(server: "ApiClient", names: Sequence[str]) -> list[JsonObject]:
    """Return the tasks with these ids, or with ids that end like this, each once."""
    ids = [canonical_id(name) for name in names]
    has_ends = not all(is_id(task_id, TASK_ID_PREFIX) for task_id in ids)
    known = list(list_tasks(server)) if has_ends else []
    found = [
        server.get(f"/api/tasks/{task_id}")
        if is_id(task_id, TASK_ID_PREFIX)
        else id_ends.find_by_end(known, task_id, noun="task")
        for task_id in ids
    ]
    return list({task["id"]: task for task in found}.values())


def list_phases(server: "ApiClient", project_id: str) -> list[JsonObject]:
    """Return the phases of a project in their order."""
    return list(list_all(server, f"/api/projects/{project_id}/phases", "phases"))


def find_phase(server: "ApiClient", project: str | None, name: str) -> JsonObject:
    """Return the phase of a project with a name or id."""
    known = list_phases(server, find_project(server, project)["id"])
    found = [
        phase
        for phase in known
        if phase["id"] == canonical_id(name) or phase["name"].casefold() == name.casefold()
    ]
    if len(found) != 1:
        names = ", ".join(phase["name"] for phase in known) or "none yet"
        raise click.UsageError(f"There is no single phase {name!r} in this project. There are: {names}.")
    return found[0]


def find_member(server: "ApiClient", name: str) -> JsonObject:
    """Return the member of the workspace with a name or an e-mail address."""
    known = server.get("/api/members")["items"]
    wanted = name.casefold()
    found = [member for member in known if wanted in (member["name"].casefold(), member["email"].casefold())]
    if len(found) != 1:
        raise click.UsageError(f"There is no single member {name!r} here. Name one by the e-mail address.")
    return found[0]
