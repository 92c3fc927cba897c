"""One file: reading, describing, moving and deleting it."""

from tertulia.files.metadata import FileMetadata
from tertulia.files.routes.dependencies import FILES_PATH, FilesPart, LineRange
from tertulia.files.schemas import FileText, FileView, NewPath, ProjectPath
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset

router = Router(prefix=f"{FILES_PATH}/{{file_id}}", tags=["files"])


@router.get("")
async def read_file(project_id: str, file_id: str, me: Me, files: FilesPart, lines: LineRange) -> FileText:
    """Return a file with lines of its text: at most 2,000 of them and 1 MB in one answer."""
    file = await files.get(project_id, file_id, by=me)
    return FileText.of(*await files.read_file_lines(file, start=lines[0], end=lines[1], by=me))


@router.patch("/metadata")
async def describe_file(
    project_id: str, file_id: str, body: FileMetadata, me: Member, files: FilesPart
) -> FileView:
    """Change a file's flags, tags or summary; fields that are left out stay as they are."""
    changed = await files.change_metadata(project_id, file_id, omit_unset(body), by=me)
    return FileView.model_validate(changed)


@router.post("/move")
async def move_file(project_id: str, file_id: str, body: NewPath, me: Member, files: FilesPart) -> FileView:
    """Rename or move a file."""
    return FileView.model_validate(await files.move(project_id, file_id, body.path, by=me))


@router.post("/put-into-project")
async def put_into_project(
    project_id: str, file_id: str, body: ProjectPath, me: Member, files: FilesPart
) -> FileView:
    """Make an attachment a file of the project: from then on every member sees it, with all its versions."""
    return FileView.model_validate(await files.put_into_project(project_id, file_id, body.path, by=me))


@router.delete("", status_code=204)
async def delete_file(project_id: str, file_id: str, me: Member, files: FilesPart) -> None:
    """Delete a file with all its versions and every trace of it in the index."""
    await files.delete(project_id, file_id, by=me)
