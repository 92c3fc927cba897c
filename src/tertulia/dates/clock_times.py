"""Times of day, as people say them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tertulia.core.word_sets import word_set
from tertulia.dates.clock_patterns import (
    BOUND_TIME_PATTERNS,
    LONE_HOUR_PATTERNS,
    RANGE_PATTERNS,
    TIME_PATTERNS,
)
from tertulia.dates.date_words import SMALL_NUMBERS

PM_PARTS = word_set("afternoon evening night nachmittags abends tarde noche soir après-midi")
SHIFT_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20}
MINUTE_WORDS = {
    "oh five": 5,
    **dict.fromkeys(("ten", "diez"), 10),
    **dict.fromkeys(("fifteen", "cuarto", "quart"), 15),
    **dict.fromkeys(("twenty", "veinte"), 20),
    "twenty five": 25,
    **dict.fromkeys(("thirty", "media", "demie"), 30),
    "thirty five": 35,
    "forty": 40,
    "forty five": 45,
    "fifty": 50,
    "fifty five": 55,
}
#: Groups of patterns that name the part of a day.
PART_GROUPS = ("part", "night", "before", "teil", "parte", "moment", "moment2")
NOON_WORDS = frozenset({"noon", "midday", "mediodía", "midi"})


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Where a time of day stands, and which it is; only a day beside it makes a weak one sure."""

    start: int
    end: int
    normal: str
    is_weak: bool = False
    #: Without a day beside it, it is no time at all.
    needs_day: bool = False


def find_times(text: str) -> Iterator[TimeSpan]:
    """Yield the times of day in a text; some may overlap."""
    for pattern in RANGE_PATTERNS:
        for found in pattern.finditer(text):
            if normal := read_range(found):
                yield TimeSpan(*found.span(), normal)
    for pattern in TIME_PATTERNS:
        for found in pattern.finditer(text):
            if normal := read_time(found):
                yield TimeSpan(*found.span(), normal)
    for patterns, needs_day in ((LONE_HOUR_PATTERNS, False), (BOUND_TIME_PATTERNS, True)):
        for found in (found for pattern in patterns for found in pattern.finditer(text)):
            if normal := read_bare_time(found):
                start = found.start("hour") if found["hour"] else found.start("hour2")
                yield TimeSpan(start, found.end(), normal, is_weak=True, needs_day=needs_day)


def read_bare_time(found: re.Match[str]) -> str:
    """Return an hour alone, with minutes, or up to another; nothing where the clock has none such."""
    said = found.groupdict()
    hour, minute = read_number(said["hour"] or said["hour2"]), said.get("minute")
    start = clock_time(hour, int(minute or 0), "") if hour or minute else ""
    end = clock_time(read_number(said["last"]), 0, "") if said.get("last") else ""
    return f"{start}/{end}" if start and end else start


def read_range(found: re.Match[str]) -> str:
    """Return the beginning and the end of a range of times; nothing where the clock has none such."""
    halves = found.groupdict()
    # "at 10 am and 2 pm" are two times.
    if halves.get("and") and not found.string[: found.start()].casefold().endswith("between "):
        return ""
    half, half2 = halves.get("half"), halves.get("half2")
    end = clock_time(int(found["hour2"]), int(found["minute2"] or 0), half2)
    start = clock_time(int(found["hour"]), int(found["minute"] or 0), half or half2)
    if half2 and not half and start > end:
        start = clock_time(int(found["hour"]), int(found["minute"] or 0), "am")
    return f"{start}/{end}" if start and end else ""


def read_time(found: re.Match[str]) -> str:
    """Return a time as hours and minutes; nothing where the clock has none such."""
    said = {name: value.casefold() for name, value in found.groupdict().items() if value}
    if "noon" in said:
        return "12:00" if said["noon"] in NOON_WORDS else "00:00"
    if "german_half" in said:
        return f"{(read_number(said['german_half']) - 1) or 12:02d}:30"
    if "german_side" in said:
        said["side"], said["shift"] = ("to" if said["german_side"] == "vor" else "past"), "quarter"
    if "shift" in said and not is_shift(said, found[0]):
        return ""
    hour, minute = read_number(said.get("hour") or said["hour2"]), read_minutes(said)
    if said.get("side") in ("to", "tae", "till", "before", "of") or "less" in said:
        hour, minute = (hour - 1) or 12, 60 - minute
    half = said.get("half") or half_of_part(said, hour)
    return clock_time(hour, minute, half)


def is_shift(said: dict[str, str], value: str) -> bool:
    """Tell whether minutes before or after an hour are a time: "five to ten" may be so many people."""
    if said["shift"] in ("half", "quarter", "a quarter") or said.get("side") == "past":
        return True
    return bool(said.keys() & {"half", "part", "night", "sure"}) or "clock" in value.casefold()


def read_minutes(said: dict[str, str]) -> int:
    """Return the minutes of a time."""
    if "shift" in said:
        shift = said["shift"]
        return int(shift) if shift.isdigit() else SHIFT_MINUTES.get(shift, 25)
    names = ("minute", "minute2", "extra", "extra2")
    value = next((said[name] for name in names if name in said), "0")
    return int(value) if value.isdigit() else MINUTE_WORDS[value.replace("-", " ")]


def half_of_part(said: dict[str, str], hour: int) -> str:
    """Return which half of the day a part of it is in; at night, small hours are those after midnight."""
    part = next((said[name] for name in PART_GROUPS if name in said), "")
    if not part or hour > 12:
        return ""
    if part == "night" and (hour < 6 or hour == 12):
        return "am"
    return "pm" if part in PM_PARTS else "am"


def clock_time(hour: int, minute: int, half: str | None) -> str:
    """Return a time as `15:30`; nothing where the clock has none such."""
    letter = (half or "")[:1].casefold()
    if hour > 24 or minute > 59 or (letter and not 1 <= hour <= 12):
        return ""
    if letter:
        hour = hour % 12 + (12 if letter == "p" else 0)
    return f"{hour % 24:02d}:{minute:02d}"


def read_number(word: str) -> int:
    """Return the number that digits or a word say; zero for another word."""
    return int(word) if word.isdigit() else SMALL_NUMBERS.get(word.casefold(), 0)
