"""The tool that searches, as outside agents have it: no title says what a message may not."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.doors.mcp.visit import has_local_words
from tertulia.infra.db import Database, Tx
from tertulia.retrieval.search import Query, Search
from tertulia.retrieval.sources import SourceKind
from tertulia.tools.domain import Caller, Result
from tertulia.tools.findings import Finding, findings
from tertulia.tools.searching import (
    FOUND,
    SPARE,
    Narrowed,
    SearchProject,
    WhatToFind,
    as_found,
    filters_of,
)
from tertulia.tools.shelf import project_of


class SearchFromOutside(SearchProject):
    """Finds passages for agents that run elsewhere."""

    def __init__(self, db: Database, search: Search) -> None:
        super().__init__(db, search)
        self._db = db
        self._search = search

    async def run(self, arguments: WhatToFind, caller: Caller) -> Result:
        """Return the best passages that may be shown."""
        limit = arguments.limit or FOUND
        query = Query(
            text=arguments.query,
            project_id=await self._db.read(lambda tx: project_of(tx, caller), by=caller.by),
            filters=filters_of(arguments.filter or Narrowed()),
            limit=limit * SPARE,
            purpose="tool",
        )
        hits = [hit.candidate for hit in (await self._search.find(query, by=caller.by)).hits]
        found = await self._db.read(lambda tx: untitled(tx, findings(tx, hits, caller)), by=caller.by)
        if not found:
            return Result("Nothing was found. Try other words, or fewer filters.")
        return as_found(found[:limit])


def untitled(tx: Tx, found: Sequence[Finding]) -> list[Finding]:
    """Return findings without the titles of conversations that have words for local models alone."""
    places = {one.candidate.conversation_id for one in found if one.candidate.kind is SourceKind.MESSAGE}
    local = {place for place in places if place and has_local_words(tx, place)}
    return [
        replace(one, candidate=replace(one.candidate, title=""))
        if one.candidate.conversation_id in local
        else one
        for one in found
    ]
