"""Browsers that are signed in. Sessions belong to people, so they are looked up without a workspace."""

from tertulia.accounts import audit, login_verification, users
from tertulia.accounts.bearer_secrets import new_secret, secret_digest
from tertulia.accounts.domain import Membership, MemberStatus, NewSession, Session, SignInContext
from tertulia.accounts.errors import NotASession, NoWorkspace, Suspended
from tertulia.core import clock
from tertulia.core.errors import NotFound
from tertulia.core.ids import is_id, new_id, new_ulid
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx

USER_AGENT_MAX_CHARS = 400


async def sign_in(email: str, password: str, *, context: SignInContext, db: Database) -> NewSession:
    """Open a new session for whoever has this email and password."""
    verified = await login_verification.verify_login(email, password, client=context.client, db=db)

    def write(tx: Tx) -> NewSession:
        user = login_verification.confirm_login(tx, verified)
        return open_session(tx, user.id, choose_membership(tx, user.id), context=context)

    return await db.write(write, by=None)


def choose_membership(tx: Tx, user_id: str, workspace_id: str | None = None) -> Membership:
    """Return the membership to act in: that of the workspace given, or the first that is active."""
    found = users.list_memberships(tx, user_id)
    if workspace_id is not None:
        found = [membership for membership in found if membership.workspace_id == workspace_id]
        if not found:
            raise NotFound("workspace")
    if not found:
        raise NoWorkspace
    for membership in found:
        if membership.status is MemberStatus.ACTIVE:
            return membership
    raise Suspended


def open_session(tx: Tx, user_id: str, membership: Membership, *, context: SignInContext) -> NewSession:
    """Open a session with a secret of its own, whatever cookie the browser had before."""
    now, secret = clock.now(), new_secret()
    principal = Principal(user_id, membership.workspace_id, membership.role, new_id("ses"))
    tx.run("DELETE FROM sessions WHERE user_id = :user_id AND expires_at <= :now", user_id=user_id, now=now)
    tx.run(
        """INSERT INTO sessions
           (id, token_hash, user_id, workspace_id, user_agent, created_at, last_seen_at, expires_at,
             sort_key)
           VALUES (:id, :token_hash, :user_id, :workspace_id, :user_agent, :now, :now, :expires_at,
             :sort_key)""",
        id=principal.credential_id,
        token_hash=secret_digest(secret),
        user_id=user_id,
        workspace_id=membership.workspace_id,
        user_agent=context.client.user_agent[:USER_AGENT_MAX_CHARS],
        now=now,
        expires_at=now + context.lifetime,
        sort_key=new_ulid(),
    )
    record_credential_event(tx, principal, "signed_in")
    return NewSession(principal, secret)


def list_sessions(tx: Tx, by: Principal) -> list[Session]:
    """Return where the principal is signed in, the latest seen first."""
    return tx.all(
        Session,
        """SELECT * FROM sessions WHERE user_id = :user_id AND expires_at > :now
           ORDER BY sort_key DESC""",
        user_id=by.user_id,
        now=clock.now(),
    )


def end_session(tx: Tx, session_id: str, *, by: Principal) -> None:
    """Sign one of the principal's browsers out, or raise `NotFound`."""
    ended = tx.change(
        "DELETE FROM sessions WHERE id = :id AND user_id = :user_id", id=session_id, user_id=by.user_id
    )
    if not ended:
        raise NotFound("session")
    record_credential_event(tx, by, "signed_out", subject_id=session_id)


def end_current_session(tx: Tx, *, by: Principal) -> None:
    """Sign out the browser that asks."""
    end_session(tx, current_session_id(by), by=by)


def end_all_sessions(tx: Tx, *, by: Principal, also_tokens: bool = False) -> None:
    """Sign the principal out everywhere and, if asked, revoke their API tokens everywhere too."""
    end_other_sessions(tx, by.user_id)
    if also_tokens:
        tx.run("DELETE FROM api_tokens WHERE user_id = :user_id", user_id=by.user_id)
    record_credential_event(tx, by, "signed_out_everywhere", detail={"tokens": also_tokens})


def end_other_sessions(tx: Tx, user_id: str, *, except_session_id: str = "") -> None:
    """End a person's sessions, all but one."""
    tx.run(
        "DELETE FROM sessions WHERE user_id = :user_id AND id <> :but", user_id=user_id, but=except_session_id
    )


def switch_workspace(tx: Tx, workspace_id: str, *, by: Principal) -> Principal:
    """Take the browser that asks to another workspace of the principal's."""
    session_id, membership = current_session_id(by), choose_membership(tx, by.user_id, workspace_id)
    tx.run(
        "UPDATE sessions SET workspace_id = :workspace_id WHERE id = :id",
        workspace_id=membership.workspace_id,
        id=session_id,
    )
    return Principal(by.user_id, membership.workspace_id, membership.role, session_id)


def current_session_id(by: Principal) -> str:
    """Return the session a principal acts through, or raise when it is no session."""
    if not is_id(by.credential_id, "ses"):
        raise NotASession
    return by.credential_id


def record_credential_event(
    tx: Tx, by: Principal, action: str, *, subject_id: str = "", detail: dict[str, bool] | None = None
) -> None:
    """Put something about a principal's credentials in their workspace's audit."""
    audit.record_as(
        tx,
        action,
        workspace_id=by.workspace_id,
        actor_id=by.user_id,
        subject_id=subject_id or by.credential_id,
        detail=detail,
    )
