"""What a deletion is while it can be undone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tertulia.infra.db import Tx

#: How long a deletion can be undone: longer than any client offers it, so that a late click still counts.
UNDO_WINDOW = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class PendingDeletion:
    """Something that a person deleted, and until when they can restore it."""

    id: str
    workspace_id: str
    user_id: str
    kind: str
    subject_id: str
    restore_until: datetime


@dataclass(frozen=True, slots=True)
class DeletionKind:
    """How one kind of thing comes back, and how it is deleted for good."""

    restore: Callable[[Tx, PendingDeletion], None]
    erase: Callable[[Tx, PendingDeletion], None]
