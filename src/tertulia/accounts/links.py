"""Links that work once: made here, shown once, and spent in the transaction that acts on them."""

from datetime import timedelta

from tertulia.accounts import audit, members, people
from tertulia.accounts.domain import Link, NewLink, Purpose, Status, check_manages, normal_email
from tertulia.accounts.errors import LinkUnusable, TooManyInvitations
from tertulia.accounts.secret import digest, is_secret, new_secret
from tertulia.core import clock
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx

LIFETIME = {
    Purpose.SETUP: timedelta(days=7),
    Purpose.INVITE: timedelta(days=7),
    Purpose.RESET: timedelta(days=1),
}
MOST_INVITATIONS = 500


def make(
    tx: Tx,
    purpose: Purpose,
    *,
    by: Principal | None = None,
    role: Role | None = None,
    email: str | None = None,
    user_id: str | None = None,
) -> NewLink:
    """Make a link and return it with its secret."""
    now, secret = clock.now(), new_secret()
    link = Link(
        id=new_id("lnk"),
        purpose=purpose,
        workspace_id=by.workspace_id if by else None,
        role=role,
        email=email,
        user_id=user_id,
        made_by=by.user_id if by else None,
        created_at=now,
        expires_at=now + LIFETIME[purpose],
    )
    values = {name: getattr(link, name) for name in Link.__slots__}
    tx.run(
        """INSERT INTO links
           (id, token_hash, purpose, workspace_id, role, email, user_id, made_by, created_at, expires_at)
           VALUES (:id, :token_hash, :purpose, :workspace, :role, :email, :user_id, :made_by, :created_at,
                   :expires_at)""",
        **values,
        token_hash=digest(secret),
        workspace=link.workspace_id,
    )
    return NewLink(link, secret)


def peek(tx: Tx, secret: str, *purposes: Purpose) -> Link:
    """Return a link that can still be used, without using it."""
    link = (
        tx.one(
            Link,
            "SELECT * FROM links WHERE token_hash = :hash AND used_at IS NULL AND expires_at > :now",
            hash=digest(secret),
            now=clock.now(),
        )
        if is_secret(secret)
        else None
    )
    if link is None or link.purpose not in purposes:
        raise LinkUnusable
    return link


def spend(tx: Tx, link: Link) -> None:
    """Use a link up, or raise when somebody was faster or whoever made it may no longer do so."""
    now = clock.now()
    spent = tx.run(
        "UPDATE links SET used_at = :now WHERE id = :id AND used_at IS NULL AND expires_at > :now",
        id=link.id,
        now=now,
    )
    if not spent or not vouched(tx, link):
        raise LinkUnusable


def vouched(tx: Tx, link: Link) -> bool:
    """Tell whether the maker of a link could make it today; the server itself always can."""
    if link.made_by is None:
        return True
    if people.get(tx, link.made_by).status is Status.SUSPENDED:
        return False
    try:
        if link.user_id is not None:
            check_may_reset(tx, link.made_by, link.user_id)
        if link.role is not None:
            check_manages(role_in(tx, link.workspace_id, link.made_by), link.role)
    except NotAllowed:
        return False
    return True


def invite(tx: Tx, *, role: Role, email: str | None) -> NewLink:
    """Make an invitation to the principal's workspace, for one address or for whoever gets it."""
    tx.by.require(Role.ADMIN)
    check_manages(tx.by.role, role)
    if len(invitations(tx)) >= MOST_INVITATIONS:
        raise TooManyInvitations(MOST_INVITATIONS)
    made = make(tx, Purpose.INVITE, by=tx.by, role=role, email=None if email is None else normal_email(email))
    audit.record(tx, "invitation_created", subject_id=made.link.id, detail={"role": role.value})
    return made


def invitations(tx: Tx) -> list[Link]:
    """Return the workspace's invitations that can still be used, the newest first."""
    return tx.all(
        Link,
        """SELECT * FROM links WHERE workspace_id = :workspace AND purpose = 'invite'
             AND used_at IS NULL AND expires_at > :now ORDER BY id DESC""",
        now=clock.now(),
    )


def withdraw(tx: Tx, link_id: str) -> None:
    """Take an unused invitation back, or raise `NotFound`."""
    tx.by.require(Role.ADMIN)
    withdrawn = tx.run(
        """DELETE FROM links WHERE id = :id AND workspace_id = :workspace
             AND purpose = 'invite' AND used_at IS NULL""",
        id=link_id,
    )
    if not withdrawn:
        raise NotFound("invitation")
    audit.record(tx, "invitation_withdrawn", subject_id=link_id)


async def reset_by_admin(user_id: str, *, by: Principal, db: Database) -> NewLink:
    """Make a link with which a member chooses a new password."""
    await db.read(lambda tx: members.get_for_managing(tx, user_id), by=by)

    def write(tx: Tx) -> NewLink:
        check_may_reset(tx, by.user_id, user_id)
        made = make(tx, Purpose.RESET, by=by, user_id=user_id)
        audit.record_for(
            tx,
            "reset_link_created",
            workspace_id=by.workspace_id,
            actor_id=by.user_id,
            subject_id=user_id,
        )
        return made

    return await db.write(write, by=None)


async def reset_by_server(db: Database, *, email: str) -> NewLink:
    """Make a link to choose a new password for whoever runs the command line on the server."""
    email = normal_email(email)

    def write(tx: Tx) -> NewLink:
        user = people.find(tx, email)
        if user is None:
            raise NotFound("person")
        audit.record_for(tx, "reset_link_created", workspace_id=None, actor_id="", subject_id=user.id)
        return make(tx, Purpose.RESET, user_id=user.id)

    return await db.write(write, by=None)


def check_may_reset(tx: Tx, maker_id: str, user_id: str) -> None:
    """Raise unless the maker manages a person in every workspace of theirs: a password opens them all."""
    if maker_id == user_id:
        message = "Change your own password with your current one."
        raise NotAllowed(message)
    check_manages_everywhere(tx, maker_id, user_id)


def check_manages_everywhere(tx: Tx, manager_id: str, user_id: str) -> None:
    """Raise unless somebody manages a person in every workspace that the person belongs to."""
    for membership in people.memberships(tx, user_id):
        check_manages(role_in(tx, membership.workspace_id, manager_id), membership.role)


def role_in(tx: Tx, workspace_id: str | None, user_id: str) -> Role:
    """Return the role of an active member; whoever is none can manage nobody."""
    role = tx.value(
        """SELECT role FROM members
           WHERE workspace_id = :workspace_id AND user_id = :user_id AND status = 'active'""",
        workspace_id=workspace_id,
        user_id=user_id,
    )
    return Role(role) if role else Role.VIEWER
