"""The files that tools may open, with little of each, for there may be many."""

from dataclasses import dataclass

from tertulia.files.access import folder_bounds, siblings_sql, within_folder_sql
from tertulia.files.domain import File
from tertulia.files.tool_modules import DRAFT_TOOLS_FOLDER, tool_name
from tertulia.infra.db import Tx, escape_like, fold_case, like_folded
from tertulia.projects.visibility import FILE_VISIBLE_SQL


@dataclass(frozen=True, slots=True)
class AccessibleFile:
    """A file that tools may open."""

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


def list_accessible_files(tx: Tx, project_id: str, conversation_id: str | None) -> list[AccessibleFile]:
    """Return the files that tools may open, of a project or attached to a conversation, by path."""
    sql = f"""SELECT id, path, version, hash, size, local_only, conversation_id FROM files
        WHERE {siblings_sql(conversation_id)} AND tool_accessible = 1 ORDER BY path"""
    return tx.all(AccessibleFile, sql, project=project_id, conversation=conversation_id)


def list_similar_paths(
    tx: Tx, project_id: str, path: str, *, conversation_id: str | None, is_local: bool, limit: int
) -> list[str]:
    """Return paths that tools may open: with the same name anywhere, and beside it those before and after.

    `limit` is for each of the three. They are of a project, or attached to a conversation.
    """
    folder, slash, name = map(escape_like, fold_case(path).rpartition("/"))
    mine = f"""SELECT path FROM files WHERE {siblings_sql(conversation_id)}
        AND tool_accessible = 1 AND local_only <= :local"""
    beside = f"{like_folded('path', 'beside')} AND NOT {like_folded('path', 'below')}"
    wanted = {
        "project": project_id,
        "conversation": conversation_id,
        "local": int(is_local),
        "path": path,
        "named": f"%/{name}",
        "name": name,
        "beside": f"{folder}{slash}%",
        "below": f"{folder}{slash}%/%",
        "limit": limit,
    }
    found: list[str] = []
    for which in (
        f"({like_folded('path', 'named')} OR {like_folded('path', 'name')}) ORDER BY path",
        f"{beside} AND path < :path ORDER BY path DESC",
        f"{beside} AND path > :path ORDER BY path",
    ):
        found += tx.column(f"{mine} AND {which} LIMIT :limit", **wanted)
    return found


def list_tool_drafts(tx: Tx, project_id: str, *, limit: int) -> list[File]:
    """Return the tools that models wrote in conversations that the caller may see, by path."""
    sql = f"""SELECT * FROM files WHERE project_id = :project AND conversation_id IS NOT NULL
        AND {within_folder_sql(DRAFT_TOOLS_FOLDER)} AND {FILE_VISIBLE_SQL} ORDER BY path, id LIMIT :limit"""
    return tx.all(File, sql, project=project_id, limit=limit, **folder_bounds(DRAFT_TOOLS_FOLDER))
