"""The web app: files that were built into the package, and one page for every other path."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import FileResponse, PlainTextResponse, Response

from tertulia.core.errors import NotFound
from tertulia.infra.http.hardening import POLICY

router = APIRouter(include_in_schema=False)

FOLDER = Path(str(files("tertulia"))) / "web"
PAGE = FOLDER / "index.html"
NOT_BUILT = "The web app is not built yet: run `make run`, or `npm install && npm run build` in web/.\n"
#: Paths that programs ask for: what is not there is an error, not a page.
PROGRAMS = ("api/", "v1/", "_app/")
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@router.get("/{path:path}")
async def web_app(path: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """Return a file of the app, or the page that finds out by itself what a path means."""
    if path in built_files():
        kept = "public, max-age=31536000, immutable" if path.startswith("_app/immutable/") else "no-cache"
        file, encoding = smallest(path, accept_encoding)
        headers = {"Cache-Control": kept, "Vary": "Accept-Encoding", **encoding}
        media = guess_type(path)[0] or "application/octet-stream"
        return FileResponse(file, media_type=media, headers=headers)
    if path.startswith(PROGRAMS):
        raise NotFound("page")
    if not PAGE.exists():
        return PlainTextResponse(NOT_BUILT, status_code=503)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": page_policy()}
    return FileResponse(PAGE, media_type="text/html", headers=headers)


def smallest(path: str, accepted: str) -> tuple[Path, dict[str, str]]:
    """Return a file in the smallest form that was built and is accepted, and the header that says so."""
    for name, ending in (("br", ".br"), ("gzip", ".gz")):
        if name in accepted and (file := built_files().get(path + ending)):
            return file, {"Content-Encoding": name}
    return built_files()[path], {}


@cache
def built_files() -> dict[str, Path]:
    """Return every built file by its path: nothing else can be asked for."""
    found = (file for file in FOLDER.rglob("*") if file.is_file() and file != PAGE)
    return {file.relative_to(FOLDER).as_posix(): file for file in found}


@cache
def page_policy() -> str:
    """Return the page's policy: like everything's, but its own few lines of script may run."""
    scripts = INLINE_SCRIPT.findall(PAGE.read_text("utf-8"))
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(["script-src 'self'", *(f"'sha256-{one}'" for one in hashes)])
    return POLICY.replace("script-src 'self'", allowed)
