"""`tertulia calendar`: what is when, and when there is time."""

import json
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import click

from tertulia.cli import calendar_accounts, calendar_files, undo_deletion
from tertulia.cli.calendar_choice import find_calendar, find_event, find_today, list_calendars, list_events
from tertulia.cli.calendar_files import calendar_option
from tertulia.cli.calendar_text import days_counted, print_events, print_slots
from tertulia.cli.connect import open_client, server_options
from tertulia.cli.date_reading import ReadDate, read_date, read_day
from tertulia.cli.exit_codes import EXIT_FAILED
from tertulia.cli.output import print_to_stderr
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

AGENDA_DAYS = 7
SLOT_SEARCH_DAYS = 14
#: How long an event is whose words do not say it.
EVENT_DEFAULT_LENGTH = timedelta(hours=1)
PREFERRED_TIMES = ("morning", "afternoon", "evening")
EVENT_SCOPES = ("this", "following", "all")


@click.group(
    commands=[
        calendar_accounts.calendars,
        calendar_accounts.connect,
        calendar_accounts.sync,
        calendar_accounts.subscribe,
        calendar_files.export,
        calendar_files.import_,
        undo_deletion.restore,
    ]
)
def calendar() -> None:
    """Show the agenda, add and delete events, find free times, connect and sync calendars."""


@calendar.command()
@server_options
@click.argument("words", nargs=-1)
@click.option("--days", type=click.IntRange(1, 366), default=None, help="How many days to show.")
@click.option("--calendar", "calendar_name", default=None, help="Only events of this one, by name or id.")
@click.option("--text", default="", help="Only those with these words in them.")
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON.")
def agenda(
    *,
    url: str | None,
    token: str | None,
    words: tuple[str, ...],
    days: int | None,
    calendar_name: str | None,
    text: str,
    as_json: bool,
) -> None:
    """Show what is on your calendars in the next seven days, or on the days of WORDS such as "next week".

    Piped, each event is one line: id, day, time, title, place, calendar and
    marks, with tabs between.
    """
    with open_client(url, token) as server:
        first, count = find_days(server, " ".join(words), days)
        found = list_events(server, first, count, calendar=calendar_name, text=text)
        known = [] if as_json else list_calendars(server)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if found:
        print_events(found, known)
    else:
        print_to_stderr(f"Nothing in {days_counted(count)} from {first:%A %Y-%m-%d} on.")


def find_days(server: "ApiClient", words: str, days: int | None) -> tuple[date, int]:
    """Return the first day that words mean, and how many days; without words, those from today on."""
    if not words:
        return find_today(), days or AGENDA_DAYS
    found = read_date(server, words)
    if found is None:
        raise click.UsageError(f"No day can be read out of {words!r}. Try one such as 'next week'.")
    first, last = date.fromisoformat(found.first_day), date.fromisoformat(found.last_day)
    return first, days or (last - first).days + 1


@calendar.command()
@server_options
@click.argument("words", nargs=-1, required=True)
@calendar_option
@click.option("--location", default="", help="Where it is.")
@click.option("--description", default="")
@click.option("--remind", "reminders", type=click.IntRange(min=0), multiple=True, help="Minutes before.")
@click.option("--free", is_flag=True, help="It takes no time: others may lie over it.")
def add(
    *,
    url: str | None,
    token: str | None,
    words: tuple[str, ...],
    calendar: str | None,
    location: str,
    description: str,
    reminders: tuple[int, ...],
    free: bool,
) -> None:
    """Add an event of WORDS such as "Dentist next Friday at 4 for 30 minutes", and print its id."""
    text = " ".join(words)
    with open_client(url, token) as server:
        found = read_date(server, text)
        if found is None:
            raise click.UsageError(f"No day can be read out of {text!r}. Say when it is.")
        title = found.rest.strip()
        if not title:
            raise click.UsageError("Say what it is as well, such as 'Dentist next Friday at 4'.")
        body: JsonObject = {"title": title, "description": description, "location": location}
        body |= {"transparent": free, "reminders": list(reminders)} | event_times(found)
        body["calendar_id"] = find_calendar(server, calendar)["id"]
        made = server.post("/api/calendar/events", body)
    print_to_stderr(f"{made['title']}: {found.reading}")
    click.echo(made["id"])


def event_times(found: ReadDate) -> JsonObject:
    """Return when an event is by what was read; without a length it takes an hour."""
    times: JsonObject = {"start": found.start, "all_day": found.is_all_day, "rrule": found.rrule}
    if found.is_all_day:
        next_day = date.fromisoformat(found.last_day) + timedelta(days=1)
        return times | {"end": next_day.isoformat()}
    end = found.end or (datetime.fromisoformat(found.start) + EVENT_DEFAULT_LENGTH).isoformat()
    return times | {"end": end}


@calendar.command()
@server_options
@click.argument("event_id", metavar="ID")
@click.option("--scope", type=click.Choice(EVENT_SCOPES), default=None, help="Which of its times.")
@click.option("--day", default=None, help="The day of the time that is meant, in words or as YYYY-MM-DD.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(
    *, url: str | None, token: str | None, event_id: str, scope: str | None, day: str | None, yes: bool
) -> None:
    """Delete an event: of a recurring one all times, or with --day and --scope one and those that follow."""
    with open_client(url, token) as server:
        event = find_event(server, event_id)
        wanted = {"scope": scope} if scope else {}
        if day:
            event = find_time(server, event, read_day(server, day))
            wanted |= {"recurrence_id": event["recurrence_id"], "scope": scope or "this"}
        if not yes:
            click.confirm(f"Delete {event['title']!r}?", abort=True, err=True)
        deletion = server.delete(f"/api/calendar/events/{event['id']}", **wanted)
    print_to_stderr(f"Deleted. `tertulia calendar restore {deletion['id']}` brings it back for a short time.")


def find_time(server: "ApiClient", event: JsonObject, day: str) -> JsonObject:
    """Return the time of a recurring event on a day."""
    on_day = list_events(server, date.fromisoformat(day), 1)
    for time in on_day:
        if time["id"] == event["id"] and time["recurrence_id"]:
            return time
    raise click.UsageError(f"{event['title']!r} is no recurring event with a time on {day}.")


@calendar.command()
@server_options
@click.argument("minutes", type=click.IntRange(min=1))
@click.option("--from", "first", default=None, help="The first day, in words or as YYYY-MM-DD; else today.")
@click.option("--to", "last", default=None, help="The last day; else two weeks later.")
@click.option("--prefer", type=click.Choice(PREFERRED_TIMES), default=None)
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the free times as JSON.")
@click.pass_context
def slots(
    ctx: click.Context,
    *,
    url: str | None,
    token: str | None,
    minutes: int,
    first: str | None,
    last: str | None,
    prefer: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Find free times of so many MINUTES in your working hours; the exit code is 1 where there is none."""
    with open_client(url, token) as server:
        start = date.fromisoformat(read_day(server, first)) if first else find_today()
        end = date.fromisoformat(read_day(server, last)) if last else start + timedelta(days=SLOT_SEARCH_DAYS)
        body: JsonObject = {"duration_minutes": minutes} | ({"preferred_time": prefer} if prefer else {})
        body |= {"start_date": start.isoformat(), "end_date": end.isoformat()}
        found = server.post("/api/calendar/slots", body)["slots"][:limit]
    if as_json:
        click.echo(json.dumps(found, indent=2))
    elif found:
        print_slots(found)
    else:
        print_to_stderr(f"There is no free time of {minutes} minutes from {start} to {end}.")
    ctx.exit(0 if found else EXIT_FAILED)
