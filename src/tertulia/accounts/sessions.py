"""Browsers that are signed in. Sessions belong to people, so they are looked up without a workspace."""

from tertulia.accounts import audit, people, proof
from tertulia.accounts.domain import Membership, Session, SignedIn, SignIn, Status
from tertulia.accounts.errors import NotASession, NoWorkspace, Suspended
from tertulia.accounts.secret import digest, new_secret
from tertulia.core import clock
from tertulia.core.errors import NotFound
from tertulia.core.ids import is_id, new_id
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx

LONGEST_USER_AGENT = 400


async def sign_in(email: str, password: str, *, how: SignIn, db: Database) -> SignedIn:
    """Open a new session for whoever has this email and password."""
    proven = await proof.prove(email, password, client=how.client, db=db)

    def write(tx: Tx) -> SignedIn:
        user = proof.confirm(tx, proven)
        return open_session(tx, user.id, membership(tx, user.id), how=how)

    return await db.write(write, by=None)


def membership(tx: Tx, user_id: str, workspace_id: str | None = None) -> Membership:
    """Return the membership to act in: that of the workspace given, or the first that is active."""
    found = people.memberships(tx, user_id)
    if workspace_id is not None:
        found = [one for one in found if one.workspace_id == workspace_id]
        if not found:
            raise NotFound("workspace")
    if not found:
        raise NoWorkspace
    for one in found:
        if one.status is Status.ACTIVE:
            return one
    raise Suspended


def open_session(tx: Tx, user_id: str, place: Membership, *, how: SignIn) -> SignedIn:
    """Open a session with a secret of its own, whatever cookie the browser had before."""
    now, secret = clock.now(), new_secret()
    principal = Principal(user_id, place.workspace_id, place.role, new_id("ses"))
    tx.run("DELETE FROM sessions WHERE user_id = :user_id AND expires_at <= :now", user_id=user_id, now=now)
    tx.run(
        """INSERT INTO sessions
           (id, token_hash, user_id, workspace_id, user_agent, created_at, last_seen_at, expires_at)
           VALUES (:id, :token_hash, :user_id, :workspace_id, :user_agent, :now, :now, :expires_at)""",
        id=principal.credential_id,
        token_hash=digest(secret),
        user_id=user_id,
        workspace_id=place.workspace_id,
        user_agent=how.client.user_agent[:LONGEST_USER_AGENT],
        now=now,
        expires_at=now + how.lifetime,
    )
    note(tx, principal, "signed_in")
    return SignedIn(principal, secret)


def all_of(tx: Tx, by: Principal) -> list[Session]:
    """Return where the principal is signed in, the latest seen first."""
    return tx.all(
        Session,
        """SELECT * FROM sessions WHERE user_id = :user_id AND expires_at > :now
           ORDER BY last_seen_at DESC, id DESC""",
        user_id=by.user_id,
        now=clock.now(),
    )


def end(tx: Tx, session_id: str, *, by: Principal) -> None:
    """Sign one of the principal's browsers out, or raise `NotFound`."""
    ended = tx.run(
        "DELETE FROM sessions WHERE id = :id AND user_id = :user_id", id=session_id, user_id=by.user_id
    )
    if not ended:
        raise NotFound("session")
    note(tx, by, "signed_out", subject_id=session_id)


def end_present(tx: Tx, *, by: Principal) -> None:
    """Sign out the browser that asks."""
    end(tx, present(by), by=by)


def end_all(tx: Tx, *, by: Principal, tokens: bool = False) -> None:
    """Sign the principal out everywhere and, if asked, revoke their API tokens everywhere too."""
    end_others(tx, by.user_id)
    if tokens:
        tx.run("DELETE FROM api_tokens WHERE user_id = :user_id", user_id=by.user_id)
    note(tx, by, "signed_out_everywhere", detail={"tokens": tokens})


def end_others(tx: Tx, user_id: str, *, but: str = "") -> None:
    """End a person's sessions, all but one."""
    tx.run("DELETE FROM sessions WHERE user_id = :user_id AND id <> :but", user_id=user_id, but=but)


def switch(tx: Tx, workspace_id: str, *, by: Principal) -> Principal:
    """Take the browser that asks to another workspace of the principal's."""
    session_id, place = present(by), membership(tx, by.user_id, workspace_id)
    tx.run(
        "UPDATE sessions SET workspace_id = :workspace_id WHERE id = :id",
        workspace_id=place.workspace_id,
        id=session_id,
    )
    return Principal(by.user_id, place.workspace_id, place.role, session_id)


def present(by: Principal) -> str:
    """Return the session a principal acts through, or raise when it is no session."""
    if not is_id(by.credential_id, "ses"):
        raise NotASession
    return by.credential_id


def note(
    tx: Tx, by: Principal, action: str, *, subject_id: str = "", detail: dict[str, bool] | None = None
) -> None:
    """Put something about a principal's credentials in their workspace's audit."""
    audit.record_for(
        tx,
        action,
        workspace_id=by.workspace_id,
        actor_id=by.user_id,
        subject_id=subject_id or by.credential_id,
        detail=detail,
    )
