"""Arguments of calls as models write them: what is meant is taken, what is not sure is refused."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tertulia.tasks.domain import TaskPriority, TaskStatus
from tertulia.tools.arguments import ToolArgumentsInvalid, read_arguments
from tertulia.tools.domain import AnyTool
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.find_available_slots import FindAvailableSlotsArguments
from tertulia.tools.planner.get_tasks import GetTasksArguments


def read(text: str, shape: Any) -> Any:
    return read_arguments(
        text, cast("AnyTool", SimpleNamespace(shape=shape, parameters=parameters_of(shape)))
    )


@pytest.mark.parametrize(
    "status",
    ['"in_progress"', '["in_progress"]', '["In Progress"]', '"IN-PROGRESS"'],
)
def test_one_choice_is_a_list_of_it_however_it_is_written(status: str) -> None:
    read_as = read(f'{{"status": {status}, "priority": "High"}}', GetTasksArguments)
    assert (read_as.status, read_as.priority) == ([TaskStatus.IN_PROGRESS], [TaskPriority.HIGH])


def test_numbers_are_read_from_text_and_from_decimals() -> None:
    days = '"start_date": "2026-11-23", "end_date": "2026-11-24", "preferred_time": "Morning"'
    for minutes in ("60", "60.0", '"60"'):
        assert (
            read(f'{{"duration_minutes": {minutes}, {days}}}', FindAvailableSlotsArguments).duration_minutes
            == 60
        )


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "urgent"}',
        '{"status": 3}',
        '{"state": "done"}',
        '{"due_before": ["2026-11-20"]}',
        '{"status"',
    ],
)
def test_what_is_not_sure_is_refused(text: str) -> None:
    with pytest.raises(ToolArgumentsInvalid):
        read(text, GetTasksArguments)
