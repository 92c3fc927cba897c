"""Which tools a prompt has room for: what people plan is left out first, what looks into files last."""

from tertulia.models.calls import Tool
from tertulia.models.tokens import TokenCounter

#: Tools that would take more of a prompt than this are not offered.
TOOLS_MAX_SHARE = 0.25
CALENDAR_TOOLS = frozenset(
    (
        "get_calendar_events",
        "find_available_slots",
        "schedule_task",
        "create_event",
        "update_event",
        "delete_event",
        "list_calendars",
    )
)
PLANNER_TOOLS = CALENDAR_TOOLS | {
    "get_project_details",
    "search_projects",
    "get_tasks",
    "create_task",
    "update_task",
    "update_project_context",
}


def fit_tools(tools: tuple[Tool, ...], *, prompt_tokens: int, counter: TokenCounter) -> tuple[Tool, ...]:
    """Return what a prompt has room for: all tools, none of calendars, none of any plans, or none."""
    for left_out in (frozenset[str](), CALENDAR_TOOLS, PLANNER_TOOLS):
        kept = tuple(tool for tool in tools if tool.name not in left_out)
        if counter.tools(kept) <= TOOLS_MAX_SHARE * prompt_tokens:
            return kept
    return ()
