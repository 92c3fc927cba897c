"""Profiles in the database, as their own people write them."""

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.profiles.domain import UserProfile


def add(tx: Tx) -> bool:
    """Give the caller an empty profile; False where they have one."""
    added = tx.change(
        """INSERT INTO profiles (id, workspace_id, user_id, consented_at)
           VALUES (:id, :workspace, :me, :now) ON CONFLICT (workspace_id, user_id) DO NOTHING""",
        id=new_id("prf"),
        now=now(),
    )
    return added > 0


def change(tx: Tx, values: JsonObject) -> UserProfile | None:
    """Set the given columns of the caller's profile and return it; None where they have none."""
    sets = "".join(f", {column} = :{column}" for column in values)
    return tx.one(
        UserProfile,
        f"""UPDATE profiles SET updated_at = :now{sets}
            WHERE workspace_id = :workspace AND user_id = :me RETURNING *""",
        now=now(),
        **values,
    )


def delete(tx: Tx) -> bool:
    """Delete the caller's profile with all its text; False where they have none."""
    return tx.change("DELETE FROM profiles WHERE workspace_id = :workspace AND user_id = :me") > 0
