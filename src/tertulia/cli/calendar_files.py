"""`tertulia calendar import` and `tertulia calendar export`: calendars as files of iCalendar."""

from pathlib import Path

import click

from tertulia.cli.calendar_choice import find_calendar
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import FileUnreadable
from tertulia.cli.output import print_to_stderr
from tertulia.cli.transfer_file import (
    force_option,
    open_target,
    read_source,
    refuse_existing_file,
    source_argument,
    target_argument,
)
from tertulia.core.json_object import JsonObject

calendar_option = click.option(
    "--calendar", default=None, help="Which one, by its name or id; else where new events go."
)


@click.command()
@server_options
@target_argument
@calendar_option
@force_option
def export(*, url: str | None, token: str | None, file: Path, calendar: str | None, force: bool) -> None:
    """Write a calendar to a FILE, or to standard output where it is -."""
    refuse_existing_file(file, force=force)
    with open_client(url, token) as server:
        path = f"/api/calendars/{find_calendar(server, calendar)['id']}/export"
        with open_target(file) as into:
            server.download_into(path, into)


@click.command("import")
@server_options
@source_argument
@calendar_option
def import_(*, url: str | None, token: str | None, file: Path, calendar: str | None) -> None:
    """Read events from a FILE, or from standard input where it is -; what is there already is not doubled."""
    try:
        ics = read_source(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileUnreadable(f"{file} is no text in UTF-8, as calendars are.") from None
    with open_client(url, token) as server:
        chosen = find_calendar(server, calendar)
        outcome = server.post(f"/api/calendars/{chosen['id']}/import", {"ics": ics})
    print_to_stderr(f"Imported into {chosen['name']}: {describe_outcome(outcome)}.")


def describe_outcome(outcome: JsonObject) -> str:
    """Return the numbers of an answer in words."""
    counted = {name.replace("_", " "): value for name, value in outcome.items() if isinstance(value, int)}
    return ", ".join(f"{value} {name}" for name, value in counted.items()) or "done"
