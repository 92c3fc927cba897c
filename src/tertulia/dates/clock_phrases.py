"""Times of day and parts of a day in plain words: points, ranges, mornings and nights."""

import re

from tertulia.dates.following_words import FOLLOWING_REGEX
from tertulia.dates.phrase_patterns import AFTER_REGEX, Phrase, phrase_pattern
from tertulia.dates.readings import Occasion, SaidHour, SaidPart, SaidTime

HALF_REGEX = r"(?:[ap]\.? ?m(?:\.(?!\w)|(?![\w.])|(?=\.(?!\w))))"
BARE_HOUR_REGEX = r"(?:[01]?\d|2[0-4])"
MINUTES_REGEX = r"[0-5]\d"
#: What may stand between a time and its end.
RANGE_REGEX = r"(?: ?(?:-|~) ?| to | until | and )"
#: Words after a bare number that say what it counts or measures, so that it is no hour.
COUNTED_REGEX = (
    r"(?! ?(?:%|percent|people|persons?|guests?|euros?|dollars?|pounds?|bucks|degrees|km|miles?|kg|times"
    r"|items?|pages?"
    r"|minutes?|mins?|hours?|hrs|days?|nights?|weeks?|months?|years?|quarters?|seats?|tickets?|eggs|rooms?"
    r"|points?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|st|nd|rd|th|x|of|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|or \d)\b)(?![/%€£$]|\.\d| - )"
)
#: What may follow a bare number that is a time: the end, a mark, or a word that cannot be counted.
AFTER_BARE_REGEX = (
    rf"(?=$|[^\w ]| [^\w ]| (?:{FOLLOWING_REGEX}|to (?!\d)|every|from|each|due|mon|tue|wed|thu|fri|sat|sun))"
)
#: Forms of a time that are one for sure, the longest first.
SURE_POINTS = (
    rf"half-before {BARE_HOUR_REGEX}(?: ?{HALF_REGEX}| o'clock)?",
    rf"(?:a )?(?:(?:half|quarter|5|10|15|20|25|\d{{1,2}} minutes?) (?:past|to|before|after|before-now"
    rf"|until)|quarter of)"
    rf" {BARE_HOUR_REGEX}(?: o'clock| ?{HALF_REGEX}|{AFTER_BARE_REGEX})",
    rf"{BARE_HOUR_REGEX}(?: ?(?:hours?|h|o'clock))? (?:half|quarter|\d{{1,2}})-(?:after|before)",
    rf"{BARE_HOUR_REGEX} ?h ?{MINUTES_REGEX}",
    rf"{BARE_HOUR_REGEX}:{MINUTES_REGEX}(?::\d\d(?:\.\d+)?)?(?: ?-?ish| ?{HALF_REGEX}"
    r"| ?(?:o'clock|hours|hrs|h))?",
    rf"{BARE_HOUR_REGEX}\.{MINUTES_REGEX}(?: ?{HALF_REGEX}| ?(?:o'clock|hrs|h))",
    rf"{BARE_HOUR_REGEX} {MINUTES_REGEX} ?{HALF_REGEX}",
    rf"{BARE_HOUR_REGEX} ?{HALF_REGEX}",
    rf"{BARE_HOUR_REGEX} ?o'clock(?: {MINUTES_REGEX})?",
    r"(?:12 )?(?:noon|midnight)",
    rf"(?:[01]\d|2[0-3]){MINUTES_REGEX} ?(?:hours|hrs|h)",
)
#: Forms that are a time beside a day, or after a word that announces one.
WEAK_POINTS = (
    rf"{BARE_HOUR_REGEX}(?::{MINUTES_REGEX})?[ap]\b",
    rf"half {BARE_HOUR_REGEX}",
    rf"{BARE_HOUR_REGEX}\.{MINUTES_REGEX}(?!\.?\d)",
    rf"{BARE_HOUR_REGEX} {MINUTES_REGEX}{AFTER_BARE_REGEX}",
    rf"{BARE_HOUR_REGEX} ?(?:hours|h)(?: {MINUTES_REGEX})?",
    rf"{BARE_HOUR_REGEX} ?-?ish",
    BARE_HOUR_REGEX,
)
SURE_REGEX = "(?:" + "|".join(SURE_POINTS) + ")"
POINT_REGEX = "(?:" + "|".join((*SURE_POINTS, *WEAK_POINTS)) + ")"
#: Words that announce a time.
ANNOUNCING_REGEX = r"(?:(?<=\bat )|(?<=\bat about )|(?<=@ )|(?<=@))"
SHIFT_PATTERN = re.compile(
    r"(?:a )?(?P<shift>half|quarter|\d{1,2})(?: minutes?)? (?P<side>past|to|before|after|before-now|of"
    r"|until) (?P<hour>\d{1,2})"
)
AFTER_HOUR_PATTERN = re.compile(
    r"(?P<hour>\d{1,2})\D*? (?P<shift>half|quarter|\d{1,2})-(?P<side>after|before)"
)
HALF_HOUR_PATTERN = re.compile(r"(?P<word>half|half-before) (?P<hour>\d{1,2})")
#: "6h30", "6 Uhr 30": people who write so count 24 hours.
WHOLE_DAY_PATTERN = re.compile(r"\d ?h(?![a-z])|\d[:.]\d\d ?o'clock|o'clock \d")
FIGURES_PATTERN = re.compile(r"(?P<hour>\d{1,2})(?:\D*?(?P<minute>\d\d))?(?!\d)|(?P<both>\d{4})")
SHIFT_MINUTES = {"half": 30, "quarter": 15}
#: Minutes before an hour that are said without "minutes".
SHIFT_FIGURES = ("5", "10", "20", "25")
PARTS_REGEX = r"(?:morning|afternoon|evening|night)"


