"""Listing files, finding one by its path, and what is done to whole folders."""

from typing import Annotated, Literal

from fastapi import Query

from tertulia.core.errors import NotFound
from tertulia.files import access
from tertulia.files.domain import File, FileFilter, Folder
from tertulia.files.extract.file_kinds import Media
from tertulia.files.paths import normalise, normalise_folder
from tertulia.files.routes.dependencies import FILES_PATH, FilesPart, LineRange, PrefixQuery
from tertulia.files.schemas import (
    Count,
    FilePage,
    FilesDeletion,
    FileText,
    FileView,
    FolderMove,
    FolderView,
)
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ValidUnicode
from tertulia.infra.undo.schemas import DeletionView
from tertulia.projects import access as projects

router = Router(prefix=FILES_PATH, tags=["files"])


@router.get("")
async def list_files(
    *,
    project_id: str,
    me: Me,
    db: Db,
    prefix: PrefixQuery = "",
    tag: Annotated[str, Query(max_length=200), ValidUnicode] = "",
    media: Media | None = None,
    depth: Literal["", "1"] = "",
    after: Annotated[str, Query(max_length=4096), ValidUnicode] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> FilePage:
    """List the files in a folder by path: at any depth, or with `depth=1` its own and the folders in it."""
    wanted = FileFilter(normalise_folder(prefix), tag, media)

    def find(tx: Tx) -> tuple[list[Folder], list[File]]:
        project = projects.get(tx, project_id)
        if depth:
            return access.list_folder(tx, project.id, wanted, after=after, limit=limit + 1)
        return [], access.list_page(tx, project.id, wanted, after=after, limit=limit + 1)

    folders, files = await db.read(find, by=me)
    return FilePage(
        files=[FileView.model_validate(file) for file in files[:limit]],
        folders=[FolderView.model_validate(folder) for folder in folders] if not after else [],
        next=files[limit - 1].path if len(files) > limit else None,
    )


@router.get("/at")
async def read_file_at(
    *,
    project_id: str,
    path: Annotated[str, Query(min_length=1, max_length=4096), ValidUnicode],
    me: Me,
    db: Db,
    files: FilesPart,
    lines: LineRange,
) -> FileText:
    """Return the file at a path with lines of its text."""
    regular = normalise(path)

    def find(tx: Tx) -> File:
        found = access.find_at(tx, projects.get(tx, project_id).id, regular)
        if found is None:
            raise NotFound("file")
        return found

    file = await db.read(find, by=me)
    return FileText.of(*await files.read_file_lines(file, start=lines[0], end=lines[1], by=me))


@router.post("/move")
async def move_folder(project_id: str, body: FolderMove, me: Member, files: FilesPart) -> Count:
    """Move or rename a folder with everything in it, or nothing of it where something is in the way."""
    moved = await files.move_folder(project_id, body.from_prefix, body.to_prefix, by=me)
    return Count(files=moved)


@router.post("/deletion", status_code=201)
async def delete_files_with_undo(
    project_id: str, body: FilesDeletion, me: Member, files: FilesPart
) -> DeletionView:
    """Delete files and whole folders, with a short time in which you can restore all of them."""
    deletion = await files.delete_with_undo(project_id, body.file_ids, body.folders, by=me)
    return DeletionView.model_validate(deletion)


@router.delete("")
async def delete_folder(
    project_id: str,
    prefix: Annotated[str, Query(min_length=1, max_length=4096), ValidUnicode],
    me: Member,
    files: FilesPart,
) -> Count:
    """Delete a folder with everything in it."""
    return Count(files=await files.delete_folder(project_id, prefix, by=me))
