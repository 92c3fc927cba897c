"""Time zones that are said with a time: by their name, by a city, or by a short form that all know."""

import re
from functools import cache

from tertulia.core.time_zones import time_zone_names
from tertulia.dates.phrase_patterns import Phrase, phrase_pattern
from tertulia.dates.readings import Occasion, SaidZone

#: Short forms that mean one zone nearly everywhere; in summer and winter the zone's own time is meant.
SHORT_ZONES = {
    "utc": "UTC",
    "gmt": "UTC",
    "cet": "Europe/Berlin",
    "cest": "Europe/Berlin",
    "mez": "Europe/Berlin",
    "wet": "Europe/Lisbon",
    "eet": "Europe/Athens",
    "bst": "Europe/London",
    "et": "America/New_York",
    "est": "America/New_York",
    "edt": "America/New_York",
    "cdt": "America/Chicago",
    "cst": "America/Chicago",
    "mst": "America/Denver",
    "mdt": "America/Denver",
    "pt": "America/Los_Angeles",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "jst": "Asia/Tokyo",
    "aest": "Australia/Sydney",
    "aedt": "Australia/Sydney",
}
#: Short forms that are words of their own: only right after a time.
AFTER_TIME_REGEX = r"(?:(?<=\d )|(?<=[ap]m )|(?<=[ap]\.m\. )|(?<=noon )|(?<=\d))"
#: An offset is one after a name for UTC, or in the four figures of mail headers.
OFFSET_REGEX = (
    r"\(?(?:(?:utc|gmt) ?(?P<sign>[+-]) ?(?P<hours>\d{1,2})(?::?(?P<minutes>[0-5]\d))?"
    r"|(?P<sign2>[+-])(?P<hours2>[01]\d)(?P<minutes2>[0-5]\d))\)?"
)
#: Offsets that are no whole hours, each by a zone that has it all year.
ZONES_BY_ODD_OFFSET = {
    "+0330": "Asia/Tehran",
    "+0430": "Asia/Kabul",
    "+0530": "Asia/Kolkata",
    "+0545": "Asia/Kathmandu",
    "+0630": "Asia/Yangon",
    "+0845": "Australia/Eucla",
    "+0930": "Australia/Darwin",
}
#: Whole hours, which the zones of the group Etc have with the sign turned.
OFFSET_HOURS = range(-12, 15)
CITIES = {
    "san francisco": "America/Los_Angeles",
    "boston": "America/New_York",
    "washington": "America/New_York",
    "seattle": "America/Los_Angeles",
    "barcelona": "Europe/Madrid",
    "munich": "Europe/Berlin",
    "beijing": "Asia/Shanghai",
    "delhi": "Asia/Kolkata",
    "mumbai": "Asia/Kolkata",
    "eastern": "America/New_York",
    "central": "America/Chicago",
    "mountain": "America/Denver",
    "pacific": "America/Los_Angeles",
    "uk": "Europe/London",
    "new york city": "America/New_York",
}


#: "3 pm Eastern": only right after a time.
NAMED_ZONE_REGEX = r"(?P<city>eastern|central|mountain|pacific)(?: (?:standard|daylight))?(?: time)?"


@cache
def zones_by_name() -> dict[str, str]:
    """Return the names of zones by what they are in small letters."""
    return {name.casefold(): name for name in time_zone_names()}


@cache
def zones_by_city() -> dict[str, str]:
    """Return the names of zones by the cities that they are named after."""
    areas = ("Europe/", "America/", "Asia/", "Australia/", "Africa/", "Pacific/", "Atlantic/")
    named = sorted(name for name in time_zone_names() if name.startswith(areas))
    return {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in named} | CITIES


def read_zone_name(found: re.Match[str], _: Occasion) -> SaidZone | None:
    """Read `Europe/Madrid`."""
    name = zones_by_name().get(found["zone"])
    return SaidZone(name) if name else None


def read_short_zone(found: re.Match[str], _: Occasion) -> SaidZone:
    """Read `UTC` and other short forms."""
    return SaidZone(SHORT_ZONES[found["zone"]])


def read_offset(found: re.Match[str], _: Occasion) -> SaidZone | None:
    """Read `UTC+2`, `GMT-3` and the `+0530` of mail headers."""
    sign = found["sign"] or found["sign2"]
    hours, minutes = int(found["hours"] or found["hours2"]), found["minutes"] or found["minutes2"] or "00"
    if minutes != "00":
        name = ZONES_BY_ODD_OFFSET.get(f"{sign}{hours:02}{minutes}")
        return SaidZone(name) if name else None
    offset = -hours if sign == "-" else hours
    return SaidZone(f"Etc/GMT{-offset:+}" if offset else "UTC") if offset in OFFSET_HOURS else None


def read_city_time(found: re.Match[str], _: Occasion) -> SaidZone | None:
    """Read "London time"."""
    words = found["city"].split()
    for count in range(len(words)):
        if name := zones_by_city().get(" ".join(words[count:])):
            return SaidZone(name)
    return None


ZONE_PHRASES: tuple[Phrase, ...] = (
    (
        phrase_pattern(
            r"\(?(?P<zone>[a-z]+/[a-z_]+(?:/[a-z_]+)?)\)?", before=r"(?<![\w/])", after=r"(?![\w/])"
        ),
        read_zone_name,
    ),
    (
        phrase_pattern(
            rf"{AFTER_TIME_REGEX}\(?(?P<zone>{'|'.join(sorted(SHORT_ZONES, key=len, reverse=True))})\)?",
            before="",
            after=r"(?!\w)",
        ),
        read_short_zone,
    ),
    (phrase_pattern(rf"{AFTER_TIME_REGEX}{NAMED_ZONE_REGEX}", before="", after=r"(?!\w)"), read_city_time),
    (phrase_pattern(rf"{AFTER_TIME_REGEX}{OFFSET_REGEX}", before="", after=r"(?![\w:])"), read_offset),
    (
        phrase_pattern(
            r"\(?(?:in )?(?!(?:noon|midnight|[ap]m) )(?P<city>(?:[a-z]+ ){0,1}[a-z]+) time\)?",
            before=r"(?<![\w/])",
            after=r"(?!\w)",
        ),
        read_city_time,
    ),
)
