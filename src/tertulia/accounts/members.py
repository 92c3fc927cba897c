"""Who belongs to a workspace, and as what."""

from tertulia.accounts import audit
from tertulia.accounts.domain import Member, MemberStatus, check_manages
from tertulia.accounts.errors import AlreadyMember, LastOwner
from tertulia.core import clock
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_ulid
from tertulia.core.principal import Role
from tertulia.infra.db import Tx

MEMBERS_SQL = """
    SELECT m.user_id, u.email, u.name, m.role, m.status, m.joined_at
    FROM members AS m JOIN users AS u ON u.id = m.user_id
    WHERE m.workspace_id = :workspace"""


def list_members(tx: Tx) -> list[Member]:
    """Return the members of the principal's workspace, the first joined first."""
    return tx.all(Member, f"{MEMBERS_SQL} ORDER BY m.sort_key")


def get(tx: Tx, user_id: str) -> Member:
    """Return a member of the principal's workspace, or raise `NotFound`."""
    member = tx.one(Member, f"{MEMBERS_SQL} AND m.user_id = :user_id", user_id=user_id)
    if member is None:
        raise NotFound("member")
    return member


def find_active(tx: Tx) -> Member | None:
    """Return the principal's own membership; None where it or their account ended or is suspended."""
    sql = f"{MEMBERS_SQL} AND m.user_id = :me AND m.status = 'active' AND u.status = 'active'"
    return tx.one(Member, sql)


def is_member(tx: Tx, user_id: str) -> bool:
    """Tell whether someone belongs to the principal's workspace, suspended or not."""
    sql = "SELECT 1 FROM members WHERE workspace_id = :workspace AND user_id = :user_id"
    return bool(tx.value(sql, user_id=user_id))


def get_for_managing(tx: Tx, user_id: str) -> Member:
    """Return a member whom the principal may manage, or raise."""
    tx.by.require(Role.ADMIN)
    member = get(tx, user_id)
    check_manages(tx.by.role, member.role)
    return member


def add(tx: Tx, *, workspace_id: str, user_id: str, role: Role) -> None:
    """Put a person in a workspace; for set-up, invitations and the command line, which have no principal."""
    added = tx.change(
        """INSERT INTO members (workspace_id, user_id, role, status, joined_at, sort_key)
           VALUES (:workspace_id, :user_id, :role, :status, :now, :sort_key)
           ON CONFLICT (workspace_id, user_id) DO NOTHING""",
        workspace_id=workspace_id,
        user_id=user_id,
        role=role,
        status=MemberStatus.ACTIVE,
        now=clock.now(),
        sort_key=new_ulid(),
    )
    if not added:
        raise AlreadyMember


def change(tx: Tx, user_id: str, *, role: Role | None, status: MemberStatus | None) -> Member:
    """Give a member another role, or suspend or reinstate them; it bites at their next request."""
    before = get_for_managing(tx, user_id)
    role, status = role or before.role, status or before.status
    check_manages(tx.by.role, role)
    tx.run(
        """UPDATE members SET role = :role, status = :status
           WHERE workspace_id = :workspace AND user_id = :user_id""",
        role=role,
        status=status,
        user_id=user_id,
    )
    if before.role is Role.OWNER:
        check_has_owner(tx, tx.by.workspace_id)
    detail = {"role": role.value, "status": status.value}
    audit.record(tx, "member_changed", subject_id=user_id, detail=detail)
    return get(tx, user_id)


def remove(tx: Tx, user_id: str) -> None:
    """Take a member out of the workspace, with their sessions and API tokens in it."""
    before = get_for_managing(tx, user_id)
    tx.run("DELETE FROM members WHERE workspace_id = :workspace AND user_id = :user_id", user_id=user_id)
    if before.role is Role.OWNER:
        check_has_owner(tx, tx.by.workspace_id)
    audit.record(tx, "member_removed", subject_id=user_id, detail={"role": before.role.value})


def check_has_owner(tx: Tx, workspace_id: str) -> None:
    """Raise, and so undo the transaction, when a workspace is left without an owner who can act."""
    if not count_active_owners(tx, workspace_id):
        raise LastOwner


def count_active_owners(tx: Tx, workspace_id: str, *, except_user_id: str = "") -> int:
    """Return how many owners of a workspace can act, without one person if named."""
    return int(
        tx.value(
            """SELECT count(*) FROM members AS m JOIN users AS u ON u.id = m.user_id
               WHERE m.workspace_id = :workspace AND m.role = 'owner' AND m.user_id <> :besides
                 AND m.status = 'active' AND u.status = 'active'""",
            workspace=workspace_id,
            besides=except_user_id,
        )
    )
