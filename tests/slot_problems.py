"""Problems of free time, on odd days too, and their answers by brute force."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.planning.free_slots import ClockSpan, Slot, SlotQuestion

MINUTE = timedelta(minutes=1)
#: More than any problem has.
DAYS_MAX = 10
Busy = tuple[datetime, datetime]

#: Zones, each with days on which something is odd about its clock.
ODD_DAYS = {
    "Europe/Madrid": [date(2026, 3, 29), date(2026, 10, 25)],
    "America/New_York": [date(2026, 3, 8), date(2026, 11, 1)],
    # Half an hour forward and back.
    "Australia/Lord_Howe": [date(2026, 4, 5), date(2026, 10, 4)],
    "Asia/Kathmandu": [date(1986, 1, 1), date(2026, 5, 5)],
    # 30 December 2011 was left out.
    "Pacific/Apia": [date(2011, 12, 29), date(2011, 12, 31), date(2012, 4, 1)],
    # 31 December 1994 was left out.
    "Pacific/Kiritimati": [date(1994, 12, 31)],
    # The clock changed at one minute past midnight, back into the day before.
    "America/St_Johns": [date(2006, 4, 2), date(2006, 10, 29)],
    # Midnight was left out, or came twice.
    "America/Sao_Paulo": [date(2018, 11, 4), date(2018, 2, 18)],
    "America/Havana": [date(2026, 3, 8), date(2026, 11, 1)],
    "Africa/Casablanca": [date(2026, 2, 15), date(2026, 3, 22)],
    "Europe/Dublin": [date(2026, 3, 29), date(2026, 10, 25)],
    "Antarctica/Troll": [date(2026, 3, 29), date(2026, 10, 25)],
    "UTC": [date(2026, 6, 1)],
}


@dataclass(frozen=True)
class Problem:
    question: SlotQuestion
    busy: tuple[Busy, ...]
    buffer: timedelta = timedelta()


def brute_force(problem: Problem) -> list[Slot]:
    """Look at each minute by itself: is it inside the hours, and free?"""
    question, zone = problem.question, ZoneInfo(problem.question.zone)
    begin = datetime.combine(question.first_day, datetime.min.time(), UTC) - timedelta(hours=30)
    finish = datetime.combine(question.last_day, datetime.min.time(), UTC) + timedelta(hours=60)
    minutes = [begin + number * MINUTE for number in range((finish - begin) // MINUTE)]
    shown = [minute.astimezone(zone) for minute in minutes]
    hours = [minutes_of(question.hours.get(weekday, ())) for weekday in range(7)]
    days = {question.first_day + timedelta(days=number) for number in range(DAYS_MAX)}
    days = {day for day in days if day <= question.last_day}
    usable = [
        local.hour * 60 + local.minute in hours[local.weekday()] and local.date() in days for local in shown
    ]
    for start, end in problem.busy:
        first = max(0, (start - problem.buffer - begin) // MINUTE)
        last = min(len(minutes), (end + problem.buffer - begin) // MINUTE)
        if start < end and first < last:
            usable[first:last] = [False] * (last - first)
    step = question.step // MINUTE
    on_step = [(local.hour * 60 + local.minute) % step == 0 for local in shown]
    if question.not_before is not None:
        fitting = (i for i, m in enumerate(minutes) if m >= question.not_before and on_step[i])
        index = next(fitting, len(minutes))
        usable[:index] = [False] * index
    return list(walk(minutes, usable, on_step, question.duration))


def minutes_of(spans: Iterable[ClockSpan]) -> set[int]:
    """Return the minutes of a day that lie in spans of it."""
    return {minute for span in spans for minute in range(span.start, span.end)}


def walk(
    minutes: Sequence[datetime], usable: Sequence[bool], on_step: Sequence[bool], duration: timedelta
) -> list[Slot]:
    """Return the slots that begin where free time does, and at the steps within it."""
    free_for = [0] * (len(minutes) + 1)
    for index in reversed(range(len(minutes))):
        free_for[index] = free_for[index + 1] + 1 if usable[index] else 0
    return [
        Slot(minute, minute + duration)
        for index, minute in enumerate(minutes)
        if free_for[index] >= duration // MINUTE and (on_step[index] or not usable[index - 1])
    ]
