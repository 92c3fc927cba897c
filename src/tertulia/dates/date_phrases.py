"""Days with their number and month, in plain words and figures."""

import re
from datetime import date, datetime

from tertulia.dates.calendar_reckoning import add_months, full_year, make_day, nearest_day_of_month
from tertulia.dates.local_moments import make_local_moment
from tertulia.dates.phrase_patterns import (
    ANY_WEEKDAY_REGEX,
    DAY_REGEX,
    MONTH_REGEX,
    ORDINAL_REGEX,
    YEAR_REGEX,
    Phrase,
    month_number,
    ordinal_number,
    phrase_pattern,
    weekday_number,
)
from tertulia.dates.readings import Occasion, SaidDays, SaidMoment
from tertulia.dates.wording import describe_day, describe_weekday

WEEKDAY_BEFORE_REGEX = rf"(?:(?:on )?(?P<weekday>{ANY_WEEKDAY_REGEX})(?:,? (?:the )?|, ?))?"
YEAR_AFTER_REGEX = rf"(?:(?:,? ?(?:of )?|-)(?P<year>{YEAR_REGEX})(?![:\d])|,? '(?P<short_year>\d{{2}})(?!\d))"
RANGE_REGEX = r"(?: ?- ?| to (?:the )?| until (?:the )?)"
#: What may follow a day of the month alone: nothing that would be the third of its kind.
AFTER_ORDINAL_REGEX = (
    r"(?=$|[.,;:!?)]|\s*(?:-|\u2013)| (?:at|on|from|by|for|with|in|and|or|to|about|around|before|after|until"
    r"|between"
    r"|noon|midnight|morning|afternoon|evening|night|if|when|is|works?|please|half (?:past|\d)|quarter|\d"
    r"|(?:next|this) month|@)\b| @)"
)


def read_iso_day(found: re.Match[str], _: Occasion) -> SaidDays | None:
    """Read `2026-12-01`."""
    return single(make_day(int(found["year"]), int(found["month"]), int(found["day"])))


def read_iso_moment(found: re.Match[str], occasion: Occasion) -> SaidMoment | None:
    """Read `2026-12-01T14:30` and `2026-12-01T14:30:00+02:00`; without an offset it is the zone's time."""
    try:
        moment = datetime.fromisoformat(found[0].upper().replace(" ", "T", 1))
    except ValueError:
        return None
    if moment.tzinfo:
        return SaidMoment(moment)
    local = make_local_moment(moment.date(), moment.hour * 60 + moment.minute, occasion.zone)
    return SaidMoment(local.moment)


def single(day: date | None, note: str = "") -> SaidDays | None:
    """Return one day; nothing where the calendar has no such day."""
    return SaidDays(day, note=note) if day else None


