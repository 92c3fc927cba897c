"""Feasts that fall on other days in other places."""

from datetime import date, timedelta

from tertulia.core.word_sets import word_set
from tertulia.dates.date_words import easter_sunday, feast_day, weekday_of_month

CANADIAN_ZONES = word_set("""
    America/Toronto America/Montreal America/Vancouver America/Edmonton America/Calgary
    America/Winnipeg America/Regina America/Halifax America/St_Johns America/Moncton America/Whitehorse
    America/Yellowknife
""")
#: Where Mother's Day is on the fourth Sunday of Lent, or the first one of May.
LENT_ZONES = frozenset(
    {"Europe/London", "Europe/Dublin", "Europe/Belfast", "Europe/Jersey", "Europe/Guernsey"}
)
EARLY_MAY_ZONES = frozenset({"Europe/Madrid", "Europe/Lisbon", "Europe/Budapest", "Atlantic/Canary"})


def feast_day_in(name: str, year: int, zone: str) -> date | None:
    """Return the day of a feast in a year, as people of a time zone keep it."""
    if name.startswith("thanksgiving") and (zone in CANADIAN_ZONES or zone.startswith("Canada/")):
        return weekday_of_month(year, 10, 0, 2)
    if name == "mother's day":
        return mothers_day(year, zone)
    if name == "father's day" and zone in EARLY_MAY_ZONES:
        return date(year, 3, 19)
    if name == "father's day" and zone in ("Europe/Berlin", "Europe/Busingen"):
        return easter_sunday(year) + timedelta(39)
    return feast_day(name, year)


def mothers_day(year: int, zone: str) -> date:
    """Return Mother's Day as people of a time zone keep it."""
    if zone in LENT_ZONES:
        return easter_sunday(year) - timedelta(21)
    if zone in EARLY_MAY_ZONES:
        return weekday_of_month(year, 5, 6, 1)
    if zone == "Europe/Paris":
        last = weekday_of_month(year, 5, 6, -1)
        return last + timedelta(7) if last == easter_sunday(year) + timedelta(49) else last
    return weekday_of_month(year, 5, 6, 2)
