"""Bodies are refused where they are too large: as announced, or as they arrive."""

from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from tertulia.files.body import FRAME, room_for_files
from tertulia.files.errors import UploadTooLarge
from tertulia.infra.http.hardening import HEADERS, LARGEST_BODY, BodyTooLarge, Hardening

FILES = "/api/projects/prj_1/files"
LARGEST_FILE = 2 * LARGEST_BODY
#: One object, however often it is sent.
BLOCK = b"x" * (LARGEST_BODY // 4)


def request(method: str, path: str, length: str | None = None) -> Scope:
    headers = [] if length is None else [(b"content-length", length.encode())]
    return {"type": "http", "method": method, "path": path, "headers": headers}


async def served(scope: Scope, *, blocks: int = 0) -> tuple[list[Message], int]:
    """Send a request of so many blocks; return what was answered, and how many bytes the app took."""
    sent: list[Message] = []
    taken = 0
    bodies = [BLOCK] * blocks

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal taken
        while (message := await receive())["more_body"]:
            taken += len(message["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return {"type": "http.request", "body": bodies.pop() if bodies else b"", "more_body": bool(bodies)}

    async def send(message: Message) -> None:
        sent.append(message)

    await Hardening(app, larger=room_for_files(LARGEST_FILE))(scope, receive, send)
    return sent, taken


def status(sent: list[Message]) -> Any:
    return sent[0]["status"]


@pytest.mark.parametrize(
    ("method", "path", "largest"),
    [
        ("POST", "/api/turn", LARGEST_BODY),
        ("POST", FILES, LARGEST_FILE + FRAME),
        ("PUT", f"{FILES}/fil_1", LARGEST_FILE + FRAME),
        ("DELETE", FILES, LARGEST_BODY),
        ("PUT", f"{FILES}/fil_1/content", LARGEST_BODY),
        ("POST", f"{FILES}x", LARGEST_BODY),
    ],
)
async def test_only_where_files_are_sent_may_a_request_be_larger(
    method: str, path: str, largest: int
) -> None:
    fits, _ = await served(request(method, path, str(largest)))
    refused, _ = await served(request(method, path, str(largest + 1)))
    assert (status(fits), status(refused)) == (200, 413)


async def test_a_body_is_counted_as_it_arrives_whatever_was_announced() -> None:
    for length in (None, "10", "ten"):
        with pytest.raises(BodyTooLarge):
            await served(request("POST", "/api/turn", length), blocks=6)
        with pytest.raises(UploadTooLarge):
            await served(request("POST", FILES, length), blocks=10)
        sent, taken = await served(request("POST", FILES, length), blocks=8)
        assert (status(sent), taken) == (200, 7 * len(BLOCK))


def test_the_room_for_files_is_never_less_than_what_is_usual() -> None:
    assert room_for_files(1).largest >= LARGEST_BODY


async def test_every_answer_carries_the_headers() -> None:
    sent, _ = await served(request("GET", "/anything"))
    names = {name.decode().lower() for name, _ in sent[0]["headers"]}
    assert names >= {name.lower() for name in HEADERS}
