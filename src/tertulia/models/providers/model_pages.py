"""Asking a server which models it has."""

from typing import TypeVar

import httpx2

from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.models.errors import ProviderGarbled
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.error_mapping import provider_error
from tertulia.models.providers.http import ERROR_BODY_MAX_BYTES, PROVIDER_TIMEOUT, read_capped, send_request

MODEL_PAGE_MAX_SECONDS = 20
MODEL_PAGE_MAX_BYTES = 32 * 1024 * 1024
#: A server that always says "there is more" is not followed for ever.
MODEL_PAGES_MAX = 50

T = TypeVar("T")


async def fetch_model_page(
    url: str,
    kind: type[T],
    *,
    endpoint: Endpoint,
    client: httpx2.AsyncClient,
    headers: dict[str, str],
    params: dict[str, str] | None = None,
) -> T:
    """Return one page of a list, read as `kind`."""
    prepared = client.build_request(
        "GET", url, headers=headers, params=params or None, timeout=PROVIDER_TIMEOUT
    )
    response = await send_request(prepared, endpoint=endpoint, client=client, seconds=MODEL_PAGE_MAX_SECONDS)
    try:
        ok = response.status_code == 200
        body = await read_capped(
            response, MODEL_PAGE_MAX_BYTES if ok else ERROR_BODY_MAX_BYTES, seconds=MODEL_PAGE_MAX_SECONDS
        )
    finally:
        await response.aclose()
    if not ok:
        raise provider_error(endpoint, response.status_code, body.decode(errors="replace"), response.headers)
    try:
        return JsonReader(kind).read(body)
    except JsonUnreadable:
        who = endpoint.slug
        raise ProviderGarbled(
            who, f"{who} lists its models in a form we do not know: check its address."
        ) from None
