"""Calendars and events over HTTP: only their owner sees them."""

import asyncio
from datetime import date, datetime, time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Query, Request, Response

from tertulia.calendars import calendar_access, calendar_service, ics_export, ics_import, service
from tertulia.calendars.caldav.routes import Accounts
from tertulia.calendars.deletion import delete_calendar_with_undo
from tertulia.calendars.domain import Calendar, Scope
from tertulia.calendars.event_times import zone_clock
from tertulia.calendars.occurrences import find_zone, list_occurrences
from tertulia.calendars.schemas import (
    CalendarChange,
    CalendarList,
    CalendarView,
    EventChangeBody,
    EventList,
    EventTime,
    EventView,
    ImportBody,
    ImportView,
    NewBuiltinCalendar,
    NewCalendarBody,
    NewCalendarView,
    NewEventBody,
    RecurrenceName,
    SubscriptionView,
    ZoneName,
    view_events,
)
from tertulia.infra.db import Tx
from tertulia.infra.http.body_limits import BodyLimit, body_limit
from tertulia.infra.http.dependencies import Config, Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ValidUnicode, omit_unset
from tertulia.infra.undo.schemas import DeletionView

router = Router(prefix="/api", tags=["calendars"])

#: A file as JSON: most signs are one byte, ends of lines four.
IMPORT_BODY_LIMIT = BodyLimit(2 * ics_import.IMPORT_MAX_BYTES)
SearchText = Annotated[str, Query(max_length=200), ValidUnicode]
CalendarChoice = Annotated[list[str] | None, Query(max_length=100)]
#: A file that no browser opens as a page, and no cache keeps.
FILE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "private, no-store",
    "Referrer-Policy": "no-referrer",
}


@router.get("/calendars")
async def list_calendars(me: Me, db: Db) -> CalendarList:
    """List your calendars; everybody has a first one from the start."""
    found = await db.read(service.list_calendars, by=me)
    return CalendarList(calendars=[CalendarView.of(calendar) for calendar in found])


@router.post("/calendars", status_code=201)
async def create_calendar(
    body: NewCalendarBody, me: Member, db: Db, log: Log, accounts: Accounts
) -> NewCalendarView:
    """Make a calendar here, or connect an account: then all its calendars are added."""
    if isinstance(body, NewBuiltinCalendar):
        name, color = body.name, body.color
        made = await db.write(
            lambda tx: calendar_service.create_calendar(tx, name=name, color=color, log=log), by=me
        )
        return NewCalendarView.first_of([made])
    ids = await accounts.connect(body.to_account(), by=me)

    def read(tx: Tx) -> list[Calendar]:
        return [calendar_access.get(tx, calendar_id) for calendar_id in ids]

    return NewCalendarView.first_of(await db.read(read, by=me))


@router.get("/calendars/{calendar_id}")
async def get_calendar(calendar_id: str, me: Me, db: Db) -> CalendarView:
    """Return one of your calendars."""
    return CalendarView.of(await db.read(lambda tx: calendar_access.get(tx, calendar_id), by=me))


@router.put("/calendars/{calendar_id}")
async def change_calendar(
    calendar_id: str, body: CalendarChange, me: Member, db: Db, log: Log
) -> CalendarView:
    """Change how a calendar looks here, and what its events mean."""
    values = omit_unset(body)
    changed = await db.write(
        lambda tx: calendar_service.change_calendar(tx, calendar_id, values, log=log), by=me
    )
    return CalendarView.of(changed)


@router.delete("/calendars/{calendar_id}")
async def delete_calendar(calendar_id: str, me: Member, db: Db, log: Log) -> DeletionView:
    """Delete a calendar here, with a short time in which you can restore it; servers keep theirs."""
    deletion = await db.write(lambda tx: delete_calendar_with_undo(tx, calendar_id, log=log), by=me)
    return DeletionView.model_validate(deletion)


@router.post("/calendars/{calendar_id}/import")
@body_limit(IMPORT_BODY_LIMIT)
async def import_events(calendar_id: str, body: ImportBody, me: Member, db: Db, log: Log) -> ImportView:
    """Import a calendar file: events that are there already, by their UIDs, are replaced."""
    await db.read(lambda tx: calendar_access.get(tx, calendar_id), by=me)
    file = await asyncio.to_thread(ics_import.read_file, body.ics)
    report = await db.write(lambda tx: ics_import.import_file(tx, calendar_id, file, log=log), by=me)
    return ImportView.model_validate(report)


@router.get("/calendars/{calendar_id}/export")
async def export_calendar(calendar_id: str, me: Me, db: Db) -> Response:
    """Return a calendar as a file, with all that is known of its events."""
    name, texts = await db.read(lambda tx: ics_export.list_texts(tx, calendar_id), by=me)
    return await _send_file(name, texts)


