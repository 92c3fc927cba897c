"""Deleting files with an undo: they leave the project at once and come back as they were."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tertulia.core.errors import NotFound
from tertulia.files import access, store
from tertulia.files.file_writer import index_file
from tertulia.infra import undo
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.undo import DeletionKind, PendingDeletion, held_rows
from tertulia.projects import access as projects

FILES_DELETION_KIND = "files"


@dataclass(frozen=True, slots=True)
class RestorableFile:
    """A file that may come back, and where it was."""

    id: str
    path: str
    conversation_id: str | None


def delete_with_undo(
    tx: Tx, project_id: str, file_ids: Sequence[str], folders: Sequence[str]
) -> PendingDeletion:
    """Delete files and whole folders of a project; what is gone already is passed over."""
    project = projects.get(tx, project_id)
    found = access.list_by_ids(tx, project.id, file_ids)
    for prefix in folders:
        found += access.list_inside(tx, project.id, prefix)
    if not found:
        raise NotFound("file")
    deletion = undo.add(tx, FILES_DELETION_KIND, project.id)
    ids = sorted({file.id for file in found})
    _keep_contents(tx, deletion.id, ids)
    held_rows.hold_rows(tx, deletion.id, "files", ids)
    store.delete(tx, ids)
    return deletion


def delete_batch_of_workspaces(tx: Tx, workspace_ids: Sequence[str], *, limit: int) -> int:
    """Delete some files of workspaces that go as a whole; return how many."""
    sql = f"SELECT id FROM files WHERE workspace_id IN {bound_list('workspaces')} LIMIT :limit"
    found = tx.column(sql, workspaces=list(workspace_ids), limit=limit)
    tx.run(f"DELETE FROM files WHERE id IN {bound_list('ids')}", ids=found)
    return len(found)


def filter_restorable(tx: Tx, file_ids: Collection[str]) -> frozenset[str]:
    """Return those of some files that were deleted and can still be restored."""
    return held_rows.filter_held_ids(tx, "files", file_ids)


def deletion_kind() -> DeletionKind:
    """Return how files are restored; there is nothing more to erase than what was held for that."""
    return DeletionKind(restore=_restore, erase=lambda _tx, _deletion: None)


def _restore(tx: Tx, deletion: PendingDeletion) -> None:
    """Put files back at their paths: all of them, or none where something new is in the way."""
    project = projects.get(tx, deletion.subject_id)
    held = held_rows.list_held_rows(tx, RestorableFile, deletion.id, "files")
    for file in held:
        store.check_path_free(tx, project.id, file.path, conversation_id=file.conversation_id)
    held_rows.restore_rows(tx, deletion.id)
    for file in access.list_by_ids(tx, project.id, [file.id for file in held]):
        index_file(tx, file)


def _keep_contents(tx: Tx, deletion_id: str, file_ids: Sequence[str]) -> None:
    """Keep the contents of files and their versions, which go with the last that uses them."""
    mine = f"workspace_id = :workspace AND {{column}} IN {bound_list('ids')}"
    files, versions = mine.format(column="id"), mine.format(column="file_id")
    tx.run(
        f"""INSERT INTO held_contents (deletion_id, workspace_id, hash)
            SELECT :deletion_id, :workspace, hash FROM files WHERE {files}
            UNION SELECT :deletion_id, :workspace, text_hash FROM files WHERE {files}
              AND text_hash IS NOT NULL
            UNION SELECT :deletion_id, :workspace, hash FROM file_versions WHERE {versions}""",
        deletion_id=deletion_id,
        ids=list(file_ids),
    )
