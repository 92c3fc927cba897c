"""The tools of a project as people see them: what is in each, who wrote it and who used it."""

from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.files import contents, store
from tertulia.files.domain import File, Filter
from tertulia.files.modules import TOOLS
from tertulia.infra.db import Database, Tx
from tertulia.projects import store as projects
from tertulia.tools.python import approval, uses
from tertulia.tools.python.mounting import LARGEST_TOOL
from tertulia.tools.python.outline import Source
from tertulia.tools.python.sources import SourceReader
from tertulia.tools.python.uses import Count, Use

MOST_LISTED = 500
MOST_RECENT = 10


@dataclass(frozen=True, slots=True)
class Row:
    """A tool, and what was done with it."""

    file: File
    data: bytes
    written_by: str
    written_at: datetime
    model: str | None
    count: Count | None
    recent: list[Use]
    error: Use | None


@dataclass(frozen=True, slots=True)
class Overview:
    """A tool, what was done with it, and what it says about itself."""

    row: Row
    source: Source


async def overviews(project_id: str, *, db: Database, reader: SourceReader, by: Principal) -> list[Overview]:
    """Return the tools of a project, and those that wait for a member's yes, by their paths."""
    rows = await db.read(lambda tx: rows_of(tx, project_id), by=by)
    sources = await reader.read([row.data for row in rows])
    return [Overview(row, with_summary(source, row)) for row, source in zip(rows, sources, strict=True)]


def rows_of(tx: Tx, project_id: str) -> list[Row]:
    """Return what the database knows of the tools of a project."""
    wanted = Filter(prefix=TOOLS)
    files = store.page(tx, projects.get(tx, project_id).id, wanted, after="", limit=MOST_LISTED)
    files += approval.drafts(tx, project_id)
    counted = uses.counts(tx, [file.id for file in files])
    return [row_of(tx, file, counted.get(file.id)) for file in files]


def row_of(tx: Tx, file: File, count: Count | None) -> Row:
    """Return what the database knows of a tool."""
    version = store.version(tx, file.id, file.version)
    wrote = uses.author(tx, file.id, file.version)
    is_code = file.path.endswith(".py") and file.size <= LARGEST_TOOL
    return Row(
        file,
        (contents.get(tx, file.hash).data or b"") if is_code else b"",
        version.created_by,
        version.created_at,
        wrote.model if wrote else None,
        count,
        uses.recent(tx, file.id, limit=MOST_RECENT) if count else [],
        uses.last_error(tx, file.id) if count and count.failures else None,
    )


def with_summary(source: Source, row: Row) -> Source:
    """Return what a tool says about itself; of what is no code, what people say."""
    about = row.file.summary if row.file.summary_is_own else source.description or row.file.summary
    return replace(source, description=about)


def find(tx: Tx, project_id: str, name: str) -> File:
    """Return the tool of a name, or raise `NotFound`."""
    file = store.at(tx, projects.get(tx, project_id).id, f"{TOOLS}{name}")
    if file is None:
        raise NotFound("tool")
    return file
