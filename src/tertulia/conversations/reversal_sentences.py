"""Sentences by which people change or take back what they said, and the earlier ones they are about.

Two sentences are about the same when they share its words: what is taken back where a sentence says
that, else most of what it speaks of. Nothing is decided by a cue alone, and whether something holds no
longer is left to who reads both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tertulia.conversations.reversal_cues import (
    BACKWARD_CUES,
    COMPARED_CUES,
    COPULA_PATTERN,
    HISTORY_CUES,
    REVERSAL_CUES,
    TARGETED_CUES,
    UNSPACED_HISTORY_CUES,
    UPDATE_CUES,
    may_have_reversal,
)
from tertulia.conversations.sentences import Sentence, SentenceKind, split_text_sentences
from tertulia.retrieval.statement_stems import find_stems

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
#: Who speaks says nothing of what a sentence is about.
PRONOUNS = frozenset(
    (
        "i",
        "we",
        "you",
        "he",
        "she",
        "it",
        "they",
        "this",
        "that",
        "there",
        "ich",
        "wir",
        "er",
        "sie",
        "es",
        "yo",
        "nosotros",
        "je",
        "nous",
        "on",
    )
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
    #: The stems of what it says something else in the place of.
    compared: frozenset[str]
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
        return bool(self.target or self.compared)

    @property
    def stems(self) -> frozenset[str]:
        """Return all its stems: a sentence that it may take back has at least one of them."""
        return self.target | self.compared | self.topic | self.words


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
    if is_question(plain) or not may_have_reversal(plain):
        return False
    return any(pattern.search(plain) for pattern in REVERSAL_CUES)


def is_explicit_reversal(text: str) -> bool:
    """Tell whether a sentence says what it takes back, or that it is what was said right before."""
    if not is_reversal(text):
        return False
    subject = parse_reversal(text)
    return subject.is_explicit or subject.refers_back


@lru_cache(8_192)
def parse_reversal(text: str) -> ReversalSubject:
    """Return what the first sentence of a text takes back; the next may only say what holds instead."""
    plain = next(statements_of(text), text).translate(STRAIGHT_APOSTROPHE_TABLE)
    bare = without_cues(plain)
    return ReversalSubject(
        target=find_targets(plain, TARGETED_CUES),
        compared=find_targets(plain, COMPARED_CUES),
        topic=find_topic(plain),
        words=telling_stems(bare),
        has_figures=has_digit(plain),
        refers_back=any(pattern.search(plain) for pattern in BACKWARD_CUES),
    )


def find_targets(plain: str, cues: Sequence[re.Pattern[str]]) -> frozenset[str]:
    """Return the stems of what cues of a sentence are about."""
    targets = [found["target"] for pattern in cues for found in pattern.finditer(plain)]
    return frozenset[str]().union(*map(telling_stems, targets))


def without_cues(plain: str) -> str:
    """Return a sentence without the words by which it takes something back."""
    for pattern in (*UPDATE_CUES, *BACKWARD_CUES):
        plain = pattern.sub(" ", plain)
    return plain


def find_topic(plain: str) -> frozenset[str]:
    """Return the stems of what a sentence is about: what stands before its verb; none where it has none."""
    before, verb, _ = COPULA_PATTERN.sub("\0", plain, count=1).partition("\0")
    about = without_cues(before)
    return telling_stems(about) - PRONOUNS if verb else frozenset()


def is_taken_back(statement: str, reversal: str) -> bool:
    """Tell whether a sentence is about what a later one may take back."""
    if is_question(statement) or statement in reversal or reversal in statement:
        return False
    subject, said = parse_reversal(reversal), telling_stems(statement)
    is_same_topic = not subject.topic or bool(subject.topic & said)
    if names_target(subject, subject.target, said) or (
        is_same_topic and names_target(subject, subject.compared, said)
    ):
        return True
    if subject.has_figures and not has_digit(statement):
        return False
    if subject.topic:
        return is_about_topic(statement, subject)
    return not subject.is_explicit and shares_most_words(subject, said)


def shares_most_words(subject: ReversalSubject, said: frozenset[str]) -> bool:
    """Tell whether a sentence has most of what another speaks of, its figures left aside."""
    named = frozenset(word for word in subject.words if not has_digit(word))
    needed = SAME_WORDS_MIN if len(named) > SAME_WORDS_MIN else 1
    return len(named & said) >= max(needed, SAME_WORDS_MIN_SHARE * len(named))


def is_settled_by(statement: str, reversal: str) -> bool:
    """Tell whether a later sentence names what it takes back, and an earlier one is about just that."""
    subject = parse_reversal(reversal)
    return not is_question(statement) and names_target(subject, subject.target, telling_stems(statement))


def names_target(subject: ReversalSubject, target: frozenset[str], said: frozenset[str]) -> bool:
    """Tell whether a sentence has most words of a target; a figure alone stands for many things."""
    if not target or len(target & said) < SAME_TARGET_MIN_SHARE * len(target):
        return False
    return not all(map(has_digit, target & said)) or any(not has_digit(word) for word in subject.words & said)


def is_about_topic(statement: str, subject: ReversalSubject) -> bool:
    """Tell whether a sentence is about the thing of which something new is said.

    One word names too many things: then both tell a figure of it, or they share another word.
    """
    said = telling_stems(statement)
    if len(subject.topic & said) < SAME_TOPIC_MIN_SHARE * len(subject.topic):
        return False
    if len(subject.topic) > 1 or (subject.words - subject.topic) & said:
        return True
    return find_topic(statement.translate(STRAIGHT_APOSTROPHE_TABLE)) == subject.topic


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
