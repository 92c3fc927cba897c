"""What a sync did, to be told."""

from dataclasses import dataclass, field

from tertulia.calendars.caldav.server_versions import Takeover
from tertulia.calendars.domain import PendingChange


@dataclass(slots=True)
class SyncReport:
    """How many events came and went, in both directions."""

    added: int = 0
    changed: int = 0
    deleted: int = 0
    conflicts: int = 0
    sent: int = 0
    problems: list[str] = field(default_factory=list[str])

    @property
    def has_news(self) -> bool:
        """Tell whether anything looks different now."""
        return bool(
            self.added or self.changed or self.deleted or self.conflicts or self.sent or self.problems
        )

    def count(self, takeover: Takeover) -> None:
        """Count what became of one event of the server."""
        if takeover is Takeover.ADDED:
            self.added += 1
        elif takeover is Takeover.CHANGED:
            self.changed += 1
        elif takeover is Takeover.DELETED:
            self.deleted += 1
        elif takeover is Takeover.CONFLICT:
            self.conflicts += 1

    def count_sent(self, change: PendingChange) -> None:
        """Count one change that the server has taken."""
        if change is not PendingChange.NONE:
            self.sent += 1
