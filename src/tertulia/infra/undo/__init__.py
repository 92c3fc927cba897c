"""Deleting with an undo: gone for everybody at once, restored within a short time, or gone for good."""

from tertulia.infra.undo.domain import DeletionKind, PendingDeletion
from tertulia.infra.undo.service import PendingDeletions
from tertulia.infra.undo.store import add, remove

__all__ = ["DeletionKind", "PendingDeletion", "PendingDeletions", "add", "remove"]
