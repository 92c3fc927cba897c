"""The first page and its few files, from inside the package."""

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

from tertulia.core.errors import NotFound

router = APIRouter(include_in_schema=False)
FOLDER = files("tertulia.doors.welcome") / "static"
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@router.get("/")
@router.get("/setup")
@router.get("/join")
@router.get("/reset")
async def page() -> Response:
    """Show the page; which of its forms is needed, it finds out by itself."""
    return Response(_read("index.html"), media_type="text/html", headers={"Cache-Control": "no-cache"})


@router.get("/welcome/{name}")
async def file(name: str) -> Response:
    """Return one of the page's files."""
    suffix = name.rpartition(".")[2]
    if suffix not in TYPES or name not in {entry.name for entry in FOLDER.iterdir()}:
        raise NotFound("page")
    return Response(_read(name), media_type=TYPES[suffix], headers={"Cache-Control": "no-cache"})


def _read(name: str) -> bytes:
    return (FOLDER / name).read_bytes()
