"""Files on the wire."""

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from tertulia.core.json_object import JsonObject
from tertulia.files.domain import File, FileVersion
from tertulia.files.extract.file_kinds import Media
from tertulia.files.metadata import FileMetadata, PathText
from tertulia.files.text_lines import TextLines
from tertulia.infra.http.schema import (
    AnyCaseId,
    CursorPage,
    Schema,
    Timestamp,
    ValidUnicode,
    shared_fields,
)

FolderText = Annotated[str, StringConstraints(max_length=4096)]


class NewFile(FileMetadata):
    """A text that is to be the file at a path."""

    path: PathText
    content: Annotated[str, ValidUnicode]


class NewText(Schema):
    """A text that is to be a file's newest version."""

    content: Annotated[str, ValidUnicode]


class NewPath(Schema):
    """Where a file is to be."""

    path: PathText


class ProjectPath(Schema):
    """Where in the project an attachment is to be; at its own path when none is given."""

    path: PathText | None = None


class FolderMove(Schema):
    """Which folder is to be where; `to_prefix` may be empty for the top of the project."""

    from_prefix: Annotated[str, StringConstraints(min_length=1, max_length=4096)]
    to_prefix: FolderText


class FilesDeletion(Schema):
    """Which files and which whole folders are to be deleted."""

    file_ids: Annotated[list[AnyCaseId], Field(max_length=5_000)] = Field(default_factory=list[str])
    folders: Annotated[list[PathText], Field(max_length=1000)] = Field(default_factory=list[str])

    @model_validator(mode="after")
    def check_something_is_named(self) -> "FilesDeletion":
        """Refuse to delete nothing."""
        if not self.file_ids and not self.folders:
            message = "name files in file_ids, or folders in folders"
            raise ValueError(message)
        return self


class Count(Schema):
    """How many files that were."""

    files: int


class PageView(Schema):
    """Where a page, slide or sheet begins in the text."""

    label: str
    start_line: int


class FileView(Schema):
    """A file without its content."""

    id: str
    project_id: str
    #: The conversation that it is attached to, whose readers alone see it; null when every member does.
    conversation_id: str | None
    path: str
    version: int
    hash: str
    size: int
    mime: str
    media: Media
    #: Why no text, or not all of it, could be had.
    problem: str
    always_in_context: bool
    retrieval_eligible: bool
    tool_accessible: bool
    local_only: bool
    tags: list[str]
    summary: str
    created_by: str
    created_at: Timestamp
    updated_at: Timestamp


class FolderView(Schema):
    """A folder, and what lies in it at any depth."""

    path: str
    files: int
    size: int


class FilePage(CursorPage):
    """Some files by path; with `depth=1` also the folders beside them."""

    files: list[FileView]
    folders: list[FolderView] = Field(default_factory=list[FolderView])


class SkippedView(Schema):
    """A file that was not kept, and why."""

    path: str
    code: str
    reason: str


class UploadView(Schema):
    """How an upload went, file by file."""

    files: list[FileView]
    skipped: list[SkippedView]


class TextView(Schema):
    """Some lines of a text; `content` is None where there is no text."""

    content: str | None = None
    start_line: int = 1
    end_line: int = 0
    total_lines: int = 0
    #: Whether there is more of what was asked for: ask again from `end_line` + 1.
    truncated: bool = False


class FileText(FileView, TextView):
    """A file with some lines of its text."""

    pages: list[PageView]

    @classmethod
    def of(cls, file: File, lines: TextLines | None) -> "FileText":
        """Show a file and lines of it."""
        return cls(**shared_fields(file, cls), **line_fields(lines))


class VersionView(Schema):
    """A version of a file."""

    version: int
    hash: str
    size: int
    mime: str
    media: Media
    created_by: str
    created_at: Timestamp


class VersionList(Schema):
    """All versions of a file that are kept, newest first."""

    versions: list[VersionView]


class VersionText(VersionView, TextView):
    """A version of a file with some lines of its text."""

    path: str

    @classmethod
    def of(cls, file: File, version: FileVersion, lines: TextLines | None) -> "VersionText":
        """Show a version and lines of it."""
        return cls(path=file.path, **shared_fields(version, cls), **line_fields(lines))


class DiffView(Schema):
    """What changed between two versions, in the unified form; empty where nothing did."""

    path: str
    from_version: int
    to_version: int
    diff: str


def line_fields(lines: TextLines | None) -> JsonObject:
    """Return lines as the fields that show them."""
    return shared_fields(lines, TextView) if lines else {}
