"""`tertulia import`: exported conversations read back, from single files and bundles."""

import json
from pathlib import Path

import click
import msgspec

from tertulia.cli.client import ApiClient
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import FileUnreadable, ServerRefused
from tertulia.cli.output import ProgressCallback, print_to_stderr, progress_bar
from tertulia.core.json_object import JsonObject

IMPORT_BUNDLE_FORMAT = "tertulia.bundle"


class ImportHeader(msgspec.Struct):
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
    with open_client(url, token) as server, progress_bar() as show:
        failed = sum(import_file(server, path, report_progress=show) for path in files)
    ctx.exit(1 if failed else 0)


def import_file(server: ApiClient, path: Path, *, report_progress: ProgressCallback) -> int:
    """Import what a file holds and return how many conversations of it failed."""
    content = path.read_bytes()
    if format_of(content) == IMPORT_BUNDLE_FORMAT:
        return import_bundle(server, path, content, report_progress=report_progress)
    return import_conversation(server, content, name=str(path))


def format_of(content: bytes) -> str:
    """Return what a file says it is; nothing when it is no JSON."""
    try:
        return msgspec.json.decode(content, type=ImportHeader).format
    except msgspec.DecodeError:
        return ""


def import_bundle(server: ApiClient, path: Path, content: bytes, *, report_progress: ProgressCallback) -> int:
    """Make a bundle's projects, then add its conversations to them."""
    from pydantic import ValidationError

    from tertulia.conversations.export_documents import Bundle

    try:
        bundle = Bundle.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FileUnreadable(f"{path} cannot be imported. {where}: {first['msg']}.") from error
    project_ids = {
        project.ref: import_project(server, project.model_dump(mode="json")) for project in bundle.projects
    }
    failed = 0
    for done, exported in enumerate(bundle.conversations, 1):
        document = json.dumps(exported.conversation, ensure_ascii=False).encode()
        target_project_id = project_ids.get(exported.project or "")
        failed += import_conversation(
            server, document, name=f"{path}, conversation {done}", project_id=target_project_id
        )
        report_progress("Importing", done, len(bundle.conversations))
    return failed


def import_project(server: ApiClient, project: JsonObject) -> str | None:
    """Return where a project's conversations go: to a new one, or for the default project to the default."""
    del project["ref"]
    if project.pop("is_default"):
        return None
    return str(server.post("/api/projects", project)["id"])


def import_conversation(
    server: ApiClient, content: bytes, *, name: str, project_id: str | None = None
) -> int:
    """Import one conversation; 0 when it is there, 1 when the server refused it, and why is said."""
    try:
        made = server.upload_json(
            "/api/conversations/import", content, **({"project_id": project_id} if project_id else {})
        )
    except ServerRefused as error:
        print_to_stderr(f"{name}: {error.message}")
        return 1
    click.echo(made["id"])
    return 0
