"""Clients of a Valkey or Redis server, and what is said where its address cannot be used."""

from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError

from tertulia.core.errors import Invalid


class ValkeyAddressInvalid(Invalid):
    """`REDIS_URL` asks for something that the client does not know."""

    code = "valkey_address_invalid"


def make_client(url: str) -> Redis:
    """Return a client that tries nothing twice and leaves timeouts to us, or say what is wrong with `url`."""
    # Whether a connection was lost must be seen by us, and not be mended unnoticed. And with a timeout of its
    # own the client waits in a way that may miss being cancelled.
    ours = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": None,
        "socket_connect_timeout": None,
        "decode_responses": False,
    }
    try:
        client = Redis.from_url(url)
        pool = cast("Any", client.connection_pool)
        pool.connection_kwargs.update(ours)
        pool.make_connection()
    except (TypeError, ValueError) as error:
        options = ", ".join(parse_qs(urlsplit(url).query, keep_blank_values=True))
        raise ValkeyAddressInvalid(
            f"REDIS_URL has an option that is not known, or a value that it cannot have: {options}."
        ) from error
    return client


def explain_valkey_error(error: Exception) -> str:
    """Return why a server cannot be used, in a few words without what it was told."""
    if isinstance(error, AuthenticationError | NoPermissionError):
        return "it refuses the user or password in REDIS_URL"
    return f"it does not answer: {type(error).__name__}"
