"""Which half of the day an hour is in where nobody says so, and how long after midnight that is."""

import re

from tertulia.dates.readings import SaidHour, SaidPart, SaidTime

HALF_DAY_MINUTES = 12 * 60
DAY_MINUTES = 24 * 60
#: Hours from here until noon are before noon unless something says otherwise; the smaller ones are after it.
MORNING_FIRST_HOUR = 7
#: At night smaller hours are those after midnight.
NIGHT_LAST_HOUR = 5
#: In minutes after midnight.
SPAN_OF_PART = {
    "morning": (9 * 60, 12 * 60),
    "afternoon": (12 * 60, 17 * 60),
    "evening": (17 * 60, 21 * 60),
    "night": (20 * 60, 24 * 60),
}
EVENING_WORDS = re.compile(
    r"\b(?:dinner|supper|drinks|pub|party|concert|cinema|movies?|theatre|theater|opera|abendessen|konzert"
    r"|kino|cena|cenar"
    r"|fiesta|concierto|d[iî]ner|soirée|apéro)\b"
)
MORNING_WORDS = re.compile(
    r"\b(?:breakfast|frühstück|frühstücken|desayuno|desayunar|petit[ -]déjeuner|sunrise)\b"
)


def part_of_words(text: str) -> str:
    """Return the part of the day in which people do what a text tells of; empty where any will do."""
    words = text.casefold()
    if EVENING_WORDS.search(words):
        return "evening"
    return "morning" if MORNING_WORDS.search(words) else ""


def minutes_of(hour: SaidHour, part: str) -> int:
    """Return how many minutes after midnight a time is that is said of a part of the day."""
    minutes = hour.hour * 60 + hour.minute
    if hour.half == "24":
        return DAY_MINUTES if is_late(part) and minutes == 0 else minutes
    if hour.half in ("am", "pm"):
        moved = minutes % HALF_DAY_MINUTES + (HALF_DAY_MINUTES if hour.half == "pm" else 0)
        return moved + DAY_MINUTES if part == "night" and moved < NIGHT_LAST_HOUR * 60 else moved
    if part in ("evening", "night") and (
        hour.hour == 12 or (part == "night" and hour.hour <= NIGHT_LAST_HOUR)
    ):
        return minutes % HALF_DAY_MINUTES + DAY_MINUTES
    if part:
        return minutes % HALF_DAY_MINUTES + (0 if part == "morning" else HALF_DAY_MINUTES)
    is_afternoon = hour.hour < MORNING_FIRST_HOUR and hour.half != "h"
    return minutes + (HALF_DAY_MINUTES if is_afternoon else 0)


def is_late(part: str) -> bool:
    """Tell whether midnight of a part of the day is the one that ends it."""
    return part in ("evening", "night")


def span_of_time(time: SaidTime, part: str) -> tuple[int, int | None]:
    """Return from when to when a time lasts, in minutes after midnight; an end comes after its start."""
    if time.end is None:
        return minutes_of(time.start, part), None
    start, last = time.start, time.end
    if last.half in ("am", "pm") and not start.half:
        start = share_half(start, last)
    begin = minutes_of(start, part)
    return begin, end_after(begin, last)


def share_half(start: SaidHour, last: SaidHour) -> SaidHour:
    """Return the start of "9-5pm" or "2-4pm": in the half of the end, or in the other if it were later."""
    shared = SaidHour(start.hour, start.minute, last.half)
    if minutes_of(shared, "") < minutes_of(last, ""):
        return shared
    return SaidHour(start.hour, start.minute, "am" if last.half == "pm" else "pm")


def end_after(begin: int, last: SaidHour) -> int:
    """Return the first time after a start that an end may mean."""
    minutes = last.hour * 60 + last.minute
    if last.half in ("am", "pm"):
        minutes = minutes % HALF_DAY_MINUTES + (HALF_DAY_MINUTES if last.half == "pm" else 0)
    elif last.half != "24":
        minutes %= HALF_DAY_MINUTES
    step = DAY_MINUTES if last.half in ("am", "pm", "24") else HALF_DAY_MINUTES
    while minutes <= begin:
        minutes += step
    return minutes


def part_of(said: SaidPart | None, text: str) -> str:
    """Return the part of the day that is said, or else follows from what people do."""
    return said.name if said else part_of_words(text)
