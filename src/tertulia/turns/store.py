"""Runs and spending in the database."""

from collections.abc import Sequence
from datetime import datetime

from tertulia.core.clock import LEASE_MAX, now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.db.row_locks import FOR_SHARE
from tertulia.turns.domain import Reservation, Run, Spending

LEASE_LAPSED_SQL = "(lease_until < :lapsed OR lease_until > :credible)"


def add_run(tx: Tx, *, reply_id: str, conversation_id: str, worker: str, lease_until: datetime) -> None:
    """Record that a reply is to be produced, by the worker that took the question in."""
    tx.run(
        """INSERT INTO runs (reply_id, workspace_id, conversation_id, user_id, worker,
             lease_until, created_at)
           VALUES (:reply_id, :workspace, :conversation, :me, :worker, :lease_until, :now)""",
        reply_id=reply_id,
        conversation=conversation_id,
        worker=worker,
        lease_until=lease_until,
        now=now(),
    )


def write_reservation(tx: Tx, reply_id: str, reservation: Reservation) -> None:
    """Set aside what a reply may cost at most."""
    tx.run(
        """UPDATE runs SET reserved = :amount, asked_tokens = :asked, prices = :prices, personal = :personal
           WHERE reply_id = :id AND workspace_id = :workspace""",
        id=reply_id,
        amount=reservation.amount,
        asked=reservation.asked_tokens,
        prices=reservation.prices,
        personal=reservation.personal,
    )


def end_run(tx: Tx, reply_id: str) -> None:
    """Forget a run: its reply is final."""
    tx.run("DELETE FROM runs WHERE reply_id = :id AND workspace_id = :workspace", id=reply_id)


def hold_owned_runs(tx: Tx, reply_ids: Sequence[str], *, worker: str) -> dict[str, bool]:
    """Return those replies that are this worker's to write until the commit, and whether to stop each."""
    sql = f"""SELECT reply_id, stop_requested FROM runs
        WHERE worker = :worker AND reply_id IN {bound_list("ids")} ORDER BY reply_id {FOR_SHARE}"""
    return {row[0]: bool(row[1]) for row in tx.rows(sql, ids=list(reply_ids), worker=worker)}


def hold_run(tx: Tx, reply_id: str, *, worker: str) -> bool:
    """Tell whether a reply is this worker's to write until the commit."""
    sql = f"""SELECT 1 FROM runs WHERE reply_id = :id AND worker = :worker AND workspace_id = :workspace
        {FOR_SHARE}"""
    return tx.value(sql, id=reply_id, worker=worker) is not None


def release_run(tx: Tx, reply_id: str) -> None:
    """Leave a run to whoever takes over what was left behind."""
    tx.run("UPDATE runs SET worker = '', lease_until = 0 WHERE reply_id = :id", id=reply_id)


def renew_leases(tx: Tx, *, worker: str, until: datetime) -> dict[str, bool]:
    """Prolong all leases of a worker, and return its replies and whether someone wants each stopped."""
    sql = """UPDATE runs SET lease_until = :until WHERE worker = :worker
        RETURNING reply_id, stop_requested"""
    return {row[0]: bool(row[1]) for row in tx.rows(sql, worker=worker, until=until)}


def find_requested_stops(tx: Tx, *, worker: str) -> list[str]:
    """Return the replies of a worker that someone wants stopped."""
    return tx.column("SELECT reply_id FROM runs WHERE worker = :worker AND stop_requested = 1", worker=worker)


def find_lapsed_runs(tx: Tx, *, worker: str, lapsed: datetime) -> list[Run]:
    """Return the runs of other workers whose lease ended before `lapsed`."""
    sql = f"""SELECT * FROM runs WHERE {LEASE_LAPSED_SQL} AND worker <> :worker AND waiting = 0
        ORDER BY reply_id"""
    return tx.all(Run, sql, worker=worker, lapsed=lapsed, credible=lapsed + LEASE_MAX)


