"""Holding a model to what was said: what has to be right is quoted, the rest must come from somewhere.

No check of words tells a decision from its contrary, or whose figure it is. So a
model chooses what is worth knowing and describes it; decisions, wishes and
figures are told in the words of those who said them.
"""

from collections.abc import Iterable, Iterator, Sequence

from tertulia.memory import cues
from tertulia.memory.domain import Point, PointKind, SourceMessage
from tertulia.memory.extractive_summary import sentence_point
from tertulia.memory.figures import find_figures
from tertulia.memory.message_sentences import MessageSentence, split_messages, with_needed_context
from tertulia.retrieval.index_words import content_words

#: What has to be told in the words in which it was said.
FIRM_POINT_KINDS = frozenset((PointKind.DECISION, PointKind.PREFERENCE, PointKind.COMMITMENT))
#: So much of what a point says must stand in the messages that it names.
SUPPORTED_GIST_MIN_SHARE = 0.6
#: Words are the same that begin alike: ship, ships, shipped.
GIST_STEM_CHARS = 4
#: From here on scripts put no spaces between words.
UNSPACED_SCRIPTS_START = "\u2e80"


def keep_supported_points(points: Iterable[Point], messages: Sequence[SourceMessage]) -> list[Point]:
    """Return those points that tell what was said, with what has to be right word for word."""
    said = split_messages(messages)
    return [held for point in points if (held := _support_point(point, said)) is not None]


def _support_point(point: Point, sentences: Sequence[MessageSentence]) -> Point | None:
    gist = gist_of(point.text) - REPORTING_GIST
    named = [place for place, sentence in enumerate(sentences) if sentence.message.id in point.sources]
    heard = frozenset[str]().union(*(gist_of(sentences[place].text) for place in named))
    if not gist or len(gist & heard) < SUPPORTED_GIST_MIN_SHARE * len(gist):
        return None
    told = [place for place in named if can_be_source(point, sentences[place])]
    best = max(told, key=lambda place: match_score(point, gist, sentences[place]), default=None)
    if can_be_paraphrased(point) and (best is None or has_same_polarity(point, sentences[best])):
        return point
    return quote_point(point, sentences, best) if best is not None else None


def match_score(point: Point, gist: frozenset[str], sentence: MessageSentence) -> tuple[int, int, bool]:
    """Return how much of a point a sentence says: its figures, its words, and that it is so."""
    shared = set(find_figures(point.text)).intersection(sentence.figures)
    return len(shared), len(gist & gist_of(sentence.text)), has_same_polarity(point, sentence)


def has_same_polarity(point: Point, sentence: MessageSentence) -> bool:
    """Tell whether both say that something is so, or both that it is not."""
    return cues.has_negation(point.text) == cues.has_negation(sentence.text)


def can_be_source(point: Point, sentence: MessageSentence) -> bool:
    """Tell whether a sentence can be what a point was taken from: no code, and no question that decides."""
    return not sentence.is_code and not (point.kind in FIRM_POINT_KINDS and cues.is_question(sentence.text))


def can_be_paraphrased(point: Point) -> bool:
    """Tell whether a point may stay in a model's words: nothing depends on each of them."""
    firm = point.kind in FIRM_POINT_KINDS or cues.is_decision(point.text, by_user=True)
    return not firm and not find_figures(point.text)


def quote_point(point: Point, sentences: Sequence[MessageSentence], index: int) -> Point:
    """Return what a point tells in the words in which it was said."""
    kind = PointKind.DECISION if sentences[index].is_decision else point.kind
    return sentence_point(kind, with_needed_context(sentences, index))


def gist_of(text: str) -> frozenset[str]:
    """Return what words of a text begin with; of scripts without spaces, each two characters."""
    return frozenset(part for word in content_words(text) for part in _gist_parts(word))


def _gist_parts(word: str) -> Iterator[str]:
    if len(word) > 1 and max(word) >= UNSPACED_SCRIPTS_START:
        yield from (word[place : place + 2] for place in range(len(word) - 1))
    else:
        yield word[:GIST_STEM_CHARS] if word.isalpha() else word


#: By such words one tells of a conversation; nobody has to have said them.
REPORTING_GIST = gist_of(
    "user person model assistant conversation talked discussed asks asked spoke said told explained"
    " suggested recommended wants mentioned"
)
