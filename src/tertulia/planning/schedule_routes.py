"""Putting tasks on one's calendar, and what a day holds, over HTTP."""

from typing import Annotated

from fastapi import Query

from tertulia.accounts.schemas import TimeZoneName
from tertulia.core.errors import NotFound
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.undo.schemas import DeletionView
from tertulia.planning import service
from tertulia.planning.days import plan_day
from tertulia.planning.preferences import find_zone
from tertulia.planning.schedule_schemas import PinBody, ScheduleBody, ScheduledView, TodayView
from tertulia.planning.times_given import read_start
from tertulia.tasks.schemas import Day

router = Router(prefix="/api", tags=["planning"])


@router.post("/tasks/{task_id}/schedule")
async def schedule_task(task_id: str, body: ScheduleBody, me: Member, db: Db, log: Log) -> ScheduledView:
    """Put a task on your calendar, or move it there: at a time, or in the first slot that is free."""

    def write(tx: Tx) -> ScheduledView:
        start = read_start(body.start, zone=find_zone(tx)) if body.start else None
        scheduled = service.schedule_task(
            tx,
            task_id,
            start=start,
            duration_minutes=body.duration_minutes,
            preferred_time=body.preferred_time,
            calendar_id=body.calendar_id,
            pinned=body.pinned,
            allow_overlap=body.allow_overlap,
            log=log,
        )
        return ScheduledView.of(tx, scheduled)

    return await db.write(write, by=me)


@router.put("/tasks/{task_id}/schedule")
async def pin_task(task_id: str, body: PinBody, me: Member, db: Db, log: Log) -> ScheduledView:
    """Let a task stay where it is when you plan again, or let it be moved."""

    def write(tx: Tx) -> ScheduledView:
        return ScheduledView.of(tx, service.pin_task(tx, task_id, pinned=body.pinned, log=log))

    return await db.write(write, by=me)


@router.delete("/tasks/{task_id}/schedule")
async def unschedule_task(task_id: str, me: Member, db: Db, log: Log) -> DeletionView:
    """Take a task off your calendar, with a short time in which you can bring it back."""
    deletion = await db.write(lambda tx: service.unschedule_task(tx, task_id, log=log), by=me)
    if deletion is None:
        raise NotFound("schedule")
    return DeletionView.model_validate(deletion)


@router.get("/today")
async def get_today(
    me: Me,
    db: Db,
    date: Annotated[Day | None, Query()] = None,
    zone: Annotated[TimeZoneName | None, Query()] = None,
) -> TodayView:
    """Return what a day holds for you, today unless another is named: events, tasks, and slots for those."""
    return await db.read(lambda tx: TodayView.of(tx, plan_day(tx, date, zone_hint=zone or "")), by=me)
