"""The people on this server, whatever workspaces they belong to."""

from collections.abc import Collection

from tertulia.accounts import audit, members, passwords, workspaces
from tertulia.accounts.domain import Membership, MemberStatus, PersonHere, Profile, User, normalise_email
from tertulia.accounts.errors import EmailTaken, FirstMustOwn
from tertulia.core import clock
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx, bound_list


def find_by_email(tx: Tx, email: str) -> User | None:
    """Return whoever has this address, written the normal way."""
    return tx.one(User, "SELECT * FROM users WHERE email = :email AND deleted_at IS NULL", email=email)


def get(tx: Tx, user_id: str) -> User:
    """Return a person, or raise `NotFound`."""
    user = tx.one(User, "SELECT * FROM users WHERE id = :user_id", user_id=user_id)
    if user is None:
        raise NotFound("person")
    return user


def list_users(tx: Tx) -> list[User]:
    """Return everybody who has an account, in the order in which they came."""
    return tx.all(User, "SELECT * FROM users WHERE deleted_at IS NULL ORDER BY id")


def list_people(tx: Tx, user_ids: Collection[str]) -> list[PersonHere]:
    """Return what models may be told of people."""
    sql = f"SELECT id, name, time_zone FROM users WHERE id IN {bound_list('ids')}"
    return tx.all(PersonHere, sql, ids=list(user_ids))


def find_first_email(tx: Tx) -> str | None:
    """Return the address of whoever has the oldest account that is in use."""
    return tx.value("SELECT email FROM users WHERE status = 'active' ORDER BY id LIMIT 1")


def has_users(tx: Tx) -> bool:
    """Tell whether the server has anybody at all."""
    return tx.value("SELECT 1 FROM users WHERE deleted_at IS NULL LIMIT 1") is not None


def list_memberships(tx: Tx, user_id: str) -> list[Membership]:
    """Return the workspaces a person belongs to, the first joined first; it spans workspaces."""
    return tx.all(
        Membership,
        """SELECT m.workspace_id, w.name, m.role, m.status
           FROM members AS m JOIN workspaces AS w ON w.id = m.workspace_id
           WHERE m.user_id = :user_id ORDER BY m.sort_key""",
        user_id=user_id,
    )


def lock_memberships(tx: Tx, user_id: str) -> list[Membership]:
    """Return the workspaces a person belongs to, in which nobody else writes until the commit.

    Whoever decides about a person in all their workspaces at once does so beside writes in each of them.
    """
    for membership in sorted(list_memberships(tx, user_id), key=lambda place: place.workspace_id):
        tx.acting_for(Principal(user_id, membership.workspace_id, membership.role))
    return list_memberships(tx, user_id)


def get_profile(tx: Tx, by: Principal) -> Profile:
    """Return what a principal sees of themselves; suspended memberships are no places to go."""
    return Profile(
        user=get(tx, by.user_id),
        workspace=workspaces.get(tx, by.workspace_id),
        role=by.role,
        workspaces=[
            membership
            for membership in list_memberships(tx, by.user_id)
            if membership.status is MemberStatus.ACTIVE
        ],
    )


def add(tx: Tx, *, email: str, name: str, password_hash: str) -> User:
    """Add a person, or raise `EmailTaken`."""
    user = User(
        id=new_id("usr"),
        email=email,
        name=name.strip() or email.partition("@")[0],
        status=MemberStatus.ACTIVE,
        created_at=clock.now(),
        password_hash=password_hash,
    )
    added = tx.change(
        """INSERT INTO users (id, email, name, password_hash, status, created_at)
           VALUES (:id, :email, :name, :password_hash, :status, :created_at)
           ON CONFLICT (email) DO NOTHING""",
        id=user.id,
        email=user.email,
        name=user.name,
        password_hash=user.password_hash,
        status=user.status,
        created_at=user.created_at,
    )
    if not added:
        raise EmailTaken(email)
    return user


def rename(tx: Tx, name: str) -> None:
    """Change how the others see the principal."""
    tx.run("UPDATE users SET name = :name WHERE id = :me", name=name)


def set_time_zone(tx: Tx, time_zone: str) -> None:
    """Note where the principal is."""
    tx.run("UPDATE users SET time_zone = :time_zone WHERE id = :me", time_zone=time_zone)


async def create_owner(
    db: Database, *, email: str, password: str, name: str = "", workspace_id: str | None = None
) -> User:
    """Add a person who owns their workspace; see `create_user`."""
    return await create_user(
        db, email=email, password=password, name=name, role=Role.OWNER, workspace_id=workspace_id
    )


async def create_user(
    db: Database,
    *,
    email: str,
    password: str,
    name: str = "",
    role: Role = Role.MEMBER,
    workspace_id: str | None = None,
) -> User:
    """Add a person to the given or only workspace, which is made for the first of all."""
    email = normalise_email(email)
    passwords.check_strength(password, email=email)
    password_hash = await passwords.hash_password(password)

    def create(tx: Tx) -> User:
        workspace = workspaces.get(tx, workspace_id).id if workspace_id else default_workspace_id(tx, role)
        user = add(tx, email=email, name=name, password_hash=password_hash)
        members.add(tx, workspace_id=workspace, user_id=user.id, role=role)
        detail = {"role": role.value}
        audit.record_as(
            tx, "user_created", workspace_id=workspace, actor_id="", subject_id=user.id, detail=detail
        )
        return user

    return await db.write(create, by=None)


def default_workspace_id(tx: Tx, role: Role) -> str:
    """Return the only workspace there is; the first of all is made for its owner."""
    if home := workspaces.only_workspace_id(tx):
        return home
    if role is not Role.OWNER:
        raise FirstMustOwn
    return workspaces.add(tx, workspaces.FIRST_WORKSPACE_NAME).id


async def set_status(db: Database, *, email: str, status: MemberStatus) -> None:
    """Suspend a person in every workspace, or let them in again; it bites at their next request."""
    email = normalise_email(email)

    def change(tx: Tx) -> None:
        user = find_by_email(tx, email)
        if user is None:
            raise NotFound("person")
        tx.run("UPDATE users SET status = :status WHERE id = :id", status=status, id=user.id)
        for membership in lock_memberships(tx, user.id):
            if membership.role is Role.OWNER:
                members.check_has_owner(tx, membership.workspace_id)
        audit.record_as(tx, f"user_{status.value}", workspace_id=None, actor_id="", subject_id=user.id)

    await db.write(change, by=None)
