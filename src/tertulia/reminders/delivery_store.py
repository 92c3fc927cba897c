"""Reminders on their way, in the database: each claimed before it is sent, and never sent twice."""

from collections.abc import Collection
from datetime import datetime, timedelta

from tertulia.core.clock import LEASE_MAX
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.db.row_locks import SKIP_LOCKED
from tertulia.reminders.domain import DeliveryStatus, ReminderChannel, ReminderDelivery

#: Whoever has claimed a reminder for longer is gone, or its server is.
DELIVERY_LEASE = timedelta(minutes=2)
DELIVERY_ATTEMPTS_MAX = 6
FIRST_BACKOFF = timedelta(seconds=30)
BACKOFF_MAX = timedelta(minutes=15)
#: What is tried again lies no further ahead than that: else a wrong clock said when.
WAITING_SQL = """status = 'waiting' AND channel = :channel
    AND (send_at <= :now OR (attempts > 0 AND send_at > :credible))"""
LAPSED_SQL = "status = 'sending' AND (lease_until < :uptime OR lease_until > :credible)"


def add(tx: Tx, reminder_id: str, channel: ReminderChannel, *, target: str = "", send_at: datetime) -> None:
    """Have a reminder of the caller's sent by a channel."""
    tx.run(
        """INSERT INTO reminder_deliveries
             (reminder_id, channel, target, workspace_id, user_id, status, send_at)
           VALUES (:reminder, :channel, :target, :workspace, :me, 'waiting', :send_at)
           ON CONFLICT (reminder_id, channel, target) DO UPDATE SET status = 'waiting', send_at = :send_at,
             attempts = 0, lease_until = NULL, claim = '', problem = ''""",
        reminder=reminder_id,
        channel=channel,
        target=target,
        send_at=send_at,
    )


def has_due(tx: Tx, channel: ReminderChannel, *, now: datetime) -> bool:
    """Tell whether anything is to be sent by a channel; for housekeeping."""
    sql = f"SELECT 1 FROM reminder_deliveries WHERE {WAITING_SQL} LIMIT 1"
    return tx.value(sql, channel=channel, now=now, credible=now + BACKOFF_MAX) is not None


def claim(tx: Tx, channel: ReminderChannel, *, now: datetime) -> ReminderDelivery | None:
    """Take what has waited longest by a channel; for housekeeping."""
    return tx.one(
        ReminderDelivery,
        f"""UPDATE reminder_deliveries SET status = 'sending', attempts = attempts + 1, lease_until = :until,
              claim = :claim
            WHERE (reminder_id, channel, target) = (
              SELECT reminder_id, channel, target FROM reminder_deliveries WHERE {WAITING_SQL}
              ORDER BY send_at, reminder_id LIMIT 1 {SKIP_LOCKED})
            RETURNING reminder_id, channel, target, workspace_id, user_id, status, attempts, claim,
              problem""",
        channel=channel,
        now=now,
        credible=now + BACKOFF_MAX,
        until=tx.uptime() + DELIVERY_LEASE,
        claim=new_id("snd"),
    )


def has_lapsed(tx: Tx) -> bool:
    """Tell whether somebody who was to send a reminder is gone; for housekeeping."""
    uptime = tx.uptime()
    sql = f"SELECT 1 FROM reminder_deliveries WHERE {LAPSED_SQL} LIMIT 1"
    return tx.value(sql, uptime=uptime, credible=uptime + LEASE_MAX) is not None


def settle_lapsed(tx: Tx, *, problem: str) -> None:
    """Say of what was being sent by somebody who is gone that nobody knows; for housekeeping.

    What is told in the app is told in the transaction that says so: it was not.
    """
    uptime = tx.uptime()
    tx.run(
        f"""UPDATE reminder_deliveries SET lease_until = NULL, claim = '',
              status = CASE WHEN channel = 'app' THEN 'waiting' ELSE 'unknown' END,
              problem = CASE WHEN channel = 'app' THEN '' ELSE :problem END
            WHERE {LAPSED_SQL}""",
        uptime=uptime,
        credible=uptime + LEASE_MAX,
        problem=problem,
    )


def finish(
    tx: Tx,
    delivery: ReminderDelivery,
    status: DeliveryStatus,
    *,
    problem: str = "",
    send_at: datetime | None = None,
) -> bool:
    """Say what became of what was claimed; False where somebody else has said so by now."""
    sql = """UPDATE reminder_deliveries SET status = :status, problem = :problem, lease_until = NULL,
          claim = '', send_at = coalesce(CAST(:send_at AS BIGINT), send_at)
        WHERE reminder_id = :reminder AND channel = :channel AND target = :target AND claim = :claim
          AND workspace_id = :workspace"""
    return bool(
        tx.change(
            sql,
            reminder=delivery.reminder_id,
            channel=delivery.channel,
            target=delivery.target,
            claim=delivery.claim,
            status=status,
            problem=problem,
            send_at=send_at,
        )
    )


def drop_waiting(tx: Tx, reminder_ids: Collection[str]) -> None:
    """Send nothing more of reminders that the caller has dismissed."""
    tx.run(
        f"""UPDATE reminder_deliveries SET status = 'dropped' WHERE reminder_id IN {bound_list("ids")}
            AND workspace_id = :workspace AND user_id = :me AND status = 'waiting' AND channel <> 'app'""",
        ids=list(reminder_ids),
    )


def list_of_reminders(tx: Tx, reminder_ids: Collection[str]) -> list[ReminderDelivery]:
    """Return how far some reminders have come, by each channel."""
    sql = f"""SELECT reminder_id, channel, target, workspace_id, user_id, status, attempts, claim, problem
        FROM reminder_deliveries WHERE reminder_id IN {bound_list("ids")} AND workspace_id = :workspace
        ORDER BY reminder_id, channel, target"""
    return tx.all(ReminderDelivery, sql, ids=list(reminder_ids))


def backoff_after(attempts: int) -> timedelta:
    """Return how long to wait after so many attempts."""
    return min(FIRST_BACKOFF * 2 ** max(attempts - 1, 0), BACKOFF_MAX)
