"""An operation of a web service, as one of our tools."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import quote, quote_plus, urlencode

import httpx2
import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal
from tertulia.infra.secrets import redact
from tertulia.tools.arguments import ToolArgumentsInvalid
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.external_tools import (
    EXTERNAL_OUTCOME_UNKNOWN,
    EXTERNAL_TOOL_GRACE_SECONDS,
    TOOL_DESCRIPTION_MAX_CHARS,
    OfferedTool,
    describe_external_tool,
    external_tool_name,
    one_line,
    quote_answer,
)
from tertulia.tools.http.client import HttpRequest, ToolServerUnreachable, fetch
from tertulia.tools.http.operations import BODY_ARGUMENT, Auth, BodyEncoding, Operation, ParameterLocation

#: How long one call may take.
HTTP_TOOL_TIMEOUT_SECONDS = 30.0
PATH_PARAMETER = re.compile(r"\{([^{}/]+)\}")
HTTP_TOOL_TIMED_OUT = "The service did not answer within {seconds:g} seconds."


@dataclass(frozen=True, slots=True)
class HttpService:
    """A web service, with all that is needed to ask it."""

    slug: str
    base_url: str
    auth: Auth = Auth.NONE
    auth_name: str = ""
    secret: str = field(default="", repr=False)


async def skip_check(_: Principal) -> None:
    """Take a service for what it was."""


@dataclass(frozen=True, slots=True)
class HttpTool:
    """Asks a web service for one thing."""

    service: HttpService
    operation: Operation
    effect: Effect
    client: httpx2.AsyncClient
    #: Raises once the service is not what it was when a reply was given its tools.
    check_current: Callable[[Principal], Awaitable[None]] = skip_check
    timeout_seconds: float = HTTP_TOOL_TIMEOUT_SECONDS
    shape: type[JsonObject] = dict

    @property
    def seconds(self) -> float:
        """How long the box waits for it."""
        return self.timeout_seconds + EXTERNAL_TOOL_GRACE_SECONDS

    @property
    def name(self) -> str:
        """What models call it."""
        return external_tool_name(self.service.slug, self.operation.name)

    @property
    def description(self) -> str:
        """What the service says that it does."""
        operation = self.operation
        return describe_external_tool(
            self.service.slug, OfferedTool(operation.name, operation.description, {}, operation.effect)
        )

    @property
    def about(self) -> str:
        """What it does, as people read it."""
        return one_line(self.operation.description, TOOL_DESCRIPTION_MAX_CHARS)

    @property
    def parameters(self) -> JsonObject:
        """What the service wants to be given."""
        return self.operation.parameters

    def check(self, arguments: JsonObject) -> None:
        """Raise where no request can be made of the arguments."""
        build_operation_request(self.service, self.operation, arguments, seconds=self.timeout_seconds)

    async def run(self, arguments: JsonObject, caller: ToolCaller) -> ToolOutput:
        """Ask, and quote the answer."""
        question = build_operation_request(
            self.service, self.operation, arguments, seconds=self.timeout_seconds
        )
        secrets = ("authorization", self.service.auth_name)
        perhaps = "" if self.operation.effect is Effect.READ else EXTERNAL_OUTCOME_UNKNOWN
        await self.check_current(caller.by)
        try:
            async with asyncio.timeout(self.timeout_seconds):
                answer, body = await fetch(self.client, question, secrets=secrets)
        except TimeoutError:
            return ToolOutput(
                HTTP_TOOL_TIMED_OUT.format(seconds=self.timeout_seconds) + perhaps,
                failed=True,
                unknown=bool(perhaps),
            )
        except ToolServerUnreachable as error:
            unknown = error.was_sent and bool(perhaps)
            return ToolOutput(error.message + (perhaps if unknown else ""), failed=True, unknown=unknown)
        return to_output(self.service, answer, body)


def build_operation_request(
    service: HttpService, operation: Operation, arguments: JsonObject, *, seconds: float
) -> HttpRequest:
    """Return the request that a call means, or raise where something is missing."""
    missing = [name for name in operation.parameters.get("required", []) if arguments.get(name) is None]
    unknown = sorted(set(arguments) - set(operation.places) - {BODY_ARGUMENT})
    if missing or unknown:
        raise ToolArgumentsInvalid(
            f"{', '.join(missing)} must be given" if missing else f"there is no argument {', '.join(unknown)}"
        )
    url = service.base_url + fill_path(operation.path, arguments)
    pairs = [
        pair
        for name in arguments_in(operation, ParameterLocation.QUERY)
        for pair in query_pairs(name, arguments.get(name))
    ]
    headers = {
        name: single_line_text(arguments[name])
        for name in arguments_in(operation, ParameterLocation.HEADER)
        if name in arguments
    }
    content = b""
    if arguments.get(BODY_ARGUMENT) is not None:
        content = encode_body(arguments[BODY_ARGUMENT], operation.sent)
        headers["Content-Type"] = operation.sent.value
    if service.auth is Auth.QUERY:
        pairs.append((service.auth_name, service.secret))
    headers |= {"Accept": "application/json, text/*"} | auth_headers(service)
    asked = f"{url}?{urlencode(pairs)}" if pairs else url
    return HttpRequest(operation.method, asked, headers, content, seconds)


def encode_body(body: object, sent: BodyEncoding) -> bytes:
    """Return a body as its operation takes it; in a form, a list is said several times."""
    if sent is BodyEncoding.JSON:
        return msgspec.json.encode(body)
    if not isinstance(body, dict):
        raise ToolArgumentsInvalid("the body of this operation is an object with the fields of a form")
    pairs = [
        (name, as_text(entry))
        for name, value in cast("dict[str, object]", body).items()
        for entry in as_list(value)
    ]
    return urlencode(pairs).encode()


def fill_path(path: str, arguments: JsonObject) -> str:
    """Return a path with its arguments filled in, none of which can leave its place."""

    def filled(place: re.Match[str]) -> str:
        value = single_line_text(arguments.get(place[1], ""))
        if value in ("", ".", ".."):
            raise ToolArgumentsInvalid(f"{place[1]} cannot be {value!r}")
        return quote(value, safe="")

    return quote(PATH_PARAMETER.sub(filled, path), safe="/%:@!$&'()*+,;=~")


def arguments_in(operation: Operation, where: ParameterLocation) -> list[str]:
    """Return the arguments that go to one place."""
    return [name for name, place in operation.places.items() if place is where]


def query_pairs(name: str, value: object) -> list[tuple[str, str]]:
    """Return an argument as it stands in an address; a list is said several times."""
    return [(name, single_line_text(item)) for item in as_list(value)]


def as_list(value: object) -> list[object]:
    """Return what an argument says, one by one; nothing where it is null."""
    if value is None:
        return []
    return cast("list[object]", value) if isinstance(value, list) else [value]


def single_line_text(value: object) -> str:
    """Return a value as text for an address or a header, where a line break would be somebody's trick."""
    text = as_text(value)
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ToolArgumentsInvalid("arguments in an address or a header must not hold line breaks")
    return text


def as_text(value: object) -> str:
    """Return a text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def auth_headers(service: HttpService) -> dict[str, str]:
    """Return the header that carries a service's secret."""
    match service.auth:
        case Auth.BEARER:
            return {"Authorization": f"Bearer {service.secret}"}
        case Auth.HEADER:
            return {service.auth_name: service.secret}
        case _:
            return {}


def secret_variants(secret: str) -> list[str]:
    """Return a secret in every way that an answer may repeat it."""
    in_json = msgspec.json.encode(secret).decode()[1:-1]
    return [secret, quote(secret), quote(secret, safe=""), quote_plus(secret), in_json]


def to_output(service: HttpService, answer: httpx2.Response, body: bytes) -> ToolOutput:
    """Return an answer as a quotation: its status, and its text if it is one."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    text = body.decode("utf-8", "replace")
    if "\x00" in text or (kind.startswith(("image/", "audio/", "video/")) and "svg" not in kind):
        text = f"({len(body):,} bytes of {kind or 'something'} that cannot be read)"
    said = quote_answer(
        f"the service {service.slug}", redact(text, secret_variants(service.secret)) or "(nothing)"
    )
    return ToolOutput(f"Status {answer.status_code}.\n{said}", failed=answer.status_code >= 400)
