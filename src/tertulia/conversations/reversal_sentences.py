"""Sentences by which people take something back, and the earlier ones that they are about.

Two sentences are about the same when they share its words: what is taken back where a sentence says
that, else most of what it speaks of. Nothing is decided by a cue alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tertulia.conversations.reversal_cues import (
    BACKWARD_CUES,
    COPULA_PATTERN,
    HISTORY_CUES,
    TARGETED_CUES,
    UNSPACED_HISTORY_CUES,
    UNSPACED_UPDATE_CUES,
    UPDATE_CUES,
)
from tertulia.conversations.sentences import Sentence, SentenceKind, split_text_sentences
from tertulia.retrieval.word_stems import find_stems

#: Of a longer message no more is read.
REVERSAL_READ_MAX_CHARS = 8_000
#: What follows a sentence that takes something back says what holds instead, if both are this short.
REVERSAL_MAX_CHARS = 240
#: Words that say nothing of what a sentence is about.
GENERIC_STEMS = find_stems(
    "thing things plan plans idea ideas option version one ones time again really going back new need want "
    "think decide decided agreed agree switch change changed move moved use using used take taking keep make "
    "actually instead anymore today tomorrow also still everything something anything"
)
#: A sentence speaks of the same when it has this share of the words that are taken back, or of the thing
#: of which something new is said: the code of one door is not that of another.
SAME_TARGET_MIN_SHARE = 0.6
SAME_TOPIC_MIN_SHARE = 0.75
#: Where neither is named: this share of all words, and so many.
SAME_WORDS_MIN_SHARE, SAME_WORDS_MIN = 0.4, 2
STRAIGHT_APOSTROPHE_TABLE = {0x2019: "'", 0x2018: "'"}


@dataclass(frozen=True, slots=True)
class ReversalSubject:
    """What a sentence takes back."""

    #: The stems of what it names as taken back; empty where it names nothing.
    target: frozenset[str]
    #: The stems of the thing that it says something new of; empty where it begins with that.
    topic: frozenset[str]
    #: The stems of all that it speaks of.
    words: frozenset[str]
    has_figures: bool
    #: It is about what was said right before.
    refers_back: bool

    @property
    def is_explicit(self) -> bool:
        """Tell whether it says what it takes back."""
        return bool(self.target)


def find_reversals(text: str) -> list[str]:
    """Return the sentences of a message that take something back, each with what it says instead."""
    sentences = split_text_sentences(text[:REVERSAL_READ_MAX_CHARS])
    return [_with_next(sentences, index) for index, sentence in enumerate(sentences) if takes_back(sentence)]


def takes_back(sentence: Sentence) -> bool:
    """Tell whether a sentence takes something back."""
    return sentence.kind is not SentenceKind.CODE and is_reversal(sentence.text)


@lru_cache(8_192)
def is_reversal(text: str) -> bool:
    """Tell whether a sentence has words by which something is taken back; a question takes nothing back."""
    plain = text.translate(STRAIGHT_APOSTROPHE_TABLE)
    if is_question(plain):
        return False
    every = (*TARGETED_CUES, *UPDATE_CUES, *UNSPACED_UPDATE_CUES, *BACKWARD_CUES)
    return any(pattern.search(plain) for pattern in every)


@lru_cache(8_192)
def parse_reversal(text: str) -> ReversalSubject:
    """Return what the first sentence of a text takes back; the next may only say what holds instead."""
    plain = next(statements_of(text), text).translate(STRAIGHT_APOSTROPHE_TABLE)
    targets = [found["target"] for pattern in TARGETED_CUES for found in pattern.finditer(plain)]
    bare = without_cues(plain)
    return ReversalSubject(
        target=frozenset[str]().union(*map(telling_stems, targets)),
        topic=find_topic(plain),
        words=telling_stems(bare),
        has_figures=has_digit(plain),
        refers_back=any(pattern.search(plain) for pattern in BACKWARD_CUES),
    )


def without_cues(plain: str) -> str:
    """Return a sentence without the words by which it takes something back."""
    for pattern in (*UPDATE_CUES, *BACKWARD_CUES):
        plain = pattern.sub(" ", plain)
    return plain


def find_topic(plain: str) -> frozenset[str]:
    """Return the stems of what a sentence is about: what stands before its verb; none where it has none."""
    before, verb, _ = COPULA_PATTERN.sub("\0", plain, count=1).partition("\0")
    about = without_cues(before)
    return telling_stems(about) if verb and about.strip(" ,") else frozenset()


def is_taken_back(statement: str, reversal: str) -> bool:
    """Tell whether a sentence is about what a later one takes back."""
    if is_question(statement) or statement in reversal or reversal in statement:
        return False
    subject, said = parse_reversal(reversal), telling_stems(statement)
    if subject.target and len(subject.target & said) >= SAME_TARGET_MIN_SHARE * len(subject.target):
        return True
    if subject.has_figures and not has_digit(statement):
        return False
    if subject.topic:
        return len(subject.topic & said) >= SAME_TOPIC_MIN_SHARE * len(subject.topic)
    if subject.target:
        return False
    named = frozenset(word for word in subject.words if not has_digit(word))
    needed = SAME_WORDS_MIN if len(named) > SAME_WORDS_MIN else 1
    return len(named & said) >= max(needed, SAME_WORDS_MIN_SHARE * len(named))


def asks_for_history(question: str) -> bool:
    """Tell whether a person asks for what was so before."""
    plain = question.translate(STRAIGHT_APOSTROPHE_TABLE)
    return any(pattern.search(plain) for pattern in (*HISTORY_CUES, *UNSPACED_HISTORY_CUES))


def statements_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text that can be taken back."""
    for sentence in split_text_sentences(text):
        if sentence.kind is not SentenceKind.CODE:
            yield sentence.text


@lru_cache(16_384)
def telling_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a sentence is about."""
    return find_stems(text) - GENERIC_STEMS


def has_digit(text: str) -> bool:
    """Tell whether a text has a figure."""
    return any(map(str.isdigit, text))


def is_question(text: str) -> bool:
    """Tell whether a sentence asks."""
    return text.rstrip("\"'\u201d\u2019)*_ ").endswith(("?", "\uff1f"))


def _with_next(sentences: list[Sentence], index: int) -> str:
    said = sentences[index].text
    if index + 1 == len(sentences):
        return said
    after = sentences[index + 1]
    is_together = after.continues_paragraph and not is_question(after.text) and not takes_back(after)
    both = f"{said} {after.text}"
    return both if is_together and len(both) <= REVERSAL_MAX_CHARS else said
