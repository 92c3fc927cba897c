"""The files of projects as MCP's resources: listed page by page, and read by their addresses."""

import base64
import binascii
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote

import msgspec

from tertulia.core.errors import Kind, NotFound, TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.doors.mcp.json_rpc import INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcFault
from tertulia.doors.mcp.mcp_request import McpRequest
from tertulia.files import access as file_access
from tertulia.files.domain import MEDIA_WITHOUT_TEXT, File, FileFilter
from tertulia.files.text_lines import TextLines
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.tools.file_access import can_show, find_file

RESOURCE_PAGE_SIZE = 100
#: Projects looked into for one page.
RESOURCE_PAGE_PROJECTS_MAX = 50
RESOURCE_URI_PREFIX = "tertulia://project/"
RESOURCE_FILES_SEGMENT = "/files/"


@dataclass(frozen=True, slots=True)
class ResourceCursor:
    """Where a list goes on: in a project, after a path."""

    project_id: str
    path: str = ""

    @property
    def encoded(self) -> str:
        """Return it in a form that nobody needs to understand."""
        return base64.urlsafe_b64encode(msgspec.json.encode([self.project_id, self.path])).decode()


def decode_cursor(cursor: object) -> ResourceCursor | None:
    """Return where a list goes on; None at its beginning."""
    if cursor is None:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor if isinstance(cursor, str) else "!")
        project_id, path = msgspec.json.decode(raw, type=tuple[str, str])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise RpcFault(INVALID_PARAMS, "The cursor is not one of ours.") from None
    if "\x00" in project_id + path:
        raise RpcFault(INVALID_PARAMS, "The cursor is not one of ours.")
    return ResourceCursor(project_id, path)


async def list_resources(cursor: object, request: McpRequest) -> JsonObject:
    """Return a page of the files that can be read, and where the list goes on."""
    start = decode_cursor(cursor)
    files, more = await request.db.read(lambda tx: collect_page(tx, start, request), by=request.by)
    found: JsonObject = {"resources": [describe_resource(file) for file in files]}
    return found | ({"nextCursor": more.encoded} if more else {})


def collect_page(
    tx: Tx, start: ResourceCursor | None, request: McpRequest
) -> tuple[list[File], ResourceCursor | None]:
    """Return files of one project after the other, and the place after the last that was looked at."""
    found: list[File] = []
    for looked, project_id in enumerate(projects_from_cursor(tx, start, request)):
        if looked == RESOURCE_PAGE_PROJECTS_MAX:
            return filter_shown(found, request), ResourceCursor(project_id)
        after = start.path if start and start.project_id == project_id else ""
        room = RESOURCE_PAGE_SIZE - len(found)
        files = file_access.list_page(tx, project_id, FileFilter(), after=after, limit=room + 1)
        found += files[:room]
        if len(files) > room:
            last = files[room - 1].path if room else ""
            return filter_shown(found, request), ResourceCursor(project_id, last)
    return filter_shown(found, request), None


def projects_from_cursor(tx: Tx, start: ResourceCursor | None, request: McpRequest) -> Iterator[str]:
    """Yield the projects of a visit, the newest first, from the one where a list goes on."""
    if request.project_id is not None:
        yield request.project_id
        return
    after = ""
    if start is not None:
        after = start.project_id
        # Where it was deleted meanwhile, those after it are still there.
        with suppress(NotFound):
            yield projects.get(tx, after).id
    for project in projects.list_page(tx, after=after, limit=RESOURCE_PAGE_PROJECTS_MAX + 1):
        yield project.id


def filter_shown(files: list[File], request: McpRequest) -> list[File]:
    """Return the files that have text and may be shown outside."""
    caller = request.caller(None)
    return [file for file in files if file.media not in MEDIA_WITHOUT_TEXT and can_show(file, caller)]


def describe_resource(file: File) -> JsonObject:
    """Return a file as it is listed."""
    told: JsonObject = {
        "uri": f"{RESOURCE_URI_PREFIX}{file.project_id}{RESOURCE_FILES_SEGMENT}{quote(file.path)}",
        "name": file.path,
        "mimeType": file.mime,
        "size": file.size,
    }
    return told | ({"description": file.summary} if file.summary else {})


def resource_templates(request: McpRequest) -> JsonObject:
    """Return how the addresses of files are made."""
    project = request.project_id or "{project_id}"
    told = {
        "uriTemplate": f"{RESOURCE_URI_PREFIX}{project}{RESOURCE_FILES_SEGMENT}{{+path}}",
        "name": "project_file",
        "title": "A file of a project",
        "description": "The text of a file, by its path in the project.",
    }
    return {"resourceTemplates": [told]}


async def read_resource(uri: object, request: McpRequest) -> JsonObject:
    """Return the text of a file by its address."""
    project_id, path = parse_resource_uri(uri)
    missing = RpcFault(RESOURCE_NOT_FOUND, "There is no such resource.", data={"uri": uri})
    if request.project_id not in (None, project_id):
        raise missing
    caller = request.caller(project_id)
    try:
        known = await request.db.read(lambda tx: find_file(tx, path, caller), by=request.by)
        file, lines = await request.files.read_file_lines(known, start=1, end=None, by=request.by)
    except TertuliaError as error:
        if error.kind in (Kind.NOT_FOUND, Kind.INVALID):
            raise missing from None
        raise
    if lines is None or not can_show(file, caller):
        raise missing
    return {"contents": resource_contents(file, lines, str(uri))}


def parse_resource_uri(uri: object) -> tuple[str, str]:
    """Return the project and the path that an address names."""
    rest = uri.removeprefix(RESOURCE_URI_PREFIX) if isinstance(uri, str) else ""
    project_id, between, path = rest.partition(RESOURCE_FILES_SEGMENT)
    path = unquote(path)
    if rest == uri or not between or "\x00" in project_id + path:
        raise RpcFault(
            INVALID_PARAMS,
            f"An address looks like this: {RESOURCE_URI_PREFIX}prj_…{RESOURCE_FILES_SEGMENT}docs/plan.md.",
        )
    return project_id, path


def resource_contents(file: File, lines: TextLines, uri: str) -> list[JsonObject]:
    """Return the text of a file and, where it is too long for one answer, how to read on."""
    kind = file.mime if file.mime.startswith("text/") else "text/plain"
    told: list[JsonObject] = [{"uri": uri, "mimeType": kind, "text": lines.content}]
    if lines.truncated:
        left = f"(Cut here: {lines.total_lines:,} lines in all. read_project_file reads from any line.)"
        told.append({"uri": uri, "mimeType": "text/plain", "text": left})
    return told
