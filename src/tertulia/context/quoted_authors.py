"""Saying who said what a prompt quotes: points of the summary, and passages with what stands beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tertulia.context.domain import RecalledPassage
from tertulia.conversations.domain import USER_SPEAKER
from tertulia.conversations.message_origins import find_author_ids
from tertulia.conversations.reversal_notes import write_notes
from tertulia.infra.db import Tx
from tertulia.memory.domain import Point


def list_quoted_authors(found: Sequence[RecalledPassage]) -> frozenset[str]:
    """Return the people whose words passages quote."""
    beside = (note.author_id for passage in found for note in passage.reversals)
    return frozenset((*(passage.author_id for passage in found), *beside))


def name_passages(found: Sequence[RecalledPassage], names: Mapping[str, str]) -> tuple[RecalledPassage, ...]:
    """Return passages with the names of those who have one."""
    return tuple(
        replace(passage, author=names.get(passage.author_id, ""), note=write_notes(passage.reversals, names))
        for passage in found
    )


def name_points(tx: Tx, points: Sequence[Point], names: Mapping[str, str]) -> tuple[Point, ...]:
    """Return points with the names of the people who said them; nothing is looked up where nobody has one."""
    if not names:
        return tuple(points)
    told = (zip(point.sources, point.speakers, strict=True) for point in points)
    asked = {source for sources in told for source, speaker in sources if speaker == USER_SPEAKER}
    authors = {id_: names.get(author, "") for id_, author in find_author_ids(tx, asked).items()}
    return tuple(
        replace(point, authors=tuple(authors.get(source, "") for source in point.sources)) for point in points
    )
