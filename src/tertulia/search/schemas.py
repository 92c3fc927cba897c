"""Search on the wire."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tertulia.core.json_object import JsonObject
from tertulia.files.citations import CitedFile
from tertulia.infra.http.schema import AnyCaseId, Schema, Timestamp, ValidUnicode
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.filters import SearchFilters
from tertulia.retrieval.personal_flags import PersonalFlag
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search_query import ALL_SEARCH_STAGES, SearchQuery, SearchResult, SearchStage
from tertulia.retrieval.sources import SourceKind
from tertulia.search.point_messages import PointMessage

QueryText = Annotated[str, StringConstraints(max_length=20_000), ValidUnicode]
FilterValue = Annotated[str, StringConstraints(min_length=1, max_length=1_024), ValidUnicode]
FilterValues = Annotated[list[FilterValue], Field(max_length=50)]


class FilterBody(Schema):
    """What a search is limited to; what is left out limits nothing."""

    kinds: Annotated[list[SourceKind], Field(max_length=len(SourceKind))] = Field(
        default_factory=list[SourceKind]
    )
    file_types: FilterValues = Field(default_factory=list[str])
    paths: FilterValues = Field(default_factory=list[str])
    tags: FilterValues = Field(default_factory=list[str])
    speakers: FilterValues = Field(default_factory=list[str])
    since: Timestamp | None = None
    until: Timestamp | None = None
    exclude_conversations: bool = False

    def to_filters(self) -> SearchFilters:
        """Return the filters that are meant."""
        kinds = (SourceKind.FILE,) if self.exclude_conversations else tuple(self.kinds)
        return SearchFilters(
            kinds=kinds,
            file_types=tuple(self.file_types),
            paths=tuple(self.paths),
            tags=tuple(self.tags),
            speakers=tuple(self.speakers),
            since=self.since,
            until=self.until,
        )


class SearchBody(Schema):
    """What to look for."""

    query: QueryText
    filter: FilterBody = FilterBody()
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    #: The conversation at hand: what was said in it counts more.
    conversation_id: AnyCaseId | None = None
    #: Leave parts of retrieval out, to compare; all of them when left out.
    parts: Annotated[list[SearchStage], Field(max_length=4)] | None = None
    #: Have the utility model expand the query where `multi_query` or `hyde` is on; that may cost something.
    expand: bool = False

    def to_query(self, project_id: str | None) -> SearchQuery:
        """Return the query that is meant."""
        return SearchQuery(
            text=self.query,
            project_id=project_id,
            conversation_id=self.conversation_id,
            filters=self.filter.to_filters(),
            limit=self.limit,
            parts=ALL_SEARCH_STAGES if self.parts is None else frozenset(self.parts),
        )


class FilePlace(Schema):
    """Where in a file a passage stands; lines count from 1, characters from 0."""

    path: str
    #: Such as "page 3", "slide 2" or "sheet 1"; empty in files without any.
    page: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    heading: str


class TalkPlace(Schema):
    """Where in a conversation a passage stands."""

    conversation_id: str
    title: str | None
    round_id: str
    round_number: int
    speaker: str
    message_id: str
    said_at: Timestamp
    start_char: int
    end_char: int


class PointPlace(Schema):
    """Which conversation's summary has points, all of one round, and where they were said last."""

    conversation_id: str
    title: str | None
    summary_id: str
    #: The messages that they come from; of some early summaries none are known.
    message_ids: list[str]
    round_id: str
    round_number: int
    speaker: Literal["summary"] = "summary"
    said_at: Timestamp


class MemoryPlace(Schema):
    """Which memory was found."""

    memory_id: str
    said_at: Timestamp


class TaskPlace(Schema):
    """Which task was found."""

    task_id: str
    said_at: Timestamp


class Reason(Schema):
    """One signal that speaks for a hit: how strong it is, what it counts, and what that adds."""

    signal: str
    value: float
    weight: float
    adds: float


class HitView(Schema):
    """A passage that was found, where it stands, and why it stands where it does in the list."""

    id: str
    kind: SourceKind
    source_id: str
    project_id: str | None
    #: The sum of what `why` adds: tells the order of one search, and may exceed 1.
    score: float
    #: How alike its meaning is to the query's, from 0 to 1; 0 where meanings are not searched.
    similarity: float
    #: Whether little speaks for it: it may have nothing to do with the query.
    is_weak: bool
    content: str
    summary: str
    tokens: int
    chunk_kind: str
    language: str
    location: FilePlace | TalkPlace | PointPlace | MemoryPlace | TaskPlace
    why: list[Reason]

    @classmethod
    def of(
        cls, hit: SearchHit, files: Mapping[str, CitedFile], points: Mapping[int, list[PointMessage]]
    ) -> "HitView":
        """Show a hit, with what is told of its file, or of the messages that its points come from."""
        candidate = hit.candidate
        return cls(
            id=f"{candidate.source_id}:{candidate.number}",
            kind=candidate.kind,
            source_id=candidate.source_id,
            project_id=candidate.project_id,
            score=round(hit.score, 4),
            similarity=round(hit.similarity, 4),
            is_weak=hit.is_weak,
            content=candidate.content,
            summary=candidate.hint,
            tokens=candidate.tokens,
            chunk_kind=candidate.chunk_kind,
            language=candidate.language,
            location=location_of(hit, files, points),
            why=list_reasons(hit),
        )


