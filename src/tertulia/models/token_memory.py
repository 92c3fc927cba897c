"""Counts made before: a conversation's messages are counted turn after turn, for every lane."""

from collections.abc import Callable
from hashlib import blake2b

#: A shorter text is counted about as quickly as it is looked up.
WORTH_KEEPING = 48
#: So many counts of about 200 bytes, twice: some megabytes.
MOST_KEPT = 20_000


class Counts:
    """Remembers the counts that were used last; several threads may ask.

    Texts are known by their digest, so that nothing anyone wrote stays in memory.
    Counts of the older half are dropped when the newer half is full.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._newer: dict[bytes, int] = {}
        self._older: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._newer) + len(self._older)

    def of(self, text: str, vocabulary: str, counting: Callable[[str, str], int]) -> int:
        """Return how many tokens `text` has in a vocabulary, counting only what is new."""
        if len(text) < WORTH_KEEPING:
            return counting(text, vocabulary)
        key = blake2b(text.encode("utf-8", "replace"), digest_size=16, person=person_of(vocabulary)).digest()
        found = self._newer.get(key)
        if found is None:
            found = self._older.get(key)
            found = counting(text, vocabulary) if found is None else found
            self._keep(key, found)
        return found

    def _keep(self, key: bytes, counted: int) -> None:
        # Two threads at once may drop a half too early: what is gone is only counted again.
        if len(self._newer) >= self._most:
            self._older, self._newer = self._newer, {}
        self._newer[key] = counted


def person_of(vocabulary: str) -> bytes:
    """Return a vocabulary's name in the form that keeps its digests apart from the others'."""
    return vocabulary.encode()[:16]
