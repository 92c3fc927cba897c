"""Finding out who is to be reminded of what: when it is due, and when next to look."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tertulia.accounts import members
from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.reminders import delivery_store, plan_store, push_store, store, subjects
from tertulia.reminders.domain import (
    LATE_AFTER,
    LATE_REMINDERS_MAX,
    DueReminder,
    ReminderChannel,
    ReminderPlan,
    ReminderPreferences,
)
from tertulia.reminders.plan_store import PLAN_HORIZON

log = logging.getLogger("tertulia.reminders")

#: A change may be noticed so much later than it was made: what fell due in between is told all the same.
CHANGE_NOTICED_WITHIN = timedelta(minutes=2)
#: People who are looked for one after the other, before others have their turn.
PLANS_PER_PASS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """What is due of a person at a moment, and when the next is."""

    due: Sequence[DueReminder]
    at: datetime
    look_at: datetime
    planned_at: datetime | None


class ReminderPlanner:
    """Turns what is due into reminders that are sent."""

    def __init__(self, db: Database, *, channels: frozenset[ReminderChannel]) -> None:
        self._db = db
        #: By which this server can remind anybody.
        self._channels = channels

    async def run_due(self) -> bool:
        """Look for everybody for whom it is time; return whether anybody was to be reminded."""
        has_due = False
        for _ in range(PLANS_PER_PASS_MAX):
            if not await self._db.read(lambda tx: plan_store.has_due(tx, now=now()), by=None):
                break
            plan = await self._db.write(lambda tx: plan_store.claim(tx, now=now()), by=None, concurrent=True)
            if plan is None:
                break
            has_due = await self._try_to_look(plan) or has_due
        return has_due

    async def _try_to_look(self, plan: ReminderPlan) -> bool:
        """Look for one person; whatever is wrong with their calendars, others are reminded."""
        try:
            return await self._look(plan)
        except Exception:
            log.exception("The reminders of %s could not be looked for; it is tried again.", plan.user_id)
            return False

    async def _look(self, plan: ReminderPlan) -> bool:
        """Look for one person, and write down what they are to be reminded of."""
        by = Principal(plan.user_id, plan.workspace_id, Role.MEMBER)
        outcome = await self._db.read(lambda tx: look_for(tx, plan, at=now()), by=by)
        return await self._db.write(lambda tx: record(tx, plan, outcome, channels=self._channels), by=by)


def look_for(tx: Tx, plan: ReminderPlan, *, at: datetime) -> PlanOutcome:
    """Return what the caller is to be reminded of by now, and when to look again."""
    if members.find_active(tx) is None:
        return PlanOutcome((), at, at + PLAN_HORIZON, None)
    since, horizon = window_start(plan.planned_at, at=at), at + PLAN_HORIZON
    found = subjects.list_due(tx, store.find_preferences(tx), since=since, until=horizon)
    following = min((reminder.due_at for reminder in found if reminder.due_at > at), default=horizon)
    return PlanOutcome([reminder for reminder in found if reminder.due_at <= at], at, following, following)


def window_start(planned_at: datetime | None, *, at: datetime) -> datetime:
    """Return from when on what is due now is told.

    Before the moment that was planned nothing was due. What a change makes due in the past, such as an event
    of yesterday that is put into the calendar today, is not told, nor what was missed long ago.
    """
    planned = at if planned_at is None else planned_at
    return max(min(planned, at - CHANGE_NOTICED_WITHIN), at - LATE_REMINDERS_MAX)


def record(tx: Tx, plan: ReminderPlan, outcome: PlanOutcome, *, channels: frozenset[ReminderChannel]) -> bool:
    """Store reminders and have them sent, unless something has changed since they were looked for."""
    if not plan_store.is_current(tx, plan):
        return False
    chosen = store.find_preferences(tx)
    added = [add_reminder(tx, due, chosen, at=outcome.at, channels=channels) for due in outcome.due]
    plan_store.settle(tx, plan, look_at=outcome.look_at, planned_at=outcome.planned_at)
    return any(added)


def add_reminder(
    tx: Tx,
    due: DueReminder,
    chosen: ReminderPreferences,
    *,
    at: datetime,
    channels: frozenset[ReminderChannel],
) -> bool:
    """Store a reminder of the caller's and have it sent by every channel they chose, if it is new."""
    reminder_id = store.add(tx, due, is_late=at - due.due_at > LATE_AFTER)
    if reminder_id is None:
        return False
    for channel in channels.intersection(chosen.channels):
        add_deliveries(tx, reminder_id, channel, send_at=at)
    return True


def add_deliveries(tx: Tx, reminder_id: str, channel: ReminderChannel, *, send_at: datetime) -> None:
    """Have a reminder of the caller's sent by a channel: by push to each browser."""
    if channel is not ReminderChannel.PUSH:
        delivery_store.add(tx, reminder_id, channel, send_at=send_at)
        return
    for subscription in push_store.list_own(tx):
        delivery_store.add(tx, reminder_id, channel, target=subscription.id, send_at=send_at)
