"""Counts made before: a conversation's messages are counted turn after turn, for every lane."""

from collections.abc import Callable
from hashlib import blake2b

#: A shorter text is counted about as quickly as it is looked up.
CACHED_TEXT_MIN_CHARS = 48
#: So many counts of about 200 bytes, twice: some megabytes.
TOKEN_CACHE_MAX_COUNTS = 20_000


class TokenCountCache:
    """Remembers the counts that were used last; several threads may ask.

    Texts are known by their digest, so that nothing anyone wrote stays in memory.
    Counts of the older half are dropped when the newer half is full.
    """

    def __init__(self, max_counts: int = TOKEN_CACHE_MAX_COUNTS) -> None:
        self._max_counts = max_counts
        self._newer: dict[bytes, int] = {}
        self._older: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._newer) + len(self._older)

    def count_of(self, text: str, vocabulary: str, count: Callable[[str, str], int]) -> int:
        """Return how many tokens `text` has in a vocabulary, counting only what is new."""
        if len(text) < CACHED_TEXT_MIN_CHARS:
            return count(text, vocabulary)
        key = blake2b(
            text.encode("utf-8", "replace"), digest_size=16, person=digest_namespace(vocabulary)
        ).digest()
        found = self._newer.get(key)
        if found is None:
            found = self._older.get(key)
            found = count(text, vocabulary) if found is None else found
            self._store(key, found)
        return found

    def _store(self, key: bytes, counted: int) -> None:
        # Two threads at once may drop a half too early: what is gone is only counted again.
        if len(self._newer) >= self._max_counts:
            self._older, self._newer = self._newer, {}
        self._newer[key] = counted


def digest_namespace(vocabulary: str) -> bytes:
    """Return a vocabulary's name in the form that keeps its digests apart from the others'."""
    return vocabulary.encode()[:16]
