"""Versions of a file."""

from typing import Annotated

from fastapi import Query

from tertulia.files import access
from tertulia.files.domain import FileVersion
from tertulia.files.routes.dependencies import FILES_PATH, FilesPart, LineRange, VersionNumber
from tertulia.files.schemas import DiffView, FileView, VersionList, VersionText, VersionView
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router

router = Router(prefix=f"{FILES_PATH}/{{file_id}}", tags=["files"])


@router.get("/versions")
async def list_versions(project_id: str, file_id: str, me: Me, db: Db) -> VersionList:
    """List the versions of a file that are kept, newest first."""

    def find(tx: Tx) -> list[FileVersion]:
        return access.list_versions(tx, access.get(tx, project_id, file_id).id)

    found = await db.read(find, by=me)
    return VersionList(versions=[VersionView.model_validate(file_version) for file_version in found])


@router.get("/versions/{number}")
async def read_version(
    *, project_id: str, file_id: str, number: VersionNumber, me: Me, files: FilesPart, lines: LineRange
) -> VersionText:
    """Return a version of a file with lines of its text."""
    file, version = await files.get_version(project_id, file_id, number, by=me)
    shown = await files.read_version_lines(version, start=lines[0], end=lines[1], by=me)
    return VersionText.of(file, version, shown)


@router.post("/versions/{number}/restore")
async def restore_version(
    project_id: str, file_id: str, number: VersionNumber, me: Member, files: FilesPart
) -> FileView:
    """Make an earlier version the newest one; what is there now stays as a version."""
    return FileView.model_validate(await files.restore_version(project_id, file_id, number, by=me))


@router.get("/diff")
async def compare_versions(
    *,
    project_id: str,
    file_id: str,
    me: Me,
    files: FilesPart,
    from_: Annotated[int, Query(alias="from", ge=1, le=2**31)],
    to: Annotated[int, Query(ge=1, le=2**31)],
) -> DiffView:
    """Compare two versions of a file line by line."""
    file, old = await files.get_version(project_id, file_id, from_, by=me)
    _, new = await files.get_version(project_id, file_id, to, by=me)
    diff = await files.diff_versions(file, old, new, by=me)
    return DiffView(path=file.path, from_version=from_, to_version=to, diff=diff)
