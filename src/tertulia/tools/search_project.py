"""The tool that searches a project's files and what was said in it."""

from collections.abc import Set
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database
from tertulia.models.prompt_frames import (
    escape_attribute,
    escape_frame_tags,
    frame_quotation,
    truncate_at_line_end,
)
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.filters import SearchFilters
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery
from tertulia.retrieval.sources import QUOTABLE_KINDS, SourceKind
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.file_access import normalise_prefix, require_project
from tertulia.tools.hit_visibility import VisibleHit, filter_visible_hits
from tertulia.tools.parameters import parameters_of

SEARCH_TOOL_PASSAGES_MAX = 20
SEARCH_TOOL_PASSAGES_DEFAULT = 10
#: Of what is found some may not be shown, so one looks for more than was asked for.
SEARCH_TOOL_OVERFETCH_FACTOR = 3
SEARCH_TOOL_PASSAGE_MAX_CHARS = 3_000
#: Characters of one answer.
SEARCH_TOOL_OUTPUT_MAX_CHARS = 16_000
SEARCH_TOOL_CITATION_NOTE = (
    "Name what you use by its path and lines, or by who said it when; the numbers are only for this list."
)

SEARCH_TOOL_WEAK_NOTE = (
    'Passages with match="weak" may have nothing to do with what you look for: check before you use them.'
)

Names = Annotated[list[str], Meta(max_length=50)]


class SearchToolFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to look."""

    file_types: Annotated[Names | None, Meta(description="Endings of file names, such as 'py'.")] = None
    paths: Annotated[Names | None, Meta(description="Folders or files to look in.")] = None
    exclude_conversations: Annotated[bool | None, Meta(description="Look only in files.")] = None


class SearchToolArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to look for."""

    query: Annotated[str, Meta(min_length=1, description="What to look for, in plain words or exact names.")]
    filter: Annotated[SearchToolFilter | None, Meta(description="Limits where to look.")] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=SEARCH_TOOL_PASSAGES_MAX)] | None,
        Meta(description=f"How many passages to return, {SEARCH_TOOL_PASSAGES_DEFAULT} when left out."),
    ] = None


class SearchProject:
    """Finds passages by their words and their meaning."""

    name = "search_project"
    description = (
        "Search the files and earlier conversations of the current project. Use this when you need "
        "something specific that you were not shown: names, decisions, code, figures."
    )
    shape = SearchToolArguments
    parameters = parameters_of(SearchToolArguments)
    effect = Effect.READ

    def __init__(self, db: Database, search: Search) -> None:
        self._db = db
        self._search = search

    async def run(self, arguments: SearchToolArguments, caller: ToolCaller) -> ToolOutput:
        """Return the best passages that may be shown."""
        limit = arguments.limit or SEARCH_TOOL_PASSAGES_DEFAULT
        query = SearchQuery(
            text=arguments.query,
            project_id=await self._db.read(lambda tx: require_project(tx, caller), by=caller.reader),
            conversation_id=caller.conversation_id or None,
            filters=filters_of(arguments.filter or SearchToolFilter()),
            kinds=QUOTABLE_KINDS,
            limit=limit * SEARCH_TOOL_OVERFETCH_FACTOR,
            purpose="tool",
        )
        result = await self._search.find(query, by=caller.by, audience=caller.reader)
        hits = [hit.candidate for hit in result.hits]
        found = await self._db.read(lambda tx: filter_visible_hits(tx, hits, caller), by=caller.reader)
        if not found:
            return ToolOutput("Nothing was found. Try other words, or fewer filters.")
        weak = frozenset(hit.candidate.chunk for hit in result.hits if hit.is_weak)
        return render_hits(found[:limit], here=caller.conversation_id, weak_chunks=weak)


def filters_of(narrowed: SearchToolFilter) -> SearchFilters:
    """Return the filters that are meant; a path that leads out of the project is refused."""
    starts = [normalise_prefix(path).removesuffix("/") for path in narrowed.paths or ()]
    return SearchFilters(
        kinds=(SourceKind.FILE,) if narrowed.exclude_conversations else (),
        file_types=tuple(ending.removeprefix("*") for ending in narrowed.file_types or ()),
        paths=tuple(starts) if all(starts) else (),
    )


def render_hits(found: list[VisibleHit], *, here: str, weak_chunks: Set[int]) -> ToolOutput:
    """Return passages under their numbers: their text while there is room, then where they can be read."""
    blocks: list[str] = []
    room = SEARCH_TOOL_OUTPUT_MAX_CHARS
    for number, finding in enumerate(found, 1):
        candidate = finding.candidate
        match = ' match="weak"' if candidate.chunk in weak_chunks else ""
        tag = f'<passage number="{number}" source="{passage_location(finding)}"{match}>'
        text = (
            passage_text(candidate)
            if room >= SEARCH_TOOL_PASSAGE_MAX_CHARS
            else f"({candidate.hint or 'not shown for want of room'})"
        )
        said = f"{text}\n{finding.note}" if finding.note else text
        blocks.append(f"{tag}\n{escape_frame_tags(said)}\n</passage>")
        room -= len(blocks[-1])
    local = any(finding.local_only for finding in found)
    quotes = {finding.candidate.conversation_id for finding in found} - {None, here}
    files = {finding.candidate.source_id for finding in found if finding.candidate.kind is SourceKind.FILE}
    has_weak = any(finding.candidate.chunk in weak_chunks for finding in found)
    notes = [SEARCH_TOOL_CITATION_NOTE, *([SEARCH_TOOL_WEAK_NOTE] if has_weak else [])]
    return ToolOutput(
        frame_quotation("passages", *blocks, after="\n".join(notes)),
        local_only=local,
        quotes=frozenset(filter(None, quotes)),
        files=frozenset(files),
    )


def passage_text(candidate: Candidate) -> str:
    """Return a passage, cut at a line where it is long."""
    shown = truncate_at_line_end(candidate.content, SEARCH_TOOL_PASSAGE_MAX_CHARS)
    return shown if shown == candidate.content else f"{shown}\n(cut here)"


def passage_location(finding: VisibleHit) -> str:
    """Return in a few words where a passage stands."""
    candidate = finding.candidate
    if candidate.kind is SourceKind.FILE:
        lines = f"lines {candidate.start_line}-{candidate.end_line}"
        parts = (candidate.path, finding.page, lines, candidate.context)
        return escape_attribute(", ".join(filter(None, parts)))
    speaker = finding.author or candidate.speaker.removeprefix("agent:")
    said = f"round {candidate.round_number}, {speaker}, {candidate.said_at.date().isoformat()}"
    return escape_attribute(f"{finding.conversation}, {said}")
