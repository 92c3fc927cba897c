"""Becoming somebody: set-up, signing in and out, following a link."""

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response

from tertulia.accounts import cookies, sessions, setup, users
from tertulia.accounts.csrf import check_origin
from tertulia.accounts.domain import ClientInfo, NewSession, SignInContext
from tertulia.accounts.errors import Suspended
from tertulia.accounts.link_acceptance import LinkAcceptance, follow_link
from tertulia.accounts.routes.account_router import account_router
from tertulia.accounts.schemas import (
    AcceptBody,
    MeView,
    SessionState,
    SetupBody,
    SetupState,
    SignInBody,
    SwitchBody,
)
from tertulia.core.errors import NotSignedIn
from tertulia.core.principal import Principal
from tertulia.infra.db import Database
from tertulia.infra.http.dependencies import Config, Db
from tertulia.infra.http.identity import Me, identify

router = account_router()


def client_info_of(request: Request) -> ClientInfo:
    """Return where a request came from."""
    address = request.client.host if request.client else ""
    return ClientInfo(address, request.headers.get("user-agent", ""))


class SignInExchange:
    """What signing in needs of its request, and the cookie it leaves on the response."""

    def __init__(self, request: Request, response: Response, settings: Config, db: Db) -> None:
        # Another site could otherwise sign a browser in as somebody else.
        check_origin(request, settings)
        self._request = request
        self._response = response
        self._settings = settings
        self._db = db
        self.context = SignInContext(client_info_of(request), timedelta(days=settings.session_days))

    async def complete(self, signed_in: NewSession) -> MeView:
        """Hand over the cookie and say who it stands for."""
        cookies.set_session_cookie(
            self._response, signed_in.secret, request=self._request, settings=self._settings
        )
        return await show_me(signed_in.principal, db=self._db)


CurrentSignIn = Annotated[SignInExchange, Depends(SignInExchange)]


async def show_me(by: Principal, *, db: Database) -> MeView:
    """Return what a principal sees of themselves."""
    return MeView.of(await db.read(lambda tx: users.get_profile(tx, by), by=None))


@router.get("/setup")
async def get_setup(db: Db) -> SetupState:
    """Tell whether the server still waits for its first owner."""
    return SetupState(needed=await setup.is_setup_needed(db))


@router.post("/setup")
async def set_up(body: SetupBody, exchange: CurrentSignIn, db: Db) -> MeView:
    """Become the first owner with the link printed at the server's start, and sign in."""
    ask = setup.SetupRequest(**body.model_dump())
    return await exchange.complete(await setup.set_up(ask, context=exchange.context, db=db))


@router.get("/session")
async def get_session(request: Request, db: Db) -> SessionState:
    """Tell who is signed in, if anybody is: to be nobody yet is no error."""
    try:
        return SessionState(me=await show_me(await identify(request), db=db))
    except (NotSignedIn, Suspended):
        return SessionState(me=None)


@router.post("/session")
async def sign_in(body: SignInBody, exchange: CurrentSignIn, db: Db) -> MeView:
    """Sign in; the answer sets the session's cookie."""
    return await exchange.complete(
        await sessions.sign_in(body.email, body.password, context=exchange.context, db=db)
    )


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, me: Me, db: Db, settings: Config) -> None:
    """Sign this browser out."""
    await db.write(lambda tx: sessions.end_current_session(tx, by=me), by=None)
    cookies.clear_session_cookie(response, request=request, settings=settings)


@router.post("/session/workspace")
async def switch_workspace(body: SwitchBody, me: Me, db: Db) -> MeView:
    """Take this browser to another of one's workspaces."""
    there = await db.write(lambda tx: sessions.switch_workspace(tx, body.workspace_id, by=me), by=None)
    return await show_me(there, db=db)


@router.post("/links/accept")
async def accept_link(body: AcceptBody, exchange: CurrentSignIn, db: Db) -> MeView:
    """Join a workspace by invitation, or choose a new password by reset link, and sign in."""
    ask = LinkAcceptance(token=body.token, password=body.password, email=body.email, name=body.name or "")
    return await exchange.complete(await follow_link(ask, context=exchange.context, db=db))
