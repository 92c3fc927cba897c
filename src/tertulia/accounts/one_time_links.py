"""Links that work once: made here, shown once, and spent in the transaction that acts on them."""

from datetime import timedelta

from tertulia.accounts import audit, members, users
from tertulia.accounts.bearer_secrets import is_secret, new_secret, secret_digest
from tertulia.accounts.domain import (
    LinkPurpose,
    MemberStatus,
    NewOneTimeLink,
    OneTimeLink,
    check_manages,
    normalise_email,
)
from tertulia.accounts.errors import LinkUnusable, TooManyInvitations
from tertulia.core import clock
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx

LINK_TTL = {
    LinkPurpose.SETUP: timedelta(days=7),
    LinkPurpose.INVITE: timedelta(days=7),
    LinkPurpose.RESET: timedelta(days=1),
}
OPEN_INVITATIONS_MAX = 500


def create_link(
    tx: Tx,
    purpose: LinkPurpose,
    *,
    by: Principal | None = None,
    role: Role | None = None,
    email: str | None = None,
    user_id: str | None = None,
) -> NewOneTimeLink:
    """Make a link and return it with its secret."""
    now, secret = clock.now(), new_secret()
    link = OneTimeLink(
        id=new_id("lnk"),
        purpose=purpose,
        workspace_id=by.workspace_id if by else None,
        role=role,
        email=email,
        user_id=user_id,
        made_by=by.user_id if by else None,
        created_at=now,
        expires_at=now + LINK_TTL[purpose],
    )
    values = {name: getattr(link, name) for name in OneTimeLink.__slots__}
    tx.run(
        """INSERT INTO links
           (id, token_hash, purpose, workspace_id, role, email, user_id, made_by, created_at, expires_at)
           VALUES (:id, :token_hash, :purpose, :workspace, :role, :email, :user_id, :made_by, :created_at,
                   :expires_at)""",
        **values,
        token_hash=secret_digest(secret),
        workspace=link.workspace_id,
    )
    return NewOneTimeLink(link, secret)


def get_usable_link(tx: Tx, secret: str, *purposes: LinkPurpose) -> OneTimeLink:
    """Return a link that can still be used, without using it."""
    link = (
        tx.one(
            OneTimeLink,
            "SELECT * FROM links WHERE token_hash = :hash AND used_at IS NULL AND expires_at > :now",
            hash=secret_digest(secret),
            now=clock.now(),
        )
        if is_secret(secret)
        else None
    )
    if link is None or link.purpose not in purposes:
        raise LinkUnusable
    return link


def redeem_link(tx: Tx, link: OneTimeLink) -> None:
    """Use a link up, or raise when somebody was faster or whoever made it may no longer do so."""
    now = clock.now()
    spent = tx.change(
        "UPDATE links SET used_at = :now WHERE id = :id AND used_at IS NULL AND expires_at > :now",
        id=link.id,
        now=now,
    )
    if not spent or not is_maker_allowed(tx, link):
        raise LinkUnusable


def is_maker_allowed(tx: Tx, link: OneTimeLink) -> bool:
    """Tell whether the maker of a link could make it today; the server itself always can."""
    if link.made_by is None:
        return True
    if users.get(tx, link.made_by).status is MemberStatus.SUSPENDED:
        return False
    try:
        if link.user_id is not None:
            check_may_reset(tx, link.made_by, link.user_id)
        if link.role is not None:
            check_manages(active_role_of(tx, link.workspace_id, link.made_by), link.role)
    except NotAllowed:
        return False
    return True


def create_invitation(tx: Tx, *, role: Role, email: str | None) -> NewOneTimeLink:
    """Make an invitation to the principal's workspace, for one address or for whoever gets it."""
    tx.by.require(Role.ADMIN)
    check_manages(tx.by.role, role)
    if len(list_invitations(tx)) >= OPEN_INVITATIONS_MAX:
        raise TooManyInvitations(OPEN_INVITATIONS_MAX)
    made = create_link(
        tx, LinkPurpose.INVITE, by=tx.by, role=role, email=None if email is None else normalise_email(email)
    )
    audit.record(tx, "invitation_created", subject_id=made.link.id, detail={"role": role.value})
    return made


def list_invitations(tx: Tx) -> list[OneTimeLink]:
    """Return the workspace's invitations that can still be used, the newest first."""
    return tx.all(
        OneTimeLink,
        """SELECT * FROM links WHERE workspace_id = :workspace AND purpose = 'invite'
             AND used_at IS NULL AND expires_at > :now ORDER BY id DESC""",
        now=clock.now(),
    )


def withdraw_invitation(tx: Tx, link_id: str) -> None:
    """Take an unused invitation back, or raise `NotFound`."""
    tx.by.require(Role.ADMIN)
    withdrawn = tx.change(
        """DELETE FROM links WHERE id = :id AND workspace_id = :workspace
             AND purpose = 'invite' AND used_at IS NULL""",
        id=link_id,
    )
    if not withdrawn:
        raise NotFound("invitation")
    audit.record(tx, "invitation_withdrawn", subject_id=link_id)


async def create_reset_link_as_admin(user_id: str, *, by: Principal, db: Database) -> NewOneTimeLink:
    """Make a link with which a member chooses a new password."""
    await db.read(lambda tx: members.get_for_managing(tx, user_id), by=by)

    def write(tx: Tx) -> NewOneTimeLink:
        check_may_reset(tx, by.user_id, user_id)
        made = create_link(tx, LinkPurpose.RESET, by=by, user_id=user_id)
        audit.record_as(
            tx,
            "reset_link_created",
            workspace_id=by.workspace_id,
            actor_id=by.user_id,
            subject_id=user_id,
        )
        return made

    return await db.write(write, by=None)


async def create_reset_link_as_operator(db: Database, *, email: str) -> NewOneTimeLink:
    """Make a link to choose a new password for whoever runs the command line on the server."""
    email = normalise_email(email)

    def write(tx: Tx) -> NewOneTimeLink:
        user = users.find_by_email(tx, email)
        if user is None:
            raise NotFound("person")
        audit.record_as(tx, "reset_link_created", workspace_id=None, actor_id="", subject_id=user.id)
        return create_link(tx, LinkPurpose.RESET, user_id=user.id)

    return await db.write(write, by=None)


def check_may_reset(tx: Tx, maker_id: str, user_id: str) -> None:
    """Raise unless the maker manages a person in every workspace of theirs: a password opens them all."""
    if maker_id == user_id:
        message = "Change your own password with your current one."
        raise NotAllowed(message)
    check_manages_everywhere(tx, maker_id, user_id)


def check_manages_everywhere(tx: Tx, manager_id: str, user_id: str) -> None:
    """Raise unless somebody manages a person in every workspace that the person belongs to."""
    for membership in users.list_memberships(tx, user_id):
        check_manages(active_role_of(tx, membership.workspace_id, manager_id), membership.role)


def active_role_of(tx: Tx, workspace_id: str | None, user_id: str) -> Role:
    """Return the role of an active member; whoever is none can manage nobody."""
    role = tx.value(
        """SELECT role FROM members
           WHERE workspace_id = :workspace_id AND user_id = :user_id AND status = 'active'""",
        workspace_id=workspace_id,
        user_id=user_id,
    )
    return Role(role) if role else Role.VIEWER
