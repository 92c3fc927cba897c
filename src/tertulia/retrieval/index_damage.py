"""Damage to the index of words: met by searches, mended by the indexer."""

import asyncio


class IndexDamage:
    """Whether the index of words has to be rebuilt, and how often it was."""

    def __init__(self) -> None:
        self.is_reported = asyncio.Event()
        self.rebuilds = 0

    def report(self, *, rebuilds_seen: int) -> None:
        """Have the index rebuilt, unless that was done since whoever met the damage began to read."""
        if rebuilds_seen == self.rebuilds:
            self.is_reported.set()

    def note_rebuilt(self) -> None:
        """Say that the index is as it should be; a second rebuild would only empty it again."""
        self.rebuilds += 1
        self.is_reported.clear()