@router.post("/calendars/{calendar_id}/subscription", status_code=201)
async def create_subscription(
    calendar_id: str, request: Request, me: Member, db: Db, log: Log, settings: Config
) -> SubscriptionView:
    """Make a secret address under which a calendar can be subscribed to; one made before ends."""
    token = await db.write(lambda tx: calendar_service.create_subscription(tx, calendar_id, log=log), by=me)
    base = (settings.public_url or str(request.base_url)).rstrip("/")
    return SubscriptionView(url=f"{base}/api/calendar/subscriptions/{token}.ics")


@router.delete("/calendars/{calendar_id}/subscription", status_code=204)
async def revoke_subscription(calendar_id: str, me: Member, db: Db, log: Log) -> None:
    """End the secret address of a calendar."""
    await db.write(lambda tx: calendar_service.revoke_subscription(tx, calendar_id, log=log), by=me)


@router.get("/calendar/subscriptions/{token}.ics")
async def read_subscription(token: str, db: Db) -> Response:
    """Return the calendar of a secret address, to whoever has it."""
    name, texts = await ics_export.find_subscription(db, calendar_service.hash_token(token))
    return await _send_file(name, texts)


@router.get("/calendar/events")
async def list_events(
    me: Me,
    db: Db,
    start: EventTime,
    end: EventTime,
    calendars: CalendarChoice = None,
    q: SearchText = "",
    zone: ZoneName = "",
) -> EventList:
    """List what happens, each time of a series by itself; of days, the first and the last are both meant."""
    chosen = [name for given in calendars or [] for name in given.split(",") if name]

    def read(tx: Tx) -> EventList:
        name = zone or find_zone(tx)
        zone_clock(name)
        clock = ZoneInfo(name)
        found = list_occurrences(
            tx,
            start=_begin(start, clock),
            end=_finish(end, clock),
            zone=name,
            calendar_ids=chosen,
            text=q,
        )
        return EventList(events=view_events(tx, found))

    return await db.read(read, by=me)


@router.post("/calendar/events", status_code=201)
async def create_event(body: NewEventBody, me: Member, db: Db, log: Log) -> EventView:
    """Make an event."""
    new, link = body.to_event(), body.link.to_link() if body.link else None

    def write(tx: Tx) -> EventView:
        return view_events(tx, [service.create_event(tx, new, link=link, log=log)])[0]

    return await db.write(write, by=me)


@router.get("/calendar/events/{event_id}")
async def get_event(event_id: str, me: Me, db: Db, recurrence_id: RecurrenceName | None = None) -> EventView:
    """Return an event, or one time of a series; without a name its first one."""
    return await db.read(
        lambda tx: view_events(tx, [service.get_event(tx, event_id, recurrence_id)])[0], by=me
    )


@router.put("/calendar/events/{event_id}")
async def change_event(event_id: str, body: EventChangeBody, me: Member, db: Db, log: Log) -> EventView:
    """Change an event, or some times of a series; those that follow one become an event of their own."""
    values = body.to_values()

    def write(tx: Tx) -> EventView:
        changed = service.change_event(
            tx,
            event_id,
            values,
            scope=body.scope,
            recurrence_id=body.recurrence_id,
            revision=body.revision,
            log=log,
        )
        return view_events(tx, [changed])[0]

    return await db.write(write, by=me)


@router.delete("/calendar/events/{event_id}")
async def delete_event(
    event_id: str,
    me: Member,
    db: Db,
    log: Log,
    scope: Scope = Scope.ALL,
    recurrence_id: RecurrenceName | None = None,
    revision: int | None = None,
) -> DeletionView:
    """Delete an event, or some times of a series, with a short time in which you can restore it."""
    deletion = await db.write(
        lambda tx: service.delete_event(
            tx, event_id, scope=scope, recurrence_id=recurrence_id, revision=revision, log=log
        ),
        by=me,
    )
    return DeletionView.model_validate(deletion)


async def _send_file(name: str, texts: list[str]) -> Response:
    """Answer with a calendar as a file."""
    content = await asyncio.to_thread(ics_export.write_file, name, texts)
    headers = {**FILE_HEADERS, "Content-Disposition": 'attachment; filename="calendar.ics"'}
    return Response(content, media_type=ics_export.CALENDAR_MEDIA_TYPE, headers=headers)


def _begin(value: date | datetime, clock: ZoneInfo) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=clock)
    return datetime.combine(value, time(), clock)


def _finish(value: date | datetime, clock: ZoneInfo) -> datetime:
    is_moment = isinstance(value, datetime)
    return _begin(value if is_moment else value + timedelta(days=1), clock)
