"""Durable background work: queued in the data's own transaction, done at least once."""

from tertulia.infra.jobs.payloads import payload_by, principal_of
from tertulia.infra.jobs.queue import NO_JOB_DELAY, cancel_jobs, enqueue
from tertulia.infra.jobs.worker import JobHandler, JobWorker

__all__ = [
    "NO_JOB_DELAY",
    "JobHandler",
    "JobWorker",
    "cancel_jobs",
    "enqueue",
    "payload_by",
    "principal_of",
]
