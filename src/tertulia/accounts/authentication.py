"""The one place that finds out who sent a request, whatever carries their credential."""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import Request

from tertulia.accounts import cookies
from tertulia.accounts.bearer_secrets import TOKEN_PREFIX, is_secret, secret_digest
from tertulia.accounts.csrf import check_origin
from tertulia.accounts.domain import MemberStatus
from tertulia.accounts.errors import CredentialsDisagree, Suspended
from tertulia.core import clock
from tertulia.core.errors import NotSignedIn, TertuliaError
from tertulia.core.ids import new_ulid
from tertulia.core.principal import Principal, Role
from tertulia.core.tasks import finish_tasks
from tertulia.infra.db import Database, Tx, bound_rows
from tertulia.settings import Settings

log = logging.getLogger("tertulia.accounts")

#: Being seen again is written down only so often, because each time is a write.
LAST_SEEN_INTERVAL = timedelta(minutes=1)
SESSION_CREDENTIAL_SQL = """
    SELECT c.id, c.user_id, c.workspace_id, m.role, c.last_seen_at AS seen_at,
           m.status AS member_status, u.status AS user_status
    FROM sessions AS c
    JOIN users AS u ON u.id = c.user_id
    JOIN members AS m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
    WHERE c.token_hash = :hash AND c.expires_at > :now"""
API_CREDENTIAL_SQL = """
    SELECT c.id, c.user_id, c.workspace_id, m.role, c.last_used_at AS seen_at,
           m.status AS member_status, u.status AS user_status
    FROM api_tokens AS c
    JOIN users AS u ON u.id = c.user_id
    JOIN members AS m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
    WHERE c.token_hash = :hash AND (c.expires_at IS NULL OR c.expires_at > :now)"""
#: What holds of a member and a credential that may still act.
STILL_VALID_SQL = """m.status = 'active' AND u.status = 'active'
      AND ({credential} = ''
           OR m.user_id = (SELECT s.user_id FROM sessions AS s
                           WHERE s.id = {credential} AND s.expires_at > :now)
           OR m.user_id = (SELECT t.user_id FROM api_tokens AS t
                           WHERE t.id = {credential} AND t.workspace_id = m.workspace_id
                             AND (t.expires_at IS NULL OR t.expires_at > :now)))"""
STILL_ALLOWED_SQL = f"""
    SELECT m.role FROM members AS m JOIN users AS u ON u.id = m.user_id
    WHERE m.workspace_id = :workspace AND m.user_id = :me
      AND {STILL_VALID_SQL.format(credential=":credential")}"""
ALL_ALLOWED_SQL = f"""
    SELECT p.position, m.role
    FROM {bound_rows("principals", "user_id", "workspace_id", "credential_id")} AS p
    JOIN members AS m ON m.workspace_id = p.workspace_id AND m.user_id = p.user_id
    JOIN users AS u ON u.id = m.user_id
    WHERE {STILL_VALID_SQL.format(credential="p.credential_id")}"""


@dataclass(frozen=True, slots=True)
class CredentialRow:
    """A credential that exists, with the standing of whom it acts for."""

    id: str
    user_id: str
    workspace_id: str
    role: Role
    seen_at: datetime | None
    member_status: MemberStatus
    user_status: MemberStatus

    @property
    def is_suspended(self) -> bool:
        """Whether the person or their membership is suspended."""
        return MemberStatus.SUSPENDED in (self.member_status, self.user_status)

    def is_last_seen_outdated(self, now: datetime) -> bool:
        """Tell whether it is time to write down that the credential was used."""
        return self.seen_at is None or abs(now - self.seen_at) >= LAST_SEEN_INTERVAL


