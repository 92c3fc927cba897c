"""Working hours between the form in which they are given and that in which slots are found."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tertulia.core.json_object import JsonObject
from tertulia.planning.day_parts import WEEKDAYS
from tertulia.planning.errors import HoursInvalid
from tertulia.planning.free_slots import DAY_MINUTES, ClockSpan, WeekHours

#: Hours of one weekday as they are given: from when to when, several times.
GivenSpans = Sequence[Mapping[str, str]]
WORKDAY_COUNT = 5
DEFAULT_HOURS: dict[str, list[dict[str, str]]] = {
    weekday: [{"start": "09:00", "end": "17:00"}] if number < WORKDAY_COUNT else []
    for number, weekday in enumerate(WEEKDAYS)
}


def read_clock_time(text: str) -> int:
    """Return how many minutes after midnight a time such as 09:30 or 24:00 is."""
    hour, _, rest = text.strip().partition(":")
    minute, _, seconds = rest.partition(":")
    figures = (hour, minute or "0", seconds or "0")
    if not all(figure.isascii() and figure.isdigit() and len(figure) <= len("00") for figure in figures):
        raise HoursInvalid(f"“{text[:20]}” is no time of day. Write it as 09:30.")
    minutes = int(hour) * 60 + int(figures[1])
    if int(figures[1]) >= 60 or int(figures[2]) or minutes > DAY_MINUTES:
        raise HoursInvalid(f"“{text[:20]}” is no time of day. Write whole minutes between 00:00 and 24:00.")
    return minutes


def show_clock_time(minutes: int) -> str:
    """Return minutes after midnight as `09:30`."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def read_span(span: Mapping[str, str]) -> ClockSpan:
    """Return a part of a day as it is given; an end at 00:00 is the end of the day."""
    end = read_clock_time(span["end"])
    return ClockSpan(read_clock_time(span["start"]), end or DAY_MINUTES)


def read_hours(given: Mapping[str, GivenSpans]) -> WeekHours:
    """Return hours by weekday; days that are not given have none."""
    return {weekday_number(name): [read_span(span) for span in spans] for name, spans in given.items()}


def read_daily_hours(spans: GivenSpans) -> WeekHours:
    """Return the same hours for every day."""
    return {number: [read_span(span) for span in spans] for number in range(len(WEEKDAYS))}


def weekday_number(name: str) -> int:
    """Return the number of a weekday, Monday being 0, by its name or the start of it."""
    word = name.strip().casefold()
    found = [
        number
        for number, weekday in enumerate(WEEKDAYS)
        if len(word) >= len("mon") and weekday.startswith(word)
    ]
    if len(found) != 1:
        raise HoursInvalid(f"“{name[:20]}” is no weekday. Name the days monday to sunday.")
    return found[0]


def normalise_hours(given: Mapping[str, GivenSpans]) -> JsonObject:
    """Return hours in the form in which they are kept, in order; raise `HoursInvalid` where they are none."""
    hours = read_hours(given)
    for spans in hours.values():
        ordered = sorted(spans, key=lambda span: span.start)
        if any(first.end > second.start for first, second in pairwise(ordered)):
            raise HoursInvalid("Hours of one day overlap. Join them to one span, or leave room between them.")
    return {
        WEEKDAYS[number]: [
            {"start": show_clock_time(span.start), "end": show_clock_time(span.end)}
            for span in sorted(spans, key=lambda span: span.start)
        ]
        for number, spans in hours.items()
    }
