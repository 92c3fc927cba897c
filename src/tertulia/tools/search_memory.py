"""The tool that looks up what is remembered of the person, or of the project."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database, Tx
from tertulia.memories.domain import Memory
from tertulia.memories.prompt_memories import can_be_told, find_told_memories
from tertulia.models.prompt_frames import escape_frame_tags, frame_quotation
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery
from tertulia.retrieval.sources import SourceKind
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of

SEARCH_MEMORY_NOTES_MAX = 20
#: Characters of notes that one look gives: never so many that a note is cut, or counts without being told.
SEARCH_MEMORY_NOTES_MAX_CHARS = 8_000
NOTHING_REMEMBERED = "Nothing like that is remembered."


class SearchMemoryArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to look for."""

    query: Annotated[str, Meta(min_length=1, max_length=1_000, description="What to look for.")]


class SearchMemory:
    """Finds memories by their words and their meaning."""

    name = "search_memory"
    description = (
        "Look up what the person has approved to be remembered about them or this project: facts, "
        "preferences, decisions. Use this when you need something about them that you were not told."
    )
    shape = SearchMemoryArguments
    parameters = parameters_of(SearchMemoryArguments)
    effect = Effect.READ
    uses_memory = True

    def __init__(self, db: Database, search: Search) -> None:
        self._db = db
        self._search = search

    async def run(self, arguments: SearchMemoryArguments, caller: ToolCaller) -> ToolOutput:
        """Return the best notes that may be told to this model."""
        query = SearchQuery(
            text=arguments.query,
            kinds=frozenset({SourceKind.MEMORY}),
            limit=SEARCH_MEMORY_NOTES_MAX,
            purpose="tool",
        )
        result = await self._search.find(query, by=caller.by, audience=caller.reader)
        found = [hit.candidate.source_id for hit in result.hits]

        def read(tx: Tx) -> list[Memory]:
            known = find_told_memories(tx, found)
            told = [known[id_] for id_ in found if id_ in known and is_told_to(known[id_], caller)]
            return select_fitting(told)

        notes = await self._db.read(read, by=caller.reader)
        if not notes:
            return ToolOutput(NOTHING_REMEMBERED)
        return ToolOutput(
            frame_quotation("memory", *map(render_note, notes)),
            local_only=any(memory.local_only for memory in notes),
            memories=frozenset(memory.id for memory in notes),
            is_private=any(memory.owner_id is not None for memory in notes),
        )


def render_note(memory: Memory) -> str:
    """Return a memory as the tool tells it."""
    return f"- {escape_frame_tags(' '.join(memory.content.split()))}"


def select_fitting(memories: Sequence[Memory]) -> list[Memory]:
    """Return the best of some memories that can be told whole."""
    ends = accumulate(len(render_note(memory)) for memory in memories)
    pairs = zip(memories, ends, strict=True)
    return [memory for memory, end in pairs if end <= SEARCH_MEMORY_NOTES_MAX_CHARS]


def is_told_to(memory: Memory, caller: ToolCaller) -> bool:
    """Tell whether a memory may be told to a caller's model where it speaks."""
    may_see = caller.model_is_local or not memory.local_only
    return may_see and can_be_told(memory, project_id=caller.project_id)
