"""Proving who one is with an email and a password."""

from dataclasses import dataclass, field

from tertulia.accounts import passwords, throttle, users
from tertulia.accounts.domain import ClientInfo, MemberStatus, User, normalise_email
from tertulia.accounts.errors import EmailInvalid, Suspended, WrongCredentials
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class VerifiedLogin:
    """A password that was right for an account when it was checked."""

    user: User
    attempt: throttle.SignInAttempt
    new_hash: str | None = field(repr=False)


async def verify_login(email: str, password: str, *, client: ClientInfo, db: Database) -> VerifiedLogin:
    """Check a password, saying nothing about whether the email is known; guessing is slowed down."""
    account = normalise_if_valid(email)
    attempt = await db.write(
        lambda tx: throttle.record_attempt(tx, account=account, address=client.address), by=None
    )
    user = await db.read(lambda tx: users.find_by_email(tx, account), by=None)
    if not await passwords.matches_password(user and user.password_hash, password) or user is None:
        raise WrongCredentials
    return VerifiedLogin(user, attempt, await passwords.rehash_if_outdated(user.password_hash, password))


def confirm_login(tx: Tx, verified: VerifiedLogin) -> User:
    """Return who was proven, as the transaction that acts on the proof finds them."""
    user = users.get(tx, verified.user.id)
    if user.password_hash != verified.user.password_hash:
        raise WrongCredentials
    if user.status is MemberStatus.SUSPENDED:
        raise Suspended
    throttle.clear_failures(tx, verified.attempt)
    if verified.new_hash is not None:
        tx.run("UPDATE users SET password_hash = :new WHERE id = :id", new=verified.new_hash, id=user.id)
    return user


def normalise_if_valid(email: str) -> str:
    """Return an address the normal way; what is no address is treated like one that nobody has."""
    try:
        return normalise_email(email)
    except EmailInvalid:
        return email
