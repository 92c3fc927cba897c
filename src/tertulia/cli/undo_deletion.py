"""Bringing back what was deleted a moment ago, whatever it was."""

import click

from tertulia.cli.connect import open_client, server_options
from tertulia.cli.output import print_to_stderr


@click.command()
@server_options
@click.argument("deletion")
def restore(*, url: str | None, token: str | None, deletion: str) -> None:
    """Bring back what was deleted a moment ago, by the id that its deletion has printed."""
    with open_client(url, token) as server:
        server.post(f"/api/deletions/{deletion}/restore")
    print_to_stderr("Restored.")
