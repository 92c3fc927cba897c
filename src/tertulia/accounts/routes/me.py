"""One's own account: name, time zone, password, sessions and API tokens."""

from datetime import timedelta

from fastapi import Request, Response

from tertulia.accounts import api_tokens, cookies, sessions, users
from tertulia.accounts.deletion import delete_own_account, plan_deletion
from tertulia.accounts.password_change import change_password
from tertulia.accounts.routes.account_router import account_router
from tertulia.accounts.routes.session import client_info_of, show_me
from tertulia.accounts.schemas import (
    AccountDeletionBody,
    AccountDeletionView,
    MeChange,
    MeView,
    NewTokenView,
    RevokeAll,
    SessionList,
    SessionView,
    TokenBody,
    TokenList,
    TokenView,
)
from tertulia.core import clock
from tertulia.infra.http.dependencies import Config, Db
from tertulia.infra.http.identity import Me

router = account_router()


@router.get("/me")
async def get_me(me: Me, db: Db) -> MeView:
    """Tell who one is, in which workspace and as what."""
    return await show_me(me, db=db)


@router.patch("/me")
async def change_me(body: MeChange, request: Request, me: Me, db: Db) -> MeView:
    """Change one's name, time zone or password; a new password signs the other browsers out."""
    if body.password is not None:
        current = body.current_password or ""
        await change_password(body.password, current=current, by=me, client=client_info_of(request), db=db)
    if (name := body.name) is not None:
        await db.write(lambda tx: users.rename(tx, name), by=me)
    if (time_zone := body.time_zone) is not None:
        await db.write(lambda tx: users.set_time_zone(tx, time_zone), by=me)
    return await show_me(me, db=db)


@router.get("/me/deletion")
async def plan_account_deletion(me: Me, db: Db) -> AccountDeletionView:
    """Tell which workspaces would go with one's account, and which need another owner first."""
    return AccountDeletionView.of(await db.read(lambda tx: plan_deletion(tx, me.user_id), by=None))


@router.post("/me/deletion", status_code=204)
async def delete_account(
    *,
    body: AccountDeletionBody,
    request: Request,
    response: Response,
    me: Me,
    db: Db,
    settings: Config,
) -> None:
    """Delete one's account with all that is one's own; what others could see stays, without one's name."""
    await delete_own_account(body.current_password, by=me, client=client_info_of(request), db=db)
    cookies.clear_session_cookie(response, request=request, settings=settings)


@router.get("/sessions")
async def list_sessions(me: Me, db: Db) -> SessionList:
    """List where one is signed in, the latest seen first."""
    found = await db.read(lambda tx: sessions.list_sessions(tx, me), by=None)
    return SessionList(
        items=[SessionView.of(session, current=session.id == me.credential_id) for session in found]
    )


@router.delete("/sessions/{session_id}", status_code=204)
async def end_session(session_id: str, me: Me, db: Db) -> None:
    """Sign one of one's browsers out."""
    await db.write(lambda tx: sessions.end_session(tx, session_id, by=me), by=None)


@router.post("/sessions/revoke-all", status_code=204)
async def sign_out_everywhere(
    *, request: Request, response: Response, me: Me, db: Db, settings: Config, body: RevokeAll | None = None
) -> None:
    """Sign out everywhere, here too, and if asked revoke every API token of one's own."""
    also_tokens = body is not None and body.tokens
    await db.write(lambda tx: sessions.end_all_sessions(tx, by=me, also_tokens=also_tokens), by=None)
    cookies.clear_session_cookie(response, request=request, settings=settings)


@router.get("/tokens")
async def list_tokens(me: Me, db: Db) -> TokenList:
    """List one's API tokens in this workspace."""
    found = await db.read(api_tokens.list_own_tokens, by=me)
    return TokenList(items=[TokenView.model_validate(api_token) for api_token in found])


@router.post("/tokens", status_code=201)
async def create_token(body: TokenBody, me: Me, db: Db) -> NewTokenView:
    """Make an API token that acts for oneself in this workspace; it is shown only now."""
    days = body.expires_in_days
    expires_at = None if days is None else clock.now() + timedelta(days=days)
    made = await db.write(lambda tx: api_tokens.create_token(tx, body.name, expires_at=expires_at), by=me)
    return NewTokenView.of(made)


@router.delete("/tokens/{token_id}", status_code=204)
async def revoke_token(token_id: str, me: Me, db: Db) -> None:
    """Delete one of one's API tokens."""
    await db.write(lambda tx: api_tokens.revoke_token(tx, token_id), by=me)
