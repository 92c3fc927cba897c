"""Tasks and events as a tool has written them: for cards, for corrections and for later prompts."""

from datetime import timedelta
from typing import Literal

from tertulia.calendars.domain import EventLink, Occurrence
from tertulia.conversations.domain import WrittenItem, WrittenKind
from tertulia.tasks.domain import Task, TaskLink, TaskLinkKind
from tertulia.tools.domain import ToolCaller
from tertulia.tools.planner.date_arguments import write_time

WrittenAction = Literal["created", "changed", "scheduled", "deleted"]


def task_link(caller: ToolCaller, kind: TaskLinkKind = TaskLinkKind.CREATED) -> TaskLink:
    """Return in which conversation, and with which reply, a task is written."""
    return TaskLink(caller.conversation_id, caller.reply_id or None, kind)


def event_link(caller: ToolCaller) -> EventLink:
    """Return in which conversation, and with which reply, an event is written."""
    return EventLink(caller.conversation_id, caller.reply_id or None)


def written_task(task: Task, action: WrittenAction) -> WrittenItem:
    """Return a task as it was written: from its first day to the day after the one on which it is due."""
    days = [day for day in (task.start_date, task.due_date) if day]
    return WrittenItem(
        WrittenKind.TASK,
        task.id,
        action,
        task.title,
        start=min(days).isoformat() if days else "",
        end=(max(days) + timedelta(days=1)).isoformat() if days else "",
        due_date=task.due_date.isoformat() if task.due_date else "",
    )


def written_event(event: Occurrence, action: WrittenAction, *, zone: str) -> WrittenItem:
    """Return an event as it was written, its times in its own zone, else in the person's."""
    shown = event.time_zone or zone
    start = event.first_day if event.is_all_day and event.first_day else event.start
    end = event.end_day if event.is_all_day and event.end_day else event.end
    return WrittenItem(
        WrittenKind.EVENT,
        event.object_id,
        action,
        event.title,
        start=write_time(start, shown),
        end=write_time(end, shown),
        time_zone="" if event.is_all_day else shown,
        recurrence_id=event.recurrence_id,
    )
