"""An operation of a web service, as one of our tools."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote, quote_plus, urlencode

import httpx2
import msgspec

from tertulia.infra.secrets import redact
from tertulia.tools.arguments import ArgumentsWrong
from tertulia.tools.catalogue import LONGEST_DESCRIPTION, Offered, described, one_line, quoted, tool_name
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.http.operations import BODY, Auth, Operation, Sent, Where
from tertulia.tools.http.reaching import Question, Unreached, fetched

#: How long one call may take; the box around it waits a little longer.
SECONDS = 30.0
LONGER = 5.0
PLACE = re.compile(r"\{([^{}/]+)\}")
LATE = "The service did not answer within {seconds:g} seconds."
PERHAPS = " Whether it has done what was asked is not known: say so, and do not ask again by yourself."


@dataclass(frozen=True, slots=True)
class Service:
    """A web service, with all that is needed to ask it."""

    slug: str
    base_url: str
    auth: Auth = Auth.NONE
    auth_name: str = ""
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class OperationTool:
    """Asks a web service for one thing."""

    service: Service
    operation: Operation
    effect: Effect
    client: httpx2.AsyncClient
    patience: float = SECONDS
    shape: type[dict[str, Any]] = dict

    @property
    def seconds(self) -> float:
        """How long the box waits for it."""
        return self.patience + LONGER

    @property
    def name(self) -> str:
        """What models call it."""
        return tool_name(self.service.slug, self.operation.name)

    @property
    def description(self) -> str:
        """What the service says that it does."""
        one = self.operation
        return described(self.service.slug, Offered(one.name, one.description, {}, one.effect))

    @property
    def about(self) -> str:
        """What it does, as people read it."""
        return one_line(self.operation.description, LONGEST_DESCRIPTION)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the service wants to be given."""
        return self.operation.parameters

    def check(self, arguments: dict[str, Any]) -> None:
        """Raise where no request can be made of the arguments."""
        question_for(self.service, self.operation, arguments, seconds=self.patience)

    async def run(self, arguments: dict[str, Any], caller: Caller) -> Result:
        """Ask, and quote the answer."""
        question = question_for(self.service, self.operation, arguments, seconds=self.patience)
        secrets = ("authorization", self.service.auth_name)
        perhaps = "" if self.operation.effect is Effect.READ else PERHAPS
        try:
            async with asyncio.timeout(self.patience):
                answer, body = await fetched(self.client, question, secrets=secrets)
        except TimeoutError:
            return Result(LATE.format(seconds=self.patience) + perhaps, failed=True, unknown=bool(perhaps))
        except Unreached as error:
            unknown = error.heard and bool(perhaps)
            return Result(error.message + (perhaps if unknown else ""), failed=True, unknown=unknown)
        return as_result(self.service, answer, body)


def question_for(
    service: Service, operation: Operation, arguments: Mapping[str, Any], *, seconds: float
) -> Question:
    """Return the request that a call means, or raise where something is missing."""
    missing = [name for name in operation.parameters.get("required", []) if arguments.get(name) is None]
    unknown = sorted(set(arguments) - set(operation.places) - {BODY})
    if missing or unknown:
        raise ArgumentsWrong(
            f"{', '.join(missing)} must be given" if missing else f"there is no argument {', '.join(unknown)}"
        )
    url = service.base_url + path_of(operation.path, arguments)
    pairs = [pair for name in at(operation, Where.QUERY) for pair in pairs_of(name, arguments.get(name))]
    headers = {name: plain(arguments[name]) for name in at(operation, Where.HEADER) if name in arguments}
    content = b""
    if arguments.get(BODY) is not None:
        content = written(arguments[BODY], operation.sent)
        headers["Content-Type"] = operation.sent.value
    if service.auth is Auth.QUERY:
        pairs.append((service.auth_name, service.secret))
    headers |= {"Accept": "application/json, text/*"} | auth_headers(service)
    asked = f"{url}?{urlencode(pairs)}" if pairs else url
    return Question(operation.method, asked, headers, content, seconds)


def written(body: object, sent: Sent) -> bytes:
    """Return a body as its operation takes it; in a form, a list is said several times."""
    if sent is Sent.JSON:
        return msgspec.json.encode(body)
    if not isinstance(body, dict):
        raise ArgumentsWrong("the body of this operation is an object with the fields of a form")
    pairs = [
        (name, as_text(one))
        for name, value in cast("dict[str, object]", body).items()
        for one in several(value)
    ]
    return urlencode(pairs).encode()


def path_of(path: str, arguments: Mapping[str, Any]) -> str:
    """Return a path with its arguments filled in, none of which can leave its place."""

    def filled(place: re.Match[str]) -> str:
        value = plain(arguments.get(place[1], ""))
        if value in ("", ".", ".."):
            raise ArgumentsWrong(f"{place[1]} cannot be {value!r}")
        return quote(value, safe="")

    return quote(PLACE.sub(filled, path), safe="/%:@!$&'()*+,;=~")


def at(operation: Operation, where: Where) -> list[str]:
    """Return the arguments that go to one place."""
    return [name for name, place in operation.places.items() if place is where]


def pairs_of(name: str, value: object) -> list[tuple[str, str]]:
    """Return an argument as it stands in an address; a list is said several times."""
    return [(name, plain(one)) for one in several(value)]


def several(value: object) -> list[object]:
    """Return what an argument says, one by one; nothing where it is null."""
    if value is None:
        return []
    return cast("list[object]", value) if isinstance(value, list) else [value]


def plain(value: object) -> str:
    """Return a value as text for an address or a header, where a line break would be somebody's trick."""
    text = as_text(value)
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise ArgumentsWrong("arguments in an address or a header must not hold line breaks")
    return text


def as_text(value: object) -> str:
    """Return a text as it is, and anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def auth_headers(service: Service) -> dict[str, str]:
    """Return the header that carries a service's secret."""
    match service.auth:
        case Auth.BEARER:
            return {"Authorization": f"Bearer {service.secret}"}
        case Auth.HEADER:
            return {service.auth_name: service.secret}
        case _:
            return {}


def spellings(secret: str) -> list[str]:
    """Return a secret in every way that an answer may repeat it."""
    in_json = msgspec.json.encode(secret).decode()[1:-1]
    return [secret, quote(secret), quote(secret, safe=""), quote_plus(secret), in_json]


def as_result(service: Service, answer: httpx2.Response, body: bytes) -> Result:
    """Return an answer as a quotation: its status, and its text if it is one."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    text = body.decode("utf-8", "replace")
    if "\x00" in text or (kind.startswith(("image/", "audio/", "video/")) and "svg" not in kind):
        text = f"({len(body):,} bytes of {kind or 'something'} that cannot be read)"
    said = quoted(f"the service {service.slug}", redact(text, spellings(service.secret)) or "(nothing)")
    return Result(f"Status {answer.status_code}.\n{said}", failed=answer.status_code >= 400)
