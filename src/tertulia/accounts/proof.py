"""Proving who one is with an email and a password."""

from dataclasses import dataclass, field

from tertulia.accounts import passwords, people, throttle
from tertulia.accounts.domain import Client, Status, User, normal_email
from tertulia.accounts.errors import EmailInvalid, Suspended, WrongCredentials
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class Proof:
    """A password that was right for an account when it was checked."""

    user: User
    attempt: throttle.Attempt
    new_hash: str | None = field(repr=False)


async def prove(email: str, password: str, *, client: Client, db: Database) -> Proof:
    """Check a password, saying nothing about whether the email is known; guessing is slowed down."""
    account = normal_or_not(email)
    attempt = await db.write(lambda tx: throttle.begin(tx, account=account, address=client.address), by=None)
    user = await db.read(lambda tx: people.find(tx, account), by=None)
    if not await passwords.matches(user and user.password_hash, password) or user is None:
        raise WrongCredentials
    return Proof(user, attempt, await passwords.renewed(user.password_hash, password))


def confirm(tx: Tx, proof: Proof) -> User:
    """Return who was proven, as the transaction that acts on the proof finds them."""
    user = people.get(tx, proof.user.id)
    if user.password_hash != proof.user.password_hash:
        raise WrongCredentials
    if user.status is Status.SUSPENDED:
        raise Suspended
    throttle.succeed(tx, proof.attempt)
    if proof.new_hash is not None:
        tx.run("UPDATE users SET password_hash = :new WHERE id = :id", new=proof.new_hash, id=user.id)
    return user


def normal_or_not(email: str) -> str:
    """Return an address the normal way; what is no address is treated like one that nobody has."""
    try:
        return normal_email(email)
    except EmailInvalid:
        return email
