"""Accepting a link: joining a workspace, or choosing a new password. Either signs in."""

from dataclasses import dataclass, field

from tertulia.accounts import audit, links, members, passwords, people, proof, sessions
from tertulia.accounts.domain import Link, Purpose, SignedIn, SignIn, Status, normal_email
from tertulia.accounts.errors import EmailMissing, EmailNotInvited, LinkUnusable, Suspended
from tertulia.accounts.password_change import replace_password
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What somebody who follows a link tells us."""

    token: str = field(repr=False)
    password: str = field(repr=False)
    email: str | None = None
    name: str = ""


async def accept(ask: Acceptance, *, how: SignIn, db: Database) -> SignedIn:
    """Do what a link is for, once, and sign in whoever followed it."""
    link = await db.read(lambda tx: links.peek(tx, ask.token, Purpose.INVITE, Purpose.RESET), by=None)
    if link.purpose is Purpose.RESET:
        return await choose_password(link, ask.password, how=how, db=db)
    email = invited_email(link, ask.email)
    if await db.read(lambda tx: people.find(tx, email), by=None) is None:
        return await join_as_new(link, ask, email=email, how=how, db=db)
    return await join_as_known(link, ask, email=email, how=how, db=db)


def invited_email(link: Link, given: str | None) -> str:
    """Return the address to join with: the invited one where the invitation names one."""
    email = None if given is None else normal_email(given)
    if link.email is not None and email not in (None, link.email):
        raise EmailNotInvited
    if chosen := link.email or email:
        return chosen
    raise EmailMissing


async def join_as_new(link: Link, ask: Acceptance, *, email: str, how: SignIn, db: Database) -> SignedIn:
    """Add a person to the server and to the workspace they were invited to."""
    passwords.check_fit(ask.password, email=email)
    password_hash = await passwords.hashed(ask.password)

    def write(tx: Tx) -> SignedIn:
        links.spend(tx, link)
        user = people.add(tx, email=email, name=ask.name, password_hash=password_hash)
        return join(tx, link, user.id, how=how)

    return await db.write(write, by=None)


async def join_as_known(link: Link, ask: Acceptance, *, email: str, how: SignIn, db: Database) -> SignedIn:
    """Bring a person who has an account, and proves it, into another workspace."""
    proven = await proof.prove(email, ask.password, client=how.client, db=db)

    def write(tx: Tx) -> SignedIn:
        links.spend(tx, link)
        return join(tx, link, proof.confirm(tx, proven).id, how=how)

    return await db.write(write, by=None)


def join(tx: Tx, link: Link, user_id: str, *, how: SignIn) -> SignedIn:
    """Make a person a member as their invitation says, and sign them in there."""
    if link.workspace_id is None or link.role is None:
        raise LinkUnusable
    members.add(tx, workspace_id=link.workspace_id, user_id=user_id, role=link.role)
    audit.record_for(
        tx, "invitation_accepted", workspace_id=link.workspace_id, actor_id=user_id, subject_id=link.id
    )
    return sessions.open_session(tx, user_id, sessions.membership(tx, user_id, link.workspace_id), how=how)


async def choose_password(link: Link, password: str, *, how: SignIn, db: Database) -> SignedIn:
    """Give a person the password they chose, end their sessions, and sign them in."""
    user_id = link.user_id or ""
    user = await db.read(lambda tx: people.get(tx, user_id), by=None)
    passwords.check_fit(password, email=user.email)
    password_hash = await passwords.hashed(password)

    def write(tx: Tx) -> SignedIn:
        links.spend(tx, link)
        if people.get(tx, user_id).status is Status.SUSPENDED:
            raise Suspended
        replace_password(tx, user_id, password_hash)
        place = sessions.membership(tx, user_id)
        audit.record_for(
            tx, "password_reset", workspace_id=place.workspace_id, actor_id=user_id, subject_id=user_id
        )
        return sessions.open_session(tx, user_id, place, how=how)

    return await db.write(write, by=None)
