"""Files and their versions in the database."""

from collections.abc import Sequence
from typing import Any

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.files.domain import File, FileFilter, FileVersion, Folder
from tertulia.files.errors import PathTaken
from tertulia.files.paths import ancestors
from tertulia.infra.db import Tx, bound_list
from tertulia.projects.visibility import FILE_VISIBLE_SQL

#: The files of a project that are attached to no conversation.
PROJECT_FILES_SQL = "project_id = :project AND conversation_id IS NULL AND workspace_id = :workspace"
FILE_FILTER_SQL = """(:tag = '' OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = :tag))
    AND (:media IS NULL OR media = :media)"""


def get(tx: Tx, project_id: str, file_id: str) -> File:
    """Return a file of a project that the caller may see, or raise `NotFound`."""
    sql = f"SELECT * FROM files WHERE id = :id AND project_id = :project AND {FILE_VISIBLE_SQL}"
    if found := tx.one(File, sql, id=file_id, project=project_id):
        return found
    raise NotFound("file")


def get_unchecked(tx: Tx, file_id: str) -> File:
    """Return a file of the workspace, whoever may see it: for work on what was fetched as visible."""
    sql = "SELECT * FROM files WHERE id = :id AND workspace_id = :workspace"
    if found := tx.one(File, sql, id=file_id):
        return found
    raise NotFound("file")


def find_at(tx: Tx, project_id: str, path: str, *, conversation_id: str | None = None) -> File | None:
    """Return the file at a path of a project, or among the attachments of a conversation."""
    sql = f"SELECT * FROM files WHERE {siblings_sql(conversation_id)} AND path = :path"
    return tx.one(File, sql, project=project_id, conversation=conversation_id, path=path)


def list_ignoring_case(
    tx: Tx, project_id: str, paths: Sequence[str], *, conversation_id: str | None = None
) -> list[File]:
    """Return the files at these paths, in capitals or small letters of any script."""
    # The database knows the capitals of ASCII alone: it tells only which paths are as long.
    sql = f"""SELECT * FROM files WHERE {siblings_sql(conversation_id)}
        AND length(path) IN {bound_list("lengths")}"""
    lengths = [len(path) for path in paths]
    found = tx.all(File, sql, project=project_id, conversation=conversation_id, lengths=lengths)
    folded = {path.casefold() for path in paths}
    return [file for file in found if file.path.casefold() in folded]


def siblings_sql(conversation_id: str | None) -> str:
    """Return SQL for the files among which a path is taken once."""
    if conversation_id is None:
        return PROJECT_FILES_SQL
    return f"conversation_id = :conversation AND {FILE_VISIBLE_SQL}"


def check_path_free(
    tx: Tx, project_id: str, path: str, *, conversation_id: str | None = None, leaving_file_id: str = ""
) -> None:
    """Raise `PathTaken` where a file or a folder is in the way; the file `beside` is about to leave."""
    mine = f"FROM files WHERE {siblings_sql(conversation_id)} AND id <> :beside"
    known = {"project": project_id, "conversation": conversation_id, "beside": leaving_file_id}
    # Two lookups and not one with OR, which would go through every file of the project.
    sql = f"SELECT path {mine} AND path IN {bound_list('above')} LIMIT 1"
    if taken := tx.value(sql, **known, above=[*ancestors(path), path]):
        raise PathTaken(taken)
    sql = f"SELECT path {mine} AND path >= :prefix AND path < :beyond LIMIT 1"
    if tx.value(sql, **known, **folder_bounds(f"{path}/")):
        raise PathTaken(path)


def within_folder_sql(prefix: str) -> str:
    """Return SQL for everything in a folder, given `bounds` of it."""
    return "path >= :prefix AND path < :beyond" if prefix else "1 = 1"


def folder_bounds(prefix: str) -> dict[str, str]:
    """Return the ends of a folder: `/` is the character before `0`, so that all of it lies between."""
    return {"prefix": prefix, "beyond": f"{prefix[:-1]}0"} if prefix else {}


def list_page(tx: Tx, project_id: str, file_filter: FileFilter, *, after: str, limit: int) -> list[File]:
    """Return the files in a folder of a project, at any depth, by path."""
    return tx.all(
        File,
        f"""SELECT * FROM files WHERE {PROJECT_FILES_SQL}
            AND {within_folder_sql(file_filter.prefix)} AND path > :after AND {FILE_FILTER_SQL}
            ORDER BY path LIMIT :limit""",
        project=project_id,
        after=after,
        limit=limit,
        tag=file_filter.tag,
        media=file_filter.media,
        **folder_bounds(file_filter.prefix),
    )


def list_at_paths(tx: Tx, project_id: str, paths: Sequence[str]) -> list[File]:
    """Return the files at some paths of a project, by path."""
    sql = f"""SELECT * FROM files WHERE {PROJECT_FILES_SQL}
        AND path IN {bound_list("paths")} ORDER BY path"""
    return tx.all(File, sql, project=project_id, paths=list(paths))


def list_by_ids(tx: Tx, project_id: str, file_ids: Sequence[str]) -> list[File]:
    """Return those of these files that are in a project and that the caller may see, by path."""
    sql = f"""SELECT * FROM files WHERE project_id = :project AND {FILE_VISIBLE_SQL}
        AND id IN {bound_list("ids")} ORDER BY path"""
    return tx.all(File, sql, project=project_id, ids=list(file_ids))


