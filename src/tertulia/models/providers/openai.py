"""OpenAI's chat completions: also OpenRouter, xAI, Ollama, LM Studio, vLLM and llama.cpp."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import msgspec

from tertulia.models.calls import Call, OfferedModel, StreamEvent
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.http import ProviderRequest, sendable_key, stream_response
from tertulia.models.providers.model_pages import MODEL_PAGES_MAX, fetch_model_page
from tertulia.models.providers.openai_prompt import body_of
from tertulia.models.providers.openai_reply import OpenAIReplyParser
from tertulia.models.providers.usage_validation import plausible_window


class OpenRouterTopProvider(msgspec.Struct):
    """OpenRouter's word on the server that runs a model."""

    max_completion_tokens: Any = None


class OpenAIListedModel(msgspec.Struct):
    """A model in the list; all but the id are additions that only some servers make."""

    id: str
    name: str | None = None
    context_length: Any = None
    max_model_len: Any = None
    max_context_length: Any = None
    top_provider: OpenRouterTopProvider | None = None


class OpenAIModelPage(msgspec.Struct):
    """A page of the list; most servers have only one."""

    data: list[OpenAIListedModel] | None = None
    has_more: bool | None = None


class OpenAIProvider:
    """A server that speaks OpenAI's format."""

    def __init__(self, endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._endpoint = endpoint
        self._client = client
        self._silence_seconds = silence_seconds

    def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard."""
        reply = OpenAIReplyParser(self._endpoint, call.model)
        return stream_response(
            lambda: self._request(call), reply, client=self._client, silence_seconds=self._silence_seconds
        )

    async def offered(self) -> list[OfferedModel]:
        """Return the models this server lists."""
        models: dict[str, OfferedModel] = {}
        params: dict[str, str] = {}
        for _ in range(MODEL_PAGES_MAX):
            page = await self._fetch_page(params)
            fresh = {listed.id: parse_listed(listed) for listed in page.data or () if listed.id not in models}
            models |= fresh
            # A server that does not know paging sends the same page again.
            if not page.has_more or not fresh:
                break
            params = {"after": next(reversed(fresh))}
        return list(models.values())

    async def _fetch_page(self, params: dict[str, str]) -> OpenAIModelPage:
        url = self._endpoint.url("models")
        return await fetch_model_page(
            url,
            OpenAIModelPage,
            endpoint=self._endpoint,
            client=self._client,
            headers=self._headers(),
            params=params,
        )

    def _request(self, call: Call) -> ProviderRequest:
        url = self._endpoint.url("chat/completions")
        return ProviderRequest(self._endpoint, url, self._headers(), body_of(call, self._endpoint))

    def _headers(self) -> dict[str, str]:
        key = sendable_key(self._endpoint)
        return {"Authorization": f"Bearer {key}"} if key else {}


def parse_listed(listed: OpenAIListedModel) -> OfferedModel:
    """Return a listed model in our words."""
    window = listed.context_length or listed.max_model_len or listed.max_context_length
    output_limit = listed.top_provider.max_completion_tokens if listed.top_provider else None
    return OfferedModel(
        name=listed.id,
        title=listed.name,
        window=plausible_window(window),
        output_limit=plausible_window(output_limit),
    )