def read_point(words: str) -> SaidHour | None:
    """Read a time of day; nothing where the clock has none such."""
    half = read_half(words) or ("h" if WHOLE_DAY_PATTERN.search(words) else "")
    if "noon" in words or "midnight" in words:
        return SaidHour(12 if "noon" in words else 0, half="24")
    if found := SHIFT_PATTERN.search(words) or AFTER_HOUR_PATTERN.search(words):
        return shift_hour(found, half)
    if found := HALF_HOUR_PATTERN.search(words):
        hour = int(found["hour"])
        return (
            check_hour((hour - 1) or 12, 30, half)
            if found["word"] == "half-before"
            else check_hour(hour, 30, half)
        )
    found = FIGURES_PATTERN.search(words)
    if found is None:
        return None
    if found["both"]:
        return check_hour(int(found["both"][:2]), int(found["both"][2:]), half or "24")
    is_padded = found["hour"].startswith("0") and len(found["hour"]) > 1
    return check_hour(int(found["hour"]), int(found["minute"] or 0), half or ("24" if is_padded else ""))


def read_half(words: str) -> str:
    """Return `am` or `pm` where a time says so."""
    found = re.search(r"\d ?([ap])(?:\.? ?m|$)", words)
    return f"{found[1]}m" if found else ""


def shift_hour(found: re.Match[str], half: str) -> SaidHour | None:
    """Return a time that is told by minutes before or after an hour."""
    minutes = SHIFT_MINUTES.get(found["shift"]) or int(found["shift"])
    hour = int(found["hour"])
    if found["side"] in ("past", "after"):
        return check_hour(hour, minutes, half)
    return check_hour((hour - 1) or 12, 60 - minutes, half) if 0 < minutes < 60 else None


def check_hour(hour: int, minute: int, half: str) -> SaidHour | None:
    """Return a time as the clock shows it; nothing where the clock has none such."""
    if minute > 59 or hour > 24 or (hour == 24 and minute):
        return None
    if half in ("am", "pm"):
        if hour > 12:
            return SaidHour(hour, minute, "24")
        return SaidHour(hour, minute, half) if hour else SaidHour(hour, minute, "24")
    return SaidHour(hour, minute, "24" if hour > 12 or hour == 0 else half)


def read_time_point(found: re.Match[str], _: Occasion) -> SaidTime | None:
    """Read a time that is one for sure."""
    point = read_point(found["point"])
    return SaidTime(point) if point else None


def read_bound_point(found: re.Match[str], _: Occasion) -> SaidTime | None:
    """Read a number that is a time only beside a day."""
    point = read_point(found["point"])
    return SaidTime(point, needs_day=True) if point else None


