"""`tertulia serve`: run the server."""

import gc

import click
from click.exceptions import Exit

from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.local_database import open_database
from tertulia.cli.output import print_to_stderr
from tertulia.infra.datadir import DataDir
from tertulia.settings import Settings

DEFAULT_PORT = 8400


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535))
def serve(host: str, port: int) -> None:
    """Run the server until it is told to stop.

    The first start prints a link with which its owner's account is made.
    """
    # All that modules make when they are loaded is kept: looking for garbage in it takes 0.15 s.
    gc.disable()
    from tertulia.server import serve as run  # noqa: PLC0415 - heavy, and of no use to other commands

    gc.enable()

    settings = Settings.from_env()
    check_storage(settings)
    try:
        run(settings, host=host, port=port)
    except SystemExit as failure:
        # The code of uvicorn for a start that failed, and was logged, means another thing here.
        raise Exit(EXIT_FAILED) from failure


def check_storage(settings: Settings) -> None:
    """Raise, in a sentence, where the data directory or the database cannot be used."""
    folder = DataDir(settings.data_dir)
    folder.check_exclusive()
    if folder.is_full:
        print_to_stderr("The disk is almost full: what is there can be read, but little more can be saved.")
    folder.release()
    open_database(settings).close()
