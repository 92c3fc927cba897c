"""The files of projects as MCP's resources: listed page by page, and read by their addresses."""

import base64
import binascii
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote

import msgspec

from tertulia.core.errors import Kind, NotFound, TertuliaError
from tertulia.doors.mcp.protocol import INVALID_PARAMS, RESOURCE_NOT_FOUND, Fault, Json
from tertulia.doors.mcp.visit import Visit
from tertulia.files import store
from tertulia.files.domain import WITHOUT_TEXT, File, Filter
from tertulia.files.lines import Lines
from tertulia.infra.db import Tx
from tertulia.projects import store as projects
from tertulia.tools.shelf import find, may_be_shown

PAGE = 100
#: Projects looked into for one page.
MOST_PROJECTS = 50
SCHEME = "tertulia://project/"
FILES = "/files/"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a list goes on: in a project, after a path."""

    project_id: str
    path: str = ""

    @property
    def cursor(self) -> str:
        """Return it in a form that nobody needs to understand."""
        return base64.urlsafe_b64encode(msgspec.json.encode([self.project_id, self.path])).decode()


def read_cursor(cursor: object) -> Place | None:
    """Return where a list goes on; None at its beginning."""
    if cursor is None:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor if isinstance(cursor, str) else "!")
        project_id, path = msgspec.json.decode(raw, type=tuple[str, str])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise Fault(INVALID_PARAMS, "The cursor is not one of ours.") from None
    if "\x00" in project_id + path:
        raise Fault(INVALID_PARAMS, "The cursor is not one of ours.")
    return Place(project_id, path)


async def listed(cursor: object, visit: Visit) -> Json:
    """Return a page of the files that can be read, and where the list goes on."""
    start = read_cursor(cursor)
    files, more = await visit.db.read(lambda tx: page(tx, start, visit), by=visit.by)
    found: Json = {"resources": [described(file) for file in files]}
    return found | ({"nextCursor": more.cursor} if more else {})


def page(tx: Tx, start: Place | None, visit: Visit) -> tuple[list[File], Place | None]:
    """Return files of one project after the other, and the place after the last that was looked at."""
    found: list[File] = []
    for looked, project_id in enumerate(projects_from(tx, start, visit)):
        if looked == MOST_PROJECTS:
            return shown(found, visit), Place(project_id)
        after = start.path if start and start.project_id == project_id else ""
        room = PAGE - len(found)
        files = store.page(tx, project_id, Filter(), after=after, limit=room + 1)
        found += files[:room]
        if len(files) > room:
            last = files[room - 1].path if room else ""
            return shown(found, visit), Place(project_id, last)
    return shown(found, visit), None


def projects_from(tx: Tx, start: Place | None, visit: Visit) -> Iterator[str]:
    """Yield the projects of a visit, the newest first, from the one where a list goes on."""
    if visit.project_id is not None:
        yield visit.project_id
        return
    after = ""
    if start is not None:
        after = start.project_id
        # Where it was deleted meanwhile, those after it are still there.
        with suppress(NotFound):
            yield projects.get(tx, after).id
    for one in projects.page(tx, after=after, limit=MOST_PROJECTS + 1):
        yield one.id


def shown(files: list[File], visit: Visit) -> list[File]:
    """Return the files that have text and may be shown outside."""
    caller = visit.caller(None)
    return [file for file in files if file.media not in WITHOUT_TEXT and may_be_shown(file, caller)]


def described(file: File) -> Json:
    """Return a file as it is listed."""
    told: Json = {
        "uri": f"{SCHEME}{file.project_id}{FILES}{quote(file.path)}",
        "name": file.path,
        "mimeType": file.mime,
        "size": file.size,
    }
    return told | ({"description": file.summary} if file.summary else {})


def templates(visit: Visit) -> Json:
    """Return how the addresses of files are made."""
    told = {
        "uriTemplate": f"{SCHEME}{visit.project_id or '{project_id}'}{FILES}{{+path}}",
        "name": "project_file",
        "title": "A file of a project",
        "description": "The text of a file, by its path in the project.",
    }
    return {"resourceTemplates": [told]}


async def read(uri: object, visit: Visit) -> Json:
    """Return the text of a file by its address."""
    project_id, path = address(uri)
    missing = Fault(RESOURCE_NOT_FOUND, "There is no such resource.", data={"uri": uri})
    if visit.project_id not in (None, project_id):
        raise missing
    caller = visit.caller(project_id)
    try:
        known = await visit.db.read(lambda tx: find(tx, path, caller), by=visit.by)
        file, lines = await visit.files.lines(known, start=1, end=None, by=visit.by)
    except TertuliaError as error:
        if error.kind in (Kind.NOT_FOUND, Kind.INVALID):
            raise missing from None
        raise
    if lines is None or not may_be_shown(file, caller):
        raise missing
    return {"contents": contents(file, lines, str(uri))}


def address(uri: object) -> tuple[str, str]:
    """Return the project and the path that an address names."""
    rest = uri.removeprefix(SCHEME) if isinstance(uri, str) else ""
    project_id, between, path = rest.partition(FILES)
    path = unquote(path)
    if rest == uri or not between or "\x00" in project_id + path:
        raise Fault(INVALID_PARAMS, f"An address looks like this: {SCHEME}prj_…{FILES}docs/plan.md.")
    return project_id, path


def contents(file: File, lines: Lines, uri: str) -> list[Json]:
    """Return the text of a file and, where it is too long for one answer, how to read on."""
    kind = file.mime if file.mime.startswith("text/") else "text/plain"
    told: list[Json] = [{"uri": uri, "mimeType": kind, "text": lines.content}]
    if lines.truncated:
        left = f"(Cut here: {lines.total_lines:,} lines in all. read_project_file reads from any line.)"
        told.append({"uri": uri, "mimeType": "text/plain", "text": left})
    return told
