"""`tertulia tasks add` and `tertulia tasks change`: what people say of a task."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.date_reading import find_time_zone, read_day
from tertulia.cli.errors import ServerRefused
from tertulia.cli.output import print_to_stderr
from tertulia.cli.project_choice import find_project
from tertulia.cli.tasks_choice import find_member, find_phase, find_tasks
from tertulia.cli.tasks_quick_entry import read_entry
from tertulia.cli.tasks_text import print_tasks, schedule_text
from tertulia.core.json_object import JsonObject
from tertulia.tasks.domain import TaskPriority, TaskStatus

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

F = TypeVar("F", bound=Callable[..., Any])
TASK_STATUS_CHOICE = click.Choice(list(map(str, TaskStatus)))
TASK_PRIORITY_CHOICE = click.Choice(list(map(str, TaskPriority)))
#: Why the server refuses a time at which something else lies.
TIME_TAKEN_CODE = "time_taken"
FIELD_OPTIONS = (
    click.option("--description", default=None, help="What there is to say about it."),
    click.option("--status", type=TASK_STATUS_CHOICE, default=None),
    click.option("--priority", type=TASK_PRIORITY_CHOICE, default=None),
    click.option("--due", default=None, help="The day on which it is due, in words or as YYYY-MM-DD."),
    click.option("--start", default=None, help="The first day, in words or as YYYY-MM-DD."),
    click.option("--minutes", type=click.IntRange(min=1), default=None, help="How long it takes."),
    click.option("--rrule", default=None, help="A rule such as FREQ=WEEKLY;BYDAY=MO; empty for none."),
    click.option("--tag", "tags", multiple=True, help="Repeat it for several."),
    click.option("--project", default=None, help="Let it be a project's, by name or id."),
    click.option("--phase", default=None, help="A phase of that project, by name or id."),
    click.option("--assign", default=None, help="Whose it is to do: a member's name or e-mail address."),
)


def field_options(command: F) -> F:
    """Give a command the options that say what a task is like."""
    for option in reversed(FIELD_OPTIONS):
        command = option(command)
    return server_options(command)


def told_fields(server: "ApiClient", told: JsonObject, *, project: str | None) -> JsonObject:
    """Return the fields of a task that options say; `project` is meant where none is told."""
    fields: JsonObject = {
        name: told[name] for name in ("description", "status", "priority", "rrule") if told[name] is not None
    }
    fields |= {"tags": list(told["tags"])} if told["tags"] else {}
    fields |= {"duration_minutes": told["minutes"]} if told["minutes"] else {}
    for option, name in (("due", "due_date"), ("start", "start_date")):
        if told[option] is not None:
            fields[name] = read_day(server, told[option])
    if told["project"]:
        fields["project_id"] = find_project(server, told["project"])["id"]
    if told["phase"]:
        fields["phase_id"] = find_phase(server, told["project"] or project, told["phase"])["id"]
    if told["assign"]:
        fields["assignee_id"] = find_member(server, told["assign"])["id"]
    return fields


@click.command()
@field_options
@click.argument("words", nargs=-1, required=True)
@click.option("--plain", is_flag=True, help="Read no day or time out of the words.")
def add(*, url: str | None, token: str | None, words: tuple[str, ...], plain: bool, **told: Any) -> None:
    """Make a task of WORDS such as "Call Mara tomorrow at 4 #home !high", and print its id.

    A day says when it is due, #words are tags, and !low, !medium or !high its
    priority; options say it exactly. A time puts it on your calendar too.
    """
    with open_client(url, token) as server:
        fields, found = read_entry(server, " ".join(words), with_dates=not plain)
        tags = [*fields.get("tags", []), *told["tags"]]
        fields |= told_fields(server, told, project=None) | ({"tags": tags} if tags else {})
        made = server.post("/api/tasks", fields)
        click.echo(made["id"])
        if found:
            print_to_stderr(f"{made['title']}: {found.reading}")
        if found and not found.is_all_day and not told["due"]:
            put_on_calendar(server, made, found.start)


def put_on_calendar(server: "ApiClient", task: JsonObject, start: str) -> None:
    """Schedule a task that is made already at the time that was named, although something else lies there."""
    path, body = f"/api/tasks/{task['id']}/schedule", {"start": start}
    try:
        planned, note = server.post(path, body), ""
    except ServerRefused as refusal:
        if refusal.reason != TIME_TAKEN_CODE:
            raise
        planned = server.post(path, body | {"allow_overlap": True})
        note = " Something else lies there too."
    when = schedule_text(planned["task"]["schedule"], find_time_zone(server))
    print_to_stderr(f"On your calendar: {when}.{note}")


@click.command()
@field_options
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--title", default=None)
@click.option("--no-due", is_flag=True, help="Let it be due on no day.")
@click.option("--no-project", is_flag=True, help="Take it out of its project: it is yours alone then.")
@click.option("--no-phase", is_flag=True)
@click.option("--unassign", is_flag=True)
def change(
    *,
    url: str | None,
    token: str | None,
    ids: tuple[str, ...],
    title: str | None,
    no_due: bool,
    no_project: bool,
    no_phase: bool,
    unassign: bool,
    **told: Any,
) -> None:
    """Change fields of tasks; what is left out stays as it is. What they were is kept in their history."""
    emptied = {
        "due_date": no_due,
        "project_id": no_project,
        "phase_id": no_phase or no_project,
        "assignee_id": unassign,
    }
    with open_client(url, token) as server:
        found = find_tasks(server, ids)
        fields = dict.fromkeys(name for name, is_emptied in emptied.items() if is_emptied)
        fields |= told_fields(server, told, project=found[0]["project_id"])
        fields |= {"title": title} if title else {}
        if not fields:
            raise click.UsageError("Say what to change, such as --due tomorrow.")
        print_tasks(change_tasks(server, found, fields))


def change_tasks(server: "ApiClient", tasks: list[JsonObject], fields: JsonObject) -> list[JsonObject]:
    """Change tasks in the same way, all of them or none, and return them."""
    body = {"ids": [task["id"] for task in tasks], "change": fields}
    return server.post("/api/tasks/bulk", body)["tasks"]
