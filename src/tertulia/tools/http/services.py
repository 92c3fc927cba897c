"""The web services of a workspace: entering and changing them. A secret goes in and never comes out."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import httpx2

from tertulia.accounts import audit
from tertulia.core.clock import now
from tertulia.core.errors import Conflict, Invalid, Limited, NotFound, TertuliaError
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import Vault
from tertulia.models.connection_checks import check_key, tail_of
from tertulia.tools import workshop_store as store
from tertulia.tools.catalogue import check_slug
from tertulia.tools.http.openapi import OWN_HEADERS, read_document
from tertulia.tools.http.operations import Auth
from tertulia.tools.http.reaching import check_url
from tertulia.tools.http.tool import OperationTool, Service
from tertulia.tools.mcp.secrets import HEADER
from tertulia.tools.workshop_store import ServiceRow

MOST_SERVICES = 30


class ServiceInvalid(Invalid):
    """What was entered cannot be a web service."""

    code = "http_tool_invalid"


@dataclass(frozen=True, slots=True)
class NewService:
    """What an admin says about a service that they add."""

    slug: str
    document: str = field(repr=False)
    base_url: str = ""
    auth: Auth = Auth.NONE
    auth_name: str = ""
    secret: str = field(default="", repr=False)
    enabled: bool = True
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """What an admin changes; None keeps what is there."""

    document: str | None = field(default=None, repr=False)
    base_url: str | None = None
    auth: Auth | None = None
    auth_name: str | None = None
    secret: str | None = field(default=None, repr=False)
    enabled: bool | None = None
    allowed: tuple[str, ...] | None = None


class Services:
    """The verbs on web services, and the tools that are made of them."""

    def __init__(self, db: Database, client: httpx2.AsyncClient, vault: Vault) -> None:
        self._db = db
        self._client = client
        self._vault = vault

    async def all(self, by: Principal) -> list[ServiceRow]:
        """Return the workspace's services."""
        return await self._db.read(lambda tx: store.all_of(tx, ServiceRow), by=by)

    async def add(self, new: NewService, by: Principal) -> ServiceRow:
        """Store a new service with what its document describes."""
        by.require(Role.ADMIN)
        service_id = new_id("htl")
        # Away from the event loop: a large document takes a moment to read.
        row = await asyncio.to_thread(self._new_row, new, service_id)

        def write(tx: Tx) -> None:
            if len(store.all_of(tx, ServiceRow)) >= MOST_SERVICES:
                raise Limited(f"There can be {MOST_SERVICES} services: remove one first.")
            if store.slug_is_taken(tx, row.slug):
                raise Conflict(f"There are already tools under {row.slug!r}: choose another name.")
            store.add(tx, row)
            audit.record(tx, "http_tool_added", subject_id=row.id, detail={"slug": row.slug})

        await self._db.write(write, by=by)
        return row

    async def change(self, service_id: str, change: ServiceChange, by: Principal) -> ServiceRow:
        """Change a service; when it becomes another, people are asked again before its tools run."""
        by.require(Role.ADMIN)
        row = await self._db.read(lambda tx: found(tx, service_id), by=by)
        changed = await asyncio.to_thread(self._changed_row, row, change)

        def write(tx: Tx) -> None:
            found(tx, service_id)
            store.change(tx, changed)
            if change.document is not None or origin(changed.base_url) != origin(row.base_url):
                store.forget_grants(tx, row.slug)
            fields = [name for name in ServiceChange.__slots__ if getattr(change, name) is not None]
            audit.record(tx, "http_tool_changed", subject_id=row.id, detail={"changed": fields})

        await self._db.write(write, by=by)
        return changed

    async def remove(self, service_id: str, by: Principal) -> None:
        """Delete a service with its secret."""
        by.require(Role.ADMIN)

        def write(tx: Tx) -> None:
            row = found(tx, service_id)
            store.remove(tx, row)
            audit.record(tx, "http_tool_removed", subject_id=row.id, detail={"slug": row.slug})

        await self._db.write(write, by=by)

    async def tools(self, rows: Iterable[ServiceRow]) -> list[OperationTool]:
        """Return the tools of services that are on: the operations that an admin ticked."""
        found_tools: list[OperationTool] = []
        for row in rows:
            if row.enabled and row.allowed:
                try:
                    service = await asyncio.to_thread(self._opened, row)
                except (
                    TertuliaError
                ):  # a secret that does not open: the service is of no use until entered anew
                    continue
                chosen = [one for one in row.operations if one.name in row.allowed]
                found_tools += [OperationTool(service, one, one.effect, self._client) for one in chosen]
        return found_tools

    def _opened(self, row: ServiceRow) -> Service:
        secret = self._vault.open(row.sealed, context=row.id) if row.sealed else ""
        return Service(row.slug, row.base_url, row.auth, row.auth_name, secret)

    def _new_row(self, new: NewService, service_id: str) -> ServiceRow:
        described = read_document(new.document)
        made = now()
        key = check_key(new.secret)
        return checked(
            ServiceRow(
                id=service_id,
                slug=check_slug(new.slug),
                title=described.title,
                base_url=check_url(new.base_url or described.base_url),
                auth=new.auth,
                auth_name=new.auth_name,
                sealed=self._vault.seal(key, context=service_id) if key else None,
                secret_tail=tail_of(key),
                enabled=new.enabled,
                allowed=list(new.allowed),
                operations=described.operations,
                created_at=made,
                updated_at=made,
            )
        )

    def _changed_row(self, row: ServiceRow, change: ServiceChange) -> ServiceRow:
        changed = replace(
            row,
            base_url=row.base_url if change.base_url is None else check_url(change.base_url),
            auth=change.auth or row.auth,
            auth_name=row.auth_name if change.auth_name is None else change.auth_name,
            enabled=row.enabled if change.enabled is None else change.enabled,
            allowed=row.allowed if change.allowed is None else list(change.allowed),
            updated_at=now(),
        )
        if change.document is not None:
            described = read_document(change.document)
            known = {one.name for one in described.operations}
            kept = changed.allowed if change.allowed else [one for one in row.allowed if one in known]
            changed = replace(changed, title=described.title, operations=described.operations, allowed=kept)
        if change.secret is not None:
            key = check_key(change.secret)
            sealed = self._vault.seal(key, context=row.id) if key else None
            changed = replace(changed, sealed=sealed, secret_tail=tail_of(key))
        elif row.sealed and origin(changed.base_url) != origin(row.base_url):
            # Or else whoever may change the address could have the secret sent to themselves.
            raise ServiceInvalid("Enter the secret again when the address changes.")
        return checked(changed)


def checked(row: ServiceRow) -> ServiceRow:
    """Return a row that can be asked, or raise."""
    if row.auth in (Auth.HEADER, Auth.QUERY) and not HEADER.fullmatch(row.auth_name):
        raise ServiceInvalid("Name the header or the parameter that carries the secret.")
    if row.auth is Auth.HEADER and row.auth_name.lower() in OWN_HEADERS - {"authorization", "cookie"}:
        raise ServiceInvalid("That header cannot carry a secret.")
    if row.auth is not Auth.NONE and row.sealed is None:
        raise ServiceInvalid("Enter the secret, or choose that there is none.")
    known = {one.name for one in row.operations}
    if strange := sorted(set(row.allowed) - known):
        raise ServiceInvalid(f"The document has no operation {strange[0][:100]!r}.")
    return row


def found(tx: Tx, service_id: str) -> ServiceRow:
    """Return a service of the workspace, or raise."""
    row = store.get(tx, ServiceRow, service_id)
    if row is None:
        raise NotFound("service")
    return row


def origin(url: str) -> tuple[str, str]:
    """Return what decides which server a secret is sent to."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
