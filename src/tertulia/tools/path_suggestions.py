"""Finding a file by its path; where there is none, saying what may have been meant."""

import asyncio
from collections.abc import Sequence
from difflib import get_close_matches

from tertulia.files.access import siblings_sql
from tertulia.files.domain import File
from tertulia.infra.db import Database, Tx
from tertulia.tools.domain import ToolCaller
from tertulia.tools.file_access import NoSuchFile, find_file, require_project

#: Of each kind of path: so few are compared at once.
COMPARED_PATHS_MAX = 70
SUGGESTED_PATHS_MAX = 3


async def find_or_suggest(db: Database, path: str, caller: ToolCaller) -> File:
    """Return the file at a path, or raise with what may have been meant."""
    try:
        return await db.read(lambda tx: find_file(tx, path, caller), by=caller.reader)
    except NoSuchFile as error:
        missing = error.path
    near = await db.read(lambda tx: similar_paths(tx, missing, caller), by=caller.reader)
    # Comparing takes a moment: outside of the transaction, and away from the event loop.
    raise NoSuchFile(missing, await asyncio.to_thread(suggest_paths, missing, near))


def similar_paths(tx: Tx, path: str, caller: ToolCaller) -> list[str]:
    """Return paths that may be shown: with the same name anywhere, and beside it those before and after."""
    attached = similar_paths_among(tx, path, caller, caller.conversation_id) if caller.conversation_id else []
    return [*attached, *similar_paths_among(tx, path, caller, None)]


def similar_paths_among(tx: Tx, path: str, caller: ToolCaller, conversation_id: str | None) -> list[str]:
    """Return such paths of a project, or among the attachments of a conversation."""
    folder, slash, name = map(escape_like, path.rpartition("/"))
    mine = f"""SELECT path FROM files WHERE {siblings_sql(conversation_id)}
        AND tool_accessible = 1 AND local_only <= :local"""
    beside = r"path LIKE :beside ESCAPE '\' AND path NOT LIKE :below ESCAPE '\'"
    wanted = {
        "project": require_project(tx, caller),
        "conversation": conversation_id,
        "local": int(caller.model_is_local),
        "path": path,
        "named": f"%/{name}",
        "name": name,
        "beside": f"{folder}{slash}%",
        "below": f"{folder}{slash}%/%",
        "limit": COMPARED_PATHS_MAX,
    }
    found: list[str] = []
    for which in (
        r"(path LIKE :named ESCAPE '\' OR path LIKE :name ESCAPE '\') ORDER BY path",
        f"{beside} AND path < :path ORDER BY path DESC",
        f"{beside} AND path > :path ORDER BY path",
    ):
        found += tx.column(f"{mine} AND {which} LIMIT :limit", **wanted)
    return found


def escape_like(text: str) -> str:
    """Return a text as LIKE takes it, to stand for itself."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def suggest_paths(path: str, near: Sequence[str]) -> list[str]:
    """Return what a path may have meant: a file of that name elsewhere, or one beside it of a like name."""
    folder, _, name = path.rpartition("/")
    names = {candidate: candidate.rpartition("/")[2] for candidate in near}
    alike = get_close_matches(
        name, {names[candidate] for candidate in near if candidate.rpartition("/")[0] == folder}
    )
    elsewhere = get_close_matches(
        path, [candidate for candidate in near if names[candidate].lower() == name.lower()], cutoff=0
    )
    beside = [candidate for like in alike for candidate in near if names[candidate] == like]
    return list(dict.fromkeys([*elsewhere, *beside]))[:SUGGESTED_PATHS_MAX]
