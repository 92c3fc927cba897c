"""When something fits into the caller's time: their hours without what blocks on their calendars."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.calendars import occurrences
from tertulia.core.clock import from_ms
from tertulia.infra.db import Tx
from tertulia.planning.clock_segments import start_of_day
from tertulia.planning.day_parts import hours_of_part
from tertulia.planning.domain import CalendarPreferences, SlotWish
from tertulia.planning.errors import SlotQuestionInvalid
from tertulia.planning.free_slots import Slot, SlotQuestion, find_first_slots
from tertulia.planning.hours_given import read_hours
from tertulia.planning.preferences import find_zone, read_preferences

#: A slot is looked for in so many days at once.
SLOT_RANGE_MAX_DAYS = 400
DAY = timedelta(days=1)
BusyTimes = list[tuple[datetime, datetime]]


def find_free_slots(tx: Tx, wish: SlotWish) -> tuple[list[Slot], bool]:
    """Return the first slots in which something fits, in order, and whether there are more."""
    check_wish(wish)
    preferences = read_preferences(tx)
    zone = wish.zone or find_zone(tx)
    hours = wish.hours if wish.hours is not None else read_hours(preferences.working_hours)
    buffer = choose_buffer(wish, preferences)
    start, end = span_of_days(wish, zone)
    busy = [*wish.busy, *list_calendar_busy(tx, wish, start - buffer, end + buffer, zone)]
    busy += list_closed(wish, start, end, buffer)
    question = SlotQuestion(
        first_day=wish.first_day,
        last_day=wish.last_day,
        hours=hours_of_part(hours, wish.part),
        zone=zone,
        duration=wish.duration,
        step=wish.step,
        not_before=wish.not_before,
    )
    return find_first_slots(question, busy, limit=wish.limit, buffer=buffer)


def list_closed(wish: SlotWish, start: datetime, end: datetime, buffer: timedelta) -> BusyTimes:
    """Return the time of the days in which nothing may lie; no buffer is kept beside it."""
    closed: BusyTimes = []
    if wish.opens_at is not None:
        closed.append((start - DAY, wish.opens_at - buffer))
    if wish.closes_at is not None:
        closed.append((wish.closes_at + buffer, end + DAY + buffer))
    return closed


def check_wish(wish: SlotWish) -> None:
    """Raise where a question cannot be answered."""
    if wish.last_day < wish.first_day:
        raise SlotQuestionInvalid("The last day is before the first one. Change one of them.")
    if (wish.last_day - wish.first_day).days >= SLOT_RANGE_MAX_DAYS:
        raise SlotQuestionInvalid(f"Ask about {SLOT_RANGE_MAX_DAYS} days or fewer at a time.")
    if wish.duration <= timedelta():
        raise SlotQuestionInvalid(
            "What is to fit has to take some time. Give a duration of a minute or more."
        )


def choose_buffer(wish: SlotWish, preferences: CalendarPreferences) -> timedelta:
    """Return the room that is left beside what is busy."""
    return timedelta(minutes=preferences.buffer_minutes) if wish.buffer is None else wish.buffer


def span_of_days(wish: SlotWish, zone: str) -> tuple[datetime, datetime]:
    """Return from when to when the days of a question last."""
    zone_info = ZoneInfo(zone)
    return from_ms(start_of_day(wish.first_day, zone_info)), from_ms(
        start_of_day(wish.last_day + DAY, zone_info)
    )


def list_calendar_busy(
    tx: Tx, wish: SlotWish, start: datetime, end: datetime, zone: str
) -> Sequence[tuple[datetime, datetime]]:
    """Return what blocks on the calendars that a question names, or on all."""
    # A day that a zone leaves out takes no time at all.
    if (wish.calendar_ids is not None and not wish.calendar_ids) or end <= start:
        return ()
    chosen = wish.calendar_ids or ()
    if not wish.ignored_event_ids:
        return occurrences.list_busy(tx, start=start, end=end, zone=zone, calendar_ids=chosen)
    found = occurrences.list_occurrences(tx, start=start, end=end, zone=zone, calendar_ids=chosen)
    return [
        (event.start.astimezone(UTC), event.end.astimezone(UTC))
        for event in found
        if event.is_blocking and event.object_id not in wish.ignored_event_ids
    ]
