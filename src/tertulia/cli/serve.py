"""`tertulia serve`: run the server."""

import asyncio
import gc
import sys
from collections.abc import Callable

import click
import msgspec
from click.exceptions import Exit

from tertulia.calendars.caldav.sealed_passwords import list_sealed_passwords
from tertulia.cli.errors import SharedDatabaseNeeded
from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.local_database import open_database
from tertulia.cli.output import print_to_stderr
from tertulia.core.log_format import start_logging
from tertulia.files.blob_references import list_blob_keys
from tertulia.files.factory import open_blobs
from tertulia.infra.child.worker_group import WorkerGroup, WorkerStart
from tertulia.infra.courier.opening import check_courier_address
from tertulia.infra.datadir import DataDir
from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row
from tertulia.infra.http.listening_sockets import reserve_port
from tertulia.infra.shared_storage import MovedData, check_shared_storage
from tertulia.models.sealed_keys import list_sealed_keys
from tertulia.reminders.sealed_subscriptions import list_sealed_subscriptions
from tertulia.settings import Settings
from tertulia.tools.sealed_secrets import list_sealed_secrets

DEFAULT_PORT = 8400
WORKERS_MAX = 256
#: So many secrets or files tell whether data that was moved belongs to a key or a store.
MOVED_DATA_LOOKED_AT = 50


def list_everything_sealed(tx: Tx) -> list[Row]:
    """Return some secrets as they are stored, each after the id that it is sealed for."""
    lists = (list_sealed_keys, list_sealed_secrets, list_sealed_passwords, list_sealed_subscriptions)
    return [row for list_sealed in lists for row in list_sealed(tx, limit=MOVED_DATA_LOOKED_AT)]


MOVED_DATA = MovedData(list_everything_sealed, lambda tx: list_blob_keys(tx, limit=MOVED_DATA_LOOKED_AT))


class ServeOrders(msgspec.Struct, frozen=True):
    """What one of several processes that serve together is told; `line` is the number of a file."""

    host: str
    port: int
    line: int
    greets: bool


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, WORKERS_MAX),
    help="How many processes serve; more than one need PostgreSQL.",
)
def serve(host: str, port: int, workers: int) -> None:
    """Run the server until it is told to stop.

    The first start prints a link with which its owner's account is made.
    """
    settings = Settings.from_env()
    if workers > 1:
        serve_with_workers(settings, host=host, port=port, count=workers)
    else:
        serve_alone(settings, host=host, port=port)


def serve_alone(settings: Settings, *, host: str, port: int) -> None:
    """Serve in this process."""
    # All that modules make when they are loaded is kept: looking for garbage in it takes 0.15 s.
    gc.disable()
    from tertulia.server import serve as run

    gc.enable()
    check_storage(settings)
    try:
        run(settings, host=host, port=port)
    except SystemExit as failure:
        # The code of uvicorn for a start that failed, and was logged, means another thing here.
        raise Exit(EXIT_FAILED) from failure


def serve_with_workers(settings: Settings, *, host: str, port: int, count: int) -> None:
    """Serve in several processes that share an address."""
    if not settings.is_shared:
        raise SharedDatabaseNeeded("leave out --workers")
    check_storage(settings)
    reserved = reserve_port(host, port)
    port = reserved[0].getsockname()[1]

    def command(start: WorkerStart) -> list[str]:
        orders = ServeOrders(host, port, line=start.line, greets=start.is_first)
        # -P keeps the working directory from lending modules to the process.
        module = "tertulia.cli.serve_worker"
        return [sys.executable, "-P", "-m", module, msgspec.json.encode(orders).decode()]

    start_logging(settings.log_level)
    if asyncio.run(run_group(command, count=count)) != 0:
        raise Exit(EXIT_FAILED)


async def run_group(command: Callable[[WorkerStart], list[str]], *, count: int) -> int:
    """Keep so many processes running until told to stop, and return an exit code."""
    return await WorkerGroup(command, count=count).run()


def check_storage(settings: Settings) -> None:
    """Raise, in a sentence, where the data directory, the database or Valkey's address cannot be used."""
    folder = DataDir(settings.data_dir)
    if not settings.is_shared:
        folder.check_exclusive()
    if folder.is_full:
        print_to_stderr("The disk is almost full: what is there can be read, but little more can be saved.")
    folder.release()
    check_courier_address(settings)
    db = open_database(settings)
    try:
        if settings.is_shared:
            asyncio.run(check_shared_storage(db, settings, blobs=open_blobs(settings), moved=MOVED_DATA))
    finally:
        db.close()
