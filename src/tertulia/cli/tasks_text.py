"""Tasks as people read them at a terminal and programs in a pipe."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import click

from tertulia.cli.id_ends import shown_id_chars
from tertulia.cli.output import print_table, strip_control_characters
from tertulia.core.json_object import JsonObject
from tertulia.dates.rule_wording import describe_rule

TASK_COLUMN_TITLES = ("Id", "Status", "Priority", "Day", "Takes", "Marks", "Task")
PHASE_COLUMN_TITLES = ("Id", "From", "To", "Done", "Phase")
#: Fields that are shown of one task, with what they are called.
SHOWN_FIELDS = {
    "status": "Status",
    "priority": "Priority",
    "start_date": "Starts",
    "due_date": "Due",
    "duration_minutes": "Minutes",
}
PERSON = "person"


def print_tasks(tasks: Sequence[JsonObject]) -> None:
    """Print tasks as a table; in a pipe, with their whole ids."""
    id_chars = shown_id_chars()
    print_table(TASK_COLUMN_TITLES, (task_row(task, id_chars=id_chars) for task in tasks))


def task_row(task: JsonObject, *, id_chars: int) -> tuple[str, ...]:
    """Return a task as a row, with so many characters of its id's end; 0 for all of them."""
    marks = [f"#{tag}" for tag in task["tags"]]
    marks += ["recurs"] if task["rrule"] else []
    marks += ["shared"] if task["project_id"] else []
    minutes = task["duration_minutes"]
    return (
        task["id"][-id_chars:],
        task["status"],
        task["priority"],
        task["due_date"] or task["start_date"] or "",
        f"{minutes} min" if minutes else "",
        " ".join(marks),
        task["title"],
    )


def print_phases(phases: Sequence[JsonObject]) -> None:
    """Print the phases of a project with how far each has come."""
    id_chars = shown_id_chars()
    rows = (
        (
            phase["id"][-id_chars:],
            phase["start_date"] or "",
            phase["end_date"] or "",
            f"{phase['done_count']} of {phase['task_count']}",
            phase["name"],
        )
        for phase in phases
    )
    print_table(PHASE_COLUMN_TITLES, rows)


def print_task(
    task: JsonObject, changes: Sequence[JsonObject], *, project: str, phase: str, zone: ZoneInfo
) -> None:
    """Print all that is known of a task, and what became of it, newest first; times are those of a zone."""
    say(task["title"])
    facts = {title: task[name] for name, title in SHOWN_FIELDS.items()}
    facts["Recurs"] = describe_rule(task["rrule"], zone.key) if task["rrule"] else ""
    facts["Done"] = moment_text(task["completed_at"], zone) if task["completed_at"] else ""
    facts |= {"Project": project, "Phase": phase, "Tags": ", ".join(task["tags"])}
    facts["Planned"] = schedule_text(task["schedule"], zone)
    for title, value in facts.items():
        if value:
            say(f"  {title + ':':<10} {value}")
    for link in task["links"]:
        say(f"  {link['kind'] + ':':<10} {link['conversation_id']}")
    if task["description"]:
        say(f"\n{task['description']}")
    say("")
    for change in changes:
        say(f"  {change_text(change, zone)}")


def schedule_text(schedule: JsonObject | None, zone: ZoneInfo) -> str:
    """Say when a task is planned, by the clocks of a zone."""
    if schedule is None:
        return ""
    start, end = (datetime.fromisoformat(schedule[name]).astimezone(zone) for name in ("start", "end"))
    pinned = ", pinned" if schedule["pinned"] else ""
    return f"{start:%A %Y-%m-%d %H:%M}-{end:%H:%M} ({zone.key}{pinned})"


def moment_text(moment: str, zone: ZoneInfo) -> str:
    """Say when something happened, by the clocks of a zone."""
    return f"{datetime.fromisoformat(moment).astimezone(zone):%Y-%m-%d %H:%M}"


def change_text(change: JsonObject, zone: ZoneInfo) -> str:
    """Return one line of a task's history."""
    by = "" if change["made_by"] == PERSON else f" by {change['made_by'].removeprefix('agent:')}"
    fields = ", ".join(
        f"{field['name']}: {field['before'] or '-'} -> {field['after'] or '-'}"
        for field in change["fields"]
        if field["name"] != "description"
    )
    when = moment_text(change["changed_at"], zone)
    return f"{when} {change['kind']}{by}{'  ' if fields else ''}{fields}"


def say(text: str) -> None:
    """Print a line that can only be read."""
    click.echo(strip_control_characters(text))


def tasks_counted(count: int) -> str:
    """Return a number of tasks in words."""
    return f"{count} {'task' if count == 1 else 'tasks'}"
