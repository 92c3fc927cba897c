"""Asking a server which models it has."""

from typing import TypeVar

import httpx2

from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.models.errors import ProviderGarbled
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.failures import failure
from tertulia.models.providers.http import LARGEST_ERROR, TIMEOUT, capped, sent

LIST_SECONDS = 20
LARGEST_LIST = 32 * 1024 * 1024
#: A server that always says "there is more" is not followed for ever.
MOST_PAGES = 50

T = TypeVar("T")


async def get_page(
    url: str,
    kind: type[T],
    *,
    endpoint: Endpoint,
    client: httpx2.AsyncClient,
    headers: dict[str, str],
    params: dict[str, str] | None = None,
) -> T:
    """Return one page of a list, read as `kind`."""
    prepared = client.build_request("GET", url, headers=headers, params=params or None, timeout=TIMEOUT)
    response = await sent(prepared, endpoint=endpoint, client=client, seconds=LIST_SECONDS)
    try:
        ok = response.status_code == 200
        body = await capped(response, LARGEST_LIST if ok else LARGEST_ERROR, seconds=LIST_SECONDS)
    finally:
        await response.aclose()
    if not ok:
        raise failure(endpoint, response.status_code, body.decode(errors="replace"), response.headers)
    try:
        return JsonReader(kind).read(body)
    except JsonUnreadable:
        who = endpoint.slug
        raise ProviderGarbled(
            who, f"{who} lists its models in a form we do not know: check its address."
        ) from None
