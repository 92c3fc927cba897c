"""How the indexer gets at the text of a summary."""

from itertools import groupby

from tertulia.core.errors import NotFound
from tertulia.infra.db import Database
from tertulia.memory.domain import Point
from tertulia.memory.summary_index import list_indexed_points
from tertulia.retrieval.indexer import ReadSource, SourceText, principal_for
from tertulia.retrieval.sources import IndexedSource


def build_summary_reader(db: Database) -> ReadSource:
    """Return what reads the points of summaries that are to be found."""

    async def read_summary(source: IndexedSource) -> SourceText:
        points = await db.read(lambda tx: list_indexed_points(tx, source.source_id), by=principal_for(source))
        if not points:
            raise NotFound("summary")
        return SourceText(iter((render_points(points),)), "markdown")

    return read_summary


def render_points(points: list[Point]) -> str:
    """Return points as text: a line for each, and a paragraph for those that come from the same round."""
    ordered = sorted(points, key=lambda point: (point.last_round, point.id))
    return "\n\n".join(
        "\n".join(" ".join(point.text.split()) for point in of_round)
        for _, of_round in groupby(ordered, key=lambda point: point.last_round)
    )
