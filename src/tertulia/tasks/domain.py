"""What tasks and phases are, whose they are, and where they come from."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

#: Who made or changed a task: a person by hand; a model is named as it is in conversations.
MADE_BY_PERSON = "person"
#: Tasks that one request may change or delete.
BULK_TASKS_MAX = 200


class TaskStatus(StrEnum):
    """Where a task stands."""

    BACKLOG = "backlog"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    BLOCKED = "blocked"


class TaskPriority(StrEnum):
    """How much a task matters."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class TaskType(StrEnum):
    """Whether a task is done once, or comes again by a rule."""

    ONE_OFF = "one_off"
    RECURRING = "recurring"


class TaskLinkKind(StrEnum):
    """What a conversation has to do with a task: it made it, is about it, or mentioned it."""

    CREATED = "created"
    ABOUT = "about"
    MENTIONED = "mentioned"


class TaskSort(StrEnum):
    """The order of a list: as people arranged it, by the due date (else the start date), or newest first."""

    POSITION = "position"
    DUE = "due"
    NEWEST = "newest"


class TaskEvent(StrEnum):
    """What became of a task."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class NewTask:
    """What people say of a task: all that can be chosen and changed."""

    title: str
    description: str = ""
    status: TaskStatus = TaskStatus.BACKLOG
    priority: TaskPriority = TaskPriority.MEDIUM
    #: None where the rule says it: with one, a task recurs.
    task_type: TaskType | None = None
    #: The value of an RRULE of RFC 5545; empty for a task that is done once.
    rrule: str = ""
    duration_minutes: int | None = None
    start_date: date | None = None
    due_date: date | None = None
    project_id: str | None = None
    phase_id: str | None = None
    assignee_id: str | None = None
    tags: list[str] = field(default_factory=list[str])

    @property
    def day(self) -> date | None:
        """Return the day that lists and filters go by."""
        return self.due_date or self.start_date


@dataclass(frozen=True, slots=True)
class Task:
    """Something that people want to do: a project's is every member's, one without a project its owner's."""

    id: str
    project_id: str | None
    owner_id: str
    #: `person`, or the model that made it.
    made_by: str
    title: str
    description: str
    status: TaskStatus
    priority: TaskPriority
    task_type: TaskType
    rrule: str
    duration_minutes: int | None
    start_date: date | None
    due_date: date | None
    phase_id: str | None
    assignee_id: str | None
    tags: list[str]
    position: int
    #: The first task of a series, for one that recurs, and the day from which its rule counts.
    series_id: str | None
    series_start: date | None
    #: The occurrence before this one, whose being done made it.
    previous_id: str | None
    completed_at: datetime | None
    created_at: datetime
    changed_at: datetime

    @property
    def is_done(self) -> bool:
        """Tell whether nothing is left to do."""
        return self.status is TaskStatus.DONE

    @property
    def day(self) -> date | None:
        """Return the day that lists and filters go by."""
        return self.due_date or self.start_date


@dataclass(frozen=True, slots=True)
class TaskLink:
    """Where a task was made, is talked about or was mentioned."""

    conversation_id: str
    message_id: str | None = None
    kind: TaskLinkKind = TaskLinkKind.CREATED


@dataclass(frozen=True, slots=True)
class TaskHistoryEntry:
    """One change of a task: who made it, and each field before and after."""

    id: str
    task_id: str
    user_id: str
    made_by: str
    kind: TaskEvent
    fields: dict[str, list[object]]
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks are listed; what is empty does not narrow the list. Days are those of `Task.day`."""

    statuses: Collection[TaskStatus] = ()
    priorities: Collection[TaskPriority] = ()
    project_id: str = ""
    no_project: bool = False
    phase_id: str = ""
    assignee_id: str = ""
    tag: str = ""
    text: str = ""
    series_id: str = ""
    conversation_id: str = ""
    #: The first and the last day that count.
    due_after: date | None = None
    due_before: date | None = None


@dataclass(frozen=True, slots=True)
class NewPhase:
    """What people say of a phase."""

    name: str
    description: str = ""
    start_date: date | None = None
    end_date: date | None = None


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a project's work, and how far it has come."""

    id: str
    project_id: str
    name: str
    description: str
    start_date: date | None
    end_date: date | None
    position: int
    task_count: int
    done_count: int
