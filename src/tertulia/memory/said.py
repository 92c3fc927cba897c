"""What was said, sentence by sentence, each with what it needs to be understood."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tertulia.memory import cues
from tertulia.memory.domain import USER, Line
from tertulia.memory.figures import figures, is_weighty
from tertulia.memory.sentences import Sentence, Shape, sentences
from tertulia.models.tokens import count
from tertulia.retrieval.words import content_words

#: A longer sentence is cut at a word, and nothing is put before it.
LONGEST = 60
#: An answer with fewer words of its own says little without its question.
FEW_WORDS = 2
#: A word in capitals that does not begin the sentence.
CAPITALISED = re.compile(r"(?<=[\w,;:)\"'] )[^\W\d_a-z]\w{2,}")
#: A name as programs write it: quoted, a path, joined by dots or underscores, or in camel case.
WRITTEN = re.compile(r"`[^`\n]{2,80}`|\b\w+(?:[./_]\w+)++|\b[a-z]++[A-Z]\w*+")
#: A thing and what it is.
DEFINES = re.compile(
    r"\b(?:is|are|was|were|has|have|costs?|means|equals|lives|listens|runs|es|son|está|ist|sind|hat|est|sont)\b"
    r"|[=:]"
)


@dataclass(frozen=True)
class Said:
    """A sentence, who said it, and where in the message it stands."""

    line: Line
    sentence: Sentence
    place: int
    #: What the person asked last in its round, where this is of a reply.
    asked: "Said | None" = None

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

    @cached_property
    def is_bare(self) -> bool:
        """Whether it cannot be understood without the question that it answers."""
        return len(self.words - set(self.figures)) < FEW_WORDS or cues.LEANS.match(self.text) is not None

    @property
    def is_code(self) -> bool:
        """Whether it is a row of code."""
        return self.sentence.shape is Shape.CODE


def all_said(lines: Sequence[Line]) -> list[Said]:
    """Return the sentences of messages, in order."""
    said: list[Said] = []
    questions: dict[int, Said] = {}
    for line in lines:
        asked = None if line.speaker == USER else questions.get(line.round_number)
        if asked and asked.line.local_only != line.local_only:
            asked = None
        for place, sentence in enumerate(sentences(line.text)):
            said.append(Said(line, sentence, place, asked))
            if said[-1].by_user and cues.asks(sentence.text):
                questions[line.round_number] = said[-1]
    return said


def in_context(said: Sequence[Said], index: int) -> list[Said]:
    """Return a sentence, after the one before it or the question where it cannot be understood alone."""
    one = said[index]
    before = None
    if index and one.sentence.follows and cues.LEANS.match(one.text):
        before = said[index - 1]
    elif one.place == 0 and one.is_bare:
        before = one.asked
    whole = [before, one] if before else [one]
    return whole if count(text_of(whole), "") <= LONGEST else [one]


def text_of(said: Sequence[Said]) -> str:
    """Return sentences as one text."""
    return " ".join(one.text for one in said)
