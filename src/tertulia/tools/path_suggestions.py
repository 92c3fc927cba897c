"""Finding a file by its path; where there is none, saying what may have been meant."""

import asyncio
from collections.abc import Sequence
from difflib import get_close_matches

from tertulia.files.domain import File
from tertulia.files.tool_access import list_similar_paths
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
    project_id = require_project(tx, caller)
    places = [caller.conversation_id, None] if caller.conversation_id else [None]
    return [
        near
        for conversation_id in places
        for near in list_similar_paths(
            tx,
            project_id,
            path,
            conversation_id=conversation_id,
            is_local=caller.model_is_local,
            limit=COMPARED_PATHS_MAX,
        )
    ]


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
