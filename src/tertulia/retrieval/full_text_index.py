"""What every index of words gives, whichever engine holds it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tertulia.core.errors import Unavailable
from tertulia.infra.db import Tx
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.search_scope import SearchScope
from tertulia.retrieval.sources import SourceKind


class FullTextIndexDamaged(Unavailable):
    """The index of words is damaged; it is rebuilt from the chunks, and meanwhile meanings are searched."""

    code = "words_broken"

    def __init__(self) -> None:
        super().__init__("The index of words is damaged and is being rebuilt.")


@dataclass(frozen=True, slots=True)
class FullTextRow:
    """A chunk for an index of words: its text, further words that lead to it, and where it belongs."""

    chunk: int
    content: str
    keys: str
    scope_terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class UnindexedChunk:
    """A chunk that the index of words does not know."""

    id: int
    source: int
    kind: SourceKind
    said_at: datetime
    context: str
    content: str
    title: str | None
    asked: str | None


class FullTextIndex(Protocol):
    """Finds chunks by their words; a chunk that is deleted leaves it by itself."""

    def search(self, tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int) -> dict[int, float]:
        """Return the chunks that speak most of what was asked, best first, and how well each matches."""
        ...

    def search_identifiers(
        self, tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int
    ) -> dict[int, float]:
        """Return the chunks that hold the identifiers a query names, as they are written."""
        ...

    def search_prefixes(
        self, tx: Tx, prefixes: Sequence[str], scope: SearchScope, *, limit: int
    ) -> Sequence[int]:
        """Return some chunks in a reach with words that begin in one of these ways, in no order."""
        ...

    def count_word(self, tx: Tx, word: str, *, at_most: int) -> int:
        """Return in how many chunks a word stands, counting no further than `at_most`."""
        ...

    def take_chunk_ids(self, tx: Tx, count: int) -> Sequence[int]:
        """Return so many ids for new chunks, which nobody else is given."""
        ...

    def add(self, tx: Tx, rows: Iterable[FullTextRow]) -> None:
        """Enter chunks into the index."""
        ...

    def count_chunks(self, tx: Tx) -> int:
        """Return how many chunks the index has, in all workspaces."""
        ...

    def measure_bytes(self, tx: Tx) -> int:
        """Return how large the index is, in all workspaces."""
        ...

    def is_readable(self, tx: Tx) -> bool:
        """Tell whether the index can be read from end to end: slow."""
        ...

    def clear(self, tx: Tx) -> None:
        """Put an empty index in the place of a damaged one."""
        ...

    def list_missing(self, tx: Tx, *, limit: int) -> list[UnindexedChunk]:
        """Return some of the chunks that the index lacks while it is rebuilt."""
        ...
