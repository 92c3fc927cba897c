"""Reading calendar files: events go in, each UID as a whole; what stays out is told."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tertulia.calendars import calendar_access, event_store, event_writes
from tertulia.calendars.caldav.ical_lines import IcalComponent, property_name, write_calendar
from tertulia.calendars.caldav.merge import is_same_event
from tertulia.calendars.domain import MADE_BY_PERSON, Calendar, CalendarObject, EventColumns
from tertulia.calendars.errors import CalendarTextInvalid, CalendarTextTooLarge, EventTooLarge
from tertulia.calendars.event_columns import describe_series, find_problem
from tertulia.calendars.event_lines import PRODUCT_ID, parse_text, put_lines, with_zones
from tertulia.calendars.event_reading import OBJECT_MAX_BYTES
from tertulia.calendars.own_zones import zone_name, zones_of
from tertulia.calendars.series import read_series
from tertulia.core.errors import TertuliaError
from tertulia.core.plurals import count_noun
from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog

IMPORT_MAX_BYTES = 10_000_000
#: Events of one file; more take too long to read while a person waits.
IMPORT_EVENTS_MAX = 5_000
IMPORT_MAX_SECONDS = 60.0
#: Reasons that are told one by one; of others only how many there are.
SKIPPED_TOLD_MAX = 100
CALENDAR_PATTERN = re.compile(r"(?<=\n)(?=BEGIN:VCALENDAR)", re.IGNORECASE)
KEPT_PROPERTIES = ("VERSION", "PRODID", "CALSCALE")
#: What other components are, for people.
OTHER_COMPONENTS = {
    "VTODO": "task",
    "VJOURNAL": "journal entry",
    "VFREEBUSY": "busy time",
}


@dataclass(frozen=True, slots=True)
class SkippedEvent:
    """Something that was not imported, and why."""

    uid: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReadEvent:
    """An event of a file, ready to be stored."""

    uid: str
    ics: str
    columns: EventColumns


@dataclass(slots=True)
class CalendarFile:
    """What was read of a file."""

    events: list[ReadEvent] = field(default_factory=list[ReadEvent])
    skipped: list[SkippedEvent] = field(default_factory=list[SkippedEvent])
    skipped_count: int = 0
    #: When reading is given up.
    read_until: float = field(default_factory=lambda: time.monotonic() + IMPORT_MAX_SECONDS)

    def skip(self, uid: str, title: str, reason: str) -> None:
        """Note what is not imported."""
        self.skipped_count += 1
        if len(self.skipped) < SKIPPED_TOLD_MAX:
            self.skipped.append(SkippedEvent(uid[:200], title[:200], reason))


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of the events of a file."""

    created: int
    replaced: int
    unchanged: int
    skipped: list[SkippedEvent]
    skipped_count: int


