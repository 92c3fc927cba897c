"""Tools that models wrote in a conversation, and a member's yes that makes them tools of the project."""

from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.files import access as file_access
from tertulia.files import contents
from tertulia.files.domain import File
from tertulia.files.errors import FileChanged
from tertulia.files.service import Files
from tertulia.files.tool_modules import PROJECT_TOOLS_FOLDER, tool_name
from tertulia.infra.db import Database, Tx
from tertulia.tools.python import tool_uses
from tertulia.tools.python.tool_drafts import single_piece


async def approve_draft(
    project_id: str, file_id: str, version: int, *, db: Database, files: Files, by: Principal
) -> File:
    """Make the version of a draft that was read a tool of the project, or the newest version of its tool."""
    draft, current = await db.read(lambda tx: find_draft(tx, project_id, file_id), by=by)
    if draft.version != version:
        raise FileChanged(draft.version)
    target = f"{PROJECT_TOOLS_FOLDER}{tool_name(draft.path, draft.conversation_id)}"
    if current is None:
        return await files.put_into_project(project_id, draft.id, target, if_match=version, by=by)
    data = await db.read(lambda tx: contents.get_content(tx, draft.hash).data or b"", by=by)
    received = await files.receive(single_piece(data))
    # Each keeps what the other one hides from models that are not local.
    metadata = {"local_only": True} if draft.local_only else None
    approved = await files.save(project_id, target, received, by=by, metadata=metadata)
    await db.write(lambda tx: tool_uses.copy_author(tx, draft, approved), by=by)
    await files.delete(project_id, draft.id, by=by)
    return approved


def find_draft(tx: Tx, project_id: str, file_id: str) -> tuple[File, File | None]:
    """Return a draft, and the tool of the project that has its name."""
    draft = file_access.get(tx, project_id, file_id)
    if draft.conversation_id is None or not tool_name(draft.path, draft.conversation_id):
        raise NotFound("tool")
    return draft, file_access.find_at(
        tx, project_id, f"{PROJECT_TOOLS_FOLDER}{tool_name(draft.path, draft.conversation_id)}"
    )
