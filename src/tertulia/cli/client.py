"""A server as commands see it: requests, and the events of one conversation."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from time import sleep
from types import TracebackType
from typing import Any, BinaryIO, Self, cast
from urllib.parse import urlsplit

import httpx2
import msgspec

from tertulia.cli.errors import AddressMalformed, ServerRefused, ServerUnreachable, TokenMalformed
from tertulia.cli.undecodable_text import replace_undecodable
from tertulia.conversations.events import ConversationDeleted, ConversationEvent, decode_event
from tertulia.core.json_object import JsonObject

#: The server sends a sign of life every fifteen seconds.
EVENT_STREAM_SILENCE_SECONDS = 45
API_TIMEOUT_SECONDS = 120
#: An archive of many files takes its time to be unpacked.
UPLOAD_TIMEOUT_SECONDS = 1800
RECONNECT_ATTEMPTS_MAX = 6
#: What to do at a terminal about what the server refused.
REFUSAL_HINTS = {"model_unknown": "`tertulia models` lists what there is."}
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event and its number in the conversation; a reset has none."""

    number: int
    event: ConversationEvent


class ApiClient:
    """Asks a server, and turns every way that can fail into a sentence."""

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        transport: httpx2.BaseTransport | None = None,
        backoff_seconds: float = 0.5,
    ) -> None:
        headers = {"User-Agent": "tertulia-cli"} | ({"Authorization": f"Bearer {token}"} if token else {})
        if not (token.isascii() and token.isprintable()):
            raise TokenMalformed
        try:
            address = urlsplit(url)
            self._http = httpx2.Client(
                base_url=url,
                headers=headers,
                timeout=API_TIMEOUT_SECONDS,
                transport=transport,
                # A server on this machine is not asked through a proxy that the environment names.
                trust_env=(address.hostname or "") not in LOOPBACK_HOSTS,
                # Loading the machine's certificates takes 40 ms, and only https has a use for them.
                verify=address.scheme == "https",
            )
        except (ValueError, httpx2.InvalidURL) as error:
            raise AddressMalformed(url) from error
        self._url = url
        self._backoff_seconds = backoff_seconds

    def __enter__(self) -> Self:
        """Use the connection for as long as the block lasts."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._http.close()

    def get(self, path: str, /, **params: str | int | bool | Sequence[str]) -> Any:
        """Return what is at a path."""
        return self._decode_body(self._send("GET", path, params=params))

    def post(self, path: str, body: object = None, /, **params: str) -> Any:
        """Send something and return the answer."""
        return self._decode_body(self._send("POST", path, json={} if body is None else body, params=params))

    def put(self, path: str, body: object) -> Any:
        """Change something and return the answer."""
        return self._decode_body(self._send("PUT", path, json=body))

    def patch(self, path: str, body: object) -> Any:
        """Change some of something and return the answer."""
        return self._decode_body(self._send("PATCH", path, json=body))

    def delete(self, path: str, /, **params: str) -> Any:
        """Delete something."""
        return self._decode_body(self._send("DELETE", path, params=params))

    def upload_files(self, path: str, files: Sequence[tuple[str, BinaryIO]], **fields: str) -> Any:
        """Send files by their names, read as they are sent, and return how it went."""
        parts = [("files", named) for named in files]
        return self._decode_body(
            self._send("POST", path, data=fields, files=parts, timeout=UPLOAD_TIMEOUT_SECONDS)
        )

    def download_into(self, path: str, output: BinaryIO, *, method: str = "GET", body: object = None) -> None:
        """Write what is at a path into a file, as it comes."""
        try:
            with self._http.stream(method, path, json=body) as response:
                if response.is_error:
                    response.read()
                    raise to_server_refused(response)
                output.writelines(response.iter_bytes())
        except httpx2.TransportError as error:
            raise ServerUnreachable(self._url) from error

    def upload_json(self, path: str, content: bytes, **params: str) -> Any:
        """Send a file of JSON as it is."""
        headers = {"Content-Type": "application/json"}
        return self._decode_body(self._send("POST", path, content=content, headers=headers, params=params))

    def export_conversation(self, conversation_id: str, output: BinaryIO, *, export_format: str) -> None:
        """Write a conversation into a file, as it comes."""
        path = f"/api/conversations/{conversation_id}/export"
        self.download_into(path, output, method="POST", body={"format": export_format})

    def subscribe(self, conversation_id: str, *, after: int) -> Generator[NumberedEvent]:
        """Yield every event after a number, each once, through any number of lost connections."""
        failures = 0
        while True:
            try:
                for stream_event in self._stream_events(conversation_id, after):
                    failures = 0
                    after = stream_event.number
                    yield stream_event
                    if isinstance(stream_event.event, ConversationDeleted):
                        return
            except httpx2.TransportError:
                pass  # what it says is that the connection is gone, as an early end does
            failures += 1
            if failures >= RECONNECT_ATTEMPTS_MAX:
                raise ServerUnreachable(self._url)
            sleep(self._backoff_seconds * failures)

    def _stream_events(self, conversation_id: str, after: int) -> Generator[NumberedEvent]:
        path = f"/api/conversations/{conversation_id}/events"
        timeout = httpx2.Timeout(API_TIMEOUT_SECONDS, read=EVENT_STREAM_SILENCE_SECONDS)
        headers = {"Last-Event-ID": str(after)}
        with self._http.stream("GET", path, headers=headers, timeout=timeout) as response:
            if response.is_error:
                response.read()
                raise to_server_refused(response)
            for sent in httpx2.EventSource(response, max_event_size=None):
                event = decode_known_event(sent.data)
                if event is not None:
                    yield NumberedEvent(int(sent.id) if sent.id else after, event)

    def _send(self, method: str, path: str, **more: Any) -> httpx2.Response:
        try:
            response = self._http.request(method, replace_undecodable(path), **replace_undecodable(more))
        except (httpx2.TransportError, httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise ServerUnreachable(self._url) from error
        if response.is_error:
            raise to_server_refused(response)
        return response

    def _decode_body(self, response: httpx2.Response) -> Any:
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise not_tertulia_error(response) from error


def decode_known_event(body: str) -> ConversationEvent | None:
    """Return an event, or None for one that a newer server sends and we do not know."""
    try:
        return decode_event(body)
    except msgspec.ValidationError:
        return None


def to_server_refused(response: httpx2.Response) -> ServerRefused:
    """Return the server's own words about what went wrong."""
    try:
        error = cast("JsonObject", response.json()["error"])
        sentences = (error["message"], REFUSAL_HINTS.get(error["code"], ""))
        return ServerRefused(
            " ".join(filter(None, sentences)), status=response.status_code, reason=error["code"]
        )
    except (ValueError, KeyError, TypeError):
        return not_tertulia_error(response)


def not_tertulia_error(response: httpx2.Response) -> ServerRefused:
    """Say that whoever answered is not one of ours."""
    message = f"What answers at {response.url} is not Tertulia (status {response.status_code}). Check --url."
    return ServerRefused(message, status=response.status_code, reason="not_tertulia")
