"""How much of a query's words stand in a candidate: all, rare ones, neighbours, and whose words they are."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from tertulia.core.stop_words import STOP_WORDS
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.message_evidence import is_question, split_question
from tertulia.retrieval.query_words import QueryWords, is_strong, is_telling
from tertulia.retrieval.sources import SourceKind

#: How much a message only asks that tells something to the matter before it asks something else.
TOLD_QUESTION_SCORE = 0.5
#: What a word counts towards a query's topic that stands in the place of a misspelt one.
CORRECTED_WORD_WORTH = 0.4


def word_rarities(query_words: QueryWords, texts: Mapping[int, Sequence[str]]) -> dict[str, float]:
    """Return how much each word of the query tells the candidates apart."""
    found = Counter(word for words in texts.values() for word in set(words))
    return {word: log(1 + (len(texts) + 1) / (1 + found[word])) for word in dict.fromkeys(query_words.words)}


class TopicShare(NamedTuple):
    """The share of a topic's words in a text: of all, of those that tell something, and by rarity."""

    words: float
    telling: float
    rare: float


def measure_topic(query_words: QueryWords, rarity: Mapping[str, float], words: Sequence[str]) -> TopicShare:
    """Return how much of a query's topic stands among some words; a corrected word counts less."""
    topic, there = query_words.topic, query_words.topic.intersection(words)
    worth = {word: CORRECTED_WORD_WORTH if word in query_words.corrected else 1.0 for word in there}
    strong = sum(worth[word] * rarity[word] for word in there if is_strong(word) and word not in STOP_WORDS)
    return TopicShare(
        words=sum(worth.values()) / max(1, len(topic)),
        telling=sum(worth[word] for word in there if is_telling(word)) / max(1, len(topic)),
        rare=strong / (sum(rarity[word] for word in topic) or 1.0),
    )


def word_coverage(rarity: Mapping[str, float], words: Sequence[str]) -> float:
    """Return the share of the query's words among these, rare words counting more."""
    there = set(words)
    total = sum(rarity.values())
    return sum(weight for word, weight in rarity.items() if word in there) / total if total else 0.0


def word_adjacency(query_words: QueryWords, words: Sequence[str]) -> float:
    """Return the share of neighbouring words of the query that are neighbours here too."""
    if not query_words.pairs:
        return 0.0
    return len(query_words.pairs & set(pairwise(words))) / len(query_words.pairs)


def question_score(
    candidate: Candidate,
    match_in: Callable[[str], Sequence[str]],
    coverage: Callable[[Sequence[str]], float],
) -> float:
    """Return how much a message only asks: one that asks what the query asks is no answer.

    What it tells before it asks may be one, where that has the query's words rather than the question does.
    """
    if not is_question(candidate):
        return 0.0
    told, asked = (coverage(match_in(part)) for part in split_question(candidate.content))
    return TOLD_QUESTION_SCORE if told and told > asked else 1.0


def borrowed_share(
    candidate: Candidate,
    match_in: Callable[[str], Sequence[str]],
    coverage: Callable[[Sequence[str]], float],
) -> float:
    """Return the share of a message's matching words that it has from the question before it alone.

    The title of its conversation counts as its own, but only beside words that it says.
    """
    if candidate.kind is not SourceKind.MESSAGE:
        return 0.0
    if not any(match_in(candidate.content)):
        return 1.0
    own = coverage(match_in(f"{candidate.title or ''}\n{candidate.content}"))
    # A single letter of a name is found in its own words alone where a long question is before them.
    whole = coverage(match_in(f"{candidate.context}\n{candidate.content}"))
    return max(0.0, 1 - own / whole) if whole else 0.0


def heading_text(candidate: Candidate) -> str:
    """Return a candidate's path, headings and conversation's title."""
    return f"{candidate.path} {candidate.context} {candidate.title or ''}"
