"""The table of jobs: putting work in, taking it out under a lease, and saying how it went."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from tertulia.core.clock import EPOCH, LEASE_MAX, MILLISECOND, now
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx, bound_list
from tertulia.infra.db.row_locks import SKIP_LOCKED

#: A claim that was not renewed for so long belongs to a worker that is gone.
JOB_LEASE = timedelta(seconds=20)
#: When work is due that is not for later, however long the machine has been running.
DUE_AT_ONCE = EPOCH
NO_JOB_DELAY = timedelta()
JOB_ATTEMPTS_MAX = 5


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work that some worker has claimed."""

    id: str
    kind: str
    key: str
    payload: JsonObject
    attempts: int
    worker: str


def enqueue(tx: Tx, kind: str, *, key: str, payload: JsonObject, delay: timedelta = NO_JOB_DELAY) -> None:
    """Queue work as part of `tx`; work that waits under the same key is done at the earlier time.

    What was given up after its last attempt is taken up anew. What is being done at this moment
    may have read too early: it becomes new work, with an id of its own, that waits for it to end
    and has not been attempted yet.
    """
    tx.run(
        """INSERT INTO jobs (id, kind, key, payload, run_at, wait_ms, created_at)
           VALUES (:id, :kind, :key, :payload, :run_at, :wait_ms, :now) ON CONFLICT (key) DO UPDATE
             SET id = :id, payload = :payload, run_at = :run_at, wait_ms = :wait_ms, attempts = 0,
               failed_at = NULL, error = NULL
             WHERE jobs.failed_at IS NOT NULL OR (jobs.worker IS NOT NULL AND jobs.attempts > 0)
               OR (jobs.attempts = 0 AND jobs.run_at > :run_at)""",
        id=new_id("job"),
        kind=kind,
        key=key,
        payload=payload,
        run_at=tx.uptime() + delay if delay else DUE_AT_ONCE,
        wait_ms=delay // MILLISECOND,
        now=now(),
    )


def cancel_jobs(tx: Tx, subject_id: str) -> None:
    """Forget all work about something that is gone: work whose key ends in its id."""
    tx.run("DELETE FROM jobs WHERE key LIKE :pattern", pattern=f"%:{subject_id}")


def release_all_jobs(tx: Tx) -> None:
    """Put back what other workers had claimed: they are known to be gone."""
    tx.run("UPDATE jobs SET worker = NULL, lease_until = NULL WHERE failed_at IS NULL")


def claim_job(tx: Tx, worker: str, *, kinds: Collection[str], lease: timedelta = JOB_LEASE) -> Job | None:
    """Take the job that has waited longest, or one whose worker went silent.

    Only of these kinds: while servers are upgraded one by one, the queue holds work that an older one
    does not know.
    """
    uptime = tx.uptime()
    return tx.one(
        Job,
        # What lies further ahead than it was to wait was queued before the machine was last started.
        f"""UPDATE jobs SET worker = :worker, lease_until = :until, attempts = attempts + 1
           WHERE id = (SELECT id FROM jobs WHERE failed_at IS NULL
                       AND (run_at <= :uptime OR run_at > :uptime + wait_ms)
                       AND (lease_until IS NULL OR lease_until < :uptime OR lease_until > :credible)
                       AND kind IN {bound_list("kinds")}
                       ORDER BY run_at, id LIMIT 1 {SKIP_LOCKED})
           RETURNING id, kind, key, payload, attempts, worker""",
        worker=worker,
        kinds=sorted(kinds),
        until=uptime + lease,
        uptime=uptime,
        credible=uptime + LEASE_MAX,
    )


def claim_by_key(
    tx: Tx, kind: str, *, key: str, payload: JsonObject, worker: str, lease: timedelta = JOB_LEASE
) -> Job | None:
    """Take the work of a key right now, whether it was queued or not; None while somebody else does it."""
    uptime = tx.uptime()
    return tx.one(
        Job,
        """INSERT INTO jobs (id, kind, key, payload, run_at, wait_ms, created_at, worker, lease_until,
             attempts)
           VALUES (:id, :kind, :key, :payload, :due, 0, :now, :worker, :until, 1) ON CONFLICT (key) DO UPDATE
             SET worker = :worker, lease_until = :until, attempts = 1, failed_at = NULL, error = NULL
             WHERE jobs.lease_until IS NULL OR jobs.lease_until < :uptime OR jobs.lease_until > :credible
           RETURNING id, kind, key, payload, attempts, worker""",
        id=new_id("job"),
        kind=kind,
        key=key,
        payload=payload,
        due=DUE_AT_ONCE,
        now=now(),
        worker=worker,
        until=uptime + lease,
        uptime=uptime,
        credible=uptime + LEASE_MAX,
    )


def renew_claim(tx: Tx, job: Job, *, lease: timedelta = JOB_LEASE) -> bool:
    """Prolong the claim on a job that is being done; False where another worker has it by now."""
    # By its key: work that was queued under it meanwhile waits under the same claim.
    sql = "UPDATE jobs SET lease_until = :until WHERE key = :key AND worker = :worker"
    return bool(tx.change(sql, key=job.key, worker=job.worker, until=tx.uptime() + lease))


def finish_job(tx: Tx, job: Job) -> None:
    """Forget a job that was done, unless another worker has begun it anew."""
    tx.run("DELETE FROM jobs WHERE id = :id AND worker = :worker", id=job.id, worker=job.worker)
    _release_requeued(tx, job)


def fail_job(tx: Tx, job: Job, error: str, *, is_retried: bool) -> None:
    """Put a job back for later, each time longer; one that is given up is kept only to be looked at."""
    backoff = backoff_after(job.attempts)
    tx.run(
        """UPDATE jobs SET worker = NULL, lease_until = NULL, error = :error, run_at = :later,
           wait_ms = :wait_ms, failed_at = CASE WHEN attempts >= :most THEN CAST(:now AS BIGINT) END
           WHERE id = :id AND worker = :worker""",
        id=job.id,
        worker=job.worker,
        error=error[:500],
        later=tx.uptime() + backoff,
        wait_ms=backoff // MILLISECOND,
        most=JOB_ATTEMPTS_MAX if is_retried else 0,
        now=now(),
    )
    _release_requeued(tx, job)


def _release_requeued(tx: Tx, job: Job) -> None:
    """Let work be claimed that was queued under the key of a job while that was being done."""
    tx.run(
        """UPDATE jobs SET worker = NULL, lease_until = NULL
           WHERE key = :key AND worker = :worker AND id <> :id""",
        key=job.key,
        worker=job.worker,
        id=job.id,
    )


def backoff_after(attempts: int) -> timedelta:
    """Return how long a job rests after so many attempts."""
    return timedelta(seconds=2**attempts)
