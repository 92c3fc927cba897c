"""Durable background work: queued in the data's own transaction, done at least once."""

from tertulia.infra.jobs.queue import NO_WAIT, cancel, enqueue
from tertulia.infra.jobs.worker import Handler, JobWorker

__all__ = ["NO_WAIT", "Handler", "JobWorker", "cancel", "enqueue"]
