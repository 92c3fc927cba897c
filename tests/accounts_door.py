"""A small server with the accounts' doors alone, and people who knock at them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI

from tertulia.accounts import passwords, setup
from tertulia.accounts.authentication import RequestAuthenticator
from tertulia.accounts.routes import routers
from tertulia.core import clock
from tertulia.infra.db import Database, Tx
from tertulia.infra.http import errors
from tertulia.infra.http.identity import Authenticator
from tertulia.infra.http.routing import add_routes
from tertulia.settings import Settings
from tests.databases import open_database

PASSWORD = "correct horse battery"
BASE = "http://127.0.0.1:8000"


def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with the least argon2 can do, so that a test takes milliseconds."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "hasher", lambda: cheap)
    passwords.dummy_hash.cache_clear()


@dataclass
class Hands:
    """A clock that a test moves."""

    monkeypatch: pytest.MonkeyPatch
    now: datetime = field(default_factory=clock.now)

    def __post_init__(self) -> None:
        self.monkeypatch.setattr(clock, "now", lambda: self.now)
        self.monkeypatch.setattr(Tx, "uptime", lambda _: self.now)

    def forward(self, **by: float) -> None:
        """Let time pass."""
        self.now += timedelta(**by)


@dataclass
class AccountsDoor:
    """The server, and how to get a client for it."""

    app: FastAPI
    db: Database
    settings: Settings
    clients: list[httpx2.AsyncClient] = field(default_factory=list)

    @property
    def authenticator(self) -> RequestAuthenticator:
        return self.app.state.parts[Authenticator]

    def client(self, address: str = "127.0.0.1", base: str = BASE, **options: Any) -> httpx2.AsyncClient:
        """Return a browser without any cookie yet."""
        transport = httpx2.ASGITransport(app=self.app, client=(address, 1234))
        client = httpx2.AsyncClient(transport=transport, base_url=base, **options)
        self.clients.append(client)
        return client

    def configure(self, **changes: Any) -> None:
        """Start again with other settings."""
        self.settings = replace(self.settings, **changes)
        self.app.state.parts |= {
            Settings: self.settings,
            Authenticator: RequestAuthenticator(self.db, settings=self.settings),
        }

    async def owner(self, email: str = "ana@example.org") -> httpx2.AsyncClient:
        """Return the browser of the first owner, who sets the server up."""
        token = await setup.ensure_setup_link(self.db)
        client = self.client()
        body = {"token": token, "email": email, "name": "Ana", "password": PASSWORD}
        ok(await client.post("/api/setup", json=body))
        return client

    async def invite(self, by: httpx2.AsyncClient, role: str = "member", email: str | None = None) -> str:
        """Return the token of a new invitation."""
        answer = await by.post("/api/invitations", json={"role": role, "email": email})
        return ok(answer, 201)["token"]

    async def member(
        self, by: httpx2.AsyncClient, role: str = "member", email: str = "bea@example.org"
    ) -> httpx2.AsyncClient:
        """Return the browser of somebody who was invited and has joined."""
        client = self.client()
        body = {"token": await self.invite(by, role), "email": email, "password": PASSWORD}
        ok(await client.post("/api/links/accept", json=body))
        return client

    async def sign_in(self, email: str, password: str = PASSWORD, **where: Any) -> httpx2.AsyncClient:
        """Return a new browser of somebody who has an account."""
        client = self.client(**where)
        ok(await client.post("/api/session", json={"email": email, "password": password}))
        return client


@asynccontextmanager
async def open_door(folder: Path) -> AsyncGenerator[AccountsDoor]:
    """Serve the accounts' routes over a new database."""
    db = open_database(folder / "tertulia.db")
    settings = Settings(data_dir=folder)
    app = FastAPI()
    errors.install_error_handlers(app)
    add_routes(app, *routers)
    app.state.parts = {Database: db, Settings: settings}
    door = AccountsDoor(app, db, settings)
    door.configure()
    try:
        yield door
    finally:
        for client in door.clients:
            await client.aclose()
        await door.authenticator.close()
        db.close()


def ok(answer: httpx2.Response, status: int = 200) -> Any:
    """Return the body of an answer that must be a success."""
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def refused(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """Return the error of an answer that must be this refusal."""
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    return answer.json()["error"]


async def my_id(client: httpx2.AsyncClient) -> str:
    """Return who a browser is signed in as."""
    return ok(await client.get("/api/me"))["user"]["id"]
