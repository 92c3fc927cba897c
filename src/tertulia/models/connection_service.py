"""Entering, changing and trying connections. A key goes in and never comes out."""

import asyncio
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from tertulia.core.clock import now
from tertulia.core.errors import Conflict, Limited, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.secrets import SecretVault
from tertulia.models import connection_store as store
from tertulia.models.connection_store import ConnectionRow
from tertulia.models.connection_urls import check_person_url
from tertulia.models.connection_validation import check_key, check_slug, key_tail_of
from tertulia.models.connections import Connection, ConnectionKind, Source, normalise_base_url
from tertulia.models.errors import ConnectionInvalid

CONNECTIONS_MAX = 50


@dataclass(frozen=True, slots=True)
class NewConnection:
    """What a person says about a connection they add."""

    kind: ConnectionKind
    slug: str = ""
    base_url: str = ""
    key: str = field(default="", repr=False)
    personal: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionChange:
    """What a person changes; None keeps what is there, and an empty key removes it."""

    base_url: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ConnectionSummary:
    """What may be shown of a connection."""

    id: str
    source: Source
    kind: ConnectionKind
    slug: str
    base_url: str
    has_key: bool
    key_tail: str = ""
    editable: bool = False

    @classmethod
    def of(cls, connection: Connection) -> "ConnectionSummary":
        """Return what may be shown of a connection that nobody entered here."""
        shown = (connection.id, connection.source, connection.kind, connection.slug, connection.base_url)
        return cls(*shown, has_key=bool(connection.key))

    @classmethod
    def of_row(cls, row: ConnectionRow, by: Principal) -> "ConnectionSummary":
        """Return what may be shown of a connection that people entered."""
        source = Source.PERSON if row.user_id else Source.WORKSPACE
        return cls(
            row.id,
            source,
            row.kind,
            row.slug,
            row.base_url,
            has_key=row.sealed_key is not None,
            key_tail=row.key_tail,
            editable=by.role.covers(role_to_change(row)),
        )


class ConnectionService:
    """The verbs on connections that people enter."""

    def __init__(self, db: Database, *, vault: SecretVault, private_hosts: tuple[str, ...]) -> None:
        self._db = db
        self._private_hosts = private_hosts
        self._vault = vault

    async def list_entered(self, by: Principal) -> list[ConnectionSummary]:
        """Return the person's own connections and the workspace's."""
        rows = await self._db.read(store.list_visible, by=by)
        return [ConnectionSummary.of_row(row, by) for row in rows]

    async def add(self, new: NewConnection, by: Principal) -> ConnectionSummary:
        """Store a new connection: the workspace's needs an admin, one's own a member."""
        by.require(Role.MEMBER if new.personal else Role.ADMIN)
        connection_id = new_id("con")
        row = build_row(new, connection_id, await self._seal(new.key, connection_id), by)
        self._check_reach(row, by)

        def write(tx: Tx) -> None:
            if len(store.list_visible(tx)) >= CONNECTIONS_MAX:
                raise Limited(f"There can be {CONNECTIONS_MAX} connections: remove one first.")
            if not store.add(tx, row):
                raise Conflict(f"There is already a connection called {row.slug!r}: choose another name.")

        await self._db.write(write, by=by)
        return ConnectionSummary.of_row(row, by)

    async def change(self, connection_id: str, change: ConnectionChange, by: Principal) -> ConnectionSummary:
        """Change a connection's address or key."""
        key = None if change.key is None else await self._seal(change.key, connection_id)

        def write(tx: Tx) -> ConnectionRow:
            changed = apply_change(get_for_writing(tx, connection_id), change, key)
            self._check_reach(changed, by)
            store.change(tx, changed)
            return changed

        return ConnectionSummary.of_row(await self._db.write(write, by=by), by)

    async def remove(self, connection_id: str, by: Principal) -> None:
        """Delete a connection with its key."""

        def write(tx: Tx) -> None:
            get_for_writing(tx, connection_id)
            store.remove(tx, connection_id)

        await self._db.write(write, by=by)

    def _check_reach(self, row: ConnectionRow, by: Principal) -> None:
        if row.user_id:
            check_person_url(row.base_url, by=by, private_hosts=self._private_hosts)

    async def _seal(self, key: str, connection_id: str) -> "SealedKey":
        key = check_key(key)
        # Away from the event loop: the first use loads a large library.
        sealed = await asyncio.to_thread(self._vault.seal, key, context=connection_id) if key else None
        return SealedKey(sealed, key_tail_of(key))


@dataclass(frozen=True, slots=True)
class SealedKey:
    """A key as it is stored; a server without one has None."""

    sealed: str | None
    tail: str


def build_row(new: NewConnection, connection_id: str, key: SealedKey, by: Principal) -> ConnectionRow:
    """Return the row of a new connection, checked."""
    made = now()
    return ConnectionRow(
        id=connection_id,
        user_id=by.user_id if new.personal else None,
        kind=new.kind,
        slug=check_slug(new.slug or str(new.kind)),
        base_url=normalise_base_url(new.kind, new.base_url),
        sealed_key=key.sealed,
        key_tail=key.tail,
        created_at=made,
        updated_at=made,
    )


def apply_change(row: ConnectionRow, change: ConnectionChange, key: SealedKey | None) -> ConnectionRow:
    """Return a row with what the person changed."""
    if change.base_url is not None:
        moved = normalise_base_url(row.kind, change.base_url)
        if row.sealed_key and key is None and origin_of(moved) != origin_of(row.base_url):
            # Or else whoever may change the address could have the key sent to themselves.
            raise ConnectionInvalid("Enter the key again when the address changes.", field="key")
        row = replace(row, base_url=moved)
    if key is not None:
        row = replace(row, sealed_key=key.sealed, key_tail=key.tail)
    return replace(row, updated_at=now())


def get_for_writing(tx: Tx, connection_id: str) -> ConnectionRow:
    """Return a connection that the person may change, or raise."""
    row = store.get(tx, connection_id)
    if row is None:
        raise NotFound("connection")
    tx.by.require(role_to_change(row))
    return row


def role_to_change(row: ConnectionRow) -> Role:
    """Return the role that may change a connection: one's own needs less."""
    return Role.MEMBER if row.user_id else Role.ADMIN


def origin_of(url: str) -> tuple[str, str]:
    """Return what decides which server a key is sent to."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
