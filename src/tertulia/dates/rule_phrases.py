"""How something recurs, in plain words."""

import re

from tertulia.dates.date_words import FEAST_NAMES, FIXED_FEASTS, WEEKDAY_FEASTS
from tertulia.dates.phrase_patterns import (
    ANY_WEEKDAY_REGEX,
    DAY_REGEX,
    MONTH_REGEX,
    ORDINAL_REGEX,
    WEEKDAY_REGEX,
    Phrase,
    month_number,
    ordinal_number,
    phrase_pattern,
    weekday_number,
)
from tertulia.dates.readings import Occasion, SaidRule
from tertulia.dates.rule_wording import WEEKDAY_CODES, WORKDAY_CODES

WEEKEND_CODES = ("SA", "SU")
WEEK_DAYS = 7
LIST_REGEX = (
    rf"(?:{ANY_WEEKDAY_REGEX}s?)(?:(?:, ?(?:and )?| and | ?/ ?|, ?)(?:on )?(?:the )?"
    rf"(?:{ANY_WEEKDAY_REGEX}s?))*"
)
PLURAL_LIST_REGEX = rf"(?:{WEEKDAY_REGEX}s)(?:(?:, ?(?:and )?| and | ?/ ?)(?:on )?(?:{WEEKDAY_REGEX}s?))*"
INTERVAL_REGEX = r"(?P<interval>other|\d{1,3}(?:th|nd|rd|st)?)"
FREQUENCIES = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
PLAIN_RULES = {
    "daily": ("DAILY", 1),
    "weekly": ("WEEKLY", 1),
    "fortnightly": ("WEEKLY", 2),
    "monthly": ("MONTHLY", 1),
    "quarterly": ("MONTHLY", 3),
    "yearly": ("YEARLY", 1),
}
FOLLOWING_DAYS_REGEX = rf"(?:,? (?:on )?(?:the |an? )?(?P<days>{LIST_REGEX}))?"
OF_MONTH_REGEX = r"(?:of |in )?(?:the )?(?:every|a) (?:(?P<interval>other|\d{1,2}(?:th|nd|rd)?) )?months?"


def interval_of(found: re.Match[str]) -> int:
    """Return how many days, weeks, months or years lie between two times."""
    word = found.groupdict().get("interval") or "1"
    return 2 if word == "other" else max(1, int(re.sub(r"\D", "", word)))


def codes_of(words: str | None) -> tuple[str, ...]:
    """Return weekdays as rules name them, in the order of the week."""
    numbers = {weekday_number(word) for word in re.findall(ANY_WEEKDAY_REGEX, words or "")}
    return tuple(WEEKDAY_CODES[number] for number in sorted(numbers))


def read_weekdays_rule(found: re.Match[str], _: Occasion) -> SaidRule | None:
    """Read "every Monday and Wednesday" and "every other Friday"."""
    word = found.groupdict().get("interval") or ""
    if re.fullmatch("1(?:th|st)", word):
        return None
    is_unclear = bool(re.match(r"[3-5]", word))
    return SaidRule("WEEKLY", interval_of(found), codes_of(found["days"]), is_unclear=is_unclear)


def read_counted_weekdays_rule(found: re.Match[str], _: Occasion) -> SaidRule:
    """Read "the next three Mondays"."""
    return SaidRule("WEEKLY", weekdays=codes_of(found["days"]), count=int(found["count"]))


def read_unit_rule(found: re.Match[str], _: Occasion) -> SaidRule:
    """Read "every 3 days" and "every 2 weeks on Thursday"."""
    unit = found["unit"].rstrip("s")
    if unit == "quarter":
        return SaidRule("MONTHLY", 3 * interval_of(found))
    interval = interval_of(found) * (2 if unit == "fortnight" else 1)
    frequency = "WEEKLY" if unit == "fortnight" else FREQUENCIES[unit]
    if found["days"] and frequency == "DAILY" and interval % WEEK_DAYS == 0:
        frequency, interval = "WEEKLY", interval // WEEK_DAYS
    days = codes_of(found["days"]) if frequency == "WEEKLY" else ()
    return SaidRule(frequency, interval, days)


def read_plain_rule(found: re.Match[str], _: Occasion) -> SaidRule:
    """Read "daily", "weekly on Thursdays"."""
    frequency, interval = PLAIN_RULES[found["word"]]
    return SaidRule(frequency, interval, codes_of(found["days"]) if frequency == "WEEKLY" else ())


def read_workdays_rule(_: re.Match[str], __: Occasion) -> SaidRule:
    """Read "every weekday"."""
    return SaidRule("WEEKLY", weekdays=WORKDAY_CODES)


def read_days_rule(_: re.Match[str], __: Occasion) -> SaidRule:
    """Read "every morning" as every day."""
    return SaidRule("DAILY")


def read_weekends_rule(_: re.Match[str], __: Occasion) -> SaidRule:
    """Read "every weekend"."""
    return SaidRule("WEEKLY", weekdays=WEEKEND_CODES)


def read_month_day_rule(found: re.Match[str], _: Occasion) -> SaidRule:
    """Read "the 10th of every month" and "the last day of every month"."""
    return SaidRule("MONTHLY", interval_of(found), month_day=ordinal_number(found["day"]))


def read_month_weekday_rule(found: re.Match[str], _: Occasion) -> SaidRule:
    """Read "the first Friday of every month"."""
    code = f"{ordinal_number(found['which'])}{WEEKDAY_CODES[weekday_number(found['weekday'])]}"
    return SaidRule("MONTHLY", interval_of(found), (code,))


