"""What a query asks for, read from its words alone."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tertulia.retrieval.words import MOST_WORDS, content_words, names_in

CODE_HINT = re.compile(
    r"\b(function|class|method|const|import|def|struct|enum|interface|module|variable|constant|parameter|"
    r"argument|return|exception|decorator|signature|implementation|implemented|defined|source code)\b",
    re.IGNORECASE,
)
TALK_HINT = re.compile(
    r"\b(said|say|says|told|tell us|asked|ask|answered|suggest(?:ed)?|propos(?:e|ed)|recommend(?:ed)?|"
    r"argued?|warned|promised|agreed?|disagreed?|decid(?:e|ed)|decision|discuss(?:ed)?|talked?|mention(?:ed)?|"
    r"conversation|conclud(?:e|ed)|complain(?:ed)?|we (?:chose|choose|settled?))\b",
    re.IGNORECASE,
)
LATEST = re.compile(
    r"\b(latest|newest|most recent(?:ly)?|recent(?:ly)?|last(?! (?:week|month|year|summer|winter))|"
    r"finally|in the end|now|currently|current|these days|up to date|eventually)\b",
    re.IGNORECASE,
)
EARLIEST = re.compile(
    r"\b(first|originally|initially|earliest|at the beginning|to begin with|at first|oldest)\b", re.IGNORECASE
)
MINE = re.compile(
    r"\b(?:did|had|have|do) I\b|\bI (?:said|asked|wanted|told|mentioned|complained|wrote)\b|"
    r"\bmy (?:question|message|request)\b",
    re.IGNORECASE,
)
YEAR_ROUND = "january february march april may june july august september october november december"
MONTHS = [str(month) for month in YEAR_ROUND.split()]
MONTH = re.compile(r"\b(" + "|".join(MONTHS) + r")\b(?:\s+(\d{4}))?", re.IGNORECASE)
DAY = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
YEAR = re.compile(r"\b(?:in|since|during|of)\s+((?:19|20)\d{2})\b", re.IGNORECASE)
AGO = {
    "yesterday": (2, 0),
    "today": (1, 0),
    "last week": (14, 0),
    "this week": (7, 0),
    "last month": (62, 0),
    "this month": (31, 0),
    "last year": (730, 0),
}


@dataclass(frozen=True, slots=True)
class Question:
    """A query with what could be read from it."""

    text: str
    words: tuple[str, ...]
    names: tuple[str, ...]
    #: How much it asks about code, and how much about what was said: from 0 to 1.
    code: float = 0.0
    talk: float = 0.0
    #: 1 when the latest word on the matter is wanted, -1 when the first.
    newest: int = 0
    #: Whether it asks for what the person said.
    mine: bool = False
    #: When what is asked for was said, if the query names a time.
    between: tuple[datetime, datetime] | None = None


def read_question(text: str, *, today: datetime) -> Question:
    """Read what a query asks for."""
    names = names_in(text)
    hinted = bool(CODE_HINT.search(text))
    return Question(
        text=text,
        words=tuple(content_words(text)[:MOST_WORDS]),
        names=tuple(names),
        code=1.0 if names else 0.5 if hinted else 0.0,
        talk=1.0 if TALK_HINT.search(text) or MINE.search(text) else 0.0,
        newest=1 if LATEST.search(text) else -1 if EARLIEST.search(text) else 0,
        mine=bool(MINE.search(text)),
        between=time_named(text, today=today),
    )


def time_named(text: str, *, today: datetime) -> tuple[datetime, datetime] | None:
    """Return the stretch of time that a query names, if it names one."""
    for name, (back, until) in AGO.items():
        if name in text.lower():
            return today - timedelta(days=back), today - timedelta(days=until)
    if day := DAY.search(text):
        return span(int(day[1]), int(day[2]), int(day[3]) if day[3] else None)
    if (month := MONTH.search(text)) and names_a_month(month):
        number = MONTHS.index(month[1].lower()) + 1
        year = int(month[2]) if month[2] else today.year - (number > today.month)
        return span(year, number, None)
    if year := YEAR.search(text):
        return datetime(int(year[1]), 1, 1, tzinfo=UTC), datetime(int(year[1]) + 1, 1, 1, tzinfo=UTC)
    return None


def names_a_month(found: re.Match[str]) -> bool:
    """Tell a month from the verbs: "may" and "march" in small letters are words like others."""
    return found[1].lower() not in ("may", "march") or found[1][0].isupper()


def span(year: int, month: int, day: int | None) -> tuple[datetime, datetime] | None:
    """Return a day or a month as a stretch of time; None when there is no such day, or none after it."""
    try:
        start = datetime(year, month, day or 1, tzinfo=UTC)
        end = start + timedelta(days=1) if day else (start + timedelta(days=32)).replace(day=1)
    except (ValueError, OverflowError):
        return None
    return start, end
