"""`tertulia import`: exported conversations read back, from single files and bundles."""

import json
from pathlib import Path
from typing import Any

import click
import msgspec

from tertulia.cli.client import Client
from tertulia.cli.connect import connected, server_options
from tertulia.cli.errors import FileUnreadable, ServerRefused
from tertulia.cli.output import Meter, meter, note

BUNDLE = "tertulia.bundle"


class Head(msgspec.Struct):
    """All that is read of a file to see what it is."""

    format: str = ""


@click.command("import")
@server_options
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.pass_context
def import_(ctx: click.Context, url: str | None, token: str | None, files: tuple[Path, ...]) -> None:
    """Read exported conversations or bundles back as your own; prints the new conversations' ids.

    A conversation that cannot be read is said and skipped: the exit code is then 1.
    """
    with connected(url, token) as server, meter() as show:
        failed = sum(import_file(server, path, show=show) for path in files)
    ctx.exit(1 if failed else 0)


def import_file(server: Client, path: Path, *, show: Meter) -> int:
    """Import what a file holds and return how many conversations of it failed."""
    content = path.read_bytes()
    if format_of(content) == BUNDLE:
        return import_bundle(server, path, content, show=show)
    return import_one(server, content, name=str(path))


def format_of(content: bytes) -> str:
    """Return what a file says it is; nothing when it is no JSON."""
    try:
        return msgspec.json.decode(content, type=Head).format
    except msgspec.DecodeError:
        return ""


def import_bundle(server: Client, path: Path, content: bytes, *, show: Meter) -> int:
    """Make a bundle's projects, then add its conversations to them."""
    from pydantic import ValidationError  # noqa: PLC0415 - only for bundles

    from tertulia.conversations.export_schemas import Bundle  # noqa: PLC0415 - only for bundles

    try:
        bundle = Bundle.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FileUnreadable(f"{path} cannot be imported. {where}: {first['msg']}.") from error
    places = {one.ref: project_id(server, one.model_dump(mode="json")) for one in bundle.projects}
    failed = 0
    for done, one in enumerate(bundle.conversations, 1):
        document = json.dumps(one.conversation, ensure_ascii=False).encode()
        place = places.get(one.project or "")
        failed += import_one(server, document, name=f"{path}, conversation {done}", place=place)
        show("Importing", done, len(bundle.conversations))
    return failed


def project_id(server: Client, project: dict[str, Any]) -> str | None:
    """Return where a project's conversations go: to a new one, or for the default project to the default."""
    del project["ref"]
    if project.pop("is_default"):
        return None
    return str(server.post("/api/projects", project)["id"])


def import_one(server: Client, content: bytes, *, name: str, place: str | None = None) -> int:
    """Import one conversation; 0 when it is there, 1 when the server refused it, and why is said."""
    try:
        made = server.upload("/api/conversations/import", content, **({"project_id": place} if place else {}))
    except ServerRefused as error:
        note(f"{name}: {error.message}")
        return 1
    click.echo(made["id"])
    return 0
