"""Calendars and events on the wire: moments with their offset, days as days."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from tertulia.calendars.caldav.schemas import NewAccountBody
from tertulia.calendars.domain import (
    Calendar,
    CalendarKind,
    EventLink,
    EventStatus,
    NewEvent,
    Occurrence,
    Scope,
)
from tertulia.calendars.errors import EventTimeInvalid
from tertulia.calendars.event_fields import EVENT_REMINDERS_MAX, REMINDER_MAX_MINUTES
from tertulia.calendars.ics_import import IMPORT_MAX_BYTES
from tertulia.core.json_object import JsonObject
from tertulia.dates.day_texts import DAY_TEXT_PATTERN, check_year, read_day_text
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.http.schema import (
    AnyCaseId,
    Schema,
    ShortText,
    SingleLine,
    Timestamp,
    ValidUnicode,
    omit_unset,
    shared_fields,
)

MOMENT_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")
#: How long an event takes of which nobody says so.
DEFAULT_LENGTH = timedelta(hours=1)
#: What requests say beside the event itself.
NO_EVENT_FIELDS = frozenset({"link", "scope", "recurrence_id", "revision"})


def check_time(value: object) -> object:
    """Read a day, or a moment; without an offset it is meant in the zone of the event."""
    text = str(value).strip()
    if DAY_TEXT_PATTERN.fullmatch(text):
        return read_day_text(text)
    message = "must be a day as YYYY-MM-DD, or a moment as 2026-03-31T09:30:00+02:00"
    if not MOMENT_PATTERN.fullmatch(text):
        raise ValueError(message)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(message) from None
    return check_year(moment)


def check_color(color: str) -> str:
    """Refuse what is no colour as six digits."""
    if color and not re.fullmatch(r"#[0-9a-fA-F]{6}", color):
        message = "must be a colour such as #3b82f6"
        raise ValueError(message)
    return color.lower()


#: A day or a moment.
EventTime = Annotated[
    datetime | date,
    BeforeValidator(check_time, json_schema_input_type=str),
    Field(examples=["2026-03-31T09:30:00+02:00", "2026-03-31"]),
]
EventTitle = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), ValidUnicode, SingleLine
]
EventLine = Annotated[str, StringConstraints(max_length=1_000), ValidUnicode]
EventDescription = Annotated[str, StringConstraints(max_length=50_000), ValidUnicode]
EventRule = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), ValidUnicode, SingleLine]
ZoneName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), ValidUnicode, SingleLine]
RecurrenceName = Annotated[str, StringConstraints(max_length=40), ValidUnicode, SingleLine]
CalendarColor = Annotated[str, StringConstraints(max_length=7), AfterValidator(check_color)]
ReminderMinutes = Annotated[int, Field(ge=0, le=REMINDER_MAX_MINUTES)]
ReminderList = Annotated[list[ReminderMinutes], Field(max_length=EVENT_REMINDERS_MAX)]


class CalendarAccountView(Schema):
    """An account at a server of calendars."""

    id: str
    name: str
    url: str
    username: str


class CalendarView(Schema):
    """One of your calendars; nobody else sees it."""

    id: str
    kind: CalendarKind
    name: str
    color: str
    #: Where events go that name no calendar.
    is_default: bool
    is_shown: bool
    #: Whether its events take time.
    is_blocking: bool
    is_writable: bool
    account: CalendarAccountView | None
    last_synced_at: Timestamp | None
    #: What is wrong with it, in a sentence.
    problem: str
    #: Changes that its server has not taken yet.
    pending: int
    #: Whether there is a secret address under which it can be subscribed to.
    subscription: bool

    @classmethod
    def of(cls, calendar: Calendar) -> Self:
        """Show a calendar."""
        return cls.model_validate(calendar)


class CalendarList(Schema):
    """Your calendars; the first is built in."""

    calendars: list[CalendarView]


class NewCalendarView(CalendarView):
    """A new calendar; of an account, its first one and all that were found there."""

    calendars: list[CalendarView]

    @classmethod
    def first_of(cls, calendars: Sequence[Calendar]) -> Self:
        """Show calendars that were made together."""
        shown = [CalendarView.of(calendar) for calendar in calendars]
        return cls(**shared_fields(calendars[0], CalendarView), calendars=shown)


class NewBuiltinCalendar(Schema):
    """A calendar that is kept here."""

    kind: Literal["builtin"] = "builtin"
    name: ShortText
    color: CalendarColor = ""


NewCalendarBody = Annotated[NewBuiltinCalendar | NewAccountBody, Field(discriminator="kind")]


class CalendarChange(Schema):
    """What to change; fields that are left out stay as they are."""

    name: ShortText = ""
    color: CalendarColor = ""
    is_default: bool = False
    is_shown: bool = True
    is_blocking: bool = True


class SubscriptionView(Schema):
    """A secret address: whoever has it can read the calendar. It is shown once."""

    url: str


class ImportBody(Schema):
    """A calendar file."""

    ics: Annotated[str, StringConstraints(min_length=1, max_length=IMPORT_MAX_BYTES)]


class SkippedEventView(Schema):
    """Something that was not imported, and why."""

    uid: str
    title: str
    reason: str


class ImportView(Schema):
    """What became of the events of a file."""

    created: int
    #: Events that were there already, by their UIDs.
    replaced: int
    unchanged: int
    #: The first of those that were left out, and how many there are.
    skipped: list[SkippedEventView]
    skipped_count: int


class EventLinkBody(Schema):
    """The conversation, and the message, that an event comes from."""

    conversation_id: AnyCaseId
    message_id: AnyCaseId | None = None

    def to_link(self) -> EventLink:
        """Return the link that is meant."""
        return EventLink(self.conversation_id, self.message_id)


class EventFields(Schema):
    """What can be said of an event, beside its title and its start."""

    #: Of an all-day event the day after the last.
    end: EventTime = date.min
    all_day: bool = False
    #: The zone in which it takes place; left out, yours.
    time_zone: ZoneName = ""
    calendar_id: AnyCaseId | None = None
    description: EventDescription = ""
    location: EventLine = ""
    #: A rule of RFC 5545 such as `FREQ=WEEKLY;BYDAY=MO`.
    rrule: EventRule = ""
    #: Whether it takes no time.
    transparent: bool = False
    status: EventStatus = EventStatus.CONFIRMED
    #: Minutes before the start.
    reminders: ReminderList = Field(default_factory=list[int])

    def to_values(self) -> JsonObject:
        """Return what was said, by the names that events have for it."""
        sent = {name: value for name, value in omit_unset(self).items() if name not in NO_EVENT_FIELDS}
        if "transparent" in sent:
            sent["is_transparent"] = sent.pop("transparent")
        is_all_day = sent.pop("all_day", None)
        for name in ("start", "end"):
            if name in sent and is_all_day is not None:
                sent[name] = _as_told(sent[name], is_all_day=is_all_day)
        return sent


class NewEventBody(EventFields):
    """An event to be made: without an end it takes an hour, or the day."""

    title: EventTitle
    start: EventTime
    link: EventLinkBody | None = None

    def to_event(self) -> NewEvent:
        """Return the event that is meant."""
        values = self.to_values()
        start = values["start"]
        length = DEFAULT_LENGTH if isinstance(start, datetime) else timedelta(days=1)
        given: JsonObject = {"end": start + length} | values
        return NewEvent(**given)


class EventChangeBody(EventFields):
    """What to change of an event, and of which of its times; fields that are left out stay as they are."""

    title: EventTitle = ""
    start: EventTime = date.min
    #: `this` time, this and all that are `following`, or `all`.
    scope: Scope = Scope.ALL
    #: Which time is meant; start and end are those of that one.
    recurrence_id: RecurrenceName | None = None
    #: The revision that you have seen; where there is a newer one, nothing is changed.
    revision: int | None = None


class EventView(Schema):
    """One time of an event; an event that does not recur has one."""

    id: str
    calendar_id: str
    uid: str
    title: str
    description: str
    location: str
    #: With the offset of the zone that was asked for, or a day; the end of an all-day event is the day after.
    start: str
    end: str
    all_day: bool
    #: The zone in which it takes place; empty for UTC, for all-day events, and for whatever clock is there.
    time_zone: str
    rrule: str
    #: Which time of a series it is.
    recurrence_id: str | None
    is_recurring: bool
    #: Whether this time differs from the others of its series.
    is_exception: bool
    transparent: bool
    status: EventStatus
    reminders: list[int]
    #: The task of yours that is planned for this time.
    task_id: str | None
    revision: int
    #: Whether its server has not taken the last change yet.
    pending: bool
    problem: str
    weekday: str

    @classmethod
    def of(cls, event: Occurrence, *, task_id: str | None = None) -> Self:
        """Show one time of an event."""
        shown: JsonObject = shared_fields(event, cls, except_name="id") | {
            "start": _show_time(event.start, event.first_day),
            "end": _show_time(event.end, event.end_day),
        }
        return cls(
            **shown,
            id=event.object_id,
            all_day=event.is_all_day,
            transparent=event.is_transparent,
            task_id=task_id,
            pending=event.is_pending,
            weekday=f"{event.start:%A}",
        )


class EventList(Schema):
    """What happens in some time, in order."""

    events: list[EventView]


def view_events(tx: Tx, events: Sequence[Occurrence]) -> list[EventView]:
    """Show events to the caller, with the tasks of theirs that are planned for them."""
    tasks = find_planned_tasks(tx, sorted({event.object_id for event in events}))
    return [EventView.of(event, task_id=tasks.get(event.object_id)) for event in events]


def find_planned_tasks(tx: Tx, event_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the caller's task that each event was made for, as far as there is one."""
    sql = f"""SELECT event_id, task_id FROM task_schedules
        WHERE workspace_id = :workspace AND user_id = :me AND event_id IN {bound_list("events")}"""
    return {str(event): str(task) for event, task in tx.rows(sql, events=list(event_ids))}


def _as_told(value: date | datetime, *, is_all_day: bool) -> date | datetime:
    if is_all_day:
        return value.date() if isinstance(value, datetime) else value
    if not isinstance(value, datetime):
        raise EventTimeInvalid("an event that is not all-day needs a time of day")
    return value


def _show_time(moment: datetime, day: date | None) -> str:
    return day.isoformat() if day is not None else moment.isoformat(timespec="seconds")
