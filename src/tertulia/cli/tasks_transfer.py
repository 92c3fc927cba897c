"""`tertulia tasks export` and `tertulia tasks import`: tasks taken from one server to another."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import FileUnreadable, ServerRefused
from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.output import print_to_stderr
from tertulia.cli.project_choice import project_field
from tertulia.cli.tasks_choice import list_phases, list_tasks
from tertulia.cli.tasks_text import tasks_counted
from tertulia.cli.transfer_file import (
    force_option,
    open_target,
    owner_project_option,
    read_source,
    refuse_existing_file,
    source_argument,
    target_argument,
)
from tertulia.core.json_object import JsonObject
from tertulia.tasks.domain import TaskStatus

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

#: What a line of a file says of a task; its phase is told by name.
EXPORTED_TASK_FIELDS = (
    "title",
    "description",
    "status",
    "priority",
    "rrule",
    "duration_minutes",
    "start_date",
    "due_date",
    "tags",
)
TASK_REFUSED_STATUSES = (400, 409, 413, 422)


@click.command()
@server_options
@target_argument
@owner_project_option
@force_option
def export(*, url: str | None, token: str | None, file: Path, project: str | None, force: bool) -> None:
    """Write your tasks to a FILE, or to standard output where it is -, a line of JSON for each."""
    refuse_existing_file(file, force=force)
    with open_client(url, token) as server:
        records = read_server_records(server, project_field(server, project).get("project_id"))
    with open_target(file) as into:
        write_records(records, into)
    print_to_stderr(f"Exported {tasks_counted(len(records))}.")


@click.command("import")
@server_options
@source_argument
@owner_project_option
@click.pass_context
def import_(
    ctx: click.Context, *, url: str | None, token: str | None, file: Path, project: str | None
) -> None:
    """Read exported tasks back from a FILE, or from standard input where it is -; prints the new ids.

    Phases that the project lacks are made. A line that cannot be taken is
    said: the exit code is then 1.
    """
    records = parse_records(read_source(file), file)
    with open_client(url, token) as server:
        project_id = project_field(server, project).get("project_id")
        failed = import_records(server, records, project_id=project_id)
    print_to_stderr(f"Imported {tasks_counted(len(records) - failed)}.")
    ctx.exit(EXIT_FAILED if failed else 0)


def read_server_records(server: "ApiClient", project_id: str | None) -> list[JsonObject]:
    """Return the tasks of a project, or one's own without any, as a file has them."""
    wanted: dict[str, str | bool] = {"project_id": project_id} if project_id else {"no_project": True}
    names = {phase["id"]: phase["name"] for phase in list_phases(server, project_id)} if project_id else {}
    return [
        {name: task[name] for name in EXPORTED_TASK_FIELDS} | {"phase": names.get(task["phase_id"])}
        for task in list_tasks(server, **wanted)
    ]


def write_records(records: Sequence[JsonObject], file: BinaryIO) -> None:
    """Write tasks into a file, a line for each."""
    file.writelines(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def parse_records(content: bytes, file: Path) -> list[JsonObject]:
    """Return the tasks of a file; refuse one that is no such file."""
    records: list[JsonObject] = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            record = json.loads(line) if line.strip() else None
            records += [{"title": record["title"], **record}] if record is not None else []
        except (ValueError, TypeError, KeyError):
            raise FileUnreadable(f"{file}, line {number}: this is no task as JSON.") from None
    return records


def import_records(server: "ApiClient", records: Sequence[JsonObject], *, project_id: str | None) -> int:
    """Make tasks, print their ids, and return how many could not be made."""
    phases = {phase["name"]: phase["id"] for phase in list_phases(server, project_id)} if project_id else {}
    failed = 0
    for number, record in enumerate(records, 1):
        body: JsonObject = {name: record[name] for name in EXPORTED_TASK_FIELDS if name in record}
        if body.get("status") == TaskStatus.DONE:
            # The occurrence that followed it is in the file as well.
            body["rrule"] = ""
        try:
            if project_id and (name := record.get("phase")):
                if name not in phases:
                    made = server.post(f"/api/projects/{project_id}/phases", {"name": name})
                    phases[name] = made["id"]
                body["phase_id"] = phases[name]
            click.echo(server.post("/api/tasks", body | {"project_id": project_id})["id"])
        except ServerRefused as refusal:
            if refusal.status not in TASK_REFUSED_STATUSES:
                raise
            failed += 1
            print_to_stderr(f"Task {number}: {refusal.message}")
    return failed
