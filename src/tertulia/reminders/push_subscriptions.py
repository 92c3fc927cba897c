"""Browsers that show notifications: added, removed, and opened to send to."""

import asyncio
import json
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

import httpx2

from tertulia.accounts.authentication import find_allowed
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.http.ssrf import is_allowed_private_host, is_forbidden_host, is_private_host
from tertulia.infra.secrets import SecretVault
from tertulia.reminders import push_store
from tertulia.reminders.domain import PushSubscription
from tertulia.reminders.errors import PushSubscriptionInvalid, TooManyPushSubscriptions
from tertulia.reminders.push_encryption import is_auth_secret, is_public_key

ENDPOINT_MAX_CHARS = 1_000
PUSH_SUBSCRIPTIONS_PER_PERSON_MAX = 20


@dataclass(frozen=True, slots=True)
class NewPushSubscription:
    """What a browser says of where its notifications go."""

    endpoint: str
    p256dh: str
    auth: str


class PushSubscriptions:
    """Keeps the subscriptions of people; each is sealed."""

    def __init__(self, db: Database, vault: SecretVault, *, private_hosts: tuple[str, ...]) -> None:
        self._db = db
        self._vault = vault
        self._private_hosts = private_hosts

    async def add(self, new: NewPushSubscription, *, by: Principal) -> None:
        """Send the caller's notifications to a browser; one that had somebody else's has theirs no more."""
        await asyncio.to_thread(check_subscription, new, self._private_hosts)
        subscription_id = new_id("psh")
        sealed = await asyncio.to_thread(self._seal, new, subscription_id)
        digest = digest_endpoint(new.endpoint)

        def write(tx: Tx) -> None:
            push_store.remove_endpoint(tx, digest)
            if push_store.count_own(tx) >= PUSH_SUBSCRIPTIONS_PER_PERSON_MAX:
                raise TooManyPushSubscriptions(PUSH_SUBSCRIPTIONS_PER_PERSON_MAX)
            push_store.add(tx, subscription_id, endpoint_digest=digest, sealed=sealed)

        await self._db.write(write, by=by)

    async def remove(self, endpoint: str, *, by: Principal) -> None:
        """Send nothing more to a browser of the caller's; to do so twice changes nothing."""
        digest = digest_endpoint(endpoint)
        await self._db.write(lambda tx: push_store.remove_own_endpoint(tx, digest), by=by)

    async def forget(self, subscription_id: str, *, by: Principal) -> None:
        """Forget a browser that is gone."""
        await self._db.write(lambda tx: push_store.remove(tx, subscription_id), by=by)

    async def list_ids(self, *, by: Principal) -> list[str]:
        """Return the caller's browsers."""
        return [row.id for row in await self._db.read(push_store.list_own, by=by)]

    async def open(self, subscription_id: str, *, by: Principal) -> PushSubscription | None:
        """Return a browser of the caller's; None where whoever signed in there no longer is."""
        row = await self._db.read(lambda tx: push_store.find(tx, subscription_id), by=by)
        if row is None:
            return None
        signed_in = Principal(row.user_id, row.workspace_id, Role.VIEWER, row.credential_id)
        if not await self._db.read(lambda tx: find_allowed(tx, {signed_in}), by=None):
            return None
        opened = json.loads(await asyncio.to_thread(self._vault.open, row.sealed, context=row.id))
        return PushSubscription(row.id, opened["endpoint"], opened["p256dh"], opened["auth"])

    def _seal(self, new: NewPushSubscription, subscription_id: str) -> str:
        told = {"endpoint": new.endpoint, "p256dh": new.p256dh, "auth": new.auth}
        return self._vault.seal(json.dumps(told), context=subscription_id)


def digest_endpoint(endpoint: str) -> str:
    """Return by what an endpoint is known without being readable."""
    return sha256(endpoint.encode()).hexdigest()


def check_subscription(new: NewPushSubscription, private_hosts: tuple[str, ...]) -> None:
    """Raise unless messages can be encrypted for a browser, and sent to where it says."""
    check_endpoint(new.endpoint, private_hosts)
    if not is_public_key(new.p256dh) or not is_auth_secret(new.auth):
        raise PushSubscriptionInvalid(
            "The browser sent keys that no message can be encrypted with. Try it again."
        )


def check_endpoint(endpoint: str, private_hosts: tuple[str, ...]) -> None:
    """Raise unless an address is one of the internet, encrypted, or of a host that the operator listed."""
    refusal = PushSubscriptionInvalid("The browser named a push service that may not be asked.")
    if len(endpoint) > ENDPOINT_MAX_CHARS or not endpoint.isascii() or not endpoint.isprintable():
        raise refusal
    try:
        parts = urlsplit(endpoint)
        _ = parts.port, httpx2.URL(endpoint)
    except (ValueError, httpx2.InvalidURL):
        raise refusal from None
    host = (parts.hostname or "").rstrip(".")
    if not host or parts.username is not None or parts.password is not None or is_forbidden_host(host):
        raise refusal
    is_listed = is_allowed_private_host(host, private_hosts)
    if not is_listed and (parts.scheme != "https" or is_private_host(host)):
        raise refusal
    if parts.scheme not in ("https", "http"):
        raise refusal
