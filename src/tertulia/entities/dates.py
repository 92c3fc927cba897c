"""Dates and times: days resolved from the day of the message, joined with the times beside them."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from tertulia.entities.clock_times import TimeSpan, find_times
from tertulia.entities.day_patterns import find_days
from tertulia.entities.day_readers import DaySpan, SaidDay
from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.french_days import FRENCH_DAY_KINDS
from tertulia.entities.german_days import GERMAN_DAY_KINDS
from tertulia.entities.relative_days import RELATIVE_DAY_KINDS
from tertulia.entities.spanish_days import SPANISH_DAY_KINDS
from tertulia.entities.text_spans import keep_apart, longest_first
from tertulia.entities.written_days import WRITTEN_DAY_KINDS

DAY_KINDS = (
    *WRITTEN_DAY_KINDS,
    *RELATIVE_DAY_KINDS,
    *GERMAN_DAY_KINDS,
    *SPANISH_DAY_KINDS,
    *FRENCH_DAY_KINDS,
)

#: What stands between a day and its time, in this order.
DAY_THEN_TIME_PATTERN = re.compile(
    r"(?:,?[ ](?:(?:at|around|round|about|by|from|before|after|until|till|like|say|@|um|gegen|ab"
    r"|a[ ]las?|à|vers|between|-)[ ])?(?:about[ ]|around[ ]|like[ ])?|,[ ]?|[ ]?@[ ]?|[ ]?[-\u2013][ ]?)",
    re.IGNORECASE,
)
TIME_THEN_DAY_PATTERN = re.compile(r",?[ ](?:(?:on|am|of|el|del)[ ](?:the[ ])?)?", re.IGNORECASE)
JOINT_MAX_CHARS = 16
PAST_PATTERN = re.compile(
    r"\b(?:was|were|did|went|met|had|since|saw|came|got|bought|called|happened|ended|started|arrived|born"
    r"|moved in|finished|seen|admitted|discharged|diagnosed|signed|shipped|ordered|charged|placed|visited"
    r"|sent|told|said|paid|received|war|hatte|gestern|fue|estuvo|ayer|it's been)\b",
    re.IGNORECASE,
)
YEARLY_PATTERN = re.compile(
    r"\b(?:birthday|anniversary|every year|each year|annually|geburtstag|cumpleaños)\b", re.IGNORECASE
)
FUTURE_PATTERN = re.compile(
    r"\b(?:will|going to|let's|can we|could we|(?:moved|changed|rescheduled|postponed|pushed"
    r"|shifted|brought forward)\b.{0,40} (?:to|until|for)|tomorrow|book|schedule|upcoming|want|need"
    r"|should|would|wird|werden|vamos a)\b|'ll\b",
    re.IGNORECASE,
)
#: Hours that may be of either half of the day, and words that say it is the later one.
MORNING_FIGURE_PATTERN = re.compile(r"(?:0\d|1[01]):\d\d$")
LATE_PATTERN = re.compile(
    r"\b(?:evening|tonight|night|afternoon|abends?|nachmittags?|tarde|noche)\b", re.IGNORECASE
)
SENTENCE_REACH_CHARS = 80
SENTENCE_END_PATTERN = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)[.!?\n]\s|\n")
#: Zones of people who write the month before the day.
MONTH_FIRST_ZONES = ("America/", "US/", "UTC", "Pacific/Honolulu", "Asia/Manila")
DAY_FIRST_ZONES = (
    "America/Argentina",
    "America/Sao_Paulo",
    "America/Mexico_City",
    "America/Bogota",
    "America/Lima",
)


def find_dates(text: str, *, said_on: date, zone: str) -> Iterator[EntityMention]:
    """Yield the days and times of a text."""
    read = partial(read_context, text=text, said_on=said_on, is_month_first=writes_month_first(zone))
    days = longest_first(find_days(DAY_KINDS, text, read), place_of)
    times = longest_first(find_times(text), place_of)
    spans = keep_apart([*days, *times], place_of)
    yield from join_days_and_times(text, spans)


def writes_month_first(zone: str) -> bool:
    """Tell whether people of a time zone write the month before the day."""
    return zone.startswith(MONTH_FIRST_ZONES) and not zone.startswith(DAY_FIRST_ZONES)


def read_context(found: re.Match[str], *, text: str, said_on: date, is_month_first: bool) -> SaidDay:
    """Return a day in words with what its sentence says of it."""
    sentence = sentence_around(text, found.start(), found.end())
    is_past = PAST_PATTERN.search(sentence) is not None and not FUTURE_PATTERN.search(sentence)
    return SaidDay(found, said_on, is_past, YEARLY_PATTERN.search(sentence) is not None, is_month_first)


def sentence_around(text: str, start: int, end: int) -> str:
    """Return what stands around a place up to the marks that end a sentence, without the place itself."""
    before = SENTENCE_END_PATTERN.split(text[max(0, start - SENTENCE_REACH_CHARS) : start])[-1]
    after = re.split(r"[.!?\n](?:\s|$)|\n", text[end : end + SENTENCE_REACH_CHARS])[0]
    return f"{before} … {after}"


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
