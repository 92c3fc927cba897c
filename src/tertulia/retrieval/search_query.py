"""What is searched for, what a search has before it is run, and what it gives."""

from dataclasses import dataclass, field
from enum import StrEnum

from tertulia.retrieval.filters import SearchFilters
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.sources import ALL_SOURCE_KINDS, SourceKind
from tertulia.retrieval.vector_index import QueryMeaning

QUERY_MAX_CHARS = 4_000


class SearchStage(StrEnum):
    """A part of retrieval that can be left out."""

    LEXICAL = "lexical"
    DENSE = "dense"
    IDENTIFIERS = "identifiers"
    RERANK = "rerank"


ALL_SEARCH_STAGES = frozenset(SearchStage)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for, and where."""

    text: str
    project_id: str | None = None
    #: The conversation at hand: what was said in it counts more.
    conversation_id: str | None = None
    #: Look only in that conversation.
    only_in_conversation: bool = False
    #: Look in the whole workspace when the project has little.
    widen: bool = False
    #: So many hits from files at least, where the project has them, however much talk is found.
    files_min: int = 0
    filters: SearchFilters = field(default_factory=SearchFilters)
    #: The kinds that are looked for at all, whatever the filters say.
    kinds: frozenset[SourceKind] = ALL_SOURCE_KINDS
    limit: int = 10
    #: Only what enough speaks for is a hit; else the nearest are, however far they are.
    needs_evidence: bool = True
    parts: frozenset[SearchStage] = ALL_SEARCH_STAGES
    #: How many seconds to wait for the query's meaning; it is then answered by words alone.
    embedding_timeout_seconds: float = 2.5
    #: Flags to try instead of those that hold.
    flags: Flags | None = None
    purpose: str = "search"
    #: What did not work before it was searched, by code.
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedSearch:
    """A query with all that its search needs besides the database."""

    query: SearchQuery
    parsed_query: ParsedQuery
    flags: Flags
    #: When its preparation began, by the performance counter.
    began: float
    #: None where meanings are not searched, or the embedder did not answer.
    meaning: QueryMeaning | None = None
    embedding_ms: float = 0.0
    #: The share of the query's words that are words of the embedder's language.
    known_share: float = 1.0
    #: Those that are not.
    unknown_words: tuple[str, ...] = ()
    #: What did not work so far, by code.
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchTiming:
    """How long each step took, in milliseconds, and how long it took until all was there."""

    total: float = 0.0
    #: Embedding of the query and comparison with vectors together.
    dense_search: float = 0.0
    #: The embedding alone.
    embedding: float = 0.0
    lexical_search: float = 0.0
    rerank: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, and how it went."""

    hits: list[SearchHit]
    flags: Flags
    timing: SearchTiming
    #: How many chunks each way of looking brought.
    found_lexical: int = 0
    found_dense: int = 0
    #: What did not work, by code: the rest went on.
    broken: tuple[str, ...] = ()
