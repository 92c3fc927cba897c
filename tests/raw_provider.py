"""A model server that answers with whatever bytes a test gives it, in OpenAI's format or in none."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.listening import listening
from tests.world import Person


@dataclass
class RawProvider:
    """What is answered next, and what was asked."""

    url: str = ""
    #: The models that are listed.
    models: list[dict[str, Any]] = field(default_factory=lambda: [{"id": "odd"}])
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    #: Fields of a request that are refused, and with which words.
    refuses: dict[str, str] = field(default_factory=dict[str, str])
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def say(self, *frames: str, status: int = 200, **headers: str) -> None:
        """Answer with these events from now on, each given as the text of its data."""
        self.body = b"".join(f"data: {frame}\n\n".encode() for frame in frames)
        self.status, self.headers = status, headers

    def fail(self, body: str, *, status: int, **headers: str) -> None:
        """Answer with an error from now on."""
        self.body, self.status, self.headers = body.encode(), status, headers

    async def connect(
        self, person: Person, *, personal: bool = True, slug: str = "odd", kind: str = "openai-compatible"
    ) -> None:
        """Have a person add this server; of a maker's kind, its models have that maker's prices."""
        body = {"kind": kind, "slug": slug, "base_url": self.url, "key": "k", "personal": personal}
        answered = await person.post("/api/connections", body)
        assert answered.status_code == 201, answered.text

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = [
            line.partition(":")[2] for line in head.splitlines() if line.lower().startswith("content-l")
        ]
        sent = await reader.readexactly(int(length[0])) if length else b""
        if head.startswith("GET"):
            self._answer(writer, 200, {"Content-Type": "application/json"}, listing(self.models))
        else:
            self.asked.append(json.loads(sent))
            if words := [words for name, words in self.refuses.items() if name in self.asked[-1]]:
                self._answer(writer, 400, {}, json.dumps({"error": {"message": words[0]}}).encode())
                writer.close()
                return
            kind = "text/event-stream" if self.status == 200 else "application/json"
            self._answer(writer, self.status, {"Content-Type": kind} | self.headers, self.body)
        await writer.drain()
        writer.close()

    def _answer(
        self, writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: bytes
    ) -> None:
        told = headers | {"Content-Length": str(len(body)), "Connection": "close"}
        lines = [f"HTTP/1.1 {status} Said", *(f"{name.replace('_', '-')}: {told[name]}" for name in told)]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncGenerator["RawProvider"]:
        """Serve on a free port of this machine."""
        provider = cls()
        async with listening(provider._serve) as port:
            provider.url = f"http://127.0.0.1:{port}/v1"
            yield provider


def listing(models: list[dict[str, Any]]) -> bytes:
    """Return a list of models as servers write it."""
    return json.dumps({"object": "list", "data": models}).encode()


def text(content: str) -> str:
    """Return an event that says a piece of text."""
    return json.dumps({"choices": [{"delta": {"content": content}}]})


def usage(**figures: Any) -> str:
    """Return an event that reports figures."""
    return json.dumps({"choices": [], "usage": figures})


STOP = '{"choices": [{"delta": {}, "finish_reason": "stop"}]}'
DONE = "[DONE]"
