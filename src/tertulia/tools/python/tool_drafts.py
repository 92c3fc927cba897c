"""Keeping the tools that models write: as drafts of their conversation, each change a version."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field

from tertulia.conversations.domain import SavedFile
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Role
from tertulia.files import access as file_access
from tertulia.files.domain import File
from tertulia.files.service import Files
from tertulia.files.spool import ReceivedFile
from tertulia.files.tool_modules import DRAFT_TOOLS_FOLDER, PROJECT_TOOLS_FOLDER
from tertulia.infra.db import Database, Tx
from tertulia.tools.domain import ToolCaller
from tertulia.tools.file_access import can_show
from tertulia.tools.python.code_runner import CodeRun
from tertulia.tools.python.outline_reader import OutlineReader
from tertulia.tools.python.project_mount import PYTHON_TOOL_MAX_BYTES

PYTHON_TOOL_TAG = "tool"
SAVED_DRAFTS_MAX = 50
VIEWER_CANNOT_SAVE = "The person may only look at this project, so nothing is saved in it."
DRAFT_TOO_LARGE = f"It has more than {PYTHON_TOOL_MAX_BYTES:,} bytes: a tool is code, keep data out of it."
TOO_MANY_DRAFTS = f"One run saves at most {SAVED_DRAFTS_MAX} files: run again for the others."
DRAFT_NAME_TAKEN = "Its name cannot be used: choose another."


class DraftRefused(Exception):
    """A tool is not kept, for a reason that the model is told."""


@dataclass(frozen=True, slots=True)
class SavedDrafts:
    """The files that were written, and why others were not."""

    saved: tuple[SavedFile, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    #: By path, what is wrong with files that were written all the same.
    problems: Mapping[str, str] = field(default_factory=dict[str, str])


async def save_drafts(
    ran: CodeRun, caller: ToolCaller, *, db: Database, files: Files, reader: OutlineReader
) -> SavedDrafts:
    """Save what a run wrote as the newest versions; what another wrote meanwhile stays as the one before."""
    saved: list[SavedFile] = []
    problems: dict[str, str] = {}
    refused = dict(ran.outcome.refused)
    written = sorted(ran.outcome.tools.items())
    sources = await reader.read([data if name.endswith(".py") else b"" for name, data in written])
    for number, (name, data) in enumerate(written):
        try:
            check_draft(data, number, caller)
            about = sources[number].description
            saved.append(await save_draft(name, data, about, ran, caller, db=db, files=files))
            problems[saved[-1].path] = sources[number].problem
        except DraftRefused as error:
            refused[name] = str(error)
        except TertuliaError as error:
            refused[name] = error.message
    return SavedDrafts(tuple(saved), refused, problems)


def check_draft(data: bytes, number: int, caller: ToolCaller) -> None:
    """Raise where a tool cannot be kept, whatever its name."""
    if not caller.by.role.covers(Role.MEMBER):
        raise DraftRefused(VIEWER_CANNOT_SAVE)
    if len(data) > PYTHON_TOOL_MAX_BYTES:
        raise DraftRefused(DRAFT_TOO_LARGE)
    if number >= SAVED_DRAFTS_MAX:
        raise DraftRefused(TOO_MANY_DRAFTS)


async def save_draft(
    name: str, data: bytes, about: str, ran: CodeRun, caller: ToolCaller, *, db: Database, files: Files
) -> SavedFile:
    """Make bytes the newest version of a draft: what a model writes reaches others after a person's yes."""
    project_id, conversation_id = ran.mount.project_id, caller.conversation_id

    def find(tx: Tx) -> tuple[File | None, File | None]:
        draft = file_access.find_at(
            tx, project_id, f"{DRAFT_TOOLS_FOLDER}{name}", conversation_id=conversation_id
        )
        return draft, file_access.find_at(tx, project_id, f"{PROJECT_TOOLS_FOLDER}{name}")

    draft, approved = await db.read(find, by=caller.by)
    if any(file is not None and not can_show(file, caller) for file in (draft, approved)):
        raise DraftRefused(DRAFT_NAME_TAKEN)
    received = await files.receive(single_piece(data))
    current = draft or approved
    if current is not None and current.hash == received.hash:  # another lane wrote the same meanwhile
        return SavedFile(current.path, current.id, current.version)

    async def write(received: ReceivedFile, metadata: Mapping[str, object] | None = None) -> File:
        return await files.save(
            project_id,
            f"{DRAFT_TOOLS_FOLDER}{name}",
            received,
            by=caller.by,
            conversation_id=conversation_id,
            metadata=metadata,
        )

    if draft is None and approved is not None:
        # The draft begins as the tool that it changes, so that people see what changed before they approve.
        await write(await files.receive(single_piece(ran.mount.sources.get(name, b""))))
    file = await write(received, draft_metadata(draft, about, local_only=ran.mount.local_only))
    return SavedFile(file.path, file.id, file.version)


def draft_metadata(current: File | None, about: str, *, local_only: bool) -> dict[str, object]:
    """Return tags, flags and description; a description that a person wrote stays."""
    said: dict[str, object] = {}
    if current is None:
        said = {"tags": [PYTHON_TOOL_TAG], "tool_accessible": True, "retrieval_eligible": True}
    if current is None or not current.summary_is_own:
        said["summary"] = about
    # What only local models may see may have been written into it.
    return said | ({"local_only": True} if local_only else {})


async def single_piece(data: bytes) -> AsyncGenerator[bytes]:
    """Give bytes as if they arrived."""
    yield data
