"""The tool that searches a project's files and what was said in it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database
from tertulia.models.quoting import framed, in_a_tag, inert, up_to_line
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.filters import Filters
from tertulia.retrieval.search import Query, Search
from tertulia.retrieval.sources import SourceKind
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.findings import Finding, findings
from tertulia.tools.parameters import parameters_of
from tertulia.tools.shelf import project_of, regular_start

MOST_FOUND = 20
FOUND = 10
#: Of what is found some may not be shown, so one looks for more than was asked for.
SPARE = 3
LONGEST_PASSAGE = 3_000
#: Characters of one answer.
ROOM = 16_000
ABOUT = "Name what you use by its path and lines, or by who said it when; the numbers are only for this list."

Names = Annotated[list[str], Meta(max_length=50)]


class Narrowed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to look."""

    file_types: Annotated[Names | None, Meta(description="Endings of file names, such as 'py'.")] = None
    paths: Annotated[Names | None, Meta(description="Folders or files to look in.")] = None
    exclude_conversations: Annotated[bool | None, Meta(description="Look only in files.")] = None


class WhatToFind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to look for."""

    query: Annotated[str, Meta(min_length=1, description="What to look for, in plain words or exact names.")]
    filter: Annotated[Narrowed | None, Meta(description="Limits where to look.")] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_FOUND)] | None,
        Meta(description=f"How many passages to return, {FOUND} when left out."),
    ] = None


class SearchProject:
    """Finds passages by their words and their meaning."""

    name = "search_project"
    description = (
        "Search the files and earlier conversations of the current project. Use this when you need "
        "something specific that you were not shown: names, decisions, code, figures."
    )
    shape = WhatToFind
    parameters = parameters_of(WhatToFind)
    effect = Effect.READ

    def __init__(self, db: Database, search: Search) -> None:
        self._db = db
        self._search = search

    async def run(self, arguments: WhatToFind, caller: Caller) -> Result:
        """Return the best passages that may be shown."""
        limit = arguments.limit or FOUND
        query = Query(
            text=arguments.query,
            project_id=await self._db.read(lambda tx: project_of(tx, caller), by=caller.reader),
            conversation_id=caller.conversation_id or None,
            filters=filters_of(arguments.filter or Narrowed()),
            limit=limit * SPARE,
            purpose="tool",
        )
        result = await self._search.find(query, by=caller.by, audience=caller.reader)
        hits = [hit.candidate for hit in result.hits]
        found = await self._db.read(lambda tx: findings(tx, hits, caller), by=caller.reader)
        if not found:
            return Result("Nothing was found. Try other words, or fewer filters.")
        return as_found(found[:limit], here=caller.conversation_id)


def filters_of(narrowed: Narrowed) -> Filters:
    """Return the filters that are meant; a path that leads out of the project is refused."""
    starts = [regular_start(path).removesuffix("/") for path in narrowed.paths or ()]
    return Filters(
        kinds=(SourceKind.FILE,) if narrowed.exclude_conversations else (),
        file_types=tuple(ending.removeprefix("*") for ending in narrowed.file_types or ()),
        paths=tuple(starts) if all(starts) else (),
    )


def as_found(found: list[Finding], *, here: str) -> Result:
    """Return passages under their numbers: their text while there is room, then where they can be read."""
    blocks: list[str] = []
    room = ROOM
    for number, finding in enumerate(found, 1):
        one = finding.candidate
        tag = f'<passage number="{number}" source="{place_of(one)}">'
        text = text_of(one) if room >= LONGEST_PASSAGE else f"({one.summary or 'not shown for want of room'})"
        blocks.append(f"{tag}\n{inert(text)}\n</passage>")
        room -= len(blocks[-1])
    local = any(finding.local_only for finding in found)
    quotes = {finding.candidate.conversation_id for finding in found} - {None, here}
    files = {finding.candidate.source_id for finding in found if finding.candidate.kind is SourceKind.FILE}
    return Result(
        framed("passages", *blocks, after=ABOUT),
        local_only=local,
        quotes=frozenset(filter(None, quotes)),
        files=frozenset(files),
    )


def text_of(one: Candidate) -> str:
    """Return a passage, cut at a line where it is long."""
    shown = up_to_line(one.content, LONGEST_PASSAGE)
    return shown if shown == one.content else f"{shown}\n(cut here)"


def place_of(one: Candidate) -> str:
    """Return in a few words where a passage stands."""
    if one.kind is SourceKind.FILE:
        heading = f", {one.context}" if one.context else ""
        return in_a_tag(f"{one.path}, lines {one.start_line}-{one.end_line}{heading}")
    # No title: it may be made of words that were left out, or that are another lane's.
    said = f"round {one.round_number}, {one.speaker.removeprefix('agent:')}"
    return in_a_tag(f"an earlier conversation, {said}, {one.said_at.date().isoformat()}")
