"""How much a sentence tells: what it decides, asks or names, whatever the conversation is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tertulia.memory import cues
from tertulia.memory.domain import USER, Line, PointKind
from tertulia.memory.figures import figures, is_weighty
from tertulia.memory.sentences import Sentence, Shape, sentences
from tertulia.retrieval.words import content_words

#: A word in capitals that does not begin the sentence.
CAPITALISED = re.compile(r"(?<=[\w,;:)\"'] )[^\W\d_a-z]\w{2,}")
#: A name as programs write it: quoted, a path, joined by dots or underscores, or in camel case.
WRITTEN = re.compile(r"`[^`\n]{2,80}`|\b\w+(?:[./_]\w+)++|\b[a-z]++[A-Z]\w*+")
#: A thing and what it is.
DEFINES = re.compile(
    r"\b(?:is|are|was|were|has|have|costs?|means|equals|lives|listens|runs|es|son|está|ist|sind|hat|est|sont)\b"
    r"|[=:]"
)
#: A row of code that sets something.
SETS = re.compile(r"^[\w.\"'-]{2,60}\s*[=:]\s*\S")


@dataclass(frozen=True)
class Said:
    """A sentence, who said it, and where in the message it stands."""

    line: Line
    sentence: Sentence
    place: int

    @property
    def text(self) -> str:
        """What it says, word for word."""
        return self.sentence.text

    @property
    def by_user(self) -> bool:
        """Whether the person said it."""
        return self.line.speaker == USER

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words that tell something."""
        return frozenset(content_words(self.text))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Its figures."""
        return figures(self.text)

    @cached_property
    def names(self) -> int:
        """How many names it has: of people and places, files, code and addresses."""
        return len({*CAPITALISED.findall(self.text), *WRITTEN.findall(self.text)})

    @cached_property
    def decides(self) -> bool:
        """Whether it says that something was decided."""
        return not self.is_code and cues.decides(self.text, by_user=self.by_user)

    @cached_property
    def reminds(self) -> bool:
        """Whether the person wants it kept in mind."""
        return not self.is_code and cues.reminds(self.text, by_user=self.by_user)

    @cached_property
    def states(self) -> bool:
        """Whether it says of something what it is."""
        if cues.asks(self.text):
            return False
        named = self.figures or self.names or self.reminds
        owned = cues.states(self.text, by_user=self.by_user)
        return owned or bool(named and DEFINES.search(self.text))

    @cached_property
    def counts(self) -> bool:
        """Whether its figures tell something; models count things all the time."""
        return bool(self.figures) and (self.by_user or is_weighty(self.text)) and not cues.asks(self.text)

    @property
    def is_code(self) -> bool:
        """Whether it is a row of code."""
        return self.sentence.shape is Shape.CODE


def said_in(line: Line) -> list[Said]:
    """Return the sentences of a message."""
    return [Said(line, sentence, place) for place, sentence in enumerate(sentences(line.text))]


def in_context(said: Sequence[Said], index: int) -> str:
    """Return a sentence, after the one before it in its paragraph where it cannot be understood alone."""
    one = said[index]
    if index and one.sentence.follows and cues.LEANS.match(one.text):
        return f"{said[index - 1].text} {one.text}"
    return one.text


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
    weight = KIND_WEIGHTS.get(kind, 0.0) + (1.5 if said.reminds else 0.0)
    weight += 0.6 if said.states and said.by_user else 0.0
    if said.counts:
        weight += 1.0 + 0.3 * min(3, len(said.figures))
    weight += 0.3 * min(3, said.names)
    weight += 0.8 if said.by_user else 0.0
    weight += 0.4 if said.place == 0 else 0.0
    return weight - emptiness(said)


def emptiness(said: Said) -> float:
    """Return what is taken off for words that say nothing: pleasantries, headings, code."""
    if said.is_code:
        return 1.0 if said.figures and SETS.match(said.text) else 9.0
    taken = 2.0 if cues.FILLER.match(said.text) and not said.figures else 0.0
    taken += 1.5 if len(said.words) < 3 and not said.figures else 0.0
    taken += 0.8 if said.sentence.shape is Shape.HEADING or said.text.endswith(":") else 0.0
    return taken + (0.8 if cues.asks(said.text) and not said.by_user else 0.0)
