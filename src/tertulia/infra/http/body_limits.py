"""How much a request may bring: counted as it arrives, and its JSON measured before it is built.

A route declares its limit with `body_limit`; one that declares none takes little.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic_core import PydanticUndefined
from starlette.types import Message, Receive

from tertulia.core.errors import TooLarge
from tertulia.core.json_object import JsonObject
from tertulia.core.threads import run_in_thread_if_long
from tertulia.settings import Settings

#: What somebody unknown may send: enough for any name, address and password.
ANONYMOUS_BODY_MAX_BYTES = 16_000
BODY_MAX_BYTES = 1_000_000
#: A text of a million characters, each of which JSON may write as six bytes.
LONG_TEXT_MAX_BYTES = 6_000_000
#: Strings, elements and members in a body: what is built of them costs far more than their bytes.
JSON_MAX_TOKENS = 20_000
#: What is left of JSON when its structure is looked at alone.
JSON_STRUCTURE = b'",[{'
SURROGATE_ESCAPE_PATTERN = re.compile(rb"\\u[dD][89a-fA-F]")
NON_STRUCTURE_BYTES = bytes(set(range(256)) - set(JSON_STRUCTURE))

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class BodyTooLarge(TooLarge):
    """A request brings more than its route takes."""

    code = "body_too_large"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"This request may have at most {max_bytes:,} bytes.", max_bytes=max_bytes)


class BodyTooComplex(TooLarge):
    """JSON holds more strings, elements and members than anything that its route takes."""

    code = "body_too_complex"

    def __init__(self, max_tokens: int) -> None:
        message = f"The JSON of this request may hold at most {max_tokens:,} strings, elements and members."
        super().__init__(message, max_tokens=max_tokens)


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most that a route takes, and what is said of more."""

    max_bytes: int | Callable[[Settings], int]
    json_max_tokens: int = JSON_MAX_TOKENS
    refusal: Callable[[int], TooLarge] = BodyTooLarge

    def max_bytes_for(self, settings: Settings) -> int:
        """Return the most bytes, which may depend on the settings."""
        return self.max_bytes if isinstance(self.max_bytes, int) else self.max_bytes(settings)


ANONYMOUS_BODY_LIMIT = BodyLimit(ANONYMOUS_BODY_MAX_BYTES)
DEFAULT_BODY_LIMIT = BodyLimit(BODY_MAX_BYTES)

_limits_by_endpoint: dict[Callable[..., Any], BodyLimit] = {}


def long_text_limit(count: int) -> BodyLimit:
    """Return the limit of a route that takes so many long texts."""
    return BodyLimit(count * LONG_TEXT_MAX_BYTES + BODY_MAX_BYTES)


def body_limit(limit: BodyLimit) -> Callable[[Endpoint], Endpoint]:
    """Declare how much a route takes; stands below the line that makes it one."""

    def declare(endpoint: Endpoint) -> Endpoint:
        _limits_by_endpoint[endpoint] = limit
        return endpoint

    return declare


def body_limit_of(endpoint: Callable[..., object], *, is_anonymous: bool) -> BodyLimit:
    """Return how much a route takes."""
    return _limits_by_endpoint.get(endpoint, ANONYMOUS_BODY_LIMIT if is_anonymous else DEFAULT_BODY_LIMIT)


class BoundedRequest(Request):
    """A request that raises as soon as it brings more than its route takes."""

    def __init__(self, request: Request, limit: BodyLimit, settings: Settings) -> None:
        self._limit = limit
        self._max_bytes = limit.max_bytes_for(settings)
        super().__init__(request.scope, self._count_bytes(request.receive))

    def check_content_length(self) -> None:
        """Raise when the request says itself that it brings too much."""
        length = self.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._max_bytes:
            raise self._limit.refusal(self._max_bytes)

    async def read_body(self) -> Any:
        """Return what the body means where it is JSON, else its bytes; `PydanticUndefined` if it is empty."""
        body = await self.body()
        if not body:
            return PydanticUndefined
        if not is_json(self.headers.get("content-type", "")):
            return body
        parse = partial(parse_json, body, max_tokens=self._limit.json_max_tokens)
        return await run_in_thread_if_long(parse, chars=len(body))

    def _count_bytes(self, receive: Receive) -> Receive:
        total = 0

        async def count() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._max_bytes:
                raise self._limit.refusal(self._max_bytes)
            return message

        return count


def is_json(content_type: str) -> bool:
    """Tell whether a body says of itself that it is JSON."""
    main, _, sub = content_type.partition(";")[0].strip().lower().partition("/")
    return main == "application" and "/" not in sub and (sub == "json" or sub.endswith("+json"))


def parse_json(body: bytes | bytearray, *, max_tokens: int = JSON_MAX_TOKENS) -> Any:
    """Return what JSON means, or raise when it is none or holds too much."""
    if count_json_tokens(body, stop_at=max_tokens) > max_tokens:
        raise BodyTooComplex(max_tokens)
    try:
        # The other reader takes halves of surrogate pairs, so that the field that holds one can be named.
        return json.loads(body) if SURROGATE_ESCAPE_PATTERN.search(body) else msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, json.JSONDecodeError) as error:
        wrong: JsonObject = {"type": "json_invalid", "loc": ("body",), "msg": "not valid JSON"}
        raise RequestValidationError([wrong]) from error


def count_json_tokens(body: bytes | bytearray, *, stop_at: int) -> int:
    """Return about how many strings, elements and members JSON holds, without building any of them.

    Counting ends at `stop_at`.
    """
    quick = sum(body.count(mark) for mark in JSON_STRUCTURE)
    if quick <= stop_at:
        return quick
    bare = body.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, NON_STRUCTURE_BYTES)
    strings = bare.count(b'"') // 2
    if strings > stop_at:
        return strings
    # Every second part between two quotes stands outside of strings.
    return strings + sum(map(len, bare.split(b'"')[::2]))
