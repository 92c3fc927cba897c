"""How soon free time is found between the events of several calendars in a year."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from time import perf_counter, process_time

from bench.figures import Measure, Point, milliseconds
from bench.seeding import seed_person
from tertulia.calendars import service as calendars
from tertulia.calendars.calendar_service import create_calendar
from tertulia.calendars.domain import NewEvent
from tertulia.core.principal import Principal
from tertulia.infra.courier.in_process import InProcessCourier
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tertulia.infra.events import EventLog
from tertulia.planning.domain import SlotWish
from tertulia.planning.slots import find_free_slots

ABOUT = "Free slots of a year"
P95_AIM_MS = 50.0
CALENDARS = 5
EVENTS_OF_CALENDAR = 200
SERIES_OF_CALENDAR = 10
ZONES = ("Europe/Madrid", "America/New_York", "Australia/Sydney", "")
RULES = (
    "FREQ=WEEKLY;BYDAY=MO,WE",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
    "FREQ=MONTHLY;BYDAY=1TU",
    "FREQ=DAILY;COUNT=40",
)
FIRST_DAY = date(2026, 1, 1)
LAST_DAY = date(2026, 12, 31)


def measure(place: Path, *, times: int, say: Callable[[str], None]) -> list[Measure]:
    """Fill calendars, and ask many times when there is time."""
    say("free slots: filling calendars")
    data_dir = place / "free_slots"
    data_dir.mkdir()
    seeded = asyncio.run(seed_person(data_dir))
    return figures(asyncio.run(measure_questions(data_dir, seeded.principal, times)))


async def measure_questions(data_dir: Path, by: Principal, times: int) -> list[tuple[float, float]]:
    """Return how long each question took, and how much of a processor."""
    db = SqliteDatabase(data_dir / "tertulia.db")
    try:
        await fill_calendars(db, by)
        return [await time_question(db, by, number) for number in range(times + 1)][1:]
    finally:
        db.close()


async def fill_calendars(db: Database, by: Principal) -> None:
    """Fill calendars with single events and series over the year."""
    log = EventLog(db, courier=InProcessCourier())
    for number in range(CALENDARS):
        await db.write(lambda tx, number=number: fill_calendar(tx, number, log), by=by)


def fill_calendar(tx: Tx, number: int, log: EventLog) -> None:
    """Make a calendar with its events."""
    chance = Random(number)
    calendar = create_calendar(tx, name=f"Calendar {number}", color="", log=log)
    for event in range(EVENTS_OF_CALENDAR + SERIES_OF_CALENDAR):
        is_series = event < SERIES_OF_CALENDAR
        day = FIRST_DAY + timedelta(days=chance.randint(0, 20 if is_series else 364))
        start = datetime.combine(day, datetime.min.time(), UTC) + timedelta(
            minutes=15 * chance.randint(24, 76)
        )
        length = timedelta(minutes=15 * chance.randint(1, 6))
        rule = chance.choice(RULES) if is_series else ""
        new = NewEvent("Busy", start, start + length, calendar.id, time_zone=chance.choice(ZONES), rrule=rule)
        calendars.create_event(tx, new, log=log)


async def time_question(db: Database, by: Principal, number: int) -> tuple[float, float]:
    """Ask when there is time in the year; return the seconds until the answer, and those of a processor."""
    wish = SlotWish(timedelta(minutes=15 + 15 * (number % 8)), FIRST_DAY, LAST_DAY, zone="Europe/Madrid")
    began, worked = perf_counter(), process_time()
    slots, _ = await db.read(lambda tx: find_free_slots(tx, wish), by=by)
    assert slots
    return perf_counter() - began, process_time() - worked


def figures(seen: Sequence[tuple[float, float]]) -> list[Measure]:
    """Return what was measured."""
    middle, high = milliseconds([seconds for seconds, _ in seen])
    work, _ = milliseconds([seconds for _, seconds in seen])
    at = f"{CALENDARS} calendars, {EVENTS_OF_CALENDAR} events and {SERIES_OF_CALENDAR} series in each"
    return [
        Measure(ABOUT, "a question, median", "ms", [Point(at, middle)]),
        Measure(ABOUT, "a question, processor time", "ms", [Point(at, work)]),
        Measure(ABOUT, "a question, 95th percentile", "ms", [Point(at, high, P95_AIM_MS)]),
    ]
