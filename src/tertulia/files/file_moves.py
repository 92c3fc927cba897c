"""Renaming, moving and deleting files and whole folders: each in one transaction."""

from tertulia.core.errors import NotFound
from tertulia.files import access, attachments, store
from tertulia.files.domain import PLAIN_TEXT_MEDIA, File
from tertulia.files.errors import FileChanged, NotAttached, PathInvalid
from tertulia.files.extract.file_kinds import FileKind
from tertulia.files.file_writer import index_file
from tertulia.files.paths import normalise
from tertulia.infra.db import Tx
from tertulia.projects import access as projects


def move_file(tx: Tx, project_id: str, file_id: str, path: str, *, kind: FileKind) -> File:
    """Give a file another path, and the kind that its bytes are under that name."""
    current = access.get(tx, project_id, file_id)
    if path == current.path:
        return current
    if current.conversation_id is not None:
        attachments.check_attachment_path(path)
    return place_file(tx, current, path, kind, conversation_id=current.conversation_id)


def put_into_project(
    tx: Tx, project_id: str, file_id: str, path: str, *, kind: FileKind, if_match: int | None = None
) -> File:
    """Make an attachment a file of its project, with its versions, for every member to see."""
    current = access.get(tx, project_id, file_id)
    if current.conversation_id is None:
        raise NotAttached
    if if_match is not None and current.version != if_match:
        raise FileChanged(current.version)
    return place_file(tx, current, path, kind, conversation_id=None)


def place_file(tx: Tx, current: File, path: str, kind: FileKind, *, conversation_id: str | None) -> File:
    """Put a file where nothing is in the way, and have it found there."""
    store.check_path_free(
        tx, current.project_id, path, conversation_id=conversation_id, leaving_file_id=current.id
    )
    values = {
        "path": path,
        "conversation_id": conversation_id,
        "mime": kind.mime,
        "media": kind.media,
    }
    if kind.media != current.media and not {kind.media, current.media} <= PLAIN_TEXT_MEDIA:
        values |= {"text_hash": None, "pages": [], "problem": ""}
    file = store.change(tx, current.id, values)
    index_file(tx, file)
    return file


def move_folder(tx: Tx, project_id: str, source: str, target: str) -> int:
    """Move everything in a folder to another one, and return how many files that were."""
    moving = access.list_inside(tx, projects.get(tx, project_id).id, source)
    if not moving:
        raise NotFound("folder")
    if target.startswith(source):
        raise PathInvalid("a folder cannot be moved into itself")
    store.vacate_paths(tx, moving)
    check = access.list_inside(tx, project_id, target)
    for place, file in enumerate(moving):
        path = normalise(target + file.path[len(source) :])
        # Where nothing is at the target yet, only what lies above it can be in the way.
        if check or place == 0:
            store.check_path_free(tx, project_id, path)
        index_file(tx, store.change(tx, file.id, {"path": path}))
    return len(moving)


def delete_file(tx: Tx, project_id: str, file_id: str) -> None:
    """Delete a file with its versions and every trace of it."""
    store.delete(tx, [access.get(tx, project_id, file_id).id])


def delete_folder(tx: Tx, project_id: str, prefix: str) -> int:
    """Delete everything in a folder, and return how many files that were."""
    found = access.list_inside(tx, projects.get(tx, project_id).id, prefix)
    if not found:
        raise NotFound("folder")
    store.delete(tx, [file.id for file in found])
    return len(found)
