"""Google's Gemini API."""

from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import quote

import httpx2
import msgspec

from tertulia.models.calls import Call, OfferedModel, StreamEvent
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.gemini_prompt import body_of
from tertulia.models.providers.gemini_reply import GeminiReplyParser
from tertulia.models.providers.http import ProviderRequest, sendable_key, stream_response
from tertulia.models.providers.model_pages import MODEL_PAGES_MAX, fetch_model_page
from tertulia.models.providers.usage_validation import plausible_window


class GeminiListedModel(msgspec.Struct, rename="camel"):
    """A model in the list."""

    name: str
    display_name: str | None = None
    input_token_limit: Any = None
    output_token_limit: Any = None
    supported_generation_methods: list[str] = []


class GeminiModelPage(msgspec.Struct, rename="camel"):
    """A page of the list."""

    models: list[GeminiListedModel] = []
    next_page_token: str | None = None


class GeminiProvider:
    """A server that speaks Gemini's format. The key goes into a header, for addresses end up in logs."""

    def __init__(self, endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._endpoint = endpoint
        self._client = client
        self._silence_seconds = silence_seconds

    def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard."""
        reply = GeminiReplyParser(self._endpoint, call.model)
        return stream_response(
            lambda: self._request(call), reply, client=self._client, silence_seconds=self._silence_seconds
        )

    async def offered(self) -> list[OfferedModel]:
        """Return the models this server lists, those that write text only."""
        models: list[OfferedModel] = []
        params = {"pageSize": "1000"}
        for _ in range(MODEL_PAGES_MAX):
            page = await self._fetch_page(params)
            models += [
                parse_listed(listed)
                for listed in page.models
                if "generateContent" in listed.supported_generation_methods
            ]
            if not page.next_page_token:
                break
            params["pageToken"] = page.next_page_token
        return models

    async def _fetch_page(self, params: dict[str, str]) -> GeminiModelPage:
        url = self._endpoint.url("models", version="v1beta")
        return await fetch_model_page(
            url,
            GeminiModelPage,
            endpoint=self._endpoint,
            client=self._client,
            headers=self._headers(),
            params=params,
        )

    def _request(self, call: Call) -> ProviderRequest:
        name = quote(call.model.removeprefix("models/"), safe="")
        url = self._endpoint.url(f"models/{name}:streamGenerateContent?alt=sse", version="v1beta")
        return ProviderRequest(self._endpoint, url, self._headers(), body_of(call, self._endpoint))

    def _headers(self) -> dict[str, str]:
        return {"x-goog-api-key": sendable_key(self._endpoint)}


def parse_listed(listed: GeminiListedModel) -> OfferedModel:
    """Return a listed model in our words."""
    return OfferedModel(
        name=listed.name.removeprefix("models/"),
        title=listed.display_name,
        window=plausible_window(listed.input_token_limit),
        output_limit=plausible_window(listed.output_token_limit),
    )
