"""Files and their versions in the database, as they are written."""

from collections.abc import Mapping, Sequence

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.files import access
from tertulia.files.domain import File
from tertulia.files.errors import PathTaken
from tertulia.files.paths import ancestors
from tertulia.infra.db import Tx, bound_list


def check_path_free(
    tx: Tx, project_id: str, path: str, *, conversation_id: str | None = None, leaving_file_id: str = ""
) -> None:
    """Raise `PathTaken` where a file or a folder is in the way; the file `beside` is about to leave."""
    mine = f"FROM files WHERE {access.siblings_sql(conversation_id)} AND id <> :beside"
    known = {"project": project_id, "conversation": conversation_id, "beside": leaving_file_id}
    # Two lookups and not one with OR, which would go through every file of the project.
    sql = f"SELECT path {mine} AND path IN {bound_list('above')} LIMIT 1"
    if taken := tx.value(sql, **known, above=[*ancestors(path), path]):
        raise PathTaken(taken)
    sql = f"SELECT path {mine} AND path >= :prefix AND path < :beyond LIMIT 1"
    if tx.value(sql, **known, **access.folder_bounds(f"{path}/")):
        raise PathTaken(path)


def vacate_paths(tx: Tx, files: Sequence[File]) -> None:
    """Take files from their paths for the rest of a transaction that gives each another one."""
    sql = f"UPDATE files SET path = '/' || id WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    tx.run(sql, ids=[file.id for file in files])


def add(tx: Tx, project_id: str, values: Mapping[str, object]) -> File:
    """Add a file at its first version."""
    row = {"id": new_id("fil"), "project_id": project_id, "version": 1, **values}
    names = ", ".join(row)
    marks = ", ".join(f":{name}" for name in row)
    return tx.only(
        File,
        f"""INSERT INTO files ({names}, workspace_id, created_by, created_at, updated_at)
            VALUES ({marks}, :workspace, :me, :now, :now) RETURNING *""",
        **row,
        now=now(),
    )


def change(tx: Tx, file_id: str, values: Mapping[str, object]) -> File:
    """Set the given columns of a file, now, and return it."""
    return set_columns(tx, file_id, {"updated_at": now(), **values})


def set_columns(tx: Tx, file_id: str, values: Mapping[str, object]) -> File:
    """Set columns of a file that are no change of it, such as what was found in it."""
    sets = ", ".join(f"{name} = :{name}" for name in values)
    sql = f"UPDATE files SET {sets} WHERE id = :id AND workspace_id = :workspace RETURNING *"
    changed = tx.one(File, sql, id=file_id, **values)
    if changed is None:
        raise NotFound("file")
    return changed


def add_version(tx: Tx, file: File, *, keep: int) -> None:
    """Remember a file as it is now; of its versions only the newest `keep` stay."""
    tx.run(
        """INSERT INTO file_versions (file_id, version, workspace_id, hash, size, mime, media,
             created_by, created_at)
           VALUES (:id, :version, :workspace, :hash, :size, :mime, :media, :me, :now)""",
        id=file.id,
        version=file.version,
        hash=file.hash,
        size=file.size,
        mime=file.mime,
        media=file.media,
        now=file.updated_at,
    )
    sql = """DELETE FROM file_versions WHERE file_id = :id AND workspace_id = :workspace
        AND version <= :oldest"""
    if file.version > keep:
        tx.run(sql, id=file.id, oldest=file.version - max(keep, 1))


def delete(tx: Tx, file_ids: Sequence[str]) -> None:
    """Delete files with all their versions; triggers let go of what only they used."""
    sql = f"DELETE FROM files WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    tx.run(sql, ids=list(file_ids))
