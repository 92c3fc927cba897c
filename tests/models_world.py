"""Models in a test: a database, people, scripted servers, and the HTTP door."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from fastapi import FastAPI, Request

from tertulia.core.errors import NotSignedIn
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.http import errors
from tertulia.infra.http.identity import Authenticator
from tertulia.infra.http.outbound import make_client
from tertulia.infra.http.routing import add_routes
from tertulia.librarian.provider import Librarian
from tertulia.models.calls import Call, Finished, PromptMessage, StreamEvent, TextDelta
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.routes import router
from tertulia.models.service import Models
from tertulia.settings import Settings
from tests.databases import open_database

CANARY = "sk-canary-0123456789abcdef-WXYZ"
#: Where the people of these tests are.
WORKSPACES = ("w1", "w2", "wsp_1")


@dataclass
class ModelsWorld:
    """One server with its models, and the means to restart it."""

    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)
    builtin_model: bool = False
    utility_model: str = ""
    private_hosts: tuple[str, ...] = ("127.0.0.1",)

    @property
    def settings(self) -> Settings:
        return Settings(
            data_dir=self.folder,
            provider_env=dict(self.env),
            discover_local=False,
            builtin_model=self.builtin_model,
            utility_model=self.utility_model,
            private_hosts=self.private_hosts,
        )

    @asynccontextmanager
    async def running(self) -> "AsyncGenerator[Models]":
        """Run the server's models until the block ends; running again is a restart."""
        db = open_database(self.folder / "models.db")
        await db.write(add_workspaces, by=None)
        try:
            async with make_client(self.private_hosts) as client:
                models = Models(self.settings, db, client, librarian=Librarian())
                try:
                    yield models
                finally:
                    await models.close()
        finally:
            await asyncio.to_thread(db.close)


def add_workspaces(tx: Tx) -> None:
    """Add the workspaces that people of these tests are in, unless they are there."""
    sql = """INSERT INTO workspaces (id, name, settings, created_at) VALUES (:id, :id, '{}', 0)
             ON CONFLICT DO NOTHING"""
    tx.run_many(sql, [{"id": id_} for id_ in WORKSPACES])


def person(name: str = "ann", workspace: str = "w1", role: Role = Role.OWNER) -> Principal:
    """Return somebody in a workspace."""
    return Principal(user_id=name, workspace_id=workspace, role=role)


class ByHeader:
    """Believes a header: who people are is another part's concern."""

    async def identify(self, request: Request) -> Principal:
        name, _, rest = request.headers.get("x-who", "").partition("@")
        workspace, _, role = rest.partition(":")
        if not name:
            raise NotSignedIn
        return person(name, workspace, Role(role or "owner"))

    async def is_still_allowed(self, principal: Principal) -> bool:
        return True


def client_of(models: Models, who: str = "ann@w1:owner") -> httpx2.AsyncClient:
    """Return an HTTP client of somebody, such as `ann@w1:viewer`."""
    app = FastAPI()
    errors.install_error_handlers(app)
    add_routes(app, router)
    app.state.parts = {Models: models, Authenticator: ByHeader(), Settings: Settings(Path("/nowhere"))}
    transport = httpx2.ASGITransport(app=app)
    return httpx2.AsyncClient(transport=transport, base_url="http://test", headers={"x-who": who})


async def heard_from(resolved: ResolvedModel, text: str, *, max_tokens: int = 60) -> list[StreamEvent]:
    """Ask a model and return all that is heard."""
    call = Call(resolved.model.name, "", (PromptMessage("user", text),), max_tokens, temperature=0)
    return [one async for one in resolved.provider.stream(call)]


def text_of(heard: list[StreamEvent]) -> str:
    """Return the reply's text, of a reply that ended well."""
    assert any(isinstance(one, Finished) for one in heard)
    return "".join(one.text for one in heard if isinstance(one, TextDelta))
