"""Parts that patterns of days share, and finding days by patterns."""

import re
from collections.abc import Callable, Iterable, Iterator

from tertulia.dates.date_words import FEAST_NAMES, ORDINAL_NUMBERS
from tertulia.dates.day_readers import DayReader, DaySpan, SaidDay
from tertulia.dates.following_words import FOLLOWING_REGEX

MONTH_REGEX = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?)"
)
WEEKDAY_REGEX = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
SHORT_WEEKDAY_REGEX = r"(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b\.?"
ANY_WEEKDAY_REGEX = rf"(?:{WEEKDAY_REGEX}|{SHORT_WEEKDAY_REGEX})"
DAY_REGEX = r"(?:0?[1-9]|[12]\d|3[01])"
ORDINAL_WORD_REGEX = "|".join(
    sorted((re.escape(word).replace(r"\-", "[ -]") for word in ORDINAL_NUMBERS), key=len, reverse=True)
)
YEAR_REGEX = r"(?:1[89]|20)\d{2}"
YEAR_AFTER_REGEX = (
    rf"(?:(?:,[ ]?|[ ]|-|[ ]of[ ])(?P<year>{YEAR_REGEX})\b(?![:\d])|,?[ ]['\u2019](?P<short_year>\d{{2}})\b)"
)
COUNT_REGEX = (
    r"(?:\d{1,3}|a couple(?: of)?|a few|half an|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|fifteen|twenty|thirty)"
)
UNIT_REGEX = r"(?P<unit>day|week|fortnight|month|year|hour|minute|min|hr)s?"
PART_REGEX = r"(?:[ ](?P<part>morning|morn|afternoon|arvo|evening|night|nite))"
FEAST_REGEX = "|".join(
    sorted(
        (re.escape(name).replace("'", "['\u2019]?").replace(r"\ ", "[ ]") for name in FEAST_NAMES),
        key=len,
        reverse=True,
    )
)
#: What people do, so that April before it is somebody.
DEED_REGEX = (
    "said|says|told|tells|called|calls|asked|asks|wants|wanted|came|went|likes|thinks|thought|knows|gave|took"
    "|wrote|lives|works|sent|agreed|replied|emailed"
)
#: What may come after a bare "the 3rd", so that it is no third thing of some kind.
AFTER_ORDINAL_REGEX = (
    # "the 2nd and 3rd rows"
    r"(?![ ](?:and|or)[ ](?:the[ ])?\d{1,2}(?:st|nd|rd|th)[ ](?!of|is|are|at|for|in|on|works?|if"
    r"|please|and|or|to|would|will)[a-z])"
    rf"(?=\s*(?:$|[.,;:!?)\]\"”\n\u2013—-]|{FOLLOWING_REGEX}|(?:of|to|evening|morning|afternoon|night)\b))"
)
#: A form of days, and what reads the day that is meant.
DayKind = tuple[re.Pattern[str], DayReader]


def day_pattern(body: str) -> re.Pattern[str]:
    """Return a pattern for a day that is no part of a longer number or word."""
    return re.compile(rf"(?<![\w/$€£#])(?<!\d[.,:-])(?:{body})(?![\w])", re.IGNORECASE)


def find_days(
    kinds: Iterable[DayKind], text: str, read: Callable[[re.Match[str]], SaidDay]
) -> Iterator[DaySpan]:
    """Yield the days of some kinds in a text; some may overlap."""
    for pattern, reader in kinds:
        for found in pattern.finditer(text):
            if normal := reader(read(found)):
                yield DaySpan(*found.span(), normal)
