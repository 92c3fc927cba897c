"""What of a project a run of code is lent."""

from collections.abc import Mapping
from dataclasses import dataclass

from tertulia.files import contents
from tertulia.files.access import siblings_sql
from tertulia.files.attachments import overlay_attachments
from tertulia.files.tool_modules import tool_name
from tertulia.infra.db import Tx
from tertulia.sandbox.domain import FILES_FOLDER, TOOLS_FOLDER
from tertulia.tools.domain import ToolCaller
from tertulia.tools.file_access import require_project

#: What is larger is no tool: code finds it among the files.
PYTHON_TOOL_MAX_BYTES = 500_000
MOUNTED_TOOLS_MAX = 500
MOUNTED_TOOLS_MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class MountedFile:
    """A file, as far as lending it goes."""

    id: str
    path: str
    version: int
    hash: str
    size: int
    local_only: bool
    conversation_id: str | None

    @property
    def name(self) -> str:
        """Return what a tool is called in its folder."""
        return tool_name(self.path, self.conversation_id)


@dataclass(frozen=True, slots=True)
class ProjectMount:
    """The files that code may read, and by their names the tools that it may import and change."""

    project_id: str
    files: tuple[MountedFile, ...]
    tools: Mapping[str, MountedFile]
    sources: Mapping[str, bytes]

    def ids_by_path(self) -> dict[str, str]:
        """Return the ids of files and tools by their paths in the sandbox."""
        files = {f"{FILES_FOLDER}/{file.path}": file.id for file in self.files}
        return files | {f"{TOOLS_FOLDER}/{name}": file.id for name, file in self.tools.items()}

    @property
    def local_only(self) -> bool:
        """Tell whether code can read what only local models may see."""
        return any(file.local_only for file in self.files)


def mount_project(tx: Tx, caller: ToolCaller) -> ProjectMount:
    """Return what code may be lent that runs for a caller."""
    project_id = require_project(tx, caller)
    attached = list_accessible_files(tx, project_id, caller.conversation_id) if caller.conversation_id else []
    every = overlay_attachments(list_accessible_files(tx, project_id, None), attached)
    files = [mounted_file for mounted_file in every if caller.model_is_local or not mounted_file.local_only]
    tools: dict[str, MountedFile] = {}
    sources: dict[str, bytes] = {}
    room = MOUNTED_TOOLS_MAX_BYTES
    # Drafts of the conversation come last, and so stand for the project's tools of the same names.
    for file in sorted(files, key=lambda file: file.conversation_id is not None):
        room -= file.size if is_tool(file) else 0
        if is_tool(file) and room >= 0 and len(tools) < MOUNTED_TOOLS_MAX:
            tools[file.name] = file
            sources[file.name] = contents.get_content(tx, file.hash).data or b""
    return ProjectMount(project_id, tuple(files), tools, sources)


def is_tool(file: MountedFile) -> bool:
    """Tell whether a file is one that models can import and change."""
    return bool(file.name) and file.size <= PYTHON_TOOL_MAX_BYTES


def list_accessible_files(tx: Tx, project_id: str, conversation_id: str | None) -> list[MountedFile]:
    """Return the files that tools may open, of a project or attached to a conversation, by path.

    With little of each, for there may be many.
    """
    sql = f"""SELECT id, path, version, hash, size, local_only, conversation_id FROM files
        WHERE {siblings_sql(conversation_id)} AND tool_accessible = 1 ORDER BY path"""
    return tx.all(MountedFile, sql, project=project_id, conversation=conversation_id)
