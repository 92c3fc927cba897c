"""When next to look for whose reminders, in the database."""

from datetime import datetime, timedelta

from tertulia.infra.db import Tx
from tertulia.infra.db.row_locks import SKIP_LOCKED
from tertulia.reminders.domain import ReminderPlan

#: How far ahead it is looked; nothing is planned for later, so what lies beyond was planned by a wrong clock.
PLAN_HORIZON = timedelta(hours=6)
#: A plan that was claimed for so long belongs to a process that is gone.
PLAN_LEASE = timedelta(seconds=30)
DUE_PLANS_SQL = "look_at <= :now OR look_at > :credible"


def has_due(tx: Tx, *, now: datetime) -> bool:
    """Tell whether there is anybody to look for; for housekeeping."""
    sql = f"SELECT 1 FROM reminder_plans WHERE {DUE_PLANS_SQL} LIMIT 1"
    return tx.value(sql, now=now, credible=now + PLAN_HORIZON + PLAN_LEASE) is not None


def claim(tx: Tx, *, now: datetime) -> ReminderPlan | None:
    """Take the plan that has waited longest, for housekeeping; its person is looked for by nobody else."""
    return tx.one(
        ReminderPlan,
        f"""UPDATE reminder_plans SET look_at = :until WHERE id = (
              SELECT id FROM reminder_plans WHERE {DUE_PLANS_SQL}
              ORDER BY look_at, id LIMIT 1 {SKIP_LOCKED})
            RETURNING id, workspace_id, user_id, planned_at, version""",
        now=now,
        credible=now + PLAN_HORIZON + PLAN_LEASE,
        until=now + PLAN_LEASE,
    )


def is_current(tx: Tx, plan: ReminderPlan) -> bool:
    """Tell whether nothing has changed since a plan was claimed."""
    sql = "SELECT 1 FROM reminder_plans WHERE id = :id AND version = :version AND workspace_id = :workspace"
    return tx.value(sql, id=plan.id, version=plan.version) is not None


def settle(tx: Tx, plan: ReminderPlan, *, look_at: datetime, planned_at: datetime | None) -> None:
    """Say when next to look, unless something has changed meanwhile: then it is looked at once."""
    tx.run(
        """UPDATE reminder_plans SET look_at = :look_at, planned_at = :planned_at
           WHERE id = :id AND version = :version AND workspace_id = :workspace""",
        id=plan.id,
        version=plan.version,
        look_at=look_at,
        planned_at=planned_at,
    )


def look_again(tx: Tx) -> None:
    """Have the caller's reminders looked for at once: they chose something else."""
    tx.run(
        """UPDATE reminder_plans SET look_at = 0, version = version + 1
           WHERE workspace_id = :workspace AND user_id = :me"""
    )
