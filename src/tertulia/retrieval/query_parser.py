"""What a query asks for, read from its words alone."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tertulia.core.stop_words import STOP_WORDS
from tertulia.retrieval.index_words import (
    INDEX_WORD_PATTERN,
    QUERY_WORDS_MAX,
    content_words,
    split_unspaced,
)
from tertulia.retrieval.query_identifiers import find_identifiers

CODE_QUERY_PATTERN = re.compile(
    r"\b(function|class|method|const|import|def|struct|enum|interface|module|variable|constant|parameter|"
    r"argument|return|exception|decorator|signature|implementation|implemented|defined|source code)\b",
    re.IGNORECASE,
)
#: What asks to be shown code, rather than about it.
WANTED_CODE_PATTERN = re.compile(
    r"```|\b(?:source code|code snippet|implementation of)\b|\bhow\b.{1,80}\bimplement(?:s|ed)?\b|"
    r"\b(?:show|give|find|print|quote|read|see)\b.{0,40}\b(?:code|functions?|methods?|implementation|snippet)\b|"
    r"\bwhich (?:code|functions?|methods?|class(?:es)?|modules?) \w+|"
    r"\bwhere\b.{1,80}\b(?:defined|implemented|coded)\b|\b(?:code|functions?|methods?) (?:that|which|for)\b",
    re.IGNORECASE,
)
#: Words that ask for code, and stand in prose about it rather than in code.
CODE_REQUEST_PATTERN = re.compile(
    r"code|coded|defined|functions?|implement(?:s|ed|ation)?|methods?|show|snippet", re.IGNORECASE
)
CONVERSATION_QUERY_PATTERN = re.compile(
    r"\b(said|say|says|told|tell us|asked|ask|answered|suggest(?:ed)?|propos(?:e|ed)|recommend(?:ed)?|"
    r"argued?|warned|promised|agreed?|disagreed?|decid(?:e|ed)|decision|discuss(?:ed)?|talked?|mention(?:ed)?|"
    r"conversation|conclud(?:e|ed)|complain(?:ed)?|we (?:chose|choose|settled?))\b",
    re.IGNORECASE,
)
LATEST_QUERY_PATTERN = re.compile(
    r"\b(latest|newest|most recent(?:ly)?|recent(?:ly)?|last(?! (?:week|month|year|summer|winter))|"
    r"finally|in the end|now|currently|current|these days|up to date|eventually)\b",
    re.IGNORECASE,
)
EARLIEST_QUERY_PATTERN = re.compile(
    r"\b(first|originally|initially|earliest|at the beginning|to begin with|at first|oldest)\b", re.IGNORECASE
)
OWN_MESSAGES_QUERY_PATTERN = re.compile(
    r"\b(?:did|had|have) I\b|\bI (?:said|asked|wanted|told|mentioned|complained|wrote)\b|"
    r"\bmy (?:question|message|request)\b",
    re.IGNORECASE,
)
MONTH_NAMES_TEXT = "january february march april may june july august september october november december"
MONTH_NAMES = [str(month) for month in MONTH_NAMES_TEXT.split()]
MONTH_QUERY_PATTERN = re.compile(
    rf"(?:\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b(?P<month>{'|'.join(MONTH_NAMES)})\b"
    r"(?:\s+(?P<day_after>\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,?\s+(?P<year>\d{4}))?",
    re.IGNORECASE,
)
DATE_QUERY_PATTERN = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
YEAR_QUERY_PATTERN = re.compile(r"\b(?:in|since|during|of)\s+((?:19|20)\d{2})\b", re.IGNORECASE)
RELATIVE_TIME_DAYS = {
    "yesterday": (2, 0),
    "today": (1, 0),
    "last week": (14, 0),
    "this week": (7, 0),
    "last month": (62, 0),
    "this month": (31, 0),
    "last year": (730, 0),
}
#: What an apostrophe joins to a word and tells nothing: the driver's, I'll.
CLITIC_PATTERN = re.compile(r"(?<=\w)['\u2019](?:s|t|d|m|re|ve|ll)\b", re.IGNORECASE)
#: What says when something was said, with the day of a month.
TIME_EXPRESSION_PATTERN = re.compile(
    "|".join(
        (
            MONTH_QUERY_PATTERN.pattern,
            DATE_QUERY_PATTERN.pattern,
            YEAR_QUERY_PATTERN.pattern,
            rf"\b(?:{'|'.join(RELATIVE_TIME_DAYS)})\b",
        )
    ),
    re.IGNORECASE,
)
#: What else says by whom, when or in which order something was said, and not what.
OCCASION_PATTERNS = (
    CONVERSATION_QUERY_PATTERN,
    OWN_MESSAGES_QUERY_PATTERN,
    LATEST_QUERY_PATTERN,
    EARLIEST_QUERY_PATTERN,
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query with what could be read from it."""

    text: str
    words: tuple[str, ...]
    names: tuple[str, ...]
    #: The telling words that say what it is about, as they are written: not when, by whom or in which order
    #: that was said. Empty where it asks for nothing else.
    topic: tuple[str, ...] = ()
    #: Words in the place of others that the index does not have.
    corrected: frozenset[str] = frozenset()
    #: How much it asks about code, and how much about what was said: from 0 to 1.
    code: float = 0.0
    talk: float = 0.0
    #: Whether it asks to be shown code, and not also what was said of it.
    wants_code: bool = False
    #: 1 when the latest word on the matter is wanted, -1 when the first.
    newest: int = 0
    #: Whether it asks for what the person said.
    mine: bool = False
    #: When what is asked for was said, if the query names a time.
    between: tuple[datetime, datetime] | None = None


