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
    (
        phrase_pattern(
            r"\(?(?:in )?(?P<city>(?:[a-z]+ ){0,1}[a-z]+) time\)?", before=r"(?<![\w/])", after=r"(?!\w)"
        ),
        read_city_time,
    ),
)
