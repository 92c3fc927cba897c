"""`tertulia export`: conversations written to files."""

import sys
from pathlib import Path

import click

from tertulia.cli.atomic_file import write_atomically
from tertulia.cli.client import ApiClient
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import InTheWay
from tertulia.cli.output import ProgressCallback, print_to_stderr, progress_bar

EXPORT_EXTENSIONS = {"json": "json", "markdown": "md"}


@click.command()
@server_options
@click.argument("conversation", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file, or a folder for a file each.")
@click.option(
    "--format", "form", type=click.Choice(list(EXPORT_EXTENSIONS)), default="json", show_default=True
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
def export(
    *,
    url: str | None,
    token: str | None,
    conversation: str | None,
    output: Path | None,
    form: str,
    force: bool,
) -> None:
    """Write one CONVERSATION, or else all that you can see, to files.

    Without --output one conversation goes to standard output. All of them go
    into one bundle that `tertulia import` reads, or into a folder, a file each.
    """
    with open_client(url, token) as server:
        if conversation:
            write_conversation(server, conversation, output, export_format=form, force=force)
            return
        with progress_bar() as show:
            target = output or Path("tertulia-export" if form == "markdown" else "tertulia-export.json")
            count = export_all(server, target, export_format=form, force=force, report_progress=show)
    print_to_stderr(f"Exported {count} conversation{'' if count == 1 else 's'}.")
    click.echo(str(target))


def write_conversation(
    server: ApiClient, conversation: str, output: Path | None, *, export_format: str, force: bool
) -> None:
    """Write a conversation to a file, or to standard output when none is named."""
    if output is None:
        server.export_conversation(conversation, sys.stdout.buffer, export_format=export_format)
        sys.stdout.flush()
        return
    if output.exists() and not force:
        raise InTheWay(output)
    with write_atomically(output) as into:
        server.export_conversation(conversation, into, export_format=export_format)


def export_all(
    server: ApiClient, target: Path, *, export_format: str, force: bool, report_progress: ProgressCallback
) -> int:
    """Write everything into one bundle, or into a folder when it is one or must be."""
    from tertulia.cli.export_bundle import write_bundle, write_folder

    if target.is_dir() or export_format == "markdown" or not target.suffix:
        target.mkdir(parents=True, exist_ok=True)
        return write_folder(
            server,
            target,
            export_format=export_format,
            extension=EXPORT_EXTENSIONS[export_format],
            force=force,
            report_progress=report_progress,
        )
    if target.exists() and not force:
        raise InTheWay(target)
    return write_bundle(server, target, report_progress=report_progress)
