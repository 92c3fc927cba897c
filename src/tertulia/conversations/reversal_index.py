"""Reversals by their words: a sentence is held only against those with which it shares one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.conversations.reversal_sentences import parse_reversal, telling_stems
from tertulia.conversations.reversals import Reversal


@dataclass(frozen=True, slots=True)
class ReversalIndex:
    """Reversals, oldest first, and the places among them of those that have a stem."""

    reversals: Sequence[Reversal]
    places: dict[str, list[int]]

    @classmethod
    def of(cls, reversals: Sequence[Reversal]) -> "ReversalIndex":
        """Index reversals."""
        places: dict[str, list[int]] = {}
        for place, reversal in enumerate(reversals):
            for stem in parse_reversal(reversal.text).stems:
                places.setdefault(stem, []).append(place)
        return cls(reversals, places)

    def find_near(self, statement: str) -> Iterable[int]:
        """Return the places of all reversals that may take a sentence back."""
        return {place for stem in telling_stems(statement) for place in self.places.get(stem, ())}
