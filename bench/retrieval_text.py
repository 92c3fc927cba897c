"""Text that looks like talk, prose and code: few words stand in most of it, most words in little of it.

The commonest words are those of Python's own manual in the order of their
frequency, the rare ones are made up; a text keeps coming back to the words of
its topic, as texts do.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pydoc_data.topics import topics  # pyright: ignore[reportMissingTypeStubs]

import numpy as np
from numpy.typing import NDArray

from tertulia.core.stop_words import STOP_WORDS

WORDS = 50_000
LENGTH = 120
TOPIC = 30
#: The share of a text's words that belong to its topic, and where words that can be a topic begin.
ON_TOPIC = 0.25
TELLING = 60
SYLLABLES = [first + vowel for first in "bcdfghklmnprstvz" for vowel in "aeiou"]
SENTENCE = 12
CODE = 0.3


def vocabulary(rng: np.random.Generator) -> list[str]:
    """Return all words there are, the commonest first."""
    counted = Counter(word.lower() for page in topics.values() for word in re.findall(r"[A-Za-z]+", page))
    words = dict.fromkeys(word for word, _ in counted.most_common() if len(word) > 1)
    while len(words) < WORDS:
        words["".join(rng.choice(SYLLABLES, size=int(rng.integers(2, 5))))] = None
    return list(words)


def chances() -> NDArray[np.float64]:
    """Return how often each word is said, by Zipf's law."""
    share = 1.0 / np.arange(1, WORDS + 1)
    return share / share.sum()


@dataclass(slots=True)
class Writer:
    """Writes as much text as is wanted, the same from the same seed."""

    rng: np.random.Generator
    words: NDArray[np.str_]
    until: NDArray[np.float64]

    @classmethod
    def seeded(cls, seed: int) -> "Writer":
        """Return a writer."""
        rng = np.random.default_rng(seed)
        return cls(rng, np.array(vocabulary(np.random.default_rng(0))), np.cumsum(chances()))

    def texts(self, count: int) -> Iterator[str]:
        """Write some texts on one topic."""
        said = self._drawn((count, LENGTH))
        topic = (TELLING * (WORDS / TELLING) ** self.rng.random(TOPIC)).astype(np.intp)
        on_topic = self.rng.random(said.shape) < ON_TOPIC
        said[on_topic] = topic[self.rng.integers(0, TOPIC, int(on_topic.sum()))]
        is_code = self.rng.random() < CODE
        for row in self.words[said].tolist():
            yield code(row) if is_code else prose(row)

    def queries(self, count: int) -> list[str]:
        """Write distinct questions: most of 3 to 12 words, some that name an identifier, some of 60 words."""
        made: dict[str, None] = {}
        while len(made) < count:
            (text,) = self.texts(1)
            words = re.findall(r"[a-zA-Z_]+", text)
            kind = len(made) % 10
            start, length = int(self.rng.integers(0, 40)), 60 if kind == 9 else int(self.rng.integers(3, 13))
            asked = [word for word in words if kind == 9 or word.lower() not in STOP_WORDS]
            part = asked[start : start + length]
            named = ["_".join(part[:2])] if kind in (3, 7) else []
            if len(part) > 2:
                made[" ".join(named + part)] = None
        return list(made)

    def _drawn(self, shape: int | tuple[int, int]) -> NDArray[np.intp]:
        return np.minimum(np.searchsorted(self.until, self.rng.random(shape)), WORDS - 1)


def prose(words: list[str]) -> str:
    """Write words as sentences."""
    sentences = (" ".join(words[at : at + SENTENCE]) for at in range(0, len(words), SENTENCE))
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


def code(words: list[str]) -> str:
    """Write words as lines of a program: some names joined by underscores, some in camel case."""
    lines: list[str] = []
    for at in range(0, len(words) - 5, 6):
        one, two, three, four, five, six = words[at : at + 6]
        lines.append(f"    {one}_{two} = {three}{four.capitalize()}({five}, {six})")
    return "\n".join(lines)
