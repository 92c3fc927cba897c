"""`tertulia calendar calendars`, `connect`, `sync` and `subscribe`: calendars here and at other servers."""

import json
import sys

import click

from tertulia.cli.calendar_choice import find_calendar, list_calendars
from tertulia.cli.calendar_text import print_calendars
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.output import print_to_stderr
from tertulia.core.json_object import JsonObject

CALDAV_KIND = "caldav"


@click.command()
@server_options
@click.option("--json", "as_json", is_flag=True, help="Print the calendars as JSON.")
def calendars(*, url: str | None, token: str | None, as_json: bool) -> None:
    """List your calendars, with where they are from and how their last sync went."""
    with open_client(url, token) as server:
        found = list_calendars(server)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    print_calendars(found)


@click.command()
@server_options
@click.argument("address")
@click.option("--username", required=True, help="Your name or e-mail address at that server.")
@click.option("--name", default="", help="What to call the account here.")
@click.option("--bearer", is_flag=True, help="What is read is an OAuth token, not a password.")
@click.option("--secret-stdin", is_flag=True, help="Read the password or token from standard input.")
def connect(
    *,
    url: str | None,
    token: str | None,
    address: str,
    username: str,
    name: str,
    bearer: bool,
    secret_stdin: bool,
) -> None:
    """Connect a CalDAV account by the ADDRESS of its server, and list the calendars that are found there.

    You are asked for the password; where the server has passwords for single
    programs, make one for this.
    """
    word = "Token" if bearer else "Password"
    secret = (
        sys.stdin.readline().rstrip("\r\n") if secret_stdin else click.prompt(word, hide_input=True, err=True)
    )
    if not secret:
        raise click.UsageError(f"There is no {word.lower()} in standard input.")
    body: JsonObject = {"kind": CALDAV_KIND, "url": address, "username": username}
    body |= {word.lower(): secret} | ({"name": name} if name else {})
    with open_client(url, token) as server:
        found = server.post("/api/calendars", body)["calendars"]
    print_calendars(found)


@click.command()
@server_options
@click.argument("name", required=False)
@click.pass_context
def sync(ctx: click.Context, *, url: str | None, token: str | None, name: str | None) -> None:
    """Fetch and send what is new at other servers: of the calendar called NAME, else of all.

    The exit code is 1 where one of them could not be reached or refused.
    """
    with open_client(url, token) as server:
        chosen = [find_calendar(server, name)] if name else list_calendars(server)
        ids = [calendar["id"] for calendar in chosen if calendar["kind"] == CALDAV_KIND]
        for calendar_id in ids:
            server.post(f"/api/calendars/{calendar_id}/sync")
        synced = [calendar for calendar in list_calendars(server) if calendar["id"] in ids]
    if ids:
        print_calendars(synced)
    else:
        print_to_stderr("There is nothing to sync: connect an account with `tertulia calendar connect`.")
    ctx.exit(EXIT_FAILED if any(calendar["problem"] for calendar in synced) else 0)


@click.command()
@server_options
@click.argument("name", required=False)
@click.option("--revoke", is_flag=True, help="Let the address lead nowhere any more.")
def subscribe(*, url: str | None, token: str | None, name: str | None, revoke: bool) -> None:
    """Print a secret address under which other programs can read a calendar; whoever has it can, too."""
    with open_client(url, token) as server:
        path = f"/api/calendars/{find_calendar(server, name)['id']}/subscription"
        if revoke:
            server.delete(path)
            print_to_stderr("The address leads nowhere any more.")
            return
        click.echo(server.post(path)["url"])
