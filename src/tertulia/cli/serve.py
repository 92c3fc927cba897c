"""`tertulia serve`: run the server."""

import click

from tertulia.settings import Settings

PORT = 8400


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535))
def serve(host: str, port: int) -> None:
    """Run the server until it is told to stop.

    The first start prints a link with which its owner's account is made.
    """
    from tertulia.server import serve as run  # noqa: PLC0415 - heavy, and of no use to other commands

    run(Settings.from_env(), host=host, port=port)