def parse_query(text: str, *, today: datetime) -> ParsedQuery:
    """Read what a query asks for."""
    text = unicodedata.normalize("NFC", text)
    names = find_identifiers(text)
    between = parse_time_span(text, today=today)
    hinted = bool(CODE_QUERY_PATTERN.search(text))
    asks_talk = bool(CONVERSATION_QUERY_PATTERN.search(text) or OWN_MESSAGES_QUERY_PATTERN.search(text))
    wants_code = not asks_talk and bool(WANTED_CODE_PATTERN.search(text))
    return ParsedQuery(
        text=text,
        words=tuple(search_words(text, wants_code=wants_code)[:QUERY_WORDS_MAX]),
        names=tuple(names),
        topic=tuple(find_topic(text, names_time=between is not None)),
        code=1.0 if names or wants_code else 0.5 if hinted else 0.0,
        talk=float(asks_talk),
        wants_code=wants_code,
        newest=1 if LATEST_QUERY_PATTERN.search(text) else -1 if EARLIEST_QUERY_PATTERN.search(text) else 0,
        mine=bool(OWN_MESSAGES_QUERY_PATTERN.search(text)),
        between=between,
    )


def search_words(text: str, *, wants_code: bool = False) -> list[str]:
    """Return the words to look for, in order, each once; of a request for code, those that say which."""
    words = content_words(CLITIC_PATTERN.sub(" ", text))
    every = list(dict.fromkeys(part for word in words for part in split_unspaced(word)))
    telling = [word for word in every if not CODE_REQUEST_PATTERN.fullmatch(word)] if wants_code else []
    return telling or every


def find_topic(text: str, *, names_time: bool) -> list[str]:
    """Return the telling words of a query but for those that say when, by whom and in which order."""
    text = CLITIC_PATTERN.sub(" ", text)
    if names_time:
        text = TIME_EXPRESSION_PATTERN.sub(" ", text)
    for pattern in OCCASION_PATTERNS:
        text = pattern.sub(" ", text)
    words = (word for word in INDEX_WORD_PATTERN.findall(text) if word.lower() not in STOP_WORDS)
    return list(dict.fromkeys(words))


def parse_time_span(text: str, *, today: datetime) -> tuple[datetime, datetime] | None:
    """Return the stretch of time that a query names, if it names one."""
    for name, (back, until) in RELATIVE_TIME_DAYS.items():
        if name in text.lower():
            return today - timedelta(days=back), today - timedelta(days=until)
    if day := DATE_QUERY_PATTERN.search(text):
        return to_time_span(int(day[1]), int(day[2]), int(day[3]) if day[3] else None)
    if (month := MONTH_QUERY_PATTERN.search(text)) and is_month_name(month):
        return to_named_time_span(month, today=today)
    if year := YEAR_QUERY_PATTERN.search(text):
        return datetime(int(year[1]), 1, 1, tzinfo=UTC), datetime(int(year[1]) + 1, 1, 1, tzinfo=UTC)
    return None


def is_month_name(found: re.Match[str]) -> bool:
    """Tell a month from the verbs: "may" and "march" in small letters are words like others."""
    name = found["month"]
    return name.lower() not in ("may", "march") or name[0].isupper()


def to_named_time_span(found: re.Match[str], *, today: datetime) -> tuple[datetime, datetime] | None:
    """Return the day or month that a query names; without a year it is the last one with that name."""
    month = MONTH_NAMES.index(found["month"].lower()) + 1
    year = int(found["year"]) if found["year"] else today.year - (month > today.month)
    day = found["day"] or found["day_after"]
    whole = to_time_span(year, month, None)
    return to_time_span(year, month, int(day)) or whole if day else whole


def to_time_span(year: int, month: int, day: int | None) -> tuple[datetime, datetime] | None:
    """Return a day or a month as a stretch of time; None when there is no such day, or none after it."""
    try:
        start = datetime(year, month, day or 1, tzinfo=UTC)
        end = start + timedelta(days=1) if day else (start + timedelta(days=32)).replace(day=1)
    except (ValueError, OverflowError):
        return None
    return start, end
