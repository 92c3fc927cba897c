"""Days that are counted from today, in plain words: tomorrow, weekdays of this week and others."""

import re
from datetime import date, timedelta

from tertulia.dates.phrase_patterns import (
    AFTER_REGEX,
    ANY_WEEKDAY_REGEX,
    CLEAR_WEEKDAY_REGEX,
    WEEKDAY_REGEX,
    Phrase,
    phrase_pattern,
    weekday_number,
)
from tertulia.dates.readings import Occasion, SaidDays
from tertulia.dates.wording import describe_day, describe_weekday

RELATIVE_DAYS = {"today": 0, "tomorrow": 1, "overmorrow": 2, "yesterday": -1, "ereyesterday": -2}
#: Unlike other words, weekdays may have a hyphen or a stroke between them: "Mon-Fri", "Tue/Thu".
BEFORE_WEEKDAY_REGEX = r"(?:(?<=day-)|(?<=day/)|(?<![\w$€£#/@])(?<!\d[.,:-])(?<!\w')(?<![\w)]-))"
AFTER_WEEKDAY_REGEX = AFTER_REGEX.replace("(?!-[a-z])", rf"(?!-(?!{WEEKDAY_REGEX})[a-z])")
DIRECTION_REGEX = (
    r"(?:this coming|the coming|this|next|last(?! \w+day before\b)|coming|the following|following"
    r"|post-next|overnext)"
)


def read_relative_day(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read today, tomorrow, yesterday, and the days beyond."""
    return SaidDays(occasion.today + timedelta(RELATIVE_DAYS[found["word"]]))


def read_weekday(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read a weekday: the next to come, or of the week that is said."""
    weekday = weekday_number(found["weekday"])
    words = f"{found['before'] or ''} {found['after'] or ''}"
    today = occasion.today
    monday = today - timedelta(today.weekday())
    coming = today + timedelta((weekday - today.weekday()) % 7)
    if (weeks := weeks_ahead(words)) is not None:
        return SaidDays(monday + timedelta(7 * weeks + weekday))
    if "post-next" in words:
        return SaidDays(coming if coming > today else today + timedelta(7), is_weekday=True)
    if "next" in words or "following" in words:
        return read_next_weekday(monday + timedelta(7 + weekday), coming, occasion)
    if "last" in words:
        return SaidDays(today - timedelta((today.weekday() - weekday - 1) % 7 + 1))
    if "coming" in words:
        return SaidDays(coming_weekday(found["weekday"], today), is_weekday=True)
    later = coming + timedelta(7) if coming == today and "this" not in words else None
    return SaidDays(coming, later=later, is_weekday=True)


def weeks_ahead(words: str) -> int | None:
    """Return in how many weeks a weekday lies that is said of a week; None where it is not."""
    if weeks := re.search(r"(?:^|\s)(\d+|an?) weeks?", words):
        return 1 if weeks[1].startswith("a") else int(weeks[1])
    if "after next" in words or "overnext" in words:
        return 2
    return {"last week": -1, "this week": 0}.get(
        words.strip().removeprefix("of ").removeprefix("in ").removeprefix("the ").rstrip("s")
    )


def read_next_weekday(day: date, coming: date, occasion: Occasion) -> SaidDays:
    """Return the day of next week, and say so where this week has such a day to come."""
    is_open = occasion.today < coming < day
    note = f"“Next {describe_weekday(day)}” is read as that of next week, not {describe_day(coming)}."
    return SaidDays(day, note=note if is_open else "", is_weekday=True)


def read_weekday_week(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read "Friday week": a week after the Friday to come."""
    days = 7 if found["unit"] == "week" else 14
    return SaidDays(coming_weekday(found["weekday"], occasion.today) + timedelta(days))


def read_counted_weekday(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read "three Fridays from now"."""
    weeks = int(found["count"]) - 1
    return SaidDays(coming_weekday(found["weekday"], occasion.today) + timedelta(7 * weeks))


def read_weekday_ago(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read "two Tuesdays ago"."""
    coming = coming_weekday(found["weekday"], occasion.today)
    last = coming - timedelta(7 if coming - timedelta(7) < occasion.today else 14)
    return SaidDays(last - timedelta(7 * (int(found["count"]) - 1)))


def coming_weekday(word: str, today: date) -> date:
    """Return the next day after today that is such a weekday."""
    return today + timedelta((weekday_number(word) - today.weekday() - 1) % 7 + 1)


DAY_PHRASES: tuple[Phrase, ...] = (
    (
        phrase_pattern(
            r"(?:(?:early|late|later|1th thing) )?"
            r"(?P<word>today|tomorrow|overmorrow|yesterday|ereyesterday)"
        ),
        read_relative_day,
    ),
    (
        phrase_pattern(
            rf"(?:the )?(?:last (?=\w+day before\b))?(?:(?P<before>{DIRECTION_REGEX}) )?"
            rf"(?P<weekday>{CLEAR_WEEKDAY_REGEX})"
            r"(?: (?P<after>(?:of |in )?(?:the )?(?:this|next|last|overnext|post-next) weeks?"
            r"|(?:of )?(?:the )?weeks? post-next|after next|post-next|last|next|in (?:\d{1,2}|an?) weeks?"
            r"|(?:\d{1,2}|an?) weeks? (?:from (?:now|today)|hence)))?",
            before=BEFORE_WEEKDAY_REGEX,
            after=AFTER_WEEKDAY_REGEX,
        ),
        read_weekday,
    ),
    (
        phrase_pattern(
            r"(?P<before>(?:the )?(?:(?:this|next|last|overnext|post-next) weeks?|weeks? post-next))"
            rf",?(?: on)?(?: the)? (?P<weekday>{ANY_WEEKDAY_REGEX})(?P<after>)"
        ),
        read_weekday,
    ),
    (phrase_pattern(rf"(?P<weekday>{WEEKDAY_REGEX}) (?P<unit>week|fortnight)(?! \d)"), read_weekday_week),
    (
        phrase_pattern(rf"(?P<count>[1-9]\d?) (?P<weekday>{WEEKDAY_REGEX})s? (?:from now|from today|hence)"),
        read_counted_weekday,
    ),
    (phrase_pattern(rf"(?P<count>[1-9]\d?) (?P<weekday>{WEEKDAY_REGEX})s? ago"), read_weekday_ago),
)
