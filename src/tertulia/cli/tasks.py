"""`tertulia tasks`: what there is to do, yours and that of projects."""

import json

import click

from tertulia.cli import tasks_entry, tasks_phases, tasks_transfer, undo_deletion
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.date_reading import find_time_zone, read_day
from tertulia.cli.output import print_to_stderr
from tertulia.cli.project_choice import find_project
from tertulia.cli.tasks_choice import find_phase, find_tasks, list_all, list_tasks
from tertulia.cli.tasks_entry import TASK_PRIORITY_CHOICE, TASK_STATUS_CHOICE, change_tasks
from tertulia.cli.tasks_text import print_task, print_tasks, tasks_counted
from tertulia.tasks.domain import TaskSort, TaskStatus

#: What is listed unless something else is asked for.
OPEN_STATUSES = tuple(str(status) for status in TaskStatus if status is not TaskStatus.DONE)
#: So many changes of a task are shown.
SHOWN_HISTORY_ENTRIES = 20


@click.group(
    commands=[
        tasks_entry.add,
        tasks_entry.change,
        tasks_phases.phases,
        tasks_phases.add_phase,
        tasks_transfer.export,
        tasks_transfer.import_,
        undo_deletion.restore,
    ]
)
def tasks() -> None:
    """List, add, change, do and delete tasks, and the phases of projects.

    An ID is a task's id, or the last six characters of it, as a terminal shows them.
    """


@tasks.command("list")
@server_options
@click.option("--status", "statuses", type=TASK_STATUS_CHOICE, multiple=True, help="Repeat it for several.")
@click.option("--all", "with_done", is_flag=True, help="Also what is done.")
@click.option("--priority", "priorities", type=TASK_PRIORITY_CHOICE, multiple=True)
@click.option("--project", default=None, help="Only those of a project, by its name or id.")
@click.option("--own", is_flag=True, help="Only those without a project.")
@click.option("--mine", is_flag=True, help="Only those that are yours to do.")
@click.option("--phase", default=None, help="Only those of a phase of the project.")
@click.option("--tag", default="")
@click.option("--text", default="", help="Only those with these words in them.")
@click.option("--due-before", default=None, help="Until this day, in words or as YYYY-MM-DD.")
@click.option("--due-after", default=None, help="From this day on, in words or as YYYY-MM-DD.")
@click.option("--sort", type=click.Choice(list(map(str, TaskSort))), default=str(TaskSort.POSITION))
@click.option("--json", "as_json", is_flag=True, help="Print the tasks as JSON.")
def list_(
    *,
    url: str | None,
    token: str | None,
    statuses: tuple[str, ...],
    with_done: bool,
    priorities: tuple[str, ...],
    project: str | None,
    own: bool,
    mine: bool,
    phase: str | None,
    tag: str,
    text: str,
    due_before: str | None,
    due_after: str | None,
    sort: str,
    as_json: bool,
) -> None:
    """List tasks that are not done, or those that are asked for, in their order.

    Piped, each is one line: id, status, priority, day, minutes, marks and
    title, with tabs between.
    """
    with open_client(url, token) as server:
        wanted: dict[str, str | bool] = {"tag": tag, "text": text, "sort": sort}
        wanted |= {"no_project": True} if own else {}
        wanted |= {"project_id": find_project(server, project)["id"]} if project else {}
        wanted |= {"phase_id": find_phase(server, project, phase)["id"]} if phase else {}
        wanted |= {"assignee_id": server.get("/api/me")["user"]["id"]} if mine else {}
        wanted |= {"due_before": read_day(server, due_before)} if due_before else {}
        wanted |= {"due_after": read_day(server, due_after)} if due_after else {}
        asked = statuses or (() if with_done else OPEN_STATUSES)
        found = list(list_tasks(server, status=asked, priority=priorities, **wanted))
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if found:
        print_tasks(found)
    else:
        print_to_stderr("Nothing was found.")


@tasks.command()
@server_options
@click.argument("task_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, with its history.")
def show(*, url: str | None, token: str | None, task_id: str, as_json: bool) -> None:
    """Show a task with its project, where it comes from, and what became of it."""
    with open_client(url, token) as server:
        (task,) = find_tasks(server, (task_id,))
        history = server.get(f"/api/tasks/{task['id']}/history", limit=SHOWN_HISTORY_ENTRIES)["changes"]
        project_id, phase_id = task["project_id"], task["phase_id"]
        project = server.get(f"/api/projects/{project_id}")["name"] if project_id else ""
        of_project = list_all(server, f"/api/projects/{project_id}/phases", "phases") if phase_id else ()
        phase = next((phase["name"] for phase in of_project if phase["id"] == phase_id), "")
        zone = find_time_zone(server)
    if as_json:
        click.echo(json.dumps(task | {"history": history}, indent=2, ensure_ascii=False))
        return
    print_task(task, history, project=project, phase=phase, zone=zone)


@tasks.command()
@server_options
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def done(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Say that tasks are done; a recurring one makes the next."""
    set_status(ids, TaskStatus.DONE, url=url, token=token)


@tasks.command()
@server_options
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def reopen(*, url: str | None, token: str | None, ids: tuple[str, ...]) -> None:
    """Say that tasks are not done after all."""
    set_status(ids, TaskStatus.BACKLOG, url=url, token=token)


def set_status(ids: tuple[str, ...], status: TaskStatus, *, url: str | None, token: str | None) -> None:
    """Give tasks a status, and print what they are then."""
    with open_client(url, token) as server:
        print_tasks(change_tasks(server, find_tasks(server, ids), {"status": status}))


@tasks.command()
@server_options
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(*, url: str | None, token: str | None, ids: tuple[str, ...], yes: bool) -> None:
    """Delete tasks, and say how they are restored within a short time."""
    with open_client(url, token) as server:
        found = find_tasks(server, ids)
        if not yes:
            for task in found:
                print_to_stderr(f"  {task['title']}")
            click.confirm(f"Delete {tasks_counted(len(found))}?", abort=True, err=True)
        deletion = server.post("/api/tasks/bulk-delete", {"ids": [task["id"] for task in found]})
    print_to_stderr(
        f"Deleted {tasks_counted(len(found))}. "
        f"`tertulia tasks restore {deletion['id']}` brings them back for a short time."
    )
