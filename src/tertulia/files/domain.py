"""What a file is: bytes at a path of a project, and every version of them."""

from dataclasses import dataclass, field
from datetime import datetime

from tertulia.files.extract.domain import PageStart
from tertulia.files.extract.file_kinds import FileKind, Media

#: Nothing of these is ever read as text.
MEDIA_WITHOUT_TEXT = frozenset({Media.IMAGE, Media.BINARY})
#: The text of these is what they are themselves, where that is clean.
PLAIN_TEXT_MEDIA = frozenset({Media.TEXT, Media.MARKDOWN, Media.CODE, Media.TABLE})


@dataclass(frozen=True, slots=True)
class File:
    """A file of a project, as it is now."""

    id: str
    workspace_id: str
    project_id: str
    #: The conversation that it is attached to; None when it is the project's own.
    conversation_id: str | None
    path: str
    version: int
    hash: str
    size: int
    mime: str
    media: Media
    text_hash: str | None
    pages: list[PageStart]
    problem: str
    always_in_context: bool
    retrieval_eligible: bool
    tool_accessible: bool
    local_only: bool
    tags: list[str]
    summary: str
    summary_is_own: bool
    created_by: str
    created_at: datetime
    updated_at: datetime

    @property
    def kind(self) -> FileKind:
        """Return how its bytes are to be read."""
        return FileKind(self.media, self.mime)

    @property
    def is_extracted(self) -> bool:
        """Tell whether its text was taken out already, or never will be."""
        return self.media in MEDIA_WITHOUT_TEXT or self.text_hash is not None or bool(self.problem)


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file as it was, or is."""

    file_id: str
    version: int
    hash: str
    size: int
    mime: str
    media: Media
    created_by: str
    created_at: datetime

    @property
    def kind(self) -> FileKind:
        """Return how its bytes are to be read."""
        return FileKind(self.media, self.mime)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, and how much lies in it at any depth."""

    path: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class FileFilter:
    """Which files of a project to list."""

    prefix: str = ""
    tag: str = ""
    media: Media | None = None


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was sent and not kept, and why."""

    path: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class UploadResult:
    """How an upload went, file by file."""

    files: list[File] = field(default_factory=list[File])
    skipped: list[SkippedFile] = field(default_factory=list[SkippedFile])
