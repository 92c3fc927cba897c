"""Durable background work: queued in the data's own transaction, done at least once."""

from tertulia.infra.jobs.queue import cancel, enqueue
from tertulia.infra.jobs.worker import Handler, JobWorker

__all__ = ["Handler", "JobWorker", "cancel", "enqueue"]