class RequestAuthenticator:
    """Identifies requests by session cookie, bearer token or API key, with one policy for all."""

    def __init__(self, db: Database, *, settings: Settings) -> None:
        self._db = db
        self._settings = settings
        self._recording: dict[str, asyncio.Task[None]] = {}

    async def identify(self, request: Request) -> Principal:
        """Return the principal behind a request, as the database knows them at this moment."""
        sessions, tokens = cookies.session_cookies_of(request), bearer_tokens_of(request)
        if sessions:
            check_origin(request, self._settings)
        check_well_formed(sessions, tokens)
        found = await self._db.read_inline(lambda tx: look_up_credentials(tx, sessions, tokens), by=None)
        principal = agree_on_principal(found)
        self._record_use(found)
        return principal

    async def is_still_allowed(self, principal: Principal) -> bool:
        """Tell whether a principal met earlier may still do all that they could."""
        return await self._db.read_inline(may_still_act, by=principal)

    async def close(self) -> None:
        """Wait until all that is to be written down is."""
        await finish_tasks(self._recording.values())

    def _record_use(self, found: list[CredentialRow]) -> None:
        """Write down that credentials were used, without making the request wait for it."""
        now = clock.now()
        for credential in found:
            if credential.is_last_seen_outdated(now) and credential.id not in self._recording:
                task = asyncio.create_task(self._write_last_seen(credential, now))
                self._recording[credential.id] = task
                task.add_done_callback(lambda _, seen=credential.id: self._recording.pop(seen, None))

    async def _write_last_seen(self, found: CredentialRow, now: datetime) -> None:
        expires_at = now + timedelta(days=self._settings.session_days)
        try:
            await self._db.write(lambda tx: write_last_seen(tx, found.id, now, expires_at), by=None)
        except TertuliaError as error:
            # A full or busy disk must not stop people from reading what is there.
            log.warning("The use of a credential was not written down: %s", error)


def may_still_act(tx: Tx) -> bool:
    """Tell whether the caller, met earlier, may still do all that they could."""
    role = tx.value(STILL_ALLOWED_SQL, credential=tx.by.credential_id, now=clock.now())
    return role is not None and Role(role).covers(tx.by.role)


def find_allowed(tx: Tx, principals: Collection[Principal]) -> set[Principal]:
    """Return those of some principals met earlier who may still do all that they could."""
    met = list(principals)
    named = [(principal.user_id, principal.workspace_id, principal.credential_id) for principal in met]
    found = tx.rows(ALL_ALLOWED_SQL, principals=named, now=clock.now())
    return {met[int(place)] for place, role in found if Role(role).covers(met[int(place)].role)}


def bearer_tokens_of(request: Request) -> list[str]:
    """Return every API token of a request; other schemes, such as a proxy's own, are not ours."""
    schemes = [line.strip().partition(" ") for line in request.headers.getlist("authorization")]
    bearers = [value.strip() for scheme, _, value in schemes if scheme.lower() == "bearer"]
    return bearers + [line.strip() for line in request.headers.getlist("x-api-key")]


def check_well_formed(sessions: list[str], tokens: list[str]) -> None:
    """Raise when there is no credential, or one that cannot be ours: one bad one spoils the rest."""
    well_formed = all(is_secret(session) for session in sessions) and all(
        is_secret(token, TOKEN_PREFIX) for token in tokens
    )
    if not well_formed or not (sessions or tokens):
        raise NotSignedIn


def look_up_credentials(tx: Tx, sessions: list[str], tokens: list[str]) -> list[CredentialRow]:
    """Return what every carried credential stands for, or raise when one stands for nothing."""
    asked = [(SESSION_CREDENTIAL_SQL, session) for session in set(sessions)] + [
        (API_CREDENTIAL_SQL, token) for token in set(tokens)
    ]
    found = [tx.one(CredentialRow, sql, hash=secret_digest(secret), now=clock.now()) for sql, secret in asked]
    known = [credential for credential in found if credential is not None]
    if len(known) < len(asked):
        raise NotSignedIn
    return known


def agree_on_principal(found: list[CredentialRow]) -> Principal:
    """Return the one principal that all credentials stand for."""
    if len({(credential.user_id, credential.workspace_id) for credential in found}) > 1:
        raise CredentialsDisagree
    first = found[0]
    if first.is_suspended:
        raise Suspended
    return Principal(first.user_id, first.workspace_id, first.role, first.id)


def write_last_seen(tx: Tx, credential_id: str, now: datetime, expires_at: datetime) -> None:
    """Note that a credential was used; a session lives on from here."""
    tx.run("UPDATE api_tokens SET last_used_at = :now WHERE id = :id", id=credential_id, now=now)
    tx.run(
        """UPDATE sessions SET last_seen_at = :now, expires_at = :expires_at, sort_key = :sort_key
           WHERE id = :id""",
        id=credential_id,
        now=now,
        expires_at=expires_at,
        sort_key=new_ulid(),
    )