def read_feast_rule(found: re.Match[str], _: Occasion) -> SaidRule | None:
    """Read "every Christmas"; of a feast that follows the moon no rule can tell."""
    name = FEAST_NAMES[int(found["feast"])]
    if name in FIXED_FEASTS:
        month, day = FIXED_FEASTS[name]
        return SaidRule("YEARLY", month_day=day, month=month)
    if name not in WEEKDAY_FEASTS:
        return None
    month, weekday, which = WEEKDAY_FEASTS[name]
    return SaidRule("YEARLY", weekdays=(f"{which}{WEEKDAY_CODES[weekday]}",), month=month)


def read_year_day_rule(found: re.Match[str], _: Occasion) -> SaidRule:
    """Read "every year on March 3"."""
    return SaidRule("YEARLY", month_day=ordinal_number(found["day"]), month=month_number(found["month"]))


MONTH_DAY_REGEX = rf"(?:the )?(?P<day>{ORDINAL_REGEX}|{DAY_REGEX}\.?|last)(?: days?)?"
YEAR_DAY_REGEXES = (
    rf"(?P<month>{MONTH_REGEX}) (?:the )?(?P<day>{ORDINAL_REGEX}|{DAY_REGEX})(?![\d:])",
    rf"(?:the )?(?P<day>{ORDINAL_REGEX}|{DAY_REGEX}\.?) (?:of )?(?P<month>{MONTH_REGEX})",
)
RULE_PHRASES: tuple[Phrase, ...] = (
    (phrase_pattern(rf"(?:on )?every (?:{INTERVAL_REGEX} )?(?P<days>{LIST_REGEX})"), read_weekdays_rule),
    (
        phrase_pattern(
            r"(?:for |on )?(?:the )?(?:next |following |coming )?(?P<count>[1-9]\d?) "
            rf"(?P<days>{WEEKDAY_REGEX}s)",
            after=r"(?![\w-])(?! (?:ago|from|hence|after|before)\b)",
        ),
        read_counted_weekdays_rule,
    ),
    (
        phrase_pattern(rf"(?:on )?(?:the )?(?P<days>{PLURAL_LIST_REGEX})", before=r"(?<![\w'-])"),
        read_weekdays_rule,
    ),
    (
        phrase_pattern(
            rf"every (?:{INTERVAL_REGEX} )?(?P<unit>days?|weeks?|fortnights?|months?|quarters?"
            rf"|years?){FOLLOWING_DAYS_REGEX}"
        ),
        read_unit_rule,
    ),
    (phrase_pattern(rf"(?P<word>{'|'.join(PLAIN_RULES)}){FOLLOWING_DAYS_REGEX}"), read_plain_rule),
    (
        phrase_pattern(r"(?:every weekdays?|(?:on )?weekdays|monday (?:to|until|-) friday every weeks?)"),
        read_workdays_rule,
    ),
    # "every morning": the part of the day is read by itself.
    (
        phrase_pattern(r"every", after=r"(?= (?:single )?(?:morning|afternoon|evening|night)\b)"),
        read_days_rule,
    ),
    (phrase_pattern(r"(?:every weekends?|(?:on |at )?(?:the )?weekends)"), read_weekends_rule),
    (phrase_pattern(rf"(?:on )?{MONTH_DAY_REGEX} {OF_MONTH_REGEX}"), read_month_day_rule),
    (
        phrase_pattern(
            rf"every (?:(?P<interval>other|\d{{1,2}}) )?months? on {MONTH_DAY_REGEX}", after=r"(?![\w:])"
        ),
        read_month_day_rule,
    ),
    (
        phrase_pattern(
            rf"(?:on )?every (?P<day>{ORDINAL_REGEX}|{DAY_REGEX}\.?|last)(?: days?)? (?:of )?"
            r"(?:the |a )?months?"
        ),
        read_month_day_rule,
    ),
    (phrase_pattern(r"every feast(?P<feast>\d+)"), read_feast_rule),
    (phrase_pattern(rf"monthly on {MONTH_DAY_REGEX}", after=r"(?![\w:])"), read_month_day_rule),
    (
        phrase_pattern(
            rf"(?:on )?(?:the )?(?P<which>[1-5](?:th|st|nd|rd)|last) "
            rf"(?P<weekday>{ANY_WEEKDAY_REGEX}) {OF_MONTH_REGEX}"
        ),
        read_month_weekday_rule,
    ),
    (
        phrase_pattern(
            rf"(?:every (?:(?P<interval>other|\d{{1,2}}) )?months?|monthly) on (?:the )?(?P<which>[1-5]"
            rf"(?:th|st|nd|rd)|last) (?P<weekday>{ANY_WEEKDAY_REGEX})"
        ),
        read_month_weekday_rule,
    ),
    (
        phrase_pattern(
            rf"(?:on )?every (?P<which>[1-5](?:th|st|nd|rd)|last) (?P<weekday>{ANY_WEEKDAY_REGEX}) "
            r"(?:of|in) (?:the|a) months?"
        ),
        read_month_weekday_rule,
    ),
    # "Every second Friday" may be every other one, but of first and last ones each month has one.
    (
        phrase_pattern(
            rf"(?:on )?every (?P<which>1(?:th|st)|last) (?P<weekday>{ANY_WEEKDAY_REGEX})(?! (?:of|in) )"
        ),
        read_month_weekday_rule,
    ),
    *(
        (phrase_pattern(rf"{form}", after=r"(?![\w:])"), read_year_day_rule)
        for day in YEAR_DAY_REGEXES
        for form in (
            rf"every {day}",
            rf"(?:every year|yearly) (?:on )?{day}",
            rf"(?:on )?{day},? (?:every year|yearly)",
        )
    ),
)
