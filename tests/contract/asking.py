"""Asking a model through our adapters, and adding up what is heard."""

from dataclasses import dataclass, field
from typing import Any

import httpx2
from tests.scripted_provider import ScriptedProvider

from tertulia.infra.http.ssrf import NetworkReach
from tertulia.models.calls import (
    Call,
    Finished,
    PromptMessage,
    Provider,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)
from tertulia.models.providers import Endpoint, provider_for

KEY = "sk-secret-0123456789"
MODEL = "scripted-smart"


@dataclass
class Reply:
    """All of a reply."""

    text: str = ""
    thinking: str = ""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    finished: list[str] = field(default_factory=list)

    def add(self, heard: StreamEvent) -> None:
        """Add one thing heard."""
        match heard:
            case TextDelta(text):
                self.text += text
            case ThinkingDelta(text, block):
                self.thinking += text
                self.blocks += [block] if block else []
            case ToolCall():
                self.calls.append(heard)
            case Usage():
                self.usage = heard
            case Finished(reason):
                self.finished.append(reason)


def question(text: str = "Hello?", **fields: Any) -> Call:
    """A short question to the scripted model."""
    messages = fields.pop("messages", (PromptMessage("user", text),))
    said: dict[str, Any] = {"model": MODEL, "system": "Be brief.", "output_limit": 4096, **fields}
    return Call(messages=messages, **said)


class Adapter:
    """One of our adapters, speaking to the scripted provider."""

    def __init__(self, kind: str, *, provider: ScriptedProvider, client: httpx2.AsyncClient) -> None:
        urls = {"anthropic": provider.anthropic_url, "google": provider.gemini_url}
        self.kind = kind
        self.scripted = provider
        self.client = client
        self.endpoint = Endpoint(
            f"my-{kind}", kind, urls.get(kind, provider.openai_url), KEY, NetworkReach.NETWORK
        )

    def provider(self, *, silence_seconds: float = 10) -> Provider:
        """Return the adapter itself."""
        return provider_for(self.endpoint, client=self.client, silence_seconds=silence_seconds)

    async def ask(
        self, call: Call | None = None, *, silence_seconds: float = 10, into: Reply | None = None
    ) -> Reply:
        """Ask and listen to the end."""
        reply = into or Reply()
        async for heard in self.provider(silence_seconds=silence_seconds).stream(call or question()):
            reply.add(heard)
        return reply

    def sent(self) -> dict[str, Any]:
        """Return the body of the newest request."""
        return self.scripted.requests()[-1].body
