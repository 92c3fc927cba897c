"""Tasks on the wire."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from tertulia.dates.day_texts import read_day_text
from tertulia.infra.db import Tx
from tertulia.infra.http.schema import (
    AnyCaseId,
    CursorPage,
    Schema,
    ShortText,
    SingleLine,
    Timestamp,
    ValidUnicode,
    shared_fields,
)
from tertulia.tasks import links as task_links
from tertulia.tasks.domain import (
    BULK_TASKS_MAX,
    NewTask,
    Task,
    TaskEvent,
    TaskHistoryEntry,
    TaskLink,
    TaskLinkKind,
    TaskPriority,
    TaskStatus,
    TaskType,
)
from tertulia.tasks.recurrence import RULE_MAX_CHARS
from tertulia.tasks.schedules import TaskSchedule, list_own_schedules

#: The longest that one task can take: a year.
DURATION_MAX_MINUTES = 366 * 24 * 60


def check_day(value: object) -> object:
    """Refuse what is no day as YYYY-MM-DD, such as a moment or a number."""
    return value if isinstance(value, date) else read_day_text(str(value))


#: A day of the calendar, wherever one is.
Day = Annotated[date, BeforeValidator(check_day)]
TaskText = Annotated[str, StringConstraints(max_length=50_000), ValidUnicode]
RuleText = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=RULE_MAX_CHARS), ValidUnicode, SingleLine
]
TagText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50), ValidUnicode, SingleLine
]
Tags = Annotated[list[TagText], Field(max_length=50), AfterValidator(lambda tags: list(dict.fromkeys(tags)))]
Minutes = Annotated[int, Field(ge=1, le=DURATION_MAX_MINUTES)]
TaskIds = Annotated[list[AnyCaseId], Field(min_length=1, max_length=BULK_TASKS_MAX)]


class TaskLinkView(Schema):
    """Where a task was made, is talked about or was mentioned."""

    conversation_id: AnyCaseId
    message_id: AnyCaseId | None = None
    kind: TaskLinkKind = TaskLinkKind.CREATED

    def to_link(self) -> TaskLink:
        """Return the link that is meant."""
        return TaskLink(self.conversation_id, self.message_id, self.kind)


class NewTaskBody(Schema):
    """A task to be made: with a project it belongs to all who work on that, else to you alone."""

    title: ShortText
    description: TaskText = ""
    status: TaskStatus = TaskStatus.BACKLOG
    priority: TaskPriority = TaskPriority.MEDIUM
    #: Left out, the rule says it.
    task_type: TaskType | None = None
    #: A rule of RFC 5545 such as `FREQ=WEEKLY;BYDAY=MO`; without any date the task is due on its first day.
    rrule: RuleText = ""
    duration_minutes: Minutes | None = None
    start_date: Day | None = None
    due_date: Day | None = None
    project_id: AnyCaseId | None = None
    phase_id: AnyCaseId | None = None
    assignee_id: AnyCaseId | None = None
    tags: Tags = Field(default_factory=list[str])
    #: Where it comes from.
    link: TaskLinkView | None = None

    def to_task(self) -> NewTask:
        """Return the task that is meant."""
        return NewTask(**{name: getattr(self, name) for name in type(self).model_fields if name != "link"})


class TaskChange(Schema):
    """What to change; fields that are left out stay as they are."""

    title: ShortText = ""
    description: TaskText = ""
    status: TaskStatus = TaskStatus.BACKLOG
    priority: TaskPriority = TaskPriority.MEDIUM
    task_type: TaskType = TaskType.ONE_OFF
    rrule: RuleText = ""
    duration_minutes: Minutes | None = None
    start_date: Day | None = None
    due_date: Day | None = None
    project_id: AnyCaseId | None = None
    phase_id: AnyCaseId | None = None
    assignee_id: AnyCaseId | None = None
    tags: Tags = Field(default_factory=list[str])


class TaskMove(Schema):
    """Where to put a task: right after another, or before all; with a status and a phase if they are sent."""

    after: AnyCaseId | None
    status: TaskStatus = TaskStatus.BACKLOG
    phase_id: AnyCaseId | None = None


class BulkChange(Schema):
    """Tasks, and what to change of each of them."""

    ids: TaskIds
    change: TaskChange


class BulkDeletion(Schema):
    """Tasks to delete together."""

    ids: TaskIds


class ScheduleView(Schema):
    """When you want to do a task: an event of your own calendar."""

    event_id: str
    calendar_id: str
    start: Timestamp
    end: Timestamp
    pinned: bool

    @classmethod
    def of(cls, schedule: TaskSchedule) -> Self:
        """Show when a task is planned."""
        return cls(
            event_id=schedule.event_id,
            calendar_id=schedule.calendar_id,
            start=schedule.starts_at,
            end=schedule.ends_at,
            pinned=schedule.pinned,
        )


class TaskView(Schema):
    """A task as those see it whose it is."""

    id: str
    title: str
    description: str
    status: TaskStatus
    priority: TaskPriority
    task_type: TaskType
    rrule: str
    duration_minutes: int | None
    start_date: date | None
    due_date: date | None
    project_id: str | None
    phase_id: str | None
    assignee_id: str | None
    tags: list[str]
    #: Larger is later in the order that people gave to tasks.
    position: int
    series_id: str | None
    owner_id: str
    #: `person`, or the model that made it.
    made_by: str
    created_at: Timestamp
    changed_at: Timestamp
    completed_at: Timestamp | None
    #: Only those to conversations that you may see.
    links: list[TaskLinkView]
    #: When you want to do it; null where it is not on your calendar.
    schedule: ScheduleView | None = None

    @classmethod
    def of(cls, task: Task, links: Sequence[TaskLink], schedule: TaskSchedule | None) -> Self:
        """Return a task as a reader sees it who may see these of its links, and whose schedule this is."""
        shown = shared_fields(task, cls, except_name="links")
        return cls(
            **shown,
            links=[TaskLinkView.model_validate(link) for link in links],
            schedule=ScheduleView.of(schedule) if schedule else None,
        )


def view_tasks(tx: Tx, tasks: Sequence[Task]) -> list[TaskView]:
    """Show tasks to the caller, with the links that they may see and when they want to do them."""
    ids = [task.id for task in tasks]
    links, schedules = task_links.list_links(tx, ids), list_own_schedules(tx, ids)
    return [TaskView.of(task, links.get(task.id, []), schedules.get(task.id)) for task in tasks]


class TaskPage(CursorPage):
    """Some tasks."""

    tasks: list[TaskView]


class TaskList(Schema):
    """Tasks that something was done with."""

    tasks: list[TaskView]


class FieldChangeView(Schema):
    """One field of a task, before and after."""

    name: str
    before: str | int | list[str] | None
    after: str | int | list[str] | None


class TaskHistoryView(Schema):
    """One change of a task."""

    id: str
    kind: TaskEvent
    user_id: str
    #: `person`, or the model that did it on their behalf.
    made_by: str
    changed_at: Timestamp
    fields: list[FieldChangeView]

    @classmethod
    def of(cls, entry: TaskHistoryEntry) -> Self:
        """Show an entry."""
        fields = [
            FieldChangeView.model_validate({"name": name, "before": before, "after": after})
            for name, (before, after) in entry.fields.items()
        ]
        return cls(**shared_fields(entry, cls, except_name="fields"), fields=fields)


class TaskHistoryPage(CursorPage):
    """What became of a task, newest first."""

    changes: list[TaskHistoryView]
