"""Whether a candidate was said by whom and when a query says, and how recent it is."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.sources import SourceKind

#: After so many days something said counts half as recent.
RECENCY_HALF_LIFE_DAYS = 90
#: What is asked of a day is told on it, or in the days after: then it counts so much.
DAY_RETOLD_SPAN = timedelta(days=7)
DAY_RETOLD_SCORE = 0.5


def is_occasion(query: ParsedQuery, candidate: Candidate, spoken: float) -> bool:
    """Tell whether a message was said by whom and when a query says, which asks for nothing else."""
    if candidate.kind is not SourceKind.MESSAGE or not (spoken or query.between):
        return False
    speaker = candidate.speaker.lower()
    if any(word.lower() not in speaker for word in query.topic):
        return False
    return bool(spoken or not query.mine) and (query.between is None or time_score(query, candidate) == 1)


def message_time_span(candidates: Sequence[Candidate]) -> tuple[datetime | None, datetime | None]:
    """Return when the latest and the first of what was found were said."""
    times = [candidate.said_at for candidate in candidates if candidate.kind is SourceKind.MESSAGE]
    return max(times, default=None), min(times, default=None)


def recency_score(
    candidate: Candidate,
    query: ParsedQuery,
    *,
    now: datetime,
    newest: datetime | None,
    oldest: datetime | None,
) -> float:
    """Return how recent something is; where the latest or first word is wanted, among what was found."""
    if query.newest and newest and oldest and candidate.kind is SourceKind.MESSAGE:
        whole = (newest - oldest).total_seconds() or 1.0
        place = (candidate.said_at - oldest).total_seconds() / whole
        return place if query.newest > 0 else 1 - place
    if candidate.kind is not SourceKind.MESSAGE:
        return 0.0
    days = max(0.0, (now - candidate.said_at).total_seconds() / 86_400)
    return 0.5 ** (days / RECENCY_HALF_LIFE_DAYS)


def speaker_score(query: ParsedQuery, speaker: str) -> float:
    """Return whether a query asks for what a speaker has said."""
    if speaker == "user":
        return float(query.mine)
    name = speaker.removeprefix("agent:").rsplit("/", 1)[-1].lower()
    asked = query.text.lower()
    if name in asked:
        return 1.0
    telling = [part for part in re.split(r"[^a-z0-9.]+", name) if len(part) > 2 and not part.isdigit()]
    return float(any(re.search(rf"\b{re.escape(part)}\b", asked) for part in telling[:1]))


def time_score(query: ParsedQuery, candidate: Candidate) -> float:
    """Return whether something was said when the query says, or soon after the day that it names."""
    if query.between is None or candidate.kind is not SourceKind.MESSAGE:
        return 0.0
    start, end = query.between
    if start <= candidate.said_at < end:
        return 1.0
    is_retold = end - start <= timedelta(days=1) and start <= candidate.said_at < start + DAY_RETOLD_SPAN
    return DAY_RETOLD_SCORE if is_retold else 0.0
