"""`tertulia export`: conversations written to files."""

import sys
from pathlib import Path

import click

from tertulia.cli.client import Client
from tertulia.cli.connect import connected, server_options
from tertulia.cli.errors import InTheWay
from tertulia.cli.output import Meter, meter, note
from tertulia.cli.whole_file import write_whole

ENDINGS = {"json": "json", "markdown": "md"}


@click.command()
@server_options
@click.argument("conversation", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file, or a folder for a file each.")
@click.option("--format", "form", type=click.Choice(list(ENDINGS)), default="json", show_default=True)
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
    with connected(url, token) as server:
        if conversation:
            write_one(server, conversation, output, form=form, force=force)
            return
        with meter() as show:
            target = output or Path("tertulia-export" if form == "markdown" else "tertulia-export.json")
            count = export_all(server, target, form=form, force=force, show=show)
    note(f"Exported {count} conversation{'' if count == 1 else 's'}.")
    click.echo(str(target))


def write_one(server: Client, conversation: str, output: Path | None, *, form: str, force: bool) -> None:
    """Write a conversation to a file, or to standard output when none is named."""
    if output is None:
        server.export(conversation, sys.stdout.buffer, form=form)
        sys.stdout.flush()
        return
    if output.exists() and not force:
        raise InTheWay(output)
    with write_whole(output) as into:
        server.export(conversation, into, form=form)


def export_all(server: Client, target: Path, *, form: str, force: bool, show: Meter) -> int:
    """Write everything into one bundle, or into a folder when it is one or must be."""
    from tertulia.cli.bundle import write_bundle, write_folder  # noqa: PLC0415 - only when all is wanted

    if target.is_dir() or form == "markdown" or not target.suffix:
        target.mkdir(parents=True, exist_ok=True)
        return write_folder(server, target, form=form, ending=ENDINGS[form], force=force, show=show)
    if target.exists() and not force:
        raise InTheWay(target)
    return write_bundle(server, target, show=show)