def location_of(
    hit: SearchHit, files: Mapping[str, CitedFile], points: Mapping[int, list[PointMessage]]
) -> FilePlace | TalkPlace | PointPlace | MemoryPlace | TaskPlace:
    """Return the exact place of a hit."""
    candidate = hit.candidate
    if candidate.kind is SourceKind.FILE:
        file = files.get(candidate.source_id)
        return FilePlace(
            path=candidate.path,
            page=file.page_label(candidate.start_line, candidate.end_line) if file else "",
            start_line=candidate.start_line,
            end_line=candidate.end_line,
            start_char=candidate.start_char,
            end_char=candidate.end_char,
            heading=candidate.context,
        )
    if candidate.kind is SourceKind.MEMORY:
        return MemoryPlace(memory_id=candidate.source_id, said_at=candidate.said_at)
    if candidate.kind is SourceKind.TASK:
        return TaskPlace(task_id=candidate.source_id, said_at=candidate.said_at)
    if candidate.kind is SourceKind.SUMMARY:
        return point_place(candidate, points.get(candidate.chunk, []))
    return TalkPlace(
        conversation_id=candidate.conversation_id or "",
        title=candidate.title,
        round_id=candidate.round_id or "",
        round_number=candidate.round_number or 0,
        speaker=candidate.speaker,
        message_id=candidate.source_id,
        said_at=candidate.said_at,
        start_char=candidate.start_char,
        end_char=candidate.end_char,
    )


def point_place(candidate: Candidate, messages: Sequence[PointMessage]) -> PointPlace:
    """Return where points were said last; if that is not known, the last round that their summary covers."""
    last = messages[-1] if messages else None
    return PointPlace(
        conversation_id=candidate.conversation_id or "",
        title=candidate.title,
        summary_id=candidate.source_id,
        message_ids=list(dict.fromkeys(message.message_id for message in messages)),
        round_id=last.round_id if last else candidate.round_id or "",
        round_number=last.round_number if last else candidate.round_number or 0,
        said_at=last.said_at if last else candidate.said_at,
    )


def list_reasons(hit: SearchHit) -> list[Reason]:
    """Return what speaks for a hit, the strongest reason first; also what counts nothing by these weights."""
    found: list[Reason] = []
    for name in type(hit.weights).__slots__:
        value, weight = getattr(hit.signals, name), getattr(hit.weights, name)
        if value:
            adds = round(value * weight, 4)
            found.append(Reason(signal=name, value=round(value, 4), weight=round(weight, 4), adds=adds))
    return sorted(found, key=lambda reason: -reason.adds)


class Latency(Schema):
    """How long each step took, in milliseconds."""

    total: float
    lexical: float
    dense: float
    rerank: float


class SearchView(Schema):
    """What was found, best first."""

    hits: list[HitView]
    latency: Latency
    #: Parts that did not work, by the code of what went wrong; the rest went on.
    broken: list[str]

    @classmethod
    def of(
        cls, result: SearchResult, files: Mapping[str, CitedFile], points: Mapping[int, list[PointMessage]]
    ) -> "SearchView":
        """Show the outcome of a search, with what is told of the files and points in it."""
        timing = result.timing
        return cls(
            hits=[HitView.of(hit, files, points) for hit in result.hits],
            latency=Latency(
                total=round(timing.total, 2),
                lexical=round(timing.lexical_search, 2),
                dense=round(timing.dense_search, 2),
                rerank=round(timing.rerank, 2),
            ),
            broken=list(result.broken),
        )


class FlagsBody(Schema):
    """What to decide for the workspace; null gives the decision back to the environment."""

    hybrid: bool | None = None
    chunking: bool | None = None
    structure: bool | None = None
    dense: bool | None = None
    rerank: bool | None = None
    follow_names: bool | None = None
    multi_query: bool | None = None
    hyde: bool | None = None
    token_budget: int | None = None
    summary_frequency: int | None = None
    rerank_alpha: float | None = None
    rerank_beta: float | None = None
    rerank_gamma: float | None = None


class WorkspaceFlagsBody(FlagsBody):
    """What to decide for the workspace, and what of it members may decide for themselves; null allows all."""

    personal_flags: Annotated[list[PersonalFlag], Field(max_length=10)] | None = None
    personal_token_budget_max: Annotated[int, Field(ge=0, le=100_000)] | None = None


class PersonalFlagsBody(Schema):
    """What to decide for yourself; null gives the decision back to the workspace."""

    hybrid: bool | None = None
    chunking: bool | None = None
    token_budget: int | None = None
    summary_frequency: int | None = None


class FlagsView(Schema):
    """What holds for the caller, what the workspace and the server say, and who decided each of it."""

    current: FlagsBody
    workspace: FlagsBody
    server: FlagsBody
    #: What the workspace decided otherwise than the server.
    chosen: list[str]
    #: Who decided each flag: `person`, `workspace` or `server`.
    origins: dict[str, str]
    #: What the workspace lets its members decide for themselves, and the most tokens of passages.
    personal_flags: list[PersonalFlag]
    personal_token_budget_max: int | None


class IndexView(Schema):
    """How far indexing has come: texts that wait, that are found by their words, and by their meaning too."""

    waiting: int
    chunked: int
    ready: int
    failed: int
    total: int
    chunks: int
    #: What cannot be read, and why.
    problems: list[JsonObject]
