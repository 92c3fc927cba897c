"""What a text says, as the set of its words: cheap to compare, so that the same is not said twice."""

import re
from dataclasses import dataclass
from functools import lru_cache

from tertulia.context.remarks import ACKNOWLEDGEMENT_VOCABULARY
from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_stems import stem
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN

#: All lanes of a round look at the same passages.
WORDINGS_KEPT_MAX = 512
#: What has all words of another says the same, if no more than such a share of its words is its own.
ADDED_WORDS_MAX_SHARE = 0.25
#: Of two texts that have words of their own each, only so few may be: one word may be all that matters.
CHANGED_WORDS_MAX_SHARE = 0.05
#: Words that turn a statement round.
NEGATION_WORDS = """
    no not never none neither nor cannot without nothing nobody longer instead
    don doesn didn isn aren wasn weren won wouldn shouldn

    ningún nunca sin tampoco

    kein keine keinen nicht nie ohne

    jamais ne pas sans
"""
NEGATIONS = frozenset(NEGATION_WORDS.split())
#: A name within a sentence: a capital that does not begin it.
NAME_PATTERN = re.compile(r"(?<=[\w,;:)\u201d\"'] )[^\W\d_a-z]\w*")


@dataclass(frozen=True, slots=True)
class PassageWording:
    """The words of a text that tell something, and those that make a fact: figures, names, negations."""

    words: frozenset[str]
    facts: frozenset[str]

    @classmethod
    @lru_cache(maxsize=WORDINGS_KEPT_MAX)
    def of(cls, text: str) -> "PassageWording":
        """Return the wording of a text."""
        every = {word.lower() for word in INDEX_WORD_PATTERN.findall(text)}
        names = {name.lower() for name in NAME_PATTERN.findall(text)} - STOP_WORDS
        facts = {word for word in every if word in NEGATIONS or any(map(str.isdigit, word))}
        telling = {stem(word) for word in every - ACKNOWLEDGEMENT_VOCABULARY}
        return cls(frozenset(telling), frozenset(facts | {stem(name) for name in names}))

    def repeats(self, other: "PassageWording") -> bool:
        """Tell whether another text says all of this: each of its facts, and nearly all of its words."""
        if not self.facts <= other.words | other.facts:
            return False
        added, lost = len(self.words - other.words), len(other.words - self.words)
        if not added or not lost:
            return added <= ADDED_WORDS_MAX_SHARE * len(self.words)
        return max(added, lost) <= CHANGED_WORDS_MAX_SHARE * len(self.words)
