"""`tertulia calendar import` and `tertulia calendar export`: calendars as files of iCalendar."""

import sys
from pathlib import Path

import click

from tertulia.cli.atomic_file import write_atomically
from tertulia.cli.calendar_choice import find_calendar
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.errors import FileUnreadable, InTheWay
from tertulia.cli.output import print_to_stderr
from tertulia.core.json_object import JsonObject

STANDARD_STREAM = Path("-")
calendar_option = click.option(
    "--calendar", default=None, help="Which one, by its name or id; else where new events go."
)


@click.command()
@server_options
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@calendar_option
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def export(*, url: str | None, token: str | None, file: Path, calendar: str | None, force: bool) -> None:
    """Write a calendar to a FILE, or to standard output where it is -."""
    if file != STANDARD_STREAM and file.exists() and not force:
        raise InTheWay(file)
    with open_client(url, token) as server:
        path = f"/api/calendars/{find_calendar(server, calendar)['id']}/export"
        if file == STANDARD_STREAM:
            server.download_into(path, sys.stdout.buffer)
            sys.stdout.flush()
            return
        with write_atomically(file) as into:
            server.download_into(path, into)
    click.echo(str(file))


@click.command("import")
@server_options
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@calendar_option
def import_(*, url: str | None, token: str | None, file: Path, calendar: str | None) -> None:
    """Read events from a FILE, or from standard input where it is -; what is there already is not doubled."""
    content = sys.stdin.buffer.read() if file == STANDARD_STREAM else file.read_bytes()
    try:
        ics = content.decode("utf-8-sig")
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
