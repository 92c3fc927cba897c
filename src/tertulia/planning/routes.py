"""Preferences, free slots and planning again over HTTP: each person's own."""

from zoneinfo import ZoneInfo

from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.planning.preference_schemas import CalendarPreferencesChange, CalendarPreferencesView
from tertulia.planning.preferences import change_preferences, find_zone, read_preferences
from tertulia.planning.replanning import plan_again, undo_replan
from tertulia.planning.schemas import (
    ReplanBody,
    ReplanView,
    SlotList,
    SlotQuestionBody,
    SlotView,
)
from tertulia.planning.slots import find_free_slots

router = Router(prefix="/api/calendar", tags=["planning"])


@router.get("/preferences")
async def get_calendar_preferences(me: Me, db: Db) -> CalendarPreferencesView:
    """Return when you work, and how you like your time to be planned."""
    return await db.read(lambda tx: CalendarPreferencesView.of(read_preferences(tx), find_zone(tx)), by=me)


@router.put("/preferences")
async def change_calendar_preferences(
    body: CalendarPreferencesChange, me: Member, db: Db
) -> CalendarPreferencesView:
    """Change when you work and how you like your time to be planned; what is left out stays as it is."""
    values = body.to_values()

    def write(tx: Tx) -> CalendarPreferencesView:
        return CalendarPreferencesView.of(change_preferences(tx, values), find_zone(tx))

    return await db.write(write, by=me)


@router.post("/slots")
async def find_slots(body: SlotQuestionBody, me: Me, db: Db) -> SlotList:
    """Find when something fits into your time, or into a time that you describe."""

    def read(tx: Tx) -> SlotList:
        zone = body.zone or find_zone(tx)
        slots, has_more = find_free_slots(tx, body.to_wish(zone))
        return SlotList(slots=[SlotView.of(slot, ZoneInfo(zone)) for slot in slots], more=has_more, zone=zone)

    return await db.read(read, by=me)


@router.post("/replan")
async def plan_tasks_again(me: Member, db: Db, log: Log, body: ReplanBody | None = None) -> ReplanView:
    """Move tasks that cannot be done when they lie on your calendar; pinned ones stay. All is one undo."""
    is_dry = body is not None and body.dry_run

    def write(tx: Tx) -> ReplanView:
        return ReplanView.of(plan_again(tx, dry_run=is_dry, log=log), find_zone(tx))

    return await db.write(write, by=me)


@router.post("/replans/{replan_id}/undo")
async def undo_planning(replan_id: str, me: Member, db: Db, log: Log) -> ReplanView:
    """Move back what planning again has moved, except for what was changed since."""

    def write(tx: Tx) -> ReplanView:
        return ReplanView.of(undo_replan(tx, replan_id, log=log), find_zone(tx))

    return await db.write(write, by=me)
