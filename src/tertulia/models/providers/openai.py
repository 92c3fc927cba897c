"""OpenAI's chat completions: also OpenRouter, xAI, Ollama, LM Studio, vLLM and llama.cpp."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import msgspec

from tertulia.models.calls import Call, Heard, Offered
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.figures import window_size
from tertulia.models.providers.http import Request, checked_key, listen
from tertulia.models.providers.listing import MOST_PAGES, get_page
from tertulia.models.providers.openai_prompt import body_of
from tertulia.models.providers.openai_reply import OpenAIReply


class TopProvider(msgspec.Struct):
    """OpenRouter's word on the server that runs a model."""

    max_completion_tokens: Any = None


class Listed(msgspec.Struct):
    """A model in the list; all but the id are additions that only some servers make."""

    id: str
    name: str | None = None
    context_length: Any = None
    max_model_len: Any = None
    max_context_length: Any = None
    top_provider: TopProvider | None = None


class Page(msgspec.Struct):
    """A page of the list; most servers have only one."""

    data: list[Listed] | None = None
    has_more: bool | None = None


class OpenAIProvider:
    """A server that speaks OpenAI's format."""

    def __init__(self, endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._endpoint = endpoint
        self._client = client
        self._silence = silence_seconds

    def stream(self, call: Call) -> AsyncGenerator[Heard, None]:
        """Ask, and yield what is heard."""
        reply = OpenAIReply(self._endpoint, call.model)
        return listen(lambda: self._request(call), reply, client=self._client, silence_seconds=self._silence)

    async def offered(self) -> list[Offered]:
        """Return the models this server lists."""
        models: dict[str, Offered] = {}
        params: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            page = await self._page(params)
            fresh = {listed.id: offer(listed) for listed in page.data or () if listed.id not in models}
            models |= fresh
            # A server that does not know paging sends the same page again.
            if not page.has_more or not fresh:
                break
            params = {"after": next(reversed(fresh))}
        return list(models.values())

    async def _page(self, params: dict[str, str]) -> Page:
        url = self._endpoint.url("models")
        return await get_page(
            url, Page, endpoint=self._endpoint, client=self._client, headers=self._headers(), params=params
        )

    def _request(self, call: Call) -> Request:
        url = self._endpoint.url("chat/completions")
        return Request(self._endpoint, url, self._headers(), body_of(call, self._endpoint))

    def _headers(self) -> dict[str, str]:
        key = checked_key(self._endpoint)
        return {"Authorization": f"Bearer {key}"} if key else {}


def offer(listed: Listed) -> Offered:
    """Return a listed model in our words."""
    window = listed.context_length or listed.max_model_len or listed.max_context_length
    most = listed.top_provider.max_completion_tokens if listed.top_provider else None
    return Offered(
        name=listed.id, title=listed.name, window=window_size(window), output_limit=window_size(most)
    )
