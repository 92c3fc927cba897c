"""Calendars in a test: events made, changed, listed and imported through the API."""

from typing import Any

from tests.accounts_door import ok
from tests.world import Json, Person


async def live_in_zone(person: Person, zone: str) -> None:
    """Let a person live in a time zone."""
    ok(await person.client.patch("/api/me", json={"time_zone": zone}))


async def list_own_calendars(person: Person) -> list[Json]:
    """Return the calendars of a person."""
    return ok(await person.get("/api/calendars"))["calendars"]


async def add_event(person: Person, title: str, start: str, end: str, **more: Any) -> Json:
    """Have a person make an event."""
    body = {"title": title, "start": start, "end": end, **more}
    return ok(await person.post("/api/calendar/events", body), 201)


async def change_event(person: Person, event: Json, scope: str = "all", **values: Any) -> Json:
    """Have a person change an event, or some of its times."""
    named = {"scope": scope, "recurrence_id": event["recurrence_id"], "revision": event["revision"]}
    return ok(await person.put(f"/api/calendar/events/{event['id']}", {**named, **values}))


async def remove_event(person: Person, event: Json, scope: str = "all") -> Json:
    """Have a person delete an event, or some of its times, and return the deletion."""
    name = f"&recurrence_id={event['recurrence_id']}" if event["recurrence_id"] else ""
    return ok(await person.delete(f"/api/calendar/events/{event['id']}?scope={scope}{name}"))


async def list_events(person: Person, start: str, end: str, more: str = "") -> list[Json]:
    """Return what happens on some days, the last one included."""
    return ok(await person.get(f"/api/calendar/events?start={start}&end={end}{more}"))["events"]


async def list_starts(person: Person, start: str, end: str) -> list[str]:
    """Return when events begin on some days."""
    return [event["start"] for event in await list_events(person, start, end)]


async def import_text(person: Person, calendar_id: str, ics: str) -> Json:
    """Have a person import a file."""
    return ok(await person.post(f"/api/calendars/{calendar_id}/import", {"ics": ics}))


async def export_text(person: Person, calendar_id: str) -> str:
    """Return a calendar as a file, each line in one piece."""
    answer = await person.get(f"/api/calendars/{calendar_id}/export")
    assert answer.status_code == 200, answer.text
    return answer.text.replace("\r\n ", "")


def calendar_file(*events: str) -> str:
    """Return a calendar file with events, which are written without their frame."""
    framed = "".join(f"BEGIN:VEVENT\n{event.strip()}\nEND:VEVENT\n" for event in events)
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Elsewhere//EN\n{framed}END:VCALENDAR\n"
    return text.replace("\n", "\r\n")
