"""Google's Gemini API."""

from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import quote

import httpx2
import msgspec

from tertulia.models.calls import Call, Heard, Offered
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.figures import window_size
from tertulia.models.providers.gemini_prompt import body_of
from tertulia.models.providers.gemini_reply import GeminiReply
from tertulia.models.providers.http import Request, checked_key, listen
from tertulia.models.providers.listing import MOST_PAGES, get_page


class Listed(msgspec.Struct, rename="camel"):
    """A model in the list."""

    name: str
    display_name: str | None = None
    input_token_limit: Any = None
    output_token_limit: Any = None
    supported_generation_methods: list[str] = []


class Page(msgspec.Struct, rename="camel"):
    """A page of the list."""

    models: list[Listed] = []
    next_page_token: str | None = None


class GeminiProvider:
    """A server that speaks Gemini's format. The key goes into a header, for addresses end up in logs."""

    def __init__(self, endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> None:
        self._endpoint = endpoint
        self._client = client
        self._silence = silence_seconds

    def stream(self, call: Call) -> AsyncGenerator[Heard, None]:
        """Ask, and yield what is heard."""
        reply = GeminiReply(self._endpoint, call.model)
        return listen(lambda: self._request(call), reply, client=self._client, silence_seconds=self._silence)

    async def offered(self) -> list[Offered]:
        """Return the models this server lists, those that write text only."""
        models: list[Offered] = []
        params = {"pageSize": "1000"}
        for _ in range(MOST_PAGES):
            page = await self._page(params)
            models += [
                offer(listed)
                for listed in page.models
                if "generateContent" in listed.supported_generation_methods
            ]
            if not page.next_page_token:
                break
            params["pageToken"] = page.next_page_token
        return models

    async def _page(self, params: dict[str, str]) -> Page:
        url = self._endpoint.url("models", version="v1beta")
        return await get_page(
            url, Page, endpoint=self._endpoint, client=self._client, headers=self._headers(), params=params
        )

    def _request(self, call: Call) -> Request:
        name = quote(call.model.removeprefix("models/"), safe="")
        url = self._endpoint.url(f"models/{name}:streamGenerateContent?alt=sse", version="v1beta")
        return Request(self._endpoint, url, self._headers(), body_of(call, self._endpoint))

    def _headers(self) -> dict[str, str]:
        return {"x-goog-api-key": checked_key(self._endpoint)}


def offer(listed: Listed) -> Offered:
    """Return a listed model in our words."""
    return Offered(
        name=listed.name.removeprefix("models/"),
        title=listed.display_name,
        window=window_size(listed.input_token_limit),
        output_limit=window_size(listed.output_token_limit),
    )
