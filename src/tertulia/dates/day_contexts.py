"""Days in a text, each with what its sentence says of it, such as whether it tells of what was."""

import re
from collections.abc import Iterator
from datetime import date
from functools import partial

from tertulia.dates.day_patterns import find_days
from tertulia.dates.day_readers import DaySpan, SaidDay
from tertulia.dates.french_days import FRENCH_DAY_KINDS
from tertulia.dates.german_days import GERMAN_DAY_KINDS
from tertulia.dates.relative_days import RELATIVE_DAY_KINDS
from tertulia.dates.spanish_days import SPANISH_DAY_KINDS
from tertulia.dates.written_days import WRITTEN_DAY_KINDS

DAY_KINDS = (
    *WRITTEN_DAY_KINDS,
    *RELATIVE_DAY_KINDS,
    *GERMAN_DAY_KINDS,
    *SPANISH_DAY_KINDS,
    *FRENCH_DAY_KINDS,
)
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


def find_said_days(text: str, *, said_on: date, zone: str) -> Iterator[DaySpan]:
    """Yield the days of a text; some may overlap."""
    read = partial(read_context, text=text, said_on=said_on, is_month_first=writes_month_first(zone))
    yield from find_days(DAY_KINDS, text, read)


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
