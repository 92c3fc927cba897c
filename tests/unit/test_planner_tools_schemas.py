"""The tools of the planner have the names and arguments that were promised."""

from typing import Any, cast

import pytest

from tertulia.context.tool_offer import PLANNER_TOOLS
from tertulia.tools.domain import Effect
from tertulia.tools.planner.tool_set import build_planner_tools

TOOLS = {tool.name: tool for tool in build_planner_tools(cast("Any", None), cast("Any", None))}
STATUSES = {"backlog", "in_progress", "done", "blocked"}
PRIORITIES = {"low", "medium", "high"}
#: What each tool requires, and what else it takes.
ARGUMENTS = {
    "get_project_details": ("project_id", ""),
    "search_projects": ("", "query status"),
    "get_tasks": ("", "project_id status priority due_before due_after"),
    "create_task": (
        "title description",
        "project_id priority task_type duration_minutes start_date",
    ),
    "update_task": ("task_id updates", ""),
    "get_calendar_events": ("start_date end_date", ""),
    "find_available_slots": ("duration_minutes start_date end_date", "preferred_time"),
    "schedule_task": ("task_id start_time", "duration_minutes"),
    "update_project_context": ("project_id context_update", "merge_strategy"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_tool_takes_the_arguments_that_were_promised(name: str) -> None:
    parameters = TOOLS[name].parameters
    required, more = (set(names.split()) for names in ARGUMENTS[name])
    assert set(parameters["required"]) == required
    assert required | more <= set(parameters["properties"])


@pytest.mark.parametrize(
    ("name", "path", "choices"),
    [
        ("search_projects", ["status"], {"active", "paused", "completed", "archived"}),
        ("get_tasks", ["status", "items"], STATUSES),
        ("get_tasks", ["priority", "items"], PRIORITIES),
        ("create_task", ["priority"], PRIORITIES),
        ("create_task", ["task_type"], {"one_off", "recurring"}),
        ("find_available_slots", ["preferred_time"], {"morning", "afternoon", "evening"}),
        ("update_project_context", ["merge_strategy"], {"append", "replace"}),
    ],
)
def test_choices_are_those_that_were_promised(name: str, path: list[str], choices: set[str]) -> None:
    schema = TOOLS[name].parameters["properties"]
    for part in path:
        schema = schema[part]
    assert (schema["type"], set(schema["enum"])) == ("string", choices)


def test_every_tool_is_known_to_prompts_and_only_reading_runs_freely() -> None:
    assert TOOLS.keys() == PLANNER_TOOLS
    reading = {name for name, tool in TOOLS.items() if tool.effect is Effect.READ}
    assert reading == {
        "get_project_details",
        "search_projects",
        "get_tasks",
        "get_calendar_events",
        "find_available_slots",
        "list_calendars",
    }
