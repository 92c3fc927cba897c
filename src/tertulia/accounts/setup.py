"""The first minutes of a server: whoever holds the set-up link becomes its owner."""

from dataclasses import dataclass, field

from tertulia.accounts import audit, members, one_time_links, passwords, sessions, users, workspaces
from tertulia.accounts.domain import LinkPurpose, NewSession, OneTimeLink, SignInContext, normalise_email
from tertulia.accounts.errors import AlreadySetUp
from tertulia.core.clock import now
from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What the first owner tells us."""

    token: str = field(repr=False)
    email: str
    name: str
    password: str = field(repr=False)
    workspace: str = workspaces.FIRST_WORKSPACE_NAME


async def is_setup_needed(db: Database) -> bool:
    """Tell whether the server still waits for its first owner."""
    return not await db.read(users.has_users, by=None)


async def ensure_setup_link(db: Database) -> str | None:
    """Return the secret of a new set-up link while there is nobody yet.

    Those of other processes stay good until somebody uses one of them or their time is over.
    """

    def write(tx: Tx) -> str | None:
        if users.has_users(tx):
            return None
        tx.run("DELETE FROM links WHERE purpose = 'setup' AND expires_at <= :now", now=now())
        return one_time_links.create_link(tx, LinkPurpose.SETUP).secret

    return await db.write(write, by=None)


async def set_up(request: SetupRequest, *, context: SignInContext, db: Database) -> NewSession:
    """Make the first owner and their workspace, and sign them in: all of it happens, or none."""
    link = await db.read(lambda tx: get_setup_link(tx, request.token), by=None)
    email = normalise_email(request.email)
    passwords.check_strength(request.password, email=email)
    password_hash = await passwords.hash_password(request.password)

    def write(tx: Tx) -> NewSession:
        get_setup_link(tx, request.token)
        one_time_links.redeem_link(tx, link)
        tx.run("DELETE FROM links WHERE purpose = 'setup' AND used_at IS NULL")
        user = users.add(tx, email=email, name=request.name, password_hash=password_hash)
        home = workspaces.add(tx, request.workspace).id
        members.add(tx, workspace_id=home, user_id=user.id, role=Role.OWNER)
        audit.record_as(tx, "server_set_up", workspace_id=home, actor_id=user.id, subject_id=user.id)
        return sessions.open_session(tx, user.id, sessions.choose_membership(tx, user.id), context=context)

    return await db.write(write, by=None)


def get_setup_link(tx: Tx, token: str) -> OneTimeLink:
    """Return the set-up link, or raise when it cannot be used or nobody waits for it any more."""
    if users.has_users(tx):
        raise AlreadySetUp
    return one_time_links.get_usable_link(tx, token, LinkPurpose.SETUP)
