"""Which tools a prompt has room for: those of calendars are left out first, those of files last."""

import pytest

from tertulia.context.tool_offer import CALENDAR_TOOLS, PLANNER_TOOLS, TOOLS_MAX_SHARE, fit_tools
from tertulia.models.calls import Tool
from tertulia.models.tokens import counter_for

COUNTER = counter_for("gpt-5", 1.0)
FILES = (Tool("read_project_file", "Read a file.", {"type": "object"}),)
TASKS = tuple(Tool(name, "Something about tasks.", {}) for name in sorted(PLANNER_TOOLS - CALENDAR_TOOLS))
CALENDARS = tuple(Tool(name, "Something about calendars.", {}) for name in sorted(CALENDAR_TOOLS))
ALL = (*FILES, *TASKS, *CALENDARS)


def tokens_for(tools: tuple[Tool, ...]) -> int:
    """Return how long a prompt is that just has room for tools."""
    return int(COUNTER.tools(tools) / TOOLS_MAX_SHARE) + 1


@pytest.mark.parametrize("kept", [ALL, (*FILES, *TASKS), FILES])
def test_what_a_prompt_has_no_room_for_is_left_out(kept: tuple[Tool, ...]) -> None:
    assert fit_tools(ALL, prompt_tokens=tokens_for(kept), counter=COUNTER) == kept


def test_a_prompt_without_room_has_no_tools() -> None:
    assert fit_tools(ALL, prompt_tokens=tokens_for(FILES) - 8, counter=COUNTER) == ()
