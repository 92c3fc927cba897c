"""The first minutes of a server: whoever holds the set-up link becomes its owner."""

from dataclasses import dataclass, field

from tertulia.accounts import audit, links, members, passwords, people, sessions, workspaces
from tertulia.accounts.domain import Link, Purpose, SignedIn, SignIn, normal_email
from tertulia.accounts.errors import AlreadySetUp
from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class Setup:
    """What the first owner tells us."""

    token: str = field(repr=False)
    email: str
    name: str
    password: str = field(repr=False)
    workspace: str = workspaces.FIRST_NAME


async def needed(db: Database) -> bool:
    """Tell whether the server still waits for its first owner."""
    return not await db.read(people.exist, by=None)


async def ensure_setup_link(db: Database) -> str | None:
    """Return the secret of a new set-up link while there is nobody yet; earlier ones stop working."""

    def write(tx: Tx) -> str | None:
        if people.exist(tx):
            return None
        tx.run("DELETE FROM links WHERE purpose = 'setup'")
        return links.make(tx, Purpose.SETUP).secret

    return await db.write(write, by=None)


async def set_up(ask: Setup, *, how: SignIn, db: Database) -> SignedIn:
    """Make the first owner and their workspace, and sign them in: all of it happens, or none."""
    link = await db.read(lambda tx: usable(tx, ask.token), by=None)
    email = normal_email(ask.email)
    passwords.check_fit(ask.password, email=email)
    password_hash = await passwords.hashed(ask.password)

    def write(tx: Tx) -> SignedIn:
        usable(tx, ask.token)
        links.spend(tx, link)
        user = people.add(tx, email=email, name=ask.name, password_hash=password_hash)
        home = workspaces.add(tx, ask.workspace).id
        members.add(tx, workspace_id=home, user_id=user.id, role=Role.OWNER)
        audit.record_for(tx, "server_set_up", workspace_id=home, actor_id=user.id, subject_id=user.id)
        return sessions.open_session(tx, user.id, sessions.membership(tx, user.id), how=how)

    return await db.write(write, by=None)


def usable(tx: Tx, token: str) -> Link:
    """Return the set-up link, or raise when it cannot be used or nobody waits for it any more."""
    if people.exist(tx):
        raise AlreadySetUp
    return links.peek(tx, token, Purpose.SETUP)