def read_time_range(found: re.Match[str], _: Occasion) -> SaidTime | None:
    """Read from when to when something lasts."""
    start, end = read_point(found["point"]), read_point(found["last"])
    shifted = read_shifted(found) if " to " in found[0] else None
    # "20 to 6" is a time before six, and so is "at 10 to 6".
    is_shift = shifted is not None and (found["point"] in ("20", "25") or found["cue"] == "at ")
    # "at 7 am and 7 pm" are two times.
    is_two = " and " in found[0] and "between " not in found.string[: found.start("last")]
    if start is None or end is None or is_shift or is_two:
        return None
    is_sure = any(re.fullmatch(SURE_REGEX, found[name]) for name in ("point", "last"))
    # "3:1" and "2 - 4" may be anything; "at 2 - 4" is not.
    return SaidTime(start, end, needs_day=not (is_sure or found["cue"]), shifted=shifted)


def read_shifted(found: re.Match[str]) -> SaidHour | None:
    """Read "10 to 4" as minutes before an hour, where it may be that."""
    is_range = found[0].startswith(("from ", "between ", "of "))
    if is_range or found["point"] not in SHIFT_FIGURES or not found["last"].isdigit():
        return None
    return check_hour((int(found["last"]) - 1) or 12, 60 - int(found["point"]), "")


def read_part(found: re.Match[str], _: Occasion) -> SaidPart:
    """Read a part of the day, of today where that is said."""
    words = found[0]
    if words == "tonight":
        return SaidPart("evening", is_today=True)
    return SaidPart(found["part"], is_today="this" in words)


CLOCK_PHRASES: tuple[Phrase, ...] = (
    # "de 9h à 11h" in French
    (
        phrase_pattern(
            rf"(?P<cue>from |of )(?P<point>{POINT_REGEX}) (?:at|to|until) "
            rf"(?P<last>{POINT_REGEX}){COUNTED_REGEX}"
        ),
        read_time_range,
    ),
    (
        phrase_pattern(
            rf"(?P<cue>(?:(?:at|from|between) )|@ ?)?(?:about )?(?P<point>{POINT_REGEX}){RANGE_REGEX}"
            rf"(?:at )?(?:about )?"
            rf"(?P<last>{SURE_REGEX})(?! (?:people|persons?|guests?))",
            before=r"(?<![\w$€£#/])(?<!\d[.,:-])(?<!\w')(?<![\w)]-)",
        ),
        read_time_range,
    ),
    (
        phrase_pattern(
            rf"(?:from |between )?(?P<cue>at |@ ?)?(?:from |between )?(?:about )?(?P<point>{POINT_REGEX})"
            rf"{RANGE_REGEX}(?:at )?(?P<last>{POINT_REGEX})"
            rf"{COUNTED_REGEX}",
            before=r"(?<![\w$€£#/])(?<!\d[.,:-])(?<!\w')(?<![\w)]-)",
        ),
        read_time_range,
    ),
    (
        phrase_pattern(
            rf"(?:at |@ ?)?(?:about )?(?P<point>{SURE_REGEX})(?! ?- ?\d(?!\d{{3}}(?!\d)))",
            before=r"(?<![\w$€£#/])(?<!\d[.,:-])(?<!\w')(?<![\w)]-)",
            after=AFTER_REGEX.replace("(?!-[a-z])", ""),
        ),
        read_time_point,
    ),
    (
        phrase_pattern(
            rf"(?:at |@ ?)(?:about )?(?P<point>{'|'.join(WEAK_POINTS)}|(?:[01]\d"
            rf"|2[0-3]){MINUTES_REGEX}){COUNTED_REGEX}",
            before=r"(?<![\w@])",
        ),
        read_time_point,
    ),
    (
        phrase_pattern(
            rf"(?P<point>{'|'.join(WEAK_POINTS)}|(?:[01]\d"
            rf"|2[0-3]){MINUTES_REGEX}){COUNTED_REGEX}{AFTER_BARE_REGEX}"
        ),
        read_bound_point,
    ),
    (
        phrase_pattern(
            rf"(?:(?P<this>this )|(?:in |at |during |on )?(?:the )?(?:early |late )?)(?P<part>{PARTS_REGEX})"
        ),
        read_part,
    ),
    (phrase_pattern(r"(?P<part>tonight)"), read_part),
)
