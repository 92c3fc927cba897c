"""How much a sentence tells: what it decides, asks or names, whatever the conversation is about."""

import re

from tertulia.conversations.sentences import SentenceKind
from tertulia.memory import cues
from tertulia.memory.domain import PointKind
from tertulia.memory.message_sentences import MessageSentence
from tertulia.memory.worth_cues import is_commitment

#: A row of code that sets something.
ASSIGNMENT_PATTERN = re.compile(r"^[\w.\"'-]{2,60}\s*[=:]\s*\S")


def classify_sentence(sentence: MessageSentence, *, is_open: bool) -> PointKind:
    """Return what a sentence is about."""
    if sentence.is_decision:
        return PointKind.DECISION
    if cues.is_preference(sentence.text, by_user=sentence.is_by_user):
        return PointKind.PREFERENCE
    if sentence.is_by_user and is_commitment(sentence.text):
        return PointKind.COMMITMENT
    if is_open:
        return PointKind.QUESTION
    if cues.is_creation(sentence.text):
        return PointKind.CREATED
    return PointKind.ENTITY if sentence.is_statement else PointKind.TOPIC


KIND_WEIGHTS = {
    PointKind.DECISION: 3.0,
    PointKind.PREFERENCE: 2.6,
    PointKind.COMMITMENT: 2.6,
    PointKind.QUESTION: 2.0,
    PointKind.CREATED: 2.0,
    PointKind.ENTITY: 0.8,
}


def score_salience(sentence: MessageSentence, kind: PointKind) -> float:
    """Return how much a sentence tells by itself; below zero where it tells nothing."""
    exact = (1.0 if sentence.has_telling_figures else 0.0) + 0.3 * min(3, sentence.name_count)
    weight = KIND_WEIGHTS.get(kind, 0.0) + (0.4 if sentence.position == 0 else 0.0)
    if sentence.is_by_user:
        weight += (
            0.8 + exact + (1.2 if sentence.is_statement else 0.0) + (1.5 if sentence.is_reminder else 0.0)
        )
    else:
        # A model's figures are verified apart, so that they need not crowd out what else it said.
        weight += exact / 2
    return weight - emptiness_penalty(sentence)


def emptiness_penalty(sentence: MessageSentence) -> float:
    """Return what is taken off for words that say nothing: pleasantries, headings, code."""
    if sentence.is_code:
        return 1.0 if sentence.figures and ASSIGNMENT_PATTERN.match(sentence.text) else 9.0
    taken = 2.0 if cues.FILLER_PATTERN.match(sentence.text) and not sentence.figures else 0.0
    taken += 1.5 if len(sentence.words) < 3 and not sentence.figures else 0.0
    taken += 0.8 if sentence.sentence.kind is SentenceKind.HEADING or sentence.text.endswith(":") else 0.0
    return taken + (0.8 if cues.is_question(sentence.text) and not sentence.is_by_user else 0.0)
