"""Changing a password: whoever knew the old one is signed out."""

from tertulia.accounts import login_verification, passwords, sessions, users
from tertulia.accounts.domain import ClientInfo
from tertulia.accounts.errors import WrongCredentials, WrongPassword
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx


async def change_password(new: str, *, current: str, by: Principal, client: ClientInfo, db: Database) -> None:
    """Change the principal's password, which ends all their sessions but the one that asks."""
    user = await db.read(lambda tx: users.get(tx, by.user_id), by=None)
    passwords.check_strength(new, email=user.email)
    try:
        verified = await login_verification.verify_login(user.email, current, client=client, db=db)
    except WrongCredentials as error:
        raise WrongPassword from error
    new_hash = await passwords.hash_password(new)

    def write(tx: Tx) -> None:
        login_verification.confirm_login(tx, verified)
        replace_password(tx, by.user_id, new_hash, keep_session_id=by.credential_id)
        sessions.record_credential_event(tx, by, "password_changed", subject_id=by.user_id)

    await db.write(write, by=None)


def replace_password(tx: Tx, user_id: str, password_hash: str, *, keep_session_id: str = "") -> None:
    """Store a new password, end the sessions and void the reset links that came before it."""
    tx.run("UPDATE users SET password_hash = :hash WHERE id = :id", hash=password_hash, id=user_id)
    tx.run("DELETE FROM links WHERE user_id = :id AND purpose = 'reset' AND used_at IS NULL", id=user_id)
    sessions.end_other_sessions(tx, user_id, except_session_id=keep_session_id)
