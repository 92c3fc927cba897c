"""Slots between the events of generated calendars, against a look at every minute.

When the events happen is told by another library than ours.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any, cast
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar
from tests.accounts_door import ok
from tests.calendar_world import calendar_file
from tests.effort import SOAK_FACTOR, effort
from tests.slot_problems import MINUTE, ODD_DAYS, Busy, Problem, brute_force
from tests.world import Person, World

from tertulia.planning.domain import SlotWish
from tertulia.planning.free_slots import ClockSpan, SlotQuestion, WeekHours
from tertulia.planning.slots import find_free_slots

RULES = (
    "FREQ=DAILY;INTERVAL={step}",
    "FREQ=WEEKLY;INTERVAL={step};BYDAY={days}",
    "FREQ=WEEKLY;BYDAY={days};COUNT={count}",
    "FREQ=MONTHLY;BYDAY={step}{day}",
    "FREQ=MONTHLY;BYDAY=-1{day}",
    "FREQ=MONTHLY;BYMONTHDAY={number}",
    "FREQ=YEARLY",
)
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
#: What differs from its series.
MOVED = "Moved"
KINDS = ("DAY", "FLOATING", "UTC", "OWN", "OTHER")
#: The library overlooks what reaches into the time it is asked about.
AROUND = timedelta(days=45)


def write_rule(chance: Random) -> str:
    days = chance.sample(WEEKDAYS, chance.randint(1, 3))
    return chance.choice(RULES).format(
        step=chance.randint(1, 3),
        days=",".join(days),
        day=days[0],
        count=chance.randint(1, 30),
        number=chance.choice((1, 15, 28, 31, -1)),
    )


def write_event(chance: Random, number: int, anchor: date, zone: str) -> str:
    """An event around a day, or a series with what differs from it."""
    kind = chance.choice(KINDS)
    other = chance.choice(sorted(ODD_DAYS))
    head = {"DAY": ";VALUE=DATE", "OWN": f";TZID={zone}", "OTHER": f";TZID={other}"}.get(kind, "")
    is_recurring = chance.random() < 0.5
    back = timedelta(days=chance.randint(0, 60 if is_recurring else 3))
    start = datetime.combine(anchor, datetime.min.time()) - back + chance.randint(0, 95) * 15 * MINUTE
    length = timedelta(days=chance.randint(1, 2)) if kind == "DAY" else chance.randint(0, 40) * 15 * MINUTE

    def tell(name: str, at: datetime) -> str:
        value = f"{at:%Y%m%d}" if kind == "DAY" else f"{at:%Y%m%dT%H%M%S}"
        return f"{name}{head}:{value}{'Z' if kind == 'UTC' else ''}"

    lines = [f"UID:{number}", "SUMMARY:Usual", tell("DTSTART", start), tell("DTEND", start + length)]
    lines += chance.choice(([], [], [], ["TRANSP:TRANSPARENT"], ["STATUS:CANCELLED"]))
    if not is_recurring:
        return "\n".join(lines)
    # A day on which the rule may or may not fall.
    some_day = start + timedelta(days=7 * chance.randint(0, 9))
    extra = chance.choice(([], [tell("EXDATE", some_day)], [tell("RDATE", some_day + timedelta(days=1))]))
    events = ["\n".join([*lines, f"RRULE:{write_rule(chance)}", *extra])]
    if chance.random() < 0.4:
        moved = start + timedelta(days=chance.randint(-1, 1)) + chance.randint(0, 8) * 15 * MINUTE
        override = [
            f"UID:{number}",
            f"SUMMARY:{MOVED}",
            tell("RECURRENCE-ID", start),
            tell("DTSTART", moved),
            tell("DTEND", moved + length),
        ]
        events.append("\n".join(override))
    return "\nEND:VEVENT\nBEGIN:VEVENT\n".join(events)


def list_busy(text: str, first: date, last: date, zone: str) -> Iterator[Busy]:
    """When events take time, as the other library says; days and floating times are those of the zone.

    It counts how long the times of a series take on the clock; by RFC 5545, all of them take exactly as long.
    """

    def moment(value: date) -> datetime:
        if not isinstance(value, datetime):
            value = datetime.combine(value, datetime.min.time())
        return (value if value.tzinfo else value.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)

    calendar = cast("Any", Calendar.from_ical(text))
    lengths = {
        str(event["UID"]): moment(event["DTEND"].dt) - moment(event["DTSTART"].dt)
        for event in calendar.walk("VEVENT")
        if "RRULE" in event and getattr(event["DTSTART"].dt, "tzinfo", None)
    }
    found = cast("Any", recurring_ical_events).of(calendar).between(first - AROUND, last + AROUND)
    for event in found:
        if str(event.get("TRANSP", "")) != "TRANSPARENT" and str(event.get("STATUS", "")) != "CANCELLED":
            start, end = moment(event["DTSTART"].dt), moment(event["DTEND"].dt)
            length = lengths.get(str(event["UID"])) if str(event["SUMMARY"]) != MOVED else None
            yield start, end if length is None else start + length


def choose_question(chance: Random) -> SlotQuestion:
    zone = chance.choice(sorted(ODD_DAYS))
    first = chance.choice(ODD_DAYS[zone]) - timedelta(days=chance.randint(0, 2))
    nine_to_five, any_time = [ClockSpan(540, 1020)], [ClockSpan(0, 1440)]
    hours: WeekHours = {weekday: chance.choice((nine_to_five, any_time, [])) for weekday in range(7)}
    return SlotQuestion(
        first,
        first + timedelta(days=chance.randint(0, 3)),
        hours,
        zone,
        chance.choice((15, 30, 60, 240)) * MINUTE,
    )


async def test_slots_between_events_are_those_of_a_look_at_every_minute(ada: Person, world: World) -> None:
    for number in range(effort(200 if SOAK_FACTOR > 1 else 30)):
        chance = Random(number)
        question = choose_question(chance)
        written = [
            write_event(chance, event, question.first_day, question.zone)
            for event in range(chance.randint(1, 6))
        ]
        text = calendar_file(*written)
        calendar = ok(await ada.post("/api/calendars", {"kind": "builtin", "name": str(number)}), 201)
        report = ok(await ada.post(f"/api/calendars/{calendar['id']}/import", {"ics": text}))
        assert report["skipped"] == []
        wish = SlotWish(
            question.duration,
            question.first_day,
            question.last_day,
            zone=question.zone,
            hours=question.hours,
            calendar_ids=[calendar["id"]],
        )
        slots, has_more = await world.db.read(
            lambda tx, wish=wish: find_free_slots(tx, wish), by=ada.principal
        )
        busy = tuple(list_busy(text, question.first_day, question.last_day, question.zone))
        assert (slots, has_more) == (brute_force(Problem(question, busy)), False), f"problem {number}\n{text}"
        await ada.delete(f"/api/calendars/{calendar['id']}")
