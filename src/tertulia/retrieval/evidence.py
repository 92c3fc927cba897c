"""Whether enough speaks for a hit: something is always the nearest, also to nonsense."""

from collections.abc import Iterable
from dataclasses import dataclass

from tertulia.retrieval.signals import Signals

#: A candidate without a word of the query must be so much alike; where no candidate has one; and where most
#: of the words are no words that the embedder knows. To random letters the nearest of 8,000 chunks is alike
#: by up to 0.44.
SIMILARITY_WITHOUT_WORDS_MIN = 0.15
SIMILARITY_WITHOUT_ANY_WORDS_MIN = 0.3
SIMILARITY_TO_UNKNOWN_WORDS_MIN = 0.5
#: A query is understood when so many of its words are known, or stand in one candidate.
UNDERSTOOD_SHARE_MIN = 0.5
#: A hit surely has to do with a query when it is so much alike, or has such a share of its words.
STRONG_SIMILARITY_MIN = 0.35
STRONG_COVERAGE_MIN = 0.5


def has_words(signals: Signals) -> bool:
    """Tell whether anything but its meaning speaks for a candidate: words, names, who said it, or when."""
    return bool(signals.lexical or signals.names or signals.coverage or signals.speaker or signals.time)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What must speak for a candidate of a query."""

    #: How alike it must be without a word of the query.
    least_similarity: float
    #: Whether words of the query are enough, or it must be alike too or have most of them.
    words_suffice: bool

    @classmethod
    def needed_for(cls, signals: Iterable[Signals], *, known_share: float) -> "Evidence":
        """Return what a query needs of which such a share of words is known, and such candidates found."""
        word_share, found = 0.0, False
        for own in signals:
            word_share, found = max(word_share, own.word_share), found or has_words(own)
        if max(word_share, known_share) < UNDERSTOOD_SHARE_MIN:
            return cls(SIMILARITY_TO_UNKNOWN_WORDS_MIN, words_suffice=False)
        return cls(
            SIMILARITY_WITHOUT_WORDS_MIN if found else SIMILARITY_WITHOUT_ANY_WORDS_MIN, words_suffice=True
        )

    def is_met_by(self, signals: Signals) -> bool:
        """Tell whether enough speaks for a candidate."""
        if signals.alike >= self.least_similarity:
            return True
        if not self.words_suffice:
            return has_words(signals) and has_strong_evidence(signals)
        return has_words(signals)


def has_strong_evidence(signals: Signals) -> bool:
    """Tell whether a candidate surely has to do with a query: by meaning, most of its words, or name."""
    return (
        signals.alike >= STRONG_SIMILARITY_MIN
        or signals.coverage >= STRONG_COVERAGE_MIN
        or bool(signals.names or signals.speaker or signals.time)
    )
