"""What calendars and events are, as everybody meets them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum

#: Who made or changed an event: a person by hand; a model is named as it is in conversations.
MADE_BY_PERSON = "person"


class CalendarKind(StrEnum):
    """Where a calendar is kept."""

    BUILTIN = "builtin"
    CALDAV = "caldav"


class EventStatus(StrEnum):
    """How sure an event is."""

    CONFIRMED = "confirmed"
    TENTATIVE = "tentative"
    CANCELLED = "cancelled"


class Scope(StrEnum):
    """Which times of a recurring event are meant."""

    THIS = "this"
    FOLLOWING = "following"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class CalendarAccount:
    """An account at a server of calendars, without what signs in there."""

    id: str
    name: str
    url: str
    username: str


@dataclass(frozen=True, slots=True)
class Calendar:
    """A calendar of one person; nobody else sees it."""

    id: str
    owner_id: str
    kind: CalendarKind
    name: str
    color: str
    #: Where events go that name no calendar.
    is_default: bool
    is_shown: bool
    #: Whether its events take time.
    is_blocking: bool
    is_writable: bool
    account: CalendarAccount | None = None
    last_synced_at: datetime | None = None
    #: What is wrong with it, in a sentence.
    problem: str = ""
    #: Changes that its server has not taken yet.
    pending: int = 0
    #: Whether there is a secret address under which it can be subscribed to.
    subscription: bool = False


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time of an event; an event that does not recur has one."""

    #: The event's id, the same for all its times.
    object_id: str
    calendar_id: str
    uid: str
    title: str
    #: Of an all-day event the midnights, in the zone that was asked for, between which it lies.
    start: datetime
    end: datetime
    is_all_day: bool = False
    #: The days of an all-day event; the end is the day after the last.
    first_day: date | None = None
    end_day: date | None = None
    description: str = ""
    location: str = ""
    #: The zone in which the event takes place; empty for UTC, floating times and all-day events.
    time_zone: str = ""
    rrule: str = ""
    #: Which time of a recurring event this is, as RFC 5545 names it: in UTC, or as a day.
    recurrence_id: str | None = None
    #: Whether this time differs from the others of its series.
    is_exception: bool = False
    #: A transparent event takes no time.
    is_transparent: bool = False
    status: EventStatus = EventStatus.CONFIRMED
    #: Minutes before the start.
    reminders: Sequence[int] = ()
    #: Whether it takes time: neither transparent nor cancelled, on a calendar that blocks.
    is_blocking: bool = True
    revision: int = 1
    #: Whether its server has not taken the last change yet.
    is_pending: bool = False
    problem: str = ""

    @property
    def is_recurring(self) -> bool:
        """Tell whether it is one of several."""
        return self.recurrence_id is not None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """What people say of an event: all that can be chosen and changed."""

    title: str
    #: Days for an all-day event, whose end is the day after the last; else moments, or times of its zone.
    start: date | datetime
    end: date | datetime
    calendar_id: str | None = None
    description: str = ""
    location: str = ""
    #: Empty: the zone of the person.
    time_zone: str = ""
    rrule: str = ""
    is_transparent: bool = False
    status: EventStatus = EventStatus.CONFIRMED
    #: Minutes before the start.
    reminders: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class EventLink:
    """In which conversation, and with which message, an event was made or changed."""

    conversation_id: str
    message_id: str | None = None


class EventLinkKind(StrEnum):
    """What a conversation has to do with an event."""

    CREATED = "created"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class EventLinked:
    """An event that a conversation made, by its next time or its last one, and with which message."""

    event: Occurrence
    link: EventLink


class PendingChange(StrEnum):
    """What the server of a calendar has not taken yet."""

    NONE = ""
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class EventColumns:
    """What is looked up of an event without reading its text, and follows from that."""

    starts_at: datetime
    ends_at: datetime
    is_zoned: bool
    is_recurring: bool
    is_busy: bool
    title: str
    search_text: str


@dataclass(frozen=True, slots=True)
class CalendarObject:
    """All that is known of one UID in a calendar: an event, or a series with its exceptions."""

    id: str
    calendar_id: str
    owner_id: str
    uid: str
    #: The whole text, and the truth; what stands below follows from it.
    ics: str
    revision: int
    #: The first start and the last end. Where `is_zoned` is false, they are what a clock shows, as if in UTC.
    starts_at: datetime
    ends_at: datetime
    is_zoned: bool
    is_recurring: bool
    is_busy: bool
    title: str
    #: The words by which it is found.
    search_text: str
    #: Where it lies on the server of the calendar, and which version, as it last was there.
    href: str
    etag: str
    base_ics: str
    pending: PendingChange
    problem: str
    made_by: str
    created_at: datetime
    changed_at: datetime
    deleted_at: datetime | None
