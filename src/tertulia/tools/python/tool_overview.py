"""The tools of a project as people see them: what is in each, who wrote it and who used it."""

from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.files import access as file_access
from tertulia.files import contents
from tertulia.files.domain import File, FileFilter
from tertulia.files.tool_access import list_tool_drafts
from tertulia.files.tool_modules import PROJECT_TOOLS_FOLDER
from tertulia.infra.db import Database, Tx
from tertulia.projects import access as projects
from tertulia.tools.python import tool_uses
from tertulia.tools.python.module_outline import ModuleOutline
from tertulia.tools.python.outline_reader import OutlineReader
from tertulia.tools.python.project_mount import PYTHON_TOOL_MAX_BYTES
from tertulia.tools.python.tool_uses import RecordedToolUse, ToolUseCount

OVERVIEW_TOOLS_MAX = 500
OVERVIEW_DRAFTS_MAX = 500
OVERVIEW_RECENT_USES_MAX = 10


@dataclass(frozen=True, slots=True)
class PythonToolRecord:
    """A tool, and what was done with it."""

    file: File
    data: bytes
    written_by: str
    written_at: datetime
    model: str | None
    count: ToolUseCount | None
    recent: list[RecordedToolUse]
    error: RecordedToolUse | None


@dataclass(frozen=True, slots=True)
class PythonToolOverview:
    """A tool, what was done with it, and what it says about itself."""

    record: PythonToolRecord
    source: ModuleOutline


async def list_overviews(
    project_id: str, *, db: Database, reader: OutlineReader, by: Principal
) -> list[PythonToolOverview]:
    """Return the tools of a project, and those that wait for a member's yes, by their paths."""
    rows = await db.read(lambda tx: list_records(tx, project_id), by=by)
    sources = await reader.read([row.data for row in rows])
    return [
        PythonToolOverview(row, with_summary(source, row)) for row, source in zip(rows, sources, strict=True)
    ]


def list_records(tx: Tx, project_id: str) -> list[PythonToolRecord]:
    """Return what the database knows of the tools of a project."""
    wanted = FileFilter(prefix=PROJECT_TOOLS_FOLDER)
    files = file_access.list_page(
        tx, projects.get(tx, project_id).id, wanted, after="", limit=OVERVIEW_TOOLS_MAX
    )
    files += list_tool_drafts(tx, project_id, limit=OVERVIEW_DRAFTS_MAX)
    counted = tool_uses.count_uses(tx, [file.id for file in files])
    return [read_record(tx, file, counted.get(file.id)) for file in files]


def read_record(tx: Tx, file: File, count: ToolUseCount | None) -> PythonToolRecord:
    """Return what the database knows of a tool."""
    version = file_access.get_version(tx, file.id, file.version)
    wrote = tool_uses.find_author(tx, file.id, file.version)
    is_code = file.path.endswith(".py") and file.size <= PYTHON_TOOL_MAX_BYTES
    return PythonToolRecord(
        file,
        (contents.get_content(tx, file.hash).data or b"") if is_code else b"",
        version.created_by,
        version.created_at,
        wrote.model if wrote else None,
        count,
        tool_uses.list_recent(tx, file.id, limit=OVERVIEW_RECENT_USES_MAX) if count else [],
        tool_uses.find_last_error(tx, file.id) if count and count.failures else None,
    )


def with_summary(source: ModuleOutline, row: PythonToolRecord) -> ModuleOutline:
    """Return what a tool says about itself; of what is no code, what people say."""
    about = row.file.summary if row.file.summary_is_own else source.description or row.file.summary
    return replace(source, description=about)


def find_tool(tx: Tx, project_id: str, name: str) -> File:
    """Return the tool of a name, or raise `NotFound`."""
    file = file_access.find_at(tx, projects.get(tx, project_id).id, f"{PROJECT_TOOLS_FOLDER}{name}")
    if file is None:
        raise NotFound("tool")
    return file
