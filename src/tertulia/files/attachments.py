"""Files that belong to one conversation: seen with it, shown to its models alone, deleted with it."""

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from tertulia.files import access
from tertulia.files.domain import File
from tertulia.files.errors import PathInvalid
from tertulia.files.paths import ancestors
from tertulia.infra.db import Tx, bound_list
from tertulia.projects.visibility import FILE_VISIBLE_SQL

#: Where attachments lie, as models and messages name them.
ATTACHMENTS_FOLDER = "attachments/"


class HasPath(Protocol):
    """What lies at a path."""

    @property
    def path(self) -> str:
        """Return where it lies."""
        ...


LocatedT = TypeVar("LocatedT", bound=HasPath)


def list_page(tx: Tx, conversation_id: str, *, after: str = "", limit: int) -> list[File]:
    """Return the attachments of a conversation that the caller may see, by path."""
    sql = f"""SELECT * FROM files WHERE conversation_id = :conversation AND {FILE_VISIBLE_SQL}
        AND path > :after ORDER BY path LIMIT :limit"""
    return tx.all(File, sql, conversation=conversation_id, after=after, limit=limit)


def list_all(tx: Tx, conversation_id: str) -> list[File]:
    """Return all attachments of a conversation, whoever may see them: for work on the conversation itself."""
    sql = "SELECT * FROM files WHERE conversation_id = :conversation AND workspace_id = :workspace"
    return tx.all(File, sql, conversation=conversation_id)


def count_attachments(tx: Tx, conversation_id: str) -> int:
    """Return how many attachments a conversation has, as far as the caller may see it."""
    sql = f"SELECT count(*) FROM files WHERE conversation_id = :conversation AND {FILE_VISIBLE_SQL}"
    return int(tx.value(sql, conversation=conversation_id))


def find_in_conversation(
    tx: Tx, project_id: str | None, conversation_id: str | None, path: str
) -> File | None:
    """Return what a path means in a conversation: its own attachment, or else the project's file."""
    attached = access.find_at(tx, "", path, conversation_id=conversation_id) if conversation_id else None
    return attached or (access.find_at(tx, project_id, path) if project_id else None)


def find_ids_in_conversation(
    tx: Tx, conversation_id: str | None, places: Collection[tuple[str | None, str]]
) -> dict[tuple[str | None, str], str]:
    """Return the files that paths of projects mean in a conversation, as `find_in_conversation` does."""
    if not places:
        return {}
    paths = list({path for _, path in places})
    attached = f"""SELECT path, id FROM files WHERE conversation_id = :conversation AND {FILE_VISIBLE_SQL}
        AND path IN {bound_list("paths")}"""
    own = dict(tx.rows(attached, conversation=conversation_id, paths=paths)) if conversation_id else {}
    of_projects = f"""SELECT project_id, path, id FROM files WHERE conversation_id IS NULL
        AND workspace_id = :workspace AND project_id IN {bound_list("projects")}
        AND path IN {bound_list("paths")}"""
    projects = list({project_id for project_id, _ in places if project_id})
    found = {(row[0], row[1]): row[2] for row in tx.rows(of_projects, projects=projects, paths=paths)}
    return found | {place: own[place[1]] for place in places if place[1] in own}


def find_ignoring_case(
    tx: Tx, project_id: str | None, conversation_id: str | None, paths: Sequence[str]
) -> File | None:
    """Return the one file that is at one of these paths but for capitals; None where several are."""
    attached = (
        access.list_ignoring_case(tx, "", paths, conversation_id=conversation_id) if conversation_id else []
    )
    alike = attached or (access.list_ignoring_case(tx, project_id, paths) if project_id else [])
    return alike[0] if len(alike) == 1 else None


def list_always_in_context(
    tx: Tx, project_id: str | None, conversation_id: str | None, *, limit: int
) -> list[File]:
    """Return the files that every model is to see in a conversation: the project's, and its attachments."""
    project = access.list_always_in_context(tx, project_id, limit=limit) if project_id else []
    attached = list_page(tx, conversation_id, limit=limit) if conversation_id else []
    return overlay_attachments(project, [file for file in attached if file.always_in_context])[:limit]


def overlay_attachments(project: Sequence[LocatedT], attached: Sequence[LocatedT]) -> list[LocatedT]:
    """Return files by path, where an attachment hides what the project has at its path, above or below."""
    taken = {above for file in attached for above in [*ancestors(file.path), file.path]}
    own = {file.path for file in attached}
    kept = [file for file in project if file.path not in taken and own.isdisjoint(ancestors(file.path))]
    return sorted([*kept, *attached], key=lambda file: file.path)


def attachment_path(path: str) -> str:
    """Return a path in the folder of attachments, whether it is given with the folder or without."""
    return path if path.startswith(ATTACHMENTS_FOLDER) else f"{ATTACHMENTS_FOLDER}{path}"


def check_attachment_path(path: str) -> None:
    """Raise unless a path is one that an attachment may have."""
    if not path.startswith(ATTACHMENTS_FOLDER):
        raise PathInvalid(
            f"an attachment stays in the folder {ATTACHMENTS_FOLDER} until it is put into the project"
        )
