"""Whether enough speaks for a hit: something is always the nearest, also to nonsense."""

from collections.abc import Iterable
from dataclasses import dataclass

from tertulia.retrieval.signals import Signals

#: A candidate without a word of the query must be so much alike; where no candidate has one; and where most
#: of the words are no words that the embedder knows. To random letters the nearest of 8,000 chunks is alike
#: by up to 0.44, and to random syllables the nearest text in another language by up to 0.54.
SIMILARITY_WITHOUT_WORDS_MIN = 0.15
SIMILARITY_WITHOUT_ANY_WORDS_MIN = 0.3
SIMILARITY_TO_UNKNOWN_WORDS_MIN = 0.58
#: A query is understood when so many of its words are known, or stand in one candidate.
UNDERSTOOD_SHARE_MIN = 0.5
#: A hit surely has to do with a query when it is so much alike, or has such a share of its words.
STRONG_SIMILARITY_MIN = 0.35
STRONG_COVERAGE_MIN = 0.5


def has_words(signals: Signals) -> bool:
    """Tell whether a candidate has words or identifiers of the query."""
    return bool(signals.lexical or signals.names or signals.coverage)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What must speak for a candidate of a query; who said it and when, only where nothing else is asked."""

    #: How alike it must be without a word of the query.
    least_similarity: float
    #: Whether any word of the query is enough; else one that hardly stands there by chance, or all of them,
    #: or it must be alike too.
    words_suffice: bool

    @classmethod
    def needed_for(cls, signals: Iterable[Signals], *, known_share: float) -> "Evidence":
        """Return what a query needs of which such a share of words is known, and such candidates found."""
        telling_share, found = 0.0, False
        for own in signals:
            telling_share = max(telling_share, own.telling_share)
            found = found or has_words(own) or own.is_occasion
        if max(telling_share, known_share) < UNDERSTOOD_SHARE_MIN:
            return cls(SIMILARITY_TO_UNKNOWN_WORDS_MIN, words_suffice=False)
        return cls(
            SIMILARITY_WITHOUT_WORDS_MIN if found else SIMILARITY_WITHOUT_ANY_WORDS_MIN, words_suffice=True
        )

    def is_met_by(self, signals: Signals) -> bool:
        """Tell whether enough speaks for a candidate."""
        if signals.alike >= self.least_similarity or signals.is_occasion:
            return True
        if self.words_suffice:
            return has_words(signals)
        if signals.telling_share or signals.names or signals.word_share >= 1:
            return True
        return signals.word_share > 0 and signals.alike >= STRONG_SIMILARITY_MIN


def has_strong_evidence(signals: Signals) -> bool:
    """Tell whether a candidate surely has to do with a query: by meaning, most of its words, or name."""
    return (
        signals.alike >= STRONG_SIMILARITY_MIN
        or signals.topic_share >= STRONG_COVERAGE_MIN
        or bool(signals.names or signals.is_occasion)
    )
