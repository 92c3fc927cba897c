"""Dates and times: days resolved from the day of the message, joined with the times beside them."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from tertulia.core.text_spans import keep_apart, longest_first
from tertulia.dates.clock_times import TimeSpan, find_times
from tertulia.dates.day_contexts import find_said_days
from tertulia.dates.day_readers import DaySpan
from tertulia.entities.domain import EntityMention, EntityType

#: What stands between a day and its time, in this order.
DAY_THEN_TIME_PATTERN = re.compile(
    r"(?:,?[ ](?:(?:at|around|round|about|by|from|before|after|until|till|like|say|@|um|gegen|ab"
    r"|a[ ]las?|à|vers|between|-)[ ])?(?:about[ ]|around[ ]|like[ ])?|,[ ]?|[ ]?@[ ]?|[ ]?[-\u2013][ ]?)",
    re.IGNORECASE,
)
TIME_THEN_DAY_PATTERN = re.compile(r",?[ ](?:(?:on|am|of|el|del)[ ](?:the[ ])?)?", re.IGNORECASE)
JOINT_MAX_CHARS = 16
#: Hours that may be of either half of the day, and words that say it is the later one.
MORNING_FIGURE_PATTERN = re.compile(r"(?:0\d|1[01]):\d\d$")
LATE_PATTERN = re.compile(
    r"\b(?:evening|tonight|night|afternoon|abends?|nachmittags?|tarde|noche)\b", re.IGNORECASE
)


def find_dates(text: str, *, said_on: date, zone: str) -> Iterator[EntityMention]:
    """Yield the days and times of a text."""
    days = longest_first(find_said_days(text, said_on=said_on, zone=zone), place_of)
    times = longest_first(find_times(text), place_of)
    spans = keep_apart([*days, *times], place_of)
    yield from join_days_and_times(text, spans)


def join_days_and_times(text: str, spans: Sequence[DaySpan | TimeSpan]) -> Iterator[EntityMention]:
    """Yield days with the times beside them as one, and the other days and times alone."""
    index = 0
    while index < len(spans):
        pair = spans[index : index + 2]
        if len(pair) == 2 and is_joined(text, *pair):
            index += 2
            start, end = pair[0].start, pair[1].end
            yield build_mention(text, start, end, join_normals(*pair, words=text[start:end]))
            continue
        index += 1
        span = pair[0]
        if isinstance(span, DaySpan):
            yield build_mention(text, span.start, span.end, span.normal)
        elif not span.needs_day:
            yield build_mention(
                text, span.start, span.end, span.normal if span.is_weak else f"T{span.normal}"
            )


def is_joined(text: str, first: DaySpan | TimeSpan, second: DaySpan | TimeSpan) -> bool:
    """Tell whether a day and a time stand side by side and are meant together."""
    if isinstance(first, DaySpan) is isinstance(second, DaySpan):
        return False
    between = text[first.end : second.start]
    pattern = DAY_THEN_TIME_PATTERN if isinstance(first, DaySpan) else TIME_THEN_DAY_PATTERN
    return len(between) <= JOINT_MAX_CHARS and pattern.fullmatch(between) is not None


def join_normals(first: DaySpan | TimeSpan, second: DaySpan | TimeSpan, *, words: str) -> str:
    """Return a day and a time as one: `2026-05-04T15:30`; "evening" says which half of the day is meant."""
    day, time = (first, second) if isinstance(first, DaySpan) else (second, first)
    if (
        isinstance(time, TimeSpan)
        and MORNING_FIGURE_PATTERN.match(time.normal)
        and LATE_PATTERN.search(words)
    ):
        hour, minutes = time.normal.split(":")
        return f"{day.normal}T{int(hour) + 12}:{minutes}"
    return f"{day.normal}T{time.normal}"


def build_mention(text: str, start: int, end: int, normal: str) -> EntityMention:
    """Return a mention of a day or time, without a full stop that may end the sentence."""
    value = text[start:end]
    if value.endswith(".") and not re.search(r"\b[ap]\.[ ]?m\.$|\d\.$", value, re.IGNORECASE):
        value = value.rstrip(".")
    return EntityMention(EntityType.DATE, value, normal, start, start + len(value))


def place_of(span: DaySpan | TimeSpan) -> tuple[int, int]:
    """Return where a span stands."""
    return span.start, span.end
