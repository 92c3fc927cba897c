"""Becoming somebody: set-up, signing in and out, following a link."""

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response

from tertulia.accounts import cookies, people, sessions, setup
from tertulia.accounts.accept import Acceptance, accept
from tertulia.accounts.domain import Client, SignedIn, SignIn
from tertulia.accounts.origin import check_origin
from tertulia.accounts.schemas import AcceptBody, MeView, SetupBody, SetupState, SignInBody, SwitchBody
from tertulia.core.principal import Principal
from tertulia.infra.db import Database
from tertulia.infra.http.identity import Me
from tertulia.infra.http.parts import Config, Db
from tertulia.infra.http.routing import Router

router = Router()


def client_of(request: Request) -> Client:
    """Return where a request came from."""
    address = request.client.host if request.client else ""
    return Client(address, request.headers.get("user-agent", ""))


class Door:
    """What signing in needs of its request, and the cookie it leaves on the response."""

    def __init__(self, request: Request, response: Response, settings: Config, db: Db) -> None:
        # Another site could otherwise sign a browser in as somebody else.
        check_origin(request, settings)
        self._request = request
        self._response = response
        self._settings = settings
        self._db = db
        self.how = SignIn(client_of(request), timedelta(days=settings.session_days))

    async def welcome(self, signed_in: SignedIn) -> MeView:
        """Hand over the cookie and say who it stands for."""
        cookies.set_session(self._response, signed_in.secret, request=self._request, settings=self._settings)
        return await show_me(signed_in.principal, db=self._db)


AtDoor = Annotated[Door, Depends(Door)]


async def show_me(by: Principal, *, db: Database) -> MeView:
    """Return what a principal sees of themselves."""
    return MeView.of(await db.read(lambda tx: people.profile(tx, by), by=None))


@router.get("/setup")
async def get_setup(db: Db) -> SetupState:
    """Tell whether the server still waits for its first owner."""
    return SetupState(needed=await setup.needed(db))


@router.post("/setup")
async def set_up(body: SetupBody, door: AtDoor, db: Db) -> MeView:
    """Become the first owner with the link printed at the server's start, and sign in."""
    ask = setup.Setup(**body.model_dump())
    return await door.welcome(await setup.set_up(ask, how=door.how, db=db))


@router.post("/session")
async def sign_in(body: SignInBody, door: AtDoor, db: Db) -> MeView:
    """Sign in; the answer sets the session's cookie."""
    return await door.welcome(await sessions.sign_in(body.email, body.password, how=door.how, db=db))


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, me: Me, db: Db, settings: Config) -> None:
    """Sign this browser out."""
    await db.write(lambda tx: sessions.end_present(tx, by=me), by=None)
    cookies.clear_session(response, request=request, settings=settings)


@router.post("/session/workspace")
async def switch_workspace(body: SwitchBody, me: Me, db: Db) -> MeView:
    """Take this browser to another of one's workspaces."""
    there = await db.write(lambda tx: sessions.switch(tx, body.workspace_id, by=me), by=None)
    return await show_me(there, db=db)


@router.post("/links/accept")
async def accept_link(body: AcceptBody, door: AtDoor, db: Db) -> MeView:
    """Join a workspace by invitation, or choose a new password by reset link, and sign in."""
    ask = Acceptance(token=body.token, password=body.password, email=body.email, name=body.name or "")
    return await door.welcome(await accept(ask, how=door.how, db=db))
