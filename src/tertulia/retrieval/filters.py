"""What a search is limited to."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.infra.db import bound_list, escape_like, stored_list
from tertulia.retrieval.sources import SourceKind


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Only what passes all of these is found; an empty one lets everything pass."""

    kinds: tuple[SourceKind, ...] = ()
    #: Endings of file names, such as "py".
    file_types: tuple[str, ...] = ()
    #: Folders or files; the path begins with one of them.
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    #: Sources that are at hand already, and so not wanted.
    excluded_source_ids: tuple[str, ...] = ()


def filter_conditions(filters: SearchFilters) -> tuple[list[str], dict[str, object]]:
    """Return the filters as conditions on `sources AS s`, and their values."""
    wanted: list[str] = []
    if filters.kinds:
        wanted.append(f"s.kind IN {bound_list('kinds')}")
    if filters.file_types:
        ending = "lower(s.path) LIKE '%.' || value ESCAPE '\\'"
        wanted.append(f"EXISTS (SELECT 1 FROM {bound_list('types')} AS t WHERE {ending})")
    if filters.paths:
        inside = "s.path = value OR substr(s.path, 1, length(value) + 1) = value || '/'"
        wanted.append(f"EXISTS (SELECT 1 FROM {bound_list('paths')} AS p WHERE {inside})")
    if filters.tags:
        tagged = f"SELECT 1 FROM {stored_list('s.tags')} AS t WHERE t.value IN {bound_list('tags')}"
        wanted.append(f"EXISTS ({tagged})")
    if filters.speakers:
        wanted.append(f"s.speaker IN {bound_list('speakers')}")
    if filters.since:
        wanted.append("s.said_at >= :since")
    if filters.until:
        wanted.append("s.said_at < :until")
    if filters.excluded_source_ids:
        wanted.append(f"s.source_id NOT IN {bound_list('without')}")
    return wanted, {
        "kinds": filters.kinds,
        "types": [escape_like(ending.removeprefix(".").lower()) for ending in filters.file_types],
        "paths": [path.strip("/") for path in filters.paths],
        "tags": filters.tags,
        "speakers": [name for speaker in filters.speakers for name in (speaker, f"agent:{speaker}")],
        "since": filters.since,
        "until": filters.until,
        "without": filters.excluded_source_ids,
    }
