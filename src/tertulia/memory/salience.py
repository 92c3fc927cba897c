"""How much a sentence tells: what it decides, asks or names, whatever the conversation is about."""

import re

from tertulia.memory import cues
from tertulia.memory.domain import PointKind
from tertulia.memory.said import Said
from tertulia.memory.sentences import Shape

#: A row of code that sets something.
SETS = re.compile(r"^[\w.\"'-]{2,60}\s*[=:]\s*\S")


def kind_of(said: Said, *, is_open: bool) -> PointKind:
    """Return what a sentence is about."""
    if said.decides:
        return PointKind.DECISION
    if cues.prefers(said.text, by_user=said.by_user):
        return PointKind.PREFERENCE
    if is_open:
        return PointKind.QUESTION
    if cues.creates(said.text):
        return PointKind.CREATED
    return PointKind.ENTITY if said.states else PointKind.TOPIC


KIND_WEIGHTS = {
    PointKind.DECISION: 3.0,
    PointKind.PREFERENCE: 2.6,
    PointKind.QUESTION: 2.0,
    PointKind.CREATED: 2.0,
    PointKind.ENTITY: 0.8,
}


def salience(said: Said, kind: PointKind) -> float:
    """Return how much a sentence tells by itself; below zero where it tells nothing."""
    exact = (1.0 if said.counts else 0.0) + 0.3 * min(3, said.names)
    weight = KIND_WEIGHTS.get(kind, 0.0) + (0.4 if said.place == 0 else 0.0)
    if said.by_user:
        weight += 0.8 + exact + (1.2 if said.states else 0.0) + (1.5 if said.reminds else 0.0)
    else:
        # A model's figures are verified apart, so that they need not crowd out what else it said.
        weight += exact / 2
    return weight - emptiness(said)


def emptiness(said: Said) -> float:
    """Return what is taken off for words that say nothing: pleasantries, headings, code."""
    if said.is_code:
        return 1.0 if said.figures and SETS.match(said.text) else 9.0
    taken = 2.0 if cues.FILLER.match(said.text) and not said.figures else 0.0
    taken += 1.5 if len(said.words) < 3 and not said.figures else 0.0
    taken += 0.8 if said.sentence.shape is Shape.HEADING or said.text.endswith(":") else 0.0
    return taken + (0.8 if cues.asks(said.text) and not said.by_user else 0.0)
