"""Parts that patterns of plain words share."""

import re
from collections.abc import Callable

from tertulia.dates.readings import Occasion, Said

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
WEEKDAY_REGEX = "(?:" + "|".join(WEEKDAYS) + ")"
MONTH_REGEX = "(?:" + "|".join(MONTHS) + ")"
#: Short weekdays that are words of their own are weekdays only beside what tells so.
ANY_WEEKDAY_REGEX = rf"(?:{WEEKDAY_REGEX}|wed|sat|sun)"
CLEAR_WEEKDAY_REGEX = (
    rf"(?:{WEEKDAY_REGEX}|(?:wed|sat|sun)(?=,? (?:at |@ ?)?\d|,? (?:at )?noon\b"
    rf"|,? (?:morning|afternoon|evening|night)\b|,? {MONTH_REGEX} \d)"
    r"|(?:(?<=\bon )|(?<=\bnext )|(?<=\bevery )|(?<=\buntil )|(?<=\bdue ))(?:wed|sat|sun)(?!\w))"
)
YEAR_REGEX = r"(?:19|20|21)\d{2}"
DAY_REGEX = r"(?:0?[1-9]|[12]\d|3[01])"
ORDINAL_REGEX = rf"{DAY_REGEX}(?:st|nd|rd|th)"
HALF_MORE_REGEX = r"(?: and (?:a|1) half| ?½| 1/2)"
COUNT_REGEX = rf"(?:\d{{1,4}}(?:[.,]\d{{1,2}}|{HALF_MORE_REGEX})?|half an?|(?<!half )an?)"
LENGTH_UNIT_REGEX = (
    r"(?:minutes?|mins?|hours?|hrs?|h|days?|nights?|weeks?|wks?|fortnights?|months?|quarters?|years?|yrs?)"
)
#: No part of a longer word, number, price, version or path.
BEFORE_REGEX = r"(?<![\w$€£#/@])(?<!\d[.,:-])(?<!\w')(?<![\w)]-)"
AFTER_REGEX = r"(?![\w%€£$])(?!'\w)(?!-[a-z])(?![.,:]\d)"

PhraseReader = Callable[[re.Match[str], Occasion], Said | None]
#: A form of words, and what reads it.
Phrase = tuple[re.Pattern[str], PhraseReader]


def phrase_pattern(body: str, *, before: str = BEFORE_REGEX, after: str = AFTER_REGEX) -> re.Pattern[str]:
    """Return a pattern for plain words that are no part of a longer word or number."""
    return re.compile(f"{before}(?:{body}){after}")


def weekday_number(word: str) -> int:
    """Return the number of a weekday from 0, by its name or a short form of it."""
    return next(number for number, name in enumerate(WEEKDAYS) if name.startswith(word[:3]))


def month_number(word: str) -> int:
    """Return the number of a month from 1, by its name."""
    return MONTHS.index(word) + 1


def ordinal_number(word: str) -> int:
    """Return the number of an ordinal in figures; -1 for the last."""
    return -1 if word == "last" else int(re.sub(r"\D", "", word))


def count_number(word: str) -> float:
    """Return how many are said."""
    if word.startswith("half"):
        return 0.5
    if found := re.fullmatch(rf"(\d+){HALF_MORE_REGEX}", word):
        return int(found[1]) + 0.5
    return 1 if word in ("a", "an") else float(word.replace(",", "."))
