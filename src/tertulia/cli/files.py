"""`tertulia files`: a project's files from the command line."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tertulia.cli.atomic_file import write_atomically
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import InTheWay
from tertulia.cli.output import print_table, print_to_stderr
from tertulia.cli.project_choice import find_project
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

FILE_MARK_FIELDS = ("always_in_context", "local_only")
project_option = click.option(
    "--project", default=None, help="The project's name or id; else the default one."
)


@click.group()
def files() -> None:
    """List, upload, fetch and delete files of a project."""


@files.command("list")
@server_options
@project_option
@click.argument("folder", default="")
@click.option("--tag", default="", help="Only files with this tag.")
@click.option("--json", "as_json", is_flag=True, help="Print the files as JSON.")
def list_(
    *, url: str | None, token: str | None, project: str | None, folder: str, tag: str, as_json: bool
) -> None:
    """List the files of a project, or of a FOLDER in it, at any depth."""
    with open_client(url, token) as server:
        found = list(list_files(server, project_path(server, project), prefix=folder, tag=tag))
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    print_table(("Path", "Bytes", "Version", "Kind", "Marked", "Problem"), map(file_row, found))


@files.command()
@server_options
@project_option
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--to", "folder", default="", help="The folder that everything goes to.")
@click.option("--unpack", is_flag=True, help="Unpack zip archives instead of keeping them.")
@click.option("--all", "all_", is_flag=True, help="Also hidden files, .git, node_modules and __pycache__.")
@click.option("--no-wait", is_flag=True, help="Do not wait until everything can be found.")
@click.pass_context
def upload(
    ctx: click.Context,
    *,
    url: str | None,
    token: str | None,
    project: str | None,
    paths: tuple[Path, ...],
    folder: str,
    unpack: bool,
    all_: bool,
    no_wait: bool,
) -> None:
    """Upload files and whole folders; one whose path is taken becomes the next version there.

    Prints the paths that were kept. What was not is said with the reason: the
    exit code is then 1.
    """
    from tertulia.cli.file_upload import upload_all, wait_until_indexed

    with open_client(url, token) as server:
        place = project_path(server, project)
        fields = {"prefix": folder, "unpack": "true" if unpack else "false"}
        kept, skipped = upload_all(server, f"{place}/files", paths, fields=fields, include_hidden=all_)
        if kept and not no_wait:
            wait_until_indexed(server, place.rpartition("/")[2], {file["path"] for file in kept})
    for file in kept:
        click.echo(file["path"])
    ctx.exit(1 if skipped else 0)


@files.command()
@server_options
@project_option
@click.argument("path")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file, or a folder to put it in.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def get(
    *, url: str | None, token: str | None, project: str | None, path: str, output: Path | None, force: bool
) -> None:
    """Fetch the file at PATH: its bytes go to standard output, or to a file."""
    with open_client(url, token) as server:
        place = project_path(server, project)
        content = f"{place}/files/{get_file(server, place, path)['id']}/content"
        if output is None:
            server.download_into(content, sys.stdout.buffer)
            sys.stdout.flush()
            return
        target = output / path.rpartition("/")[2] if output.is_dir() else output
        if target.exists() and not force:
            raise InTheWay(target)
        with write_atomically(target) as into:
            server.download_into(content, into)
    click.echo(str(target))


@files.command()
@server_options
@project_option
@click.argument("paths", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(
    *, url: str | None, token: str | None, project: str | None, paths: tuple[str, ...], yes: bool
) -> None:
    """Delete files with all their versions; a path that ends in a slash is a folder with all in it."""
    with open_client(url, token) as server:
        place = project_path(server, project)
        gone = sum(delete_path(server, place, path, yes=yes) for path in paths)
    print_to_stderr(f"Deleted {gone} file{'' if gone == 1 else 's'}.")


def project_path(server: "ApiClient", name: str | None) -> str:
    """Return the address of a project."""

    return f"/api/projects/{find_project(server, name)['id']}"


def list_files(server: "ApiClient", api_path: str, *, prefix: str, tag: str = "") -> Iterator[JsonObject]:
    """Yield the files in a folder, at any depth."""
    after = ""
    while True:
        page = server.get(f"{api_path}/files", prefix=prefix, tag=tag, after=after, limit=1000)
        yield from page["files"]
        after = page["next"]
        if not after:
            return


def get_file(server: "ApiClient", api_path: str, path: str) -> JsonObject:
    """Return the file at a path."""
    found: JsonObject = server.get(f"{api_path}/files/at", path=path, end_line=1)
    return found


def delete_path(server: "ApiClient", api_path: str, path: str, *, yes: bool) -> int:
    """Delete a file or a folder, and return how many files that were."""
    if path.endswith("/"):
        count = sum(1 for _ in list_files(server, api_path, prefix=path))
        if not yes:
            click.confirm(f"Delete {path} with {count} files and all their versions?", abort=True, err=True)
        return int(server.delete(f"{api_path}/files", prefix=path)["files"])
    file = get_file(server, api_path, path)
    if not yes:
        click.confirm(f"Delete {path} with all {file['version']} versions?", abort=True, err=True)
    server.delete(f"{api_path}/files/{file['id']}")
    return 1


def file_row(file: JsonObject) -> tuple[str, ...]:
    """Return a file as a row."""
    marks = [*(flag for flag in FILE_MARK_FIELDS if file[flag]), *file["tags"]]
    marks += [] if file["retrieval_eligible"] else ["not_found"]
    size, version = str(file["size"]), str(file["version"])
    return file["path"], size, version, file["media"], ", ".join(marks), file["problem"]
