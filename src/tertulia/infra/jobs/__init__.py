"""Durable background work: queued in the data's own transaction, done at least once."""

from tertulia.infra.jobs.held_claims import JOB_MAX_SECONDS, JobUnderWay, run_claimed
from tertulia.infra.jobs.payloads import payload_by, principal_of
from tertulia.infra.jobs.queue import NO_JOB_DELAY, cancel_jobs, enqueue
from tertulia.infra.jobs.worker import JOB_POLL_SECONDS, JobHandler, JobWorker

__all__ = [
    "JOB_MAX_SECONDS",
    "JOB_POLL_SECONDS",
    "NO_JOB_DELAY",
    "JobHandler",
    "JobUnderWay",
    "JobWorker",
    "cancel_jobs",
    "enqueue",
    "payload_by",
    "principal_of",
    "run_claimed",
]
