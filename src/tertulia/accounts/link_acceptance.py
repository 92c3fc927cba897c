"""Accepting a link: joining a workspace, or choosing a new password. Either signs in."""

from dataclasses import dataclass, field

from tertulia.accounts import audit, login_verification, members, one_time_links, passwords, sessions, users
from tertulia.accounts.domain import (
    LinkPurpose,
    MemberStatus,
    NewSession,
    OneTimeLink,
    SignInContext,
    normalise_email,
)
from tertulia.accounts.errors import EmailMissing, EmailNotInvited, LinkUnusable, Suspended
from tertulia.accounts.password_change import replace_password
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class LinkAcceptance:
    """What somebody who follows a link tells us."""

    token: str = field(repr=False)
    password: str = field(repr=False)
    email: str | None = None
    name: str = ""


async def follow_link(acceptance: LinkAcceptance, *, context: SignInContext, db: Database) -> NewSession:
    """Do what a link is for, once, and sign in whoever followed it."""
    link = await db.read(
        lambda tx: one_time_links.get_usable_link(
            tx, acceptance.token, LinkPurpose.INVITE, LinkPurpose.RESET
        ),
        by=None,
    )
    if link.purpose is LinkPurpose.RESET:
        return await reset_password(link, acceptance.password, context=context, db=db)
    email = choose_email(link, acceptance.email)
    if await db.read(lambda tx: users.find_by_email(tx, email), by=None) is None:
        return await join_as_new_user(link, acceptance, email=email, context=context, db=db)
    return await join_as_existing_user(link, acceptance, email=email, context=context, db=db)


def choose_email(link: OneTimeLink, given: str | None) -> str:
    """Return the address to join with: the invited one where the invitation names one."""
    email = None if given is None else normalise_email(given)
    if link.email is not None and email not in (None, link.email):
        raise EmailNotInvited
    if chosen := link.email or email:
        return chosen
    raise EmailMissing


async def join_as_new_user(
    link: OneTimeLink, acceptance: LinkAcceptance, *, email: str, context: SignInContext, db: Database
) -> NewSession:
    """Add a person to the server and to the workspace they were invited to."""
    passwords.check_strength(acceptance.password, email=email)
    password_hash = await passwords.hash_password(acceptance.password)

    def write(tx: Tx) -> NewSession:
        one_time_links.redeem_link(tx, link)
        user = users.add(tx, email=email, name=acceptance.name, password_hash=password_hash)
        return join_workspace(tx, link, user.id, context=context)

    return await db.write(write, by=None)


async def join_as_existing_user(
    link: OneTimeLink, acceptance: LinkAcceptance, *, email: str, context: SignInContext, db: Database
) -> NewSession:
    """Bring a person who has an account, and proves it, into another workspace."""
    verified = await login_verification.verify_login(email, acceptance.password, client=context.client, db=db)

    def write(tx: Tx) -> NewSession:
        one_time_links.redeem_link(tx, link)
        return join_workspace(tx, link, login_verification.confirm_login(tx, verified).id, context=context)

    return await db.write(write, by=None)


def join_workspace(tx: Tx, link: OneTimeLink, user_id: str, *, context: SignInContext) -> NewSession:
    """Make a person a member as their invitation says, and sign them in there."""
    if link.workspace_id is None or link.role is None:
        raise LinkUnusable
    members.add(tx, workspace_id=link.workspace_id, user_id=user_id, role=link.role)
    audit.record_as(
        tx, "invitation_accepted", workspace_id=link.workspace_id, actor_id=user_id, subject_id=link.id
    )
    return sessions.open_session(
        tx, user_id, sessions.choose_membership(tx, user_id, link.workspace_id), context=context
    )


async def reset_password(
    link: OneTimeLink, password: str, *, context: SignInContext, db: Database
) -> NewSession:
    """Give a person the password they chose, end their sessions, and sign them in."""
    user_id = link.user_id or ""
    user = await db.read(lambda tx: users.get(tx, user_id), by=None)
    passwords.check_strength(password, email=user.email)
    password_hash = await passwords.hash_password(password)

    def write(tx: Tx) -> NewSession:
        one_time_links.redeem_link(tx, link)
        if users.get(tx, user_id).status is MemberStatus.SUSPENDED:
            raise Suspended
        replace_password(tx, user_id, password_hash)
        membership = sessions.choose_membership(tx, user_id)
        audit.record_as(
            tx, "password_reset", workspace_id=membership.workspace_id, actor_id=user_id, subject_id=user_id
        )
        return sessions.open_session(tx, user_id, membership, context=context)

    return await db.write(write, by=None)