def read_numeric_day(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read `3/4` and `3/4/2027` in the order that people there write, or the only one that there is."""
    first, second = int(found["first"]), int(found["second"])
    is_month_first = occasion.is_month_first and found["mark"] != "."
    if first > 12 or second > 12:
        is_month_first = second > 12
    month, day = (first, second) if is_month_first else (second, first)
    if not 1 <= month <= 12:
        return None
    return read_day_of_year(found, month, day, occasion)


def read_written_day(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read a day with the name of its month, or several of them."""
    month = month_number(found["month"])
    first = read_day_of_year(found, month, ordinal_number(found["day"]), occasion)
    if first is None or not found["last"]:
        return first
    last = make_day(first.first.year, month, ordinal_number(found["last"]))
    return SaidDays(first.first, last) if last and last > first.first else None


def read_day_of_year(found: re.Match[str], month: int, day: int, occasion: Occasion) -> SaidDays | None:
    """Return a day of the year that is said, or the next such day; a wrong weekday is told."""
    parts = found.groupdict()
    if year := parts.get("year") or parts.get("short_year"):
        return check_weekday(make_day(full_year(int(year)), month, day), parts.get("weekday"))
    years = range(occasion.today.year, occasion.today.year + 9)
    days = (made for tried in years if (made := make_day(tried, month, day)))
    return check_weekday(next((made for made in days if made >= occasion.today), None), parts.get("weekday"))


def check_weekday(day: date | None, weekday: str | None) -> SaidDays | None:
    """Return a day, and say so where it is another weekday than was said."""
    if day and weekday and day.weekday() != weekday_number(weekday):
        return SaidDays(day, note=f"This day is a {describe_weekday(day)}: {describe_day(day)}.")
    return single(day)


def read_day_of_month(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read "the 3rd", of this month or the next, or of the month that is said."""
    number, parts = ordinal_number(found["day"]), found.groupdict()
    if word := parts.get("month_word"):
        if word == "the":
            return next_day_of_month(number, None, occasion)
        month = add_months(occasion.today.replace(day=1), {"next": 1, "last": -1}.get(word, 0))
        return single(make_day(month.year, month.month, number))
    return next_day_of_month(number, parts.get("weekday"), occasion)


def next_day_of_month(number: int, weekday: str | None, occasion: Occasion) -> SaidDays | None:
    """Return the next day of that number, with that weekday where there is one within a year."""
    wanted = weekday_number(weekday) if weekday else None
    day = nearest_day_of_month(number, said_on=occasion.today, is_past=False, weekday=wanted)
    return check_weekday(day, weekday)


DATE_PHRASES: tuple[Phrase, ...] = (
    (
        phrase_pattern(
            r"(?:19|20|21)\d{2}-\d{2}-\d{2}(?:t| (?=\d\d:\d\d:))\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:z"
            r"|[+-]\d{2}:?\d{2})?",
            after=r"(?![\w:])",
        ),
        read_iso_moment,
    ),
    (
        phrase_pattern(
            rf"(?P<year>{YEAR_REGEX})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}})", after=r"(?![\d-])"
        ),
        read_iso_day,
    ),
    (
        phrase_pattern(
            rf"(?P<year>{YEAR_REGEX})(?P<mark>[/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
        ),
        read_iso_day,
    ),
    (
        phrase_pattern(
            rf"{WEEKDAY_BEFORE_REGEX}(?P<first>\d{{1,2}})(?P<mark>[/.-]) ?(?P<second>\d{{1,2}})(?P=mark) ?"
            rf"(?P<year>{YEAR_REGEX})",
            after=r"(?![\w/])",
        ),
        read_numeric_day,
    ),
    (
        phrase_pattern(
            rf"{WEEKDAY_BEFORE_REGEX}(?P<first>\d{{1,2}})(?P<mark>[/-])(?P<second>\d{{1,2}})(?P=mark)"
            rf"(?P<year>\d\d)",
            after=r"(?![\w/-])(?![.:]\d)",
        ),
        read_numeric_day,
    ),
    # "03.12.26", where a version would rather have a figure alone.
    (
        phrase_pattern(
            rf"{WEEKDAY_BEFORE_REGEX}(?<!\bversion )(?P<first>[0-3]\d)(?P<mark>\.)(?P<second>[01]\d)\."
            rf"(?P<year>\d\d)",
            after=r"(?![\w/-])(?![.:]\d)",
        ),
        read_numeric_day,
    ),
    # "24.12.", which versions look like: the month has no more than two figures.
    (
        phrase_pattern(
            rf"{WEEKDAY_BEFORE_REGEX}(?P<first>{DAY_REGEX})(?P<mark>\.) ?(?P<second>0?[1-9]|1[0-2])\."
            rf"(?P<year>)",
            before=r"(?<![\w$€£#/.:-])",
            after=r"(?!\d)(?=$|[ ,;)])",
        ),
        read_numeric_day,
    ),
    (
        phrase_pattern(
            rf"(?:{WEEKDAY_BEFORE_REGEX.removesuffix('?')}|(?<=\bon )|(?<=\bam )|(?<=\bdue )|(?<=\bdue: )"
            r"|(?<=\bby )|(?<=\bfrom )|(?<=\buntil )|(?<=\bthe )|(?<=\bfor )|(?<=\bbefore )|^(?!24/7)"
            r"|(?=\d\d?/\d\d?,? (?:at |@ ?)\d)"
            r"|(?=0\d/\d\d(?! [a-z]))|(?=\d\d/0\d(?! [a-z])))"
            r"(?P<first>\d{1,2})(?P<mark>/)(?P<second>\d{1,2})(?P<year>)(?! (?:cups?|of|inch|tsp|tbsp"
            r"|teaspoons?"
            r"|l|kg|people|stars?|done|complete|full)\b)",
            after=r"(?![\w/%-])",
        ),
        read_numeric_day,
    ),
    (
        phrase_pattern(
            rf"{WEEKDAY_BEFORE_REGEX}(?P<month>{MONTH_REGEX}),? ?(?:the )?(?P<day>{ORDINAL_REGEX}"
            rf"|{DAY_REGEX})"
            r"(?![\d:]|\.\d| ?[ap]\.?m\b| ?(?:o'clock|h)\b| (?:people|days?|weeks?|hours?|minutes?)\b)"
            rf"(?:{RANGE_REGEX}(?P<last>{ORDINAL_REGEX}|{DAY_REGEX})(?![\d:]|\.\d| ?[ap]\.?m\b| ?(?:o'clock"
            rf"|h)\b"
            rf"| {MONTH_REGEX}))?{YEAR_AFTER_REGEX}?(?:, ?{ANY_WEEKDAY_REGEX})?",
        ),
        read_written_day,
    ),
    (
        phrase_pattern(
            rf"(?:from )?{WEEKDAY_BEFORE_REGEX}(?:the )?(?P<day>{ORDINAL_REGEX}|{DAY_REGEX}\.?)"
            rf"(?:{RANGE_REGEX}(?P<last>{ORDINAL_REGEX}|{DAY_REGEX}\.?))?[ -]?(?:days? )?(?:of |in )?"
            rf"(?:the )?"
            rf"(?P<month>{MONTH_REGEX}){YEAR_AFTER_REGEX}?",
            after=r"(?![\w%])(?!'\w)",
        ),
        read_written_day,
    ),
    (
        phrase_pattern(
            rf"(?:{WEEKDAY_BEFORE_REGEX.removesuffix('?')}(?:the )?|the |(?<=\bon )|(?<=\bby )|(?<=\bdue )"
            rf"|(?<=\buntil )|^(?=\w+$))(?P<day>{ORDINAL_REGEX})",
            after=AFTER_ORDINAL_REGEX,
        ),
        read_day_of_month,
    ),
    # "am 15." in German
    (
        phrase_pattern(rf"(?<=\bon )(?:the )?(?P<day>{DAY_REGEX}\.)", after=r"(?=$| (?:at|from|about)\b)"),
        read_day_of_month,
    ),
    # "el 15 a las 10" and "à 10h le 15": a time beside it says that the number is a day.
    (
        phrase_pattern(
            rf"the (?:days )?(?P<day>{DAY_REGEX}\.?)",
            after=r"(?= (?:at \d|(?:at )?(?:noon|midnight)\b|in the (?:morning|afternoon|evening)\b))",
        ),
        read_day_of_month,
    ),
    (
        phrase_pattern(
            rf"(?:(?<=\dh )|(?<=h\d\d )|(?<=:\d\d ))the (?P<day>{DAY_REGEX}\.?)", after=r"(?=$|[.,;!?])"
        ),
        read_day_of_month,
    ),
    # "le mardi 3" and "mardi 3 à 10h"
    (
        phrase_pattern(rf"the (?P<weekday>{ANY_WEEKDAY_REGEX}) (?P<day>{DAY_REGEX})", after=r"(?=$|[.,;!?])"),
        read_day_of_month,
    ),
    (
        phrase_pattern(
            rf"(?:the )?(?P<weekday>{ANY_WEEKDAY_REGEX}),? (?P<day>{DAY_REGEX})",
            after=r"(?=,? (?:(?:at |from |@ ?)\d|(?:at )?(?:noon|midnight)\b))",
        ),
        read_day_of_month,
    ),
    (
        phrase_pattern(rf"the days (?P<day>{DAY_REGEX})", after=r"(?=$|[.,;!?])"),
        read_day_of_month,
    ),
    # "el 15" and "le 15"
    (
        phrase_pattern(
            rf"(?P<weekday>{ANY_WEEKDAY_REGEX}),? (?:the )?(?P<day>1[3-9]|2\d|3[01])(?!:| ?[ap]m| ?-| o'"
            rf"| ?h\b)"
        ),
        read_day_of_month,
    ),
    (
        phrase_pattern(
            rf"(?:the )?(?P<day>{ORDINAL_REGEX})(?: day)? of (?P<month_word>this|next|last|the) months?"
        ),
        read_day_of_month,
    ),
)