def take_over_run(tx: Tx, reply_id: str, *, worker: str, until: datetime, lapsed: datetime) -> Run | None:
    """Make a run whose lease ended before `lapsed` this worker's; None when another was quicker."""
    return tx.one(
        Run,
        f"""UPDATE runs SET worker = :worker, lease_until = :until
           WHERE reply_id = :id AND workspace_id = :workspace AND {LEASE_LAPSED_SQL}
             AND worker <> :worker AND waiting = 0
           RETURNING *""",
        id=reply_id,
        worker=worker,
        until=until,
        lapsed=lapsed,
        credible=lapsed + LEASE_MAX,
    )


def suspend_run(tx: Tx, reply_id: str, *, reserved: float) -> None:
    """Let a run wait for a person; until then only what it has cost is set aside."""
    tx.run(
        """UPDATE runs SET waiting = 1, worker = '', reserved = :reserved
           WHERE reply_id = :id AND workspace_id = :workspace""",
        id=reply_id,
        reserved=reserved,
    )


def resume_run(tx: Tx, reply_id: str, *, worker: str, until: datetime) -> Run | None:
    """Make a run that waited this worker's; None when it does not wait."""
    return tx.one(
        Run,
        """UPDATE runs SET waiting = 0, worker = :worker, lease_until = :until
           WHERE reply_id = :id AND waiting = 1 AND workspace_id = :workspace RETURNING *""",
        id=reply_id,
        worker=worker,
        until=until,
    )


def find_run(tx: Tx, reply_id: str) -> Run | None:
    """Return a reply's run."""
    return tx.one(Run, "SELECT * FROM runs WHERE reply_id = :id AND workspace_id = :workspace", id=reply_id)


def find_run_of_anyone(tx: Tx, reply_id: str) -> Run | None:
    """Return a reply's run, whosever it is: for housekeeping."""
    return tx.one(Run, "SELECT * FROM runs WHERE reply_id = :id", id=reply_id)


def request_stop(tx: Tx, reply_ids: Sequence[str]) -> None:
    """Ask whichever worker has these replies to stop."""
    sql = f"""UPDATE runs SET stop_requested = 1
        WHERE workspace_id = :workspace AND reply_id IN {bound_list("ids")}"""
    tx.run(sql, ids=list(reply_ids))


def count_running_replies(tx: Tx) -> tuple[int, int]:
    """Return how many replies the caller, and their workspace, are having written."""
    working = "SELECT count(*) FROM runs WHERE workspace_id = :workspace AND waiting = 0"
    mine = tx.value(f"{working} AND user_id = :me")
    everyone = tx.value(working)
    return int(mine), int(everyone)


def spent_and_reserved(
    tx: Tx, since: datetime, *, except_reply_id: str = "", only_mine: bool
) -> tuple[float, float]:
    """Return what was spent since a moment, and what is set aside for all replies but one.

    All that the caller spent, or what the workspace pays for.
    """
    whose = " AND user_id = :me" if only_mine else " AND personal = 0"
    spent = tx.value(
        f"""SELECT coalesce(sum(counted), 0) FROM spending
            WHERE workspace_id = :workspace AND at >= :since{whose}""",
        since=since,
    )
    reserved = tx.value(
        f"""SELECT coalesce(sum(reserved), 0) FROM runs
            WHERE workspace_id = :workspace AND reply_id <> :but{whose}""",
        but=except_reply_id,
    )
    return float(spent), float(reserved)


def add_spending(tx: Tx, spent: Spending) -> None:
    """Write down what a call cost; it stays when the conversation is deleted."""
    tx.run(
        """INSERT INTO spending (id, workspace_id, user_id, project_id, conversation_id, model, purpose,
             input, output, cached, cost, counted, personal, estimated, at)
           VALUES (:id, :workspace, :user_id, :project_id, :conversation_id, :model, :purpose,
             :input, :output, :cached, :cost, :counted, :personal, :estimated, :now)""",
        id=new_id("spd"),
        user_id=spent.user_id,
        project_id=spent.project_id,
        conversation_id=spent.conversation_id,
        model=spent.model,
        purpose=spent.purpose,
        input=spent.usage.input,
        output=spent.usage.output,
        cached=spent.usage.cached,
        cost=spent.cost,
        counted=spent.counted,
        personal=spent.personal,
        estimated=spent.usage.estimated,
        now=now(),
    )
