"""Finding the caller's own profile: there is no way to anybody else's."""

from tertulia.infra.db import Tx
from tertulia.profiles.domain import UserProfile


def find_own_profile(tx: Tx) -> UserProfile | None:
    """Return the caller's profile, empty until something is told; None without their consent."""
    sql = "SELECT * FROM profiles WHERE workspace_id = :workspace AND user_id = :me"
    return tx.one(UserProfile, sql)