def list_unrestricted_paths(tx: Tx, project_id: str) -> list[str]:
    """Return the paths of the files that any model may be told of, in order: bare, for there may be many."""
    sql = f"SELECT path FROM files WHERE {PROJECT_FILES_SQL} AND local_only = 0 ORDER BY path"
    return tx.column(sql, project=project_id)


def count_files(tx: Tx, project_id: str) -> int:
    """Return how many files a project has, attachments not among them."""
    sql = f"SELECT count(*) FROM files WHERE {PROJECT_FILES_SQL}"
    return int(tx.value(sql, project=project_id))


def list_folder(
    tx: Tx, project_id: str, file_filter: FileFilter, *, after: str, limit: int
) -> tuple[list[Folder], list[File]]:
    """Return the folders directly in a folder with what they hold, and the files directly in it by path."""
    rows = tx.all(
        Folder,
        f"""SELECT path, 1 AS files, size FROM files WHERE {PROJECT_FILES_SQL}
            AND {within_folder_sql(file_filter.prefix)} AND {FILE_FILTER_SQL} ORDER BY path""",
        project=project_id,
        tag=file_filter.tag,
        media=file_filter.media,
        **folder_bounds(file_filter.prefix),
    )
    start = len(file_filter.prefix)
    here = [row.path for row in rows if "/" not in row.path[start:] and row.path > after][:limit]
    return sum_folders(rows, start), list_at_paths(tx, project_id, here)


def sum_folders(rows: Sequence[Folder], start: int) -> list[Folder]:
    """Add up what lies in each folder that begins at this place of the paths."""
    sums: dict[str, tuple[int, int]] = {}
    for row in rows:
        name, slash, _ = row.path[start:].partition("/")
        if slash:
            files, size = sums.get(name, (0, 0))
            sums[name] = (files + 1, size + row.size)
    prefix = rows[0].path[:start] if rows else ""
    return [Folder(prefix + name, *sums[name]) for name in sorted(sums)]


def list_inside(tx: Tx, project_id: str, prefix: str) -> list[File]:
    """Return every file in a folder of a project."""
    sql = f"SELECT * FROM files WHERE {PROJECT_FILES_SQL} AND {within_folder_sql(prefix)} ORDER BY path"
    return tx.all(File, sql, project=project_id, **folder_bounds(prefix))


def vacate_paths(tx: Tx, files: Sequence[File]) -> None:
    """Take files from their paths for the rest of a transaction that gives each another one."""
    sql = f"UPDATE files SET path = '/' || id WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    tx.run(sql, ids=[file.id for file in files])


def add(tx: Tx, project_id: str, values: dict[str, Any]) -> File:
    """Add a file at its first version."""
    row = {"id": new_id("fil"), "project_id": project_id, "version": 1, **values}
    names = ", ".join(row)
    marks = ", ".join(f":{name}" for name in row)
    made = tx.one(
        File,
        f"""INSERT INTO files ({names}, workspace_id, created_by, created_at, updated_at)
            VALUES ({marks}, :workspace, :me, :now, :now) RETURNING *""",
        **row,
        now=now(),
    )
    assert made is not None  # noqa: S101 - an insert returns its row
    return made


def change(tx: Tx, file_id: str, values: dict[str, Any]) -> File:
    """Set the given columns of a file, now, and return it."""
    return set_columns(tx, file_id, {"updated_at": now(), **values})


def set_columns(tx: Tx, file_id: str, values: dict[str, Any]) -> File:
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


def list_versions(tx: Tx, file_id: str) -> list[FileVersion]:
    """Return a file's versions, newest first."""
    sql = """SELECT * FROM file_versions WHERE file_id = :id AND workspace_id = :workspace
        ORDER BY version DESC"""
    return tx.all(FileVersion, sql, id=file_id)


def get_version(tx: Tx, file_id: str, number: int) -> FileVersion:
    """Return one version of a file, or raise `NotFound`."""
    sql = """SELECT * FROM file_versions WHERE file_id = :id AND version = :version
        AND workspace_id = :workspace"""
    if found := tx.one(FileVersion, sql, id=file_id, version=number):
        return found
    raise NotFound("version")


def delete(tx: Tx, file_ids: Sequence[str]) -> None:
    """Delete files with all their versions; triggers let go of what only they used."""
    sql = f"DELETE FROM files WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    tx.run(sql, ids=list(file_ids))


def filter_local_only(tx: Tx, file_ids: Sequence[str]) -> frozenset[str]:
    """Return which of these files no model outside of this machine may see."""
    sql = f"""SELECT id FROM files WHERE workspace_id = :workspace AND local_only = 1
        AND id IN {bound_list("ids")}"""
    return frozenset(tx.column(sql, ids=list(file_ids)))


def list_always_in_context(tx: Tx, project_id: str, *, limit: int) -> list[File]:
    """Return the files that every model of a project is to see."""
    sql = (
        f"SELECT * FROM files WHERE {PROJECT_FILES_SQL} AND always_in_context = 1 ORDER BY path LIMIT :limit"
    )
    return tx.all(File, sql, project=project_id, limit=limit)
