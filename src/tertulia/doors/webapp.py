"""The web app: files that were built into the package, and one page for every other path."""

import base64
import hashlib
import re
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from typing import Annotated

from fastapi import Header
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from tertulia.core.errors import NotFound
from tertulia.infra.http.routing import Route, Router
from tertulia.infra.http.security_headers import CONTENT_SECURITY_POLICY

#: Addresses of programs: what is not there is an error, never a page.
API_PATH_PREFIXES = ("/api/", "/v1/", "/mcp")


class PageRoute(Route):
    """A route for whatever people look at, which leaves the addresses of programs to their own routes."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match wholly or not at all: where nothing is, no verb is the wrong one."""
        match, child = super().matches(scope)
        is_page = match is Match.FULL and not scope["path"].startswith(API_PATH_PREFIXES)
        return (match, child) if is_page else (Match.NONE, {})


router = Router(include_in_schema=False, route_class=PageRoute)

WEB_APP_FOLDER = Path(str(files("tertulia"))) / "web"
INDEX_FILE_NAME = "index.html"
WEB_APP_NOT_BUILT = (
    "The web app is not built yet: run `make run`, or `npm install && npm run build` in web/.\n"
)
INLINE_SCRIPT_PATTERN = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@router.api_route("/{path:path}", methods=["GET", "HEAD"])
async def web_app(path: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """Return a file of the app, or the page that finds out by itself what a path means."""
    if found := find_built_file(path):
        kept = "public, max-age=31536000, immutable" if path.startswith("_app/immutable/") else "no-cache"
        file, encoding = smallest_encoding(found, accept_encoding)
        headers = {"Cache-Control": kept, "Vary": "Accept-Encoding", **encoding}
        media = guess_type(path)[0] or "application/octet-stream"
        return FileResponse(file, media_type=media, headers=headers)
    if path.startswith("_app/"):
        raise NotFound("page")
    return index_page()


def index_page() -> Response:
    """Return the page as it was built last, with the policy for the lines of script that are in it."""
    try:
        content = (WEB_APP_FOLDER / INDEX_FILE_NAME).read_text("utf-8")
    except FileNotFoundError:
        return PlainTextResponse(WEB_APP_NOT_BUILT, status_code=503)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": page_security_policy(content)}
    return HTMLResponse(content, headers=headers)


def find_built_file(path: str) -> Path | None:
    """Return a built file by its path: nothing outside the folder can be asked for.

    Nothing is remembered: the app may be built anew while the server runs.
    """
    if path == INDEX_FILE_NAME:
        return None
    try:
        file = (WEB_APP_FOLDER / path).resolve()
        return file if file.is_relative_to(WEB_APP_FOLDER.resolve()) and file.is_file() else None
    except (OSError, ValueError):  # no path at all: too long, or with signs that none may have
        return None


def smallest_encoding(file: Path, accept_encoding: str) -> tuple[Path, dict[str, str]]:
    """Return a file in the smallest form that was built and is accepted, and the header that says so."""
    for name, ending in (("br", ".br"), ("gzip", ".gz")):
        packed = file.with_name(file.name + ending)
        if name in accept_encoding and packed.is_file():
            return packed, {"Content-Encoding": name}
    return file, {}


def page_security_policy(content: str) -> str:
    """Return the page's policy: like everything's, but its own few lines of script may run."""
    scripts = INLINE_SCRIPT_PATTERN.findall(content)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(["script-src 'self'", *(f"'sha256-{digest}'" for digest in hashes)])
    return CONTENT_SECURITY_POLICY.replace("script-src 'self'", allowed)
