"""The web services of a workspace: entering and changing them. A secret goes in and never comes out."""

import asyncio
from collections.abc import Iterable
from functools import partial

import httpx2

from tertulia.accounts import audit
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import SecretVault
from tertulia.models.connection_validation import check_key, key_tail_of
from tertulia.tools import store
from tertulia.tools.errors import ToolServerChanged
from tertulia.tools.http.http_tool import HttpService, HttpTool
from tertulia.tools.http.openapi import ServiceDescription, read_document
from tertulia.tools.http.service_config import (
    NewService,
    SealedSecret,
    ServiceChange,
    apply_change,
    is_other_service,
    to_row,
)
from tertulia.tools.store import ServiceRow

HTTP_SERVICES_MAX = 30


class HttpServices:
    """The verbs on web services, and the tools that are made of them."""

    def __init__(self, db: Database, client: httpx2.AsyncClient, vault: SecretVault) -> None:
        self._db = db
        self._client = client
        self._vault = vault

    async def all(self, by: Principal) -> list[ServiceRow]:
        """Return the workspace's services."""
        return await self._db.read(lambda tx: store.list_rows(tx, ServiceRow), by=by)

    async def add(self, new: NewService, by: Principal) -> ServiceRow:
        """Store a new service with what its document describes."""
        by.require(Role.ADMIN)
        service_id = new_id("htl")
        # Away from the event loop, here and below: a large document takes a moment to read.
        described = await asyncio.to_thread(read_document, new.document)
        secret = await asyncio.to_thread(self._seal, new.secret, service_id)
        row = to_row(new, service_id, described, secret)

        def write(tx: Tx) -> None:
            store.add_source(tx, row, max_rows=HTTP_SERVICES_MAX, what="services")
            audit.record(tx, "http_tool_added", subject_id=row.id, detail={"slug": row.slug})

        await self._db.write(write, by=by)
        return row

    async def change(self, service_id: str, change: ServiceChange, by: Principal) -> ServiceRow:
        """Change a service; when it becomes another, people are asked again before its tools run."""
        by.require(Role.ADMIN)
        described, secret = await asyncio.to_thread(self._read_change, service_id, change)

        def write(tx: Tx) -> ServiceRow:
            row = get_service(tx, service_id)
            changed = apply_change(row, change, described, secret)
            store.update_row(tx, changed)
            if is_other_service(row, changed, change):
                store.revoke_grants_of(tx, row.slug)
            audit.record(tx, "http_tool_changed", subject_id=row.id, detail={"changed": change.changed_names})
            return changed

        return await self._db.write(write, by=by)

    async def remove(self, service_id: str, by: Principal) -> None:
        """Delete a service with its secret."""
        by.require(Role.ADMIN)

        def write(tx: Tx) -> None:
            row = get_service(tx, service_id)
            store.remove_row(tx, row)
            audit.record(tx, "http_tool_removed", subject_id=row.id, detail={"slug": row.slug})

        await self._db.write(write, by=by)

    async def tools(self, rows: Iterable[ServiceRow]) -> list[HttpTool]:
        """Return the tools of services that are on: the operations that an admin ticked."""
        found_tools: list[HttpTool] = []
        for row in rows:
            if row.enabled and row.allowed:
                try:
                    service = await asyncio.to_thread(self._unseal, row)
                except (
                    TertuliaError
                ):  # a secret that does not open: the service is of no use until entered anew
                    continue
                chosen = [operation for operation in row.operations if operation.name in row.allowed]
                found_tools += [
                    HttpTool(
                        service,
                        operation,
                        operation.effect,
                        self._client,
                        check_current=partial(self._check_current, row, operation.name),
                    )
                    for operation in chosen
                ]
        return found_tools

    async def _check_current(self, row: ServiceRow, operation: str, by: Principal) -> None:
        """Raise unless a service is on, what it was, and may be asked for this: it may have been changed."""
        current = await self._db.read(lambda tx: store.find_row(tx, ServiceRow, row.id), by=by)
        if current is None or not current.enabled or operation not in current.allowed:
            raise ToolServerChanged
        if address_and_secret(current) != address_and_secret(row):
            raise ToolServerChanged

    def _unseal(self, row: ServiceRow) -> HttpService:
        secret = self._vault.open(row.sealed, context=row.id) if row.sealed else ""
        return HttpService(row.slug, row.base_url, row.auth, row.auth_name, secret)

    def _read_change(
        self, service_id: str, change: ServiceChange
    ) -> tuple[ServiceDescription | None, SealedSecret | None]:
        """Return what a new document describes and a new secret as it is stored, as far as there are such."""
        described = None if change.document is None else read_document(change.document)
        secret = None if change.secret is None else self._seal(change.secret, service_id)
        return described, secret

    def _seal(self, secret: str, service_id: str) -> SealedSecret:
        key = check_key(secret)
        return SealedSecret(self._vault.seal(key, context=service_id) if key else None, key_tail_of(key))


def address_and_secret(row: ServiceRow) -> tuple[object, ...]:
    """Return where a service is and how it is asked."""
    return row.base_url, row.auth, row.auth_name, row.sealed


def get_service(tx: Tx, service_id: str) -> ServiceRow:
    """Return a service of the workspace, or raise."""
    row = store.find_row(tx, ServiceRow, service_id)
    if row is None:
        raise NotFound("service")
    return row
