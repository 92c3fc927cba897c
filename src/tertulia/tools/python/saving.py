"""Keeping the tools that models write: as drafts of their conversation, each change a version."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tertulia.conversations.domain import SavedFile
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Role
from tertulia.files import store
from tertulia.files.domain import File
from tertulia.files.intake import Received
from tertulia.files.modules import DRAFT_TOOLS, TOOLS
from tertulia.files.service import Files
from tertulia.infra.db import Database, Tx
from tertulia.tools.domain import Caller
from tertulia.tools.python.mounting import LARGEST_TOOL
from tertulia.tools.python.sources import SourceReader
from tertulia.tools.python.workbench import Ran
from tertulia.tools.shelf import may_be_shown

TAG = "tool"
MOST_SAVED = 50
ONLY_LOOKING = "The person may only look at this project, so nothing is saved in it."
TOO_LARGE = f"It has more than {LARGEST_TOOL:,} bytes: a tool is code, keep data out of it."
TOO_MANY = f"One run saves at most {MOST_SAVED} files: run again for the others."
TAKEN = "Its name cannot be used: choose another."


class Refused(Exception):
    """A tool is not kept, for a reason that the model is told."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The files that were written, and why others were not."""

    saved: tuple[SavedFile, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    #: By path, what is wrong with files that were written all the same.
    problems: Mapping[str, str] = field(default_factory=dict[str, str])


async def keep(ran: Ran, caller: Caller, *, db: Database, files: Files, reader: SourceReader) -> Kept:
    """Save what a run wrote as the newest versions; what another wrote meanwhile stays as the one before."""
    saved: list[SavedFile] = []
    problems: dict[str, str] = {}
    refused = dict(ran.outcome.refused)
    written = sorted(ran.outcome.tools.items())
    sources = await reader.read([data if name.endswith(".py") else b"" for name, data in written])
    for number, (name, data) in enumerate(written):
        try:
            check(data, number, caller)
            about = sources[number].description
            saved.append(await save(name, data, about, ran, caller, db=db, files=files))
            problems[saved[-1].path] = sources[number].problem
        except Refused as error:
            refused[name] = str(error)
        except TertuliaError as error:
            refused[name] = error.message
    return Kept(tuple(saved), refused, problems)


def check(data: bytes, number: int, caller: Caller) -> None:
    """Raise where a tool cannot be kept, whatever its name."""
    if not caller.by.role.covers(Role.MEMBER):
        raise Refused(ONLY_LOOKING)
    if len(data) > LARGEST_TOOL:
        raise Refused(TOO_LARGE)
    if number >= MOST_SAVED:
        raise Refused(TOO_MANY)


async def save(
    name: str, data: bytes, about: str, ran: Ran, caller: Caller, *, db: Database, files: Files
) -> SavedFile:
    """Make bytes the newest version of a draft: what a model writes reaches others after a person's yes."""
    project_id, conversation_id = ran.mounted.project_id, caller.conversation_id

    def find(tx: Tx) -> tuple[File | None, File | None]:
        draft = store.at(tx, project_id, f"{DRAFT_TOOLS}{name}", conversation_id=conversation_id)
        return draft, store.at(tx, project_id, f"{TOOLS}{name}")

    draft, approved = await db.read(find, by=caller.by)
    if any(file is not None and not may_be_shown(file, caller) for file in (draft, approved)):
        raise Refused(TAKEN)
    received = await files.receive(in_one(data))
    current = draft or approved
    if current is not None and current.hash == received.hash:  # another lane wrote the same meanwhile
        return SavedFile(current.path, current.id, current.version)

    async def write(received: Received, metadata: dict[str, Any] | None = None) -> File:
        return await files.save(
            project_id,
            f"{DRAFT_TOOLS}{name}",
            received,
            by=caller.by,
            conversation_id=conversation_id,
            metadata=metadata,
        )

    if draft is None and approved is not None:
        # The draft begins as the tool that it changes, so that people see what changed before they approve.
        await write(await files.receive(in_one(ran.mounted.sources.get(name, b""))))
    file = await write(received, said_of(draft, about, local_only=ran.mounted.local_only))
    return SavedFile(file.path, file.id, file.version)


def said_of(current: File | None, about: str, *, local_only: bool) -> dict[str, Any]:
    """Return tags, flags and description; a description that a person wrote stays."""
    said: dict[str, Any] = {}
    if current is None:
        said = {"tags": [TAG], "tool_accessible": True, "retrieval_eligible": True}
    if current is None or not current.summary_is_own:
        said["summary"] = about
    # What only local models may see may have been written into it.
    return said | ({"local_only": True} if local_only else {})


async def in_one(data: bytes) -> AsyncGenerator[bytes]:
    """Give bytes as if they arrived."""
    yield data
