"""Anthropic's messages API."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import msgspec

from tertulia.models.calls import Call, OfferedModel, StreamEvent
from tertulia.models.providers.anthropic_prompt import body_of
from tertulia.models.providers.anthropic_reply import AnthropicReplyParser
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.http import ProviderRequest, sendable_key, stream_response
from tertulia.models.providers.model_pages import MODEL_PAGES_MAX, fetch_model_page
from tertulia.models.providers.usage_validation import plausible_window

ANTHROPIC_API_VERSION = "2023-06-01"


class AnthropicListedModel(msgspec.Struct):
    """A model in the list."""

    id: str
    display_name: str | None = None
    max_input_tokens: Any = None
    max_tokens: Any = None


class AnthropicModelPage(msgspec.Struct):
    """A page of the list."""

    data: list[AnthropicListedModel] = []
    has_more: bool = False
    last_id: str | None = None


class AnthropicProvider:
    """A server that speaks Anthropic's format."""

    def __init__(self, endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._endpoint = endpoint
        self._client = client
        self._silence_seconds = silence_seconds

    def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard."""
        reply = AnthropicReplyParser(self._endpoint, call.model)
        return stream_response(
            lambda: self._request(call), reply, client=self._client, silence_seconds=self._silence_seconds
        )

    async def offered(self) -> list[OfferedModel]:
        """Return the models this server lists."""
        models: list[OfferedModel] = []
        params = {"limit": "1000"}
        for _ in range(MODEL_PAGES_MAX):
            page = await self._fetch_page(params)
            models += [parse_listed(listed) for listed in page.data]
            if not (page.has_more and page.last_id):
                break
            params["after_id"] = page.last_id
        return models

    async def _fetch_page(self, params: dict[str, str]) -> AnthropicModelPage:
        url = self._endpoint.url("models", version="v1")
        return await fetch_model_page(
            url,
            AnthropicModelPage,
            endpoint=self._endpoint,
            client=self._client,
            headers=self._headers(),
            params=params,
        )

    def _request(self, call: Call) -> ProviderRequest:
        url = self._endpoint.url("messages", version="v1")
        return ProviderRequest(self._endpoint, url, self._headers(), body_of(call, self._endpoint))

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": sendable_key(self._endpoint), "anthropic-version": ANTHROPIC_API_VERSION}


def parse_listed(listed: AnthropicListedModel) -> OfferedModel:
    """Return a listed model in our words."""
    return OfferedModel(
        name=listed.id,
        title=listed.display_name,
        window=plausible_window(listed.max_input_tokens),
        output_limit=plausible_window(listed.max_tokens),
    )
