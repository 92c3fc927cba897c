"""What a deletion is while it can be undone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tertulia.core.clock import MILLISECOND, now, time_left
from tertulia.infra.db import Tx

#: How long a deletion can be undone: longer than any client offers it, so that a late click still counts.
UNDO_WINDOW = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class PendingDeletion:
    """Something that a person deleted, and until when they can restore it.

    That is kept by `Tx.uptime`, so that no setting of a machine's clock makes the time shorter or longer.
    """

    id: str
    workspace_id: str
    user_id: str
    kind: str
    subject_id: str
    restore_until_uptime: datetime
    window_ms: int

    @property
    def window(self) -> timedelta:
        """How long it can be restored, from when it was deleted."""
        return self.window_ms * MILLISECOND

    @property
    def restore_until(self) -> datetime:
        """The moment until which it can be restored, for the person who deletes it now."""
        return now() + self.window

    def time_left(self, uptime: datetime) -> timedelta:
        """Return how much longer it can be restored."""
        return time_left(self.restore_until_uptime, uptime=uptime, span=self.window)


@dataclass(frozen=True, slots=True)
class DeletionKind:
    """How one kind of thing comes back, and how it is deleted for good."""

    restore: Callable[[Tx, PendingDeletion], None]
    erase: Callable[[Tx, PendingDeletion], None]
