"""Finding files and their versions, as far as the caller may see them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tertulia.core.errors import NotFound
from tertulia.files.domain import File, FileFilter, FileVersion, Folder
from tertulia.infra.db import Tx, bound_list, stored_list
from tertulia.projects.visibility import FILE_VISIBLE_SQL

#: The files of a project that are attached to no conversation.
PROJECT_FILES_SQL = "project_id = :project AND conversation_id IS NULL AND workspace_id = :workspace"
FILE_FILTER_SQL = f"""(:tag = '' OR :tag IN {stored_list("tags")})
    AND (CAST(:media AS TEXT) IS NULL OR media = :media)"""


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A file and where it lies."""

    id: str
    path: str


@dataclass(frozen=True, slots=True)
class FileVisibility:
    """A file, and whether the caller may see it."""

    id: str
    is_visible: bool


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
        AND length(path) IN {bound_list("lengths", of="BIGINT")}"""
    lengths = [len(path) for path in paths]
    found = tx.all(File, sql, project=project_id, conversation=conversation_id, lengths=lengths)
    folded = {path.casefold() for path in paths}
    return [file for file in found if file.path.casefold() in folded]


def siblings_sql(conversation_id: str | None) -> str:
    """Return SQL for the files among which a path is taken once."""
    if conversation_id is None:
        return PROJECT_FILES_SQL
    return f"conversation_id = :conversation AND {FILE_VISIBLE_SQL}"


def within_folder_sql(prefix: str) -> str:
    """Return SQL for everything in a folder, given its `folder_bounds`."""
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


def list_visible_paths(tx: Tx, project_id: str) -> list[str]:
    """Return the paths of all files of a project, attachments among them, that the caller may see."""
    sql = f"SELECT path FROM files WHERE project_id = :project AND {FILE_VISIBLE_SQL}"
    return tx.column(sql, project=project_id)


def list_locations(tx: Tx, project_id: str | None, conversation_id: str) -> list[FileLocation]:
    """Return where the files of a project and the attachments of a conversation lie, whoever may see them."""
    sql = """SELECT id, path FROM files WHERE workspace_id = :workspace
        AND (conversation_id = :conversation OR project_id = :project AND conversation_id IS NULL)"""
    return tx.all(FileLocation, sql, conversation=conversation_id, project=project_id)


def find_visibility(tx: Tx, file_ids: Collection[str]) -> dict[str, bool]:
    """Return for those of these files that there are whether the caller may see them."""
    sql = f"SELECT id, {FILE_VISIBLE_SQL} AS is_visible FROM files WHERE id IN {bound_list('ids')}"
    return {file.id: file.is_visible for file in tx.all(FileVisibility, sql, ids=sorted(file_ids))}


def filter_existing(tx: Tx, file_ids: Collection[str]) -> frozenset[str]:
    """Return those of these ids that are files of the workspace, whoever may see them."""
    sql = f"SELECT id FROM files WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    return frozenset(tx.column(sql, ids=sorted(file_ids)))


def list_always_in_context(tx: Tx, project_id: str, *, limit: int) -> list[File]:
    """Return the files that every model of a project is to see."""
    sql = (
        f"SELECT * FROM files WHERE {PROJECT_FILES_SQL} AND always_in_context = 1 ORDER BY path LIMIT :limit"
    )
    return tx.all(File, sql, project=project_id, limit=limit)


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
