"""The bytes of a file as they are. A browser may show pictures; it runs nothing of them, and nothing else."""

import asyncio
import re
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated, BinaryIO
from urllib.parse import quote

from fastapi import Query, Request, Response

from tertulia.files.domain import File
from tertulia.files.routes.dependencies import FILES_PATH, FilesPart
from tertulia.infra.http.identity import Auth, Me
from tertulia.infra.http.revocable_response import RevocableResponse, while_allowed
from tertulia.infra.http.routing import Router

DOWNLOAD_BLOCK_BYTES = 256 * 1024
#: Pictures that browsers show and that cannot hold a script.
INLINE_PICTURE_TYPES = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"}
)
RANGE_HEADER_PATTERN = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
BINARY_CONTENT = {"schema": {"type": "string", "format": "binary"}}

HashQuery = Annotated[str, Query(max_length=64)]
router = Router(prefix=f"{FILES_PATH}/{{file_id}}", tags=["files"])


@router.get(
    "/content",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": BINARY_CONTENT, "image/*": BINARY_CONTENT}}},
)
async def download_file(
    *,
    project_id: str,
    file_id: str,
    request: Request,
    me: Me,
    files: FilesPart,
    authenticator: Auth,
    of: HashQuery = "",
) -> Response:
    """Return a file's bytes: to be saved, or to be shown where it is a picture. One `Range` is respected.

    `of` changes nothing but the address, so that a page that shows another version asks for it anew.
    """
    del of
    file = await files.get(project_id, file_id, by=me)
    headers = download_headers(file)
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    found = parse_range(request.headers.get("range", ""), request.headers.get("if-range"), file)
    if found is None:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{file.size}"})
    allowed = while_allowed(
        stream_range(await files.contents.open(file.hash, by=me), found),
        by=me,
        authenticator=authenticator,
        check=partial(files.get, project_id, file_id, by=me),
    )
    return partial_response(allowed, file, found, headers)


def download_headers(file: File) -> dict[str, str]:
    """Return what makes the bytes inert, whatever they are."""
    shown = file.mime in INLINE_PICTURE_TYPES
    name = quote(file.path.rpartition("/")[2], safe="")
    return {
        "Content-Disposition": f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{name}",
        "Content-Type": file.mime if shown else "application/octet-stream",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-cache",
        "Accept-Ranges": "bytes",
        "ETag": f'"{file.hash}"',
    }


def parse_range(header: str, unless_changed: str | None, file: File) -> range | None:
    """Return which bytes are asked for: all when nothing that we know is said; None when there are none."""
    found = RANGE_HEADER_PATTERN.fullmatch(header.strip())
    if not found or not any(found.groups()) or unless_changed not in (None, f'"{file.hash}"'):
        return range(file.size)
    first, last = found.groups()
    if not first:
        chosen = range(max(0, file.size - int(last)), file.size)
    else:
        chosen = range(int(first), min(int(last or file.size), file.size - 1) + 1)
    return chosen or None


def partial_response(
    content: AsyncGenerator[bytes], file: File, chosen: range, headers: dict[str, str]
) -> RevocableResponse:
    """Answer with some of a file's bytes."""
    headers |= {"Content-Length": str(len(chosen))}
    if len(chosen) == file.size:
        return RevocableResponse(content, headers=headers)
    headers |= {"Content-Range": f"bytes {chosen.start}-{chosen.stop - 1}/{file.size}"}
    return RevocableResponse(content, status_code=206, headers=headers)


async def stream_range(stream: BinaryIO, chosen: range) -> AsyncGenerator[bytes]:
    """Read the chosen bytes block by block, and close what they are read from."""
    with stream:
        await asyncio.to_thread(stream.seek, chosen.start)
        left = len(chosen)
        while left and (block := await asyncio.to_thread(stream.read, min(DOWNLOAD_BLOCK_BYTES, left))):
            left -= len(block)
            yield block
