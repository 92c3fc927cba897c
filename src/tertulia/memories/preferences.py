"""What a person lets be remembered without being asked."""

from dataclasses import dataclass, field

from tertulia.infra.db import Tx
from tertulia.memories.domain import MemoryType


@dataclass(frozen=True, slots=True)
class MemoryPreferences:
    """Types that are taken without asking, and whether conversations at rest are looked through."""

    taken_types: list[MemoryType] = field(default_factory=list[MemoryType])
    in_background: bool = False


def read_preferences(tx: Tx) -> MemoryPreferences:
    """Return what the caller has decided; until they do, everything is asked and nothing looked through."""
    sql = """SELECT taken_types, in_background FROM memory_preferences
        WHERE workspace_id = :workspace AND user_id = :me"""
    return tx.one(MemoryPreferences, sql) or MemoryPreferences()


def write_preferences(tx: Tx, preferences: MemoryPreferences) -> None:
    """Store what the caller decides."""
    tx.run(
        """INSERT INTO memory_preferences (workspace_id, user_id, taken_types, in_background)
           VALUES (:workspace, :me, :taken_types, :in_background)
           ON CONFLICT (workspace_id, user_id) DO UPDATE SET taken_types = :taken_types,
             in_background = :in_background""",
        taken_types=sorted(set(preferences.taken_types)),
        in_background=preferences.in_background,
    )
