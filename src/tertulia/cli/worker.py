"""`tertulia worker`: do what servers leave for later, on a machine or in a process of its own."""

from collections.abc import Callable
from importlib import import_module

import click

from tertulia.cli.errors import SharedDatabaseNeeded
from tertulia.cli.serve import check_storage
from tertulia.settings import Settings


@click.command()
def worker() -> None:
    """Do jobs and index until told to stop.

    Each server does that too; a worker answers no requests. It needs PostgreSQL.
    """
    settings = Settings.from_env()
    if not settings.is_shared:
        raise SharedDatabaseNeeded("let `tertulia serve` do this")
    check_storage(settings)
    # Heavy, and of no use to other commands.
    work: Callable[[Settings], None] = import_module("tertulia.server").work_in_background
    work(settings)