def read_file(text: str) -> CalendarFile:
    """Return the events of a file; call it on a thread of its own."""
    if len(text) > IMPORT_MAX_BYTES:
        raise CalendarTextTooLarge(IMPORT_MAX_BYTES // 1_000_000)
    found = CalendarFile()
    calendars = [part for part in CALENDAR_PATTERN.split(text.lstrip("\ufeff \t\r\n")) if part.strip()]
    for part in calendars:
        _read_calendar(parse_text(part), found)
    if not calendars:
        raise CalendarTextInvalid("it is empty")
    return found


def import_file(tx: Tx, calendar_id: str, file: CalendarFile, *, log: EventLog) -> ImportReport:
    """Store the events of a file: a UID that is there already is replaced, so that nothing is there twice."""
    tx.by.require(Role.MEMBER)
    calendar = calendar_access.get_for_writing(tx, calendar_id)
    by_uid = {event.uid: event for event in file.events}
    known = event_store.find_by_uids(tx, calendar.id, list(by_uid))
    fresh = [_make_object(calendar, event) for uid, event in by_uid.items() if uid not in known]
    changed = [uid for uid, before in known.items() if not is_same_event(before.ics, by_uid[uid].ics)]
    event_store.add_many(tx, fresh)
    for uid in changed:
        pending = event_writes.next_pending(calendar, known[uid])
        event = by_uid[uid]
        event_store.set_text(tx, known[uid].id, ics=event.ics, columns=event.columns, pending=pending)
    if fresh or changed:
        event_writes.tell(tx, calendar, log=log)
    unchanged = len(known) - len(changed)
    return ImportReport(len(fresh), len(changed), unchanged, file.skipped, file.skipped_count)


def _make_object(calendar: Calendar, event: ReadEvent) -> CalendarObject:
    return event_writes.new_object(
        calendar, uid=event.uid, ics=event.ics, made_by=MADE_BY_PERSON, columns=event.columns
    )


def _read_calendar(calendar: IcalComponent, found: CalendarFile) -> None:
    zones = calendar.children_named("VTIMEZONE")
    frame = replace(calendar, lines=_frame_lines(calendar), children=())
    groups: dict[str, list[IcalComponent]] = {}
    for event in calendar.children_named("VEVENT"):
        groups.setdefault(_uid_of(event), []).append(event)
    if len(groups) + len(found.events) > IMPORT_EVENTS_MAX:
        raise CalendarTextInvalid(f"it has more than {IMPORT_EVENTS_MAX} events; split it into several files")
    for uid, events in groups.items():
        if time.monotonic() > found.read_until:
            raise CalendarTextInvalid("reading it takes too long; split it into several files")
        _read_group(uid, events, frame=frame, zones=zones, found=found)
    for name, count in _count_others(calendar):
        what = count_noun(count, OTHER_COMPONENTS.get(name, name[:40]))
        found.skip("", "", f"Only events are kept: {what} left out.")
        found.skipped_count += count - 1


def _read_group(
    uid: str,
    events: list[IcalComponent],
    *,
    frame: IcalComponent,
    zones: Iterable[IcalComponent],
    found: CalendarFile,
) -> None:
    """Read all that a file has of one UID."""
    named = [event if event.value("UID") else put_lines(event, ["UID"], [f"UID:{uid}"]) for event in events]
    names = frozenset[str]().union(*(zones_of(event) for event in named))
    used = tuple(zone for zone in zones if zone_name(zone) in names)
    title = named[0].value("SUMMARY")
    try:
        ics = write_calendar(with_zones(frame.with_children((*used, *named))))
        if len(ics) > OBJECT_MAX_BYTES:
            raise EventTooLarge(OBJECT_MAX_BYTES // 1000)
        series = read_series(ics)
        if problem := find_problem(series):
            raise CalendarTextInvalid(problem.removesuffix("."))
        found.events.append(ReadEvent(uid, ics, describe_series(series)))
    except TertuliaError as error:
        found.skip(uid, title, describe_problem(error))


def describe_problem(error: TertuliaError) -> str:
    """Return what is wrong with one event: a sentence of its own, since the file itself is read."""
    if not isinstance(error, CalendarTextInvalid):
        return error.message
    return f"{error.reason[:1].upper()}{error.reason[1:]}."


def _uid_of(event: IcalComponent) -> str:
    """Return the UID of an event; one without it has always the same by what it says."""
    told = event.value("UID").strip()
    return told or sha256("\n".join(event.lines).encode()).hexdigest()[:32]


def _frame_lines(calendar: IcalComponent) -> tuple[str, ...]:
    kept = {property_name(line): line for line in calendar.lines if property_name(line) in KEPT_PROPERTIES}
    return ("VERSION:2.0", kept.get("PRODID", f"PRODID:{PRODUCT_ID}"), *_other_lines(kept))


def _other_lines(kept: dict[str, str]) -> Iterator[str]:
    if "CALSCALE" in kept:
        yield kept["CALSCALE"]


def _count_others(calendar: IcalComponent) -> Iterator[tuple[str, int]]:
    names = Counter(child.name for child in calendar.children if child.name not in ("VEVENT", "VTIMEZONE"))
    yield from names.items()
