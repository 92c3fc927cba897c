"""Sending notifications to browsers (RFC 8030): encrypted, signed, and only to the open internet."""

import asyncio
from datetime import timedelta

import httpx2

from tertulia.infra.http.outbound import DestinationRefused
from tertulia.reminders.domain import (
    SENT,
    DeliveryStatus,
    PushSubscription,
    ReminderMessage,
    SendOutcome,
)
from tertulia.reminders.push_encryption import encrypt_message
from tertulia.reminders.push_keys import PushKeys

PUSH_CONNECT_SECONDS = 10.0
PUSH_ANSWER_SECONDS = 20.0
RETRY_AFTER_MAX = timedelta(minutes=15)
RETRY_AFTER_MAX_DIGITS = 8
#: Browsers whose person took the permission back, or that are gone.
GONE_STATUSES = (404, 410)
BUSY_STATUSES = (408, 425, 429)
#: What happens before anything was sent.
NOT_SENT_ERRORS = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
#: Errors are told without the address: who has it can send notifications.
NO_CONNECTION = "The push service of this browser could not be reached."
NO_ANSWER = "The push service of this browser did not answer, so nobody knows whether it came through."
REFUSED_PLACE = "The address of this browser's push service may not be asked."


class PushSender:
    """Sends messages to browsers."""

    def __init__(self, client: httpx2.AsyncClient, keys: PushKeys) -> None:
        self._client = client
        self._keys = keys

    async def public_key(self) -> str:
        """Return the key by which browsers allow this server to send."""
        return await self._keys.public_key()

    async def send(self, message: ReminderMessage, subscription: PushSubscription) -> SendOutcome:
        """Send a message to a browser, and say what became of it."""
        request = self._client.build_request(
            "POST",
            subscription.endpoint,
            headers={
                "Authorization": await self._keys.authorization(subscription.endpoint),
                "Content-Encoding": "aes128gcm",
                "Content-Type": "application/octet-stream",
                "TTL": str(message.ttl_seconds),
                "Urgency": "high",
                # Of several with one topic a browser that was away is given the last alone.
                "Topic": message.tag.rpartition("_")[2][:32],
                "User-Agent": "Tertulia",
            },
            content=await asyncio.to_thread(encrypt_message, message, subscription),
            timeout=httpx2.Timeout(PUSH_ANSWER_SECONDS, connect=PUSH_CONNECT_SECONDS),
        )
        try:
            answer = await self._client.send(request, stream=True, follow_redirects=False)
        except DestinationRefused:
            return SendOutcome(DeliveryStatus.FAILED, REFUSED_PLACE, is_gone=True)
        except NOT_SENT_ERRORS:
            return SendOutcome(DeliveryStatus.WAITING, NO_CONNECTION)
        except httpx2.HTTPError:
            return SendOutcome(DeliveryStatus.UNKNOWN, NO_ANSWER)
        # Of what it says beside its status nothing is read.
        await answer.aclose()
        return outcome_of(answer)


def outcome_of(answer: httpx2.Response) -> SendOutcome:
    """Return what the answer of a push service means."""
    status = answer.status_code
    if answer.is_success:
        return SENT
    problem = f"The push service of this browser answered with status {status}."
    if status in GONE_STATUSES:
        return SendOutcome(DeliveryStatus.FAILED, problem, is_gone=True)
    if status in BUSY_STATUSES or answer.is_server_error:
        return SendOutcome(DeliveryStatus.WAITING, problem, retry_after=retry_after_of(answer))
    return SendOutcome(DeliveryStatus.FAILED, problem)


def retry_after_of(answer: httpx2.Response) -> timedelta | None:
    """Return how long a server wants to be left alone, as far as that is believable."""
    text = answer.headers.get("retry-after", "").strip()
    is_number = text.isdecimal() and len(text) <= RETRY_AFTER_MAX_DIGITS
    return min(timedelta(seconds=int(text)), RETRY_AFTER_MAX) if is_number else None
