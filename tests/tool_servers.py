"""Servers of tools for tests: the one of the official package over HTTP, and a plain web service."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.listening import listening
from tests.world import Json, Person, free_port

OFFICIAL = Path(__file__).with_name("mcp_server.py")


@contextmanager
def official_server() -> Generator[str]:
    """Run a server of the official package, and give its address."""
    port = free_port()
    command = [sys.executable, str(OFFICIAL), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_heard(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def wait_until_heard(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server does not start")


@dataclass
class Heard:
    """A request as a web service got it."""

    method: str
    target: str
    headers: dict[str, str]
    body: str


@dataclass
class WebService:
    """A web service that answers as it is told and remembers what it was asked."""

    url: str = ""
    heard: list[Heard] = field(default_factory=list)
    answers: Callable[[Heard], tuple[int, dict[str, str], str]] = lambda one: (200, {}, f"You said {one}.")
    silence: float = 0.0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            method, target, _ = head[0].split(" ")
            headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in head[1:] if line)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            one = Heard(method, target, headers, body.decode())
            self.heard.append(one)
            await asyncio.sleep(self.silence)
            status, more, text = self.answers(one)
            content = text.encode()
            lines = [f"{name}: {value}" for name, value in more.items()]
            head_text = "\r\n".join([f"HTTP/1.1 {status} X", *lines, f"content-length: {len(content)}"])
            writer.write(f"{head_text}\r\nconnection: close\r\n\r\n".encode() + content)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


@asynccontextmanager
async def web_service() -> AsyncGenerator[WebService]:
    service = WebService()
    async with listening(service.serve) as port:
        service.url = f"http://127.0.0.1:{port}"
        yield service


LOOK = {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
SAID: dict[str, Json] = {
    "initialize": GREETING,
    "tools/list": {"tools": [LOOK]},
    "tools/call": {"content": [{"type": "text", "text": "seen"}]},
}


def speaks_mcp(one: Heard) -> tuple[int, dict[str, str], str]:
    """Answer as a server with one tool, which keeps a session."""
    if one.method != "POST":
        return 405, {}, ""
    message = json.loads(one.body)
    if message["method"] not in SAID:
        return 202, {}, ""
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": SAID[message["method"]]}
    return 200, {"content-type": "application/json", "mcp-session-id": "s1"}, json.dumps(answer)


NOTES = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes": {
            "parameters": [{"$ref": "#/components/parameters/Tag"}],
            "get": {
                "operationId": "list_notes",
                "summary": "List notes.",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
            },
            "post": {
                "operationId": "add_note",
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}
                },
            },
        },
        "/notes/{id}": {
            "get": {
                "operationId": "get_note",
                "parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}],
            },
            "delete": {"parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}]},
        },
    },
    "components": {
        "parameters": {"Tag": {"name": "tag", "in": "query", "schema": {"type": "string"}}},
        "schemas": {
            "Note": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "next": {"$ref": "#/components/schemas/Note"}},
                "required": ["text"],
            }
        },
    },
}


async def add_service(person: Person, url: str, **more: object) -> Json:
    """Add the service of notes with all its operations ticked."""
    allowed = ["list_notes", "add_note", "get_note", "delete_notes/{id}"]
    body = {"slug": "notes", "document": json.dumps(NOTES), "base_url": url, "allowed": allowed}
    made = await person.post("/api/http-tools", body | more)
    assert made.status_code == 201, made.text
    return made.json()


async def add_server(person: Person, url: str, **more: object) -> Json:
    """Add the official server and check it."""
    made = await person.post("/api/tool-servers", {"slug": "test", "url": url} | more)
    assert made.status_code == 201, made.text
    checked = await person.post(f"/api/tool-servers/{made.json()['id']}/check")
    assert checked.status_code == 200, checked.text
    return checked.json()


async def until(found: Callable[[], Awaitable[object]], *, seconds: float = 10) -> None:
    """Wait until something is so."""
    for _ in range(int(seconds * 50)):
        if await found():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it does not come to be so")
