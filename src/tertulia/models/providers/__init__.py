"""The wire formats that models are spoken to in.

    openai       chat completions; every server we do not know otherwise
    anthropic    messages
    google       streamGenerateContent

Each has a `*_prompt` file that writes the request and a `*_reply` file that
reads the events; `http` asks, waits and gives up for all of them.
"""

import httpx2

from tertulia.models.calls import Provider
from tertulia.models.providers.anthropic import AnthropicProvider
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.gemini import GeminiProvider
from tertulia.models.providers.openai import OpenAIProvider

FORMATS = {"anthropic": AnthropicProvider, "google": GeminiProvider}


def provider_for(endpoint: Endpoint, *, client: httpx2.AsyncClient, silence_seconds: float) -> Provider:
    """Return the adapter for the wire format that a server of this kind speaks."""
    adapter = FORMATS.get(endpoint.kind, OpenAIProvider)
    return adapter(endpoint, client=client, silence_seconds=silence_seconds)


__all__ = ["AnthropicProvider", "Endpoint", "GeminiProvider", "OpenAIProvider", "provider_for"]
