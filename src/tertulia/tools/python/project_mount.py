"""What of a project a run of code is lent."""

from collections.abc import Mapping
from dataclasses import dataclass

from tertulia.files import contents
from tertulia.files.attachments import overlay_attachments
from tertulia.files.tool_access import AccessibleFile, list_accessible_files
from tertulia.infra.db import Tx
from tertulia.sandbox.domain import FILES_FOLDER, TOOLS_FOLDER
from tertulia.tools.domain import ToolCaller
from tertulia.tools.file_access import require_project

#: What is larger is no tool: code finds it among the files.
PYTHON_TOOL_MAX_BYTES = 500_000
MOUNTED_TOOLS_MAX = 500
MOUNTED_TOOLS_MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class ProjectMount:
    """The files that code may read, and by their names the tools that it may import and change."""

    project_id: str
    files: tuple[AccessibleFile, ...]
    tools: Mapping[str, AccessibleFile]
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
    files = [file for file in every if caller.model_is_local or not file.local_only]
    tools: dict[str, AccessibleFile] = {}
    sources: dict[str, bytes] = {}
    room = MOUNTED_TOOLS_MAX_BYTES
    # Drafts of the conversation come last, and so stand for the project's tools of the same names.
    for file in sorted(files, key=lambda file: file.conversation_id is not None):
        room -= file.size if is_tool(file) else 0
        if is_tool(file) and room >= 0 and len(tools) < MOUNTED_TOOLS_MAX:
            tools[file.name] = file
            sources[file.name] = contents.get_content(tx, file.hash).data or b""
    return ProjectMount(project_id, tuple(files), tools, sources)


def is_tool(file: AccessibleFile) -> bool:
    """Tell whether a file is one that models can import and change."""
    return bool(file.name) and file.size <= PYTHON_TOOL_MAX_BYTES
