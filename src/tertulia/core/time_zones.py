"""Time zones by the names that IANA gives them, such as `Europe/Madrid`."""

from datetime import date, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

DEFAULT_TIME_ZONE = "UTC"


@cache
def time_zone_names() -> frozenset[str]:
    """Return the names that this machine knows."""
    return frozenset({DEFAULT_TIME_ZONE, *available_timezones()})


def check_time_zone(name: str) -> str:
    """Return the name of a time zone, or raise `ValueError` where there is none of that name."""
    if name not in time_zone_names():
        message = "there is no time zone of this name; one looks like Europe/Madrid"
        raise ValueError(message)
    return name


def known_time_zone(name: str | None) -> str:
    """Return a time zone that can be reckoned with: the one named, else the default."""
    return name if name in time_zone_names() and name else DEFAULT_TIME_ZONE


def day_in_zone(moment: datetime, name: str) -> date:
    """Return which day it is in a time zone at a moment."""
    return moment.date() if name == DEFAULT_TIME_ZONE else moment.astimezone(ZoneInfo(name)).date()
