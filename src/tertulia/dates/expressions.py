"""Days and times in words, in English, German, French and Spanish: what "next Friday at 4" means now."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.core.time_zones import known_time_zone
from tertulia.dates.composition import Meaning, compose
from tertulia.dates.day_contexts import writes_month_first
from tertulia.dates.local_moments import make_local_moment
from tertulia.dates.piece_groups import choose_groups, find_groups, widen_place
from tertulia.dates.plain_words import make_plain
from tertulia.dates.readings import DateReading, Occasion
from tertulia.dates.said_parts import collect_parts

#: So much of a text is read: an expression stands in a line, not in a book.
EXPRESSION_READ_MAX_CHARS = 500

__all__ = ("DateReading", "read_expression", "read_range_end")


def read_expression(
    text: str, *, now: datetime, zone: str, is_month_first: bool | None = None
) -> DateReading | None:
    """Return the day, moment, span or rule that a text names, and None where it names none, or several.

    `now` and `zone` are those of whoever says it. `3/4` is March or April as people of the zone write it,
    unless `is_month_first` says so.
    """
    name = known_time_zone(zone)
    is_first = writes_month_first(name) if is_month_first is None else is_month_first
    occasion = Occasion(now.astimezone(ZoneInfo(name)), name, is_first)
    read, unread = text[:EXPRESSION_READ_MAX_CHARS], text[EXPRESSION_READ_MAX_CHARS:]
    plain = make_plain(read)
    try:
        groups = choose_groups(plain.text, find_groups(plain.text, occasion))
        meaning = compose(collect_parts(groups), occasion, read) if groups else None
    except (OverflowError, ValueError):
        # Days beyond those that a calendar has: nothing anybody plans.
        return None
    if meaning is None:
        return None
    places = [plain.place(*widen_place(plain.text, group)) for group in groups]
    return build_reading(meaning, read, unread, places, name)


def read_range_end(text: str, *, now: datetime, zone: str, since: date) -> DateReading | None:
    """Return what ends a range of days that begins on one: behind a Monday, "Friday" is the one after it."""
    reading = read_expression(text, now=now, zone=zone)
    if reading is None or reading.last_day >= since:
        return reading
    eve = make_local_moment(since - timedelta(days=1), 0, known_time_zone(zone)).moment
    later = read_expression(text, now=eve, zone=zone)
    # A weekday moves by weeks; "today" and "in two days" would not.
    is_weekday = later is not None and (later.last_day - reading.last_day).days % 7 == 0
    return later if is_weekday else reading


def build_reading(
    meaning: Meaning, text: str, unread: str, places: Sequence[tuple[int, int]], zone: str
) -> DateReading:
    """Return a reading with the words that were read, and those that were not."""
    rest, position = "", 0
    for start, end in places:
        rest += text[position:start] + " "
        position = end
    return DateReading(
        start=meaning.start,
        end=meaning.end,
        is_all_day=not isinstance(meaning.start, datetime),
        rrule=meaning.rrule,
        said=" … ".join(text[start:end].strip(" ,;") for start, end in places),
        rest=clean_rest(rest + text[position:] + unread),
        zone=zone,
        note=" ".join(meaning.notes),
        is_time_alone=meaning.is_time_alone,
    )


def clean_rest(text: str) -> str:
    """Return what is left of a text without the gaps and marks that stood around what was read."""
    spaced = re.sub(r"\(\s*\)", "", re.sub(r"\s+", " ", text))
    return re.sub(r"\s+([,.;:!?])", r"\1", spaced).strip(" ,;:-\u2013@")
