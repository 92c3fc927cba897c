"""Deleting an account with all that is its person's own.

What others could see stays, as the work of a deleted member: the account keeps its id for that, and
neither name nor address. A workspace with nobody else in it goes as well. Access ends with the
request; private conversations, of which there may be many, are deleted by a job right after it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tertulia.accounts import audit, login_verification, members, one_time_links, users
from tertulia.accounts.domain import ClientInfo, Membership, MemberStatus, User, normalise_email
from tertulia.accounts.errors import HandOverFirst, WrongCredentials, WrongPassword
from tertulia.core import clock
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.deletion_rules import account_deletion_statements
from tertulia.infra.jobs import enqueue

#: The job that deletes what an account leaves behind.
ACCOUNT_DATA_JOB = "account_data"
#: The same for what versions before this one left of accounts that were deleted then.
ACCOUNT_LEFTOVERS_JOB = "account_leftovers"
#: Fits no password.
UNUSABLE_LOGIN_HASH = "!"


@dataclass(frozen=True, slots=True)
class AccountDeletionPlan:
    """What deleting an account means for the workspaces of its person."""

    #: Nobody else is in these: they are deleted as well.
    deleted: list[Membership]
    #: Others are in these and nobody else owns them: they need another owner first.
    to_hand_over: list[Membership]


@dataclass(frozen=True, slots=True)
class ClosedAccount:
    """An account that nobody can use any more, and the workspaces that go with it."""

    closed_user_id: str
    closed_workspace_ids: list[str]


def plan_deletion(tx: Tx, user_id: str) -> AccountDeletionPlan:
    """Return what deleting an account would mean; it spans workspaces."""
    places = users.list_memberships(tx, user_id)
    deleted = [place for place in places if not count_other_members(tx, place, user_id)]
    shared = [place for place in places if place not in deleted]
    return AccountDeletionPlan(deleted, [place for place in shared if is_last_owner(tx, place, user_id)])


def count_other_members(tx: Tx, membership: Membership, user_id: str) -> int:
    """Return how many other people belong to a workspace."""
    return int(
        tx.value(
            "SELECT count(*) FROM members WHERE workspace_id = :workspace AND user_id <> :user_id",
            workspace=membership.workspace_id,
            user_id=user_id,
        )
    )


def is_last_owner(tx: Tx, membership: Membership, user_id: str) -> bool:
    """Tell whether nobody else who can act owns a workspace."""
    return membership.role is Role.OWNER and not members.count_active_owners(
        tx, membership.workspace_id, except_user_id=user_id
    )


async def delete_own_account(password: str, *, by: Principal, client: ClientInfo, db: Database) -> None:
    """Delete the principal's account; their password is asked for, since there is no way back."""
    user = await db.read(lambda tx: users.get(tx, by.user_id), by=None)
    try:
        verified = await login_verification.verify_login(user.email, password, client=client, db=db)
    except WrongCredentials as error:
        raise WrongPassword from error

    def write(tx: Tx) -> None:
        close_account(tx, login_verification.confirm_login(tx, verified), actor_id=by.user_id)

    await db.write(write, by=None)


async def delete_account_by_admin(user_id: str, *, by: Principal, db: Database) -> None:
    """Delete the account of a member whom the principal manages wherever they belong to."""
    if user_id == by.user_id:
        raise NotAllowed("Delete your own account in your own settings, with your password.")
    await db.read(lambda tx: members.get_for_managing(tx, user_id), by=by)

    def write(tx: Tx) -> None:
        users.lock_memberships(tx, user_id)
        one_time_links.check_manages_everywhere(tx, by.user_id, user_id)
        close_account(tx, users.get(tx, user_id), actor_id=by.user_id)

    await db.write(write, by=None)


async def plan_deletion_as_operator(db: Database, *, email: str) -> AccountDeletionPlan:
    """Return what deleting somebody's account would mean, for the command line on the server."""
    return await db.read(lambda tx: plan_deletion(tx, get_by_email(tx, email).id), by=None)


async def delete_account_as_operator(db: Database, *, email: str) -> ClosedAccount:
    """Delete somebody's account, for the command line on the server."""
    return await db.write(lambda tx: close_account(tx, get_by_email(tx, email), actor_id=""), by=None)


def get_by_email(tx: Tx, email: str) -> User:
    """Return whoever has an address, or raise `NotFound`."""
    user = users.find_by_email(tx, normalise_email(email))
    if user is None:
        raise NotFound("person")
    return user


def close_account(tx: Tx, user: User, *, actor_id: str) -> ClosedAccount:
    """End every access of a person, delete their own rows, and queue the deletion of their conversations."""
    users.lock_memberships(tx, user.id)
    plan = plan_deletion(tx, user.id)
    if plan.to_hand_over:
        raise HandOverFirst([place.name for place in plan.to_hand_over])
    record_account_deletion(tx, user, plan, actor_id=actor_id)
    delete_own_rows(tx, user.id)
    # Invitations know people by their address, before and after they accept.
    tx.run("DELETE FROM links WHERE email = :email", email=user.email)
    tx.run(
        """UPDATE users SET email = :email, name = '', time_zone = NULL, password_hash = :password_hash,
             status = :status, deleted_at = :now WHERE id = :id""",
        id=user.id,
        email=f"{user.id.lower()}@deleted.invalid",
        password_hash=UNUSABLE_LOGIN_HASH,
        status=MemberStatus.SUSPENDED,
        now=clock.now(),
    )
    closed = ClosedAccount(user.id, workspace_ids(plan.deleted))
    enqueue(tx, ACCOUNT_DATA_JOB, key=f"{ACCOUNT_DATA_JOB}:{user.id}", payload=asdict(closed))
    return closed


def delete_own_rows(tx: Tx, user_id: str) -> None:
    """Delete what is a person's own in the workspaces that they share with others."""
    for sql in account_deletion_statements():
        tx.run(sql, id=user_id)


def record_account_deletion(tx: Tx, user: User, plan: AccountDeletionPlan, *, actor_id: str) -> None:
    """Note the deletion in the audit of every workspace that the person belonged to."""
    gone = workspace_ids(plan.deleted)
    for workspace_id in workspace_ids(users.list_memberships(tx, user.id)):
        action = "workspace_deleted" if workspace_id in gone else "account_deleted"
        subject = workspace_id if workspace_id in gone else user.id
        audit.record_as(tx, action, workspace_id=workspace_id, actor_id=actor_id, subject_id=subject)


def workspace_ids(memberships: Sequence[Membership]) -> list[str]:
    """Return the ids of workspaces."""
    return [place.workspace_id for place in memberships]
