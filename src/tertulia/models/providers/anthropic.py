"""Anthropic's messages API."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import msgspec

from tertulia.models.calls import Call, Heard, Offered
from tertulia.models.providers.anthropic_prompt import body_of
from tertulia.models.providers.anthropic_reply import AnthropicReply
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.figures import window_size
from tertulia.models.providers.http import Request, checked_key, listen
from tertulia.models.providers.listing import MOST_PAGES, get_page

API_VERSION = "2023-06-01"


class Listed(msgspec.Struct):
    """A model in the list."""

    id: str
    display_name: str | None = None
    max_input_tokens: Any = None
    max_tokens: Any = None


class Page(msgspec.Struct):
    """A page of the list."""

    data: list[Listed] = []
    has_more: bool = False
    last_id: str | None = None


class AnthropicProvider:
    """A server that speaks Anthropic's format."""

    def __init__(self, endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._endpoint = endpoint
        self._client = client
        self._silence = silence_seconds

    def stream(self, call: Call) -> AsyncGenerator[Heard, None]:
        """Ask, and yield what is heard."""
        reply = AnthropicReply(self._endpoint, call.model)
        return listen(lambda: self._request(call), reply, client=self._client, silence_seconds=self._silence)

    async def offered(self) -> list[Offered]:
        """Return the models this server lists."""
        models: list[Offered] = []
        params = {"limit": "1000"}
        for _ in range(MOST_PAGES):
            page = await self._page(params)
            models += [offer(listed) for listed in page.data]
            if not (page.has_more and page.last_id):
                break
            params["after_id"] = page.last_id
        return models

    async def _page(self, params: dict[str, str]) -> Page:
        url = self._endpoint.url("models", version="v1")
        return await get_page(
            url, Page, endpoint=self._endpoint, client=self._client, headers=self._headers(), params=params
        )

    def _request(self, call: Call) -> Request:
        url = self._endpoint.url("messages", version="v1")
        return Request(self._endpoint, url, self._headers(), body_of(call, self._endpoint))

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": checked_key(self._endpoint), "anthropic-version": API_VERSION}


def offer(listed: Listed) -> Offered:
    """Return a listed model in our words."""
    return Offered(
        name=listed.id,
        title=listed.display_name,
        window=window_size(listed.max_input_tokens),
        output_limit=window_size(listed.max_tokens),
    )
