"""What an endpoint is called with: found out once from its signature, then read from each request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_body_to_args, request_params_to_args
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers

#: Returns the part of a request that holds parameters of one kind.
ParameterSource = Callable[[Request], Mapping[str, Any] | Headers]
PARAMETER_SOURCES: tuple[tuple[str, ParameterSource], ...] = (
    ("path_params", lambda request: request.path_params),
    ("query_params", lambda request: request.query_params),
    ("header_params", lambda request: request.headers),
    ("cookie_params", lambda request: request.cookies),
)


@dataclass(slots=True)
class EndpointCall:
    """One request on its way to its endpoint."""

    request: Request
    #: What its body means; `pydantic_core.PydanticUndefined` when it has none.
    body: Any
    #: What dependencies returned, each of which is called once.
    results: dict[Callable[..., Any], Any]
    #: What is wrong with the request.
    errors: list[Any] = field(default_factory=list[Any])
    _response: Response | None = None

    @property
    def response(self) -> Response:
        """Return the response whose headers the endpoint may add to those of its own."""
        if self._response is None:
            self._response = Response()
            del self._response.headers["content-length"]
        return self._response

    def added_headers(self) -> Sequence[tuple[bytes, bytes]]:
        """Return the headers that were added."""
        return self._response.raw_headers if self._response is not None else ()


class EndpointArguments:
    """Reads the arguments of an endpoint, or of something that it depends on, from requests."""

    def __init__(self, dependant: Dependant) -> None:
        self._name = dependant.name
        self._call = dependant.call
        self._dependencies = [EndpointArguments(inner) for inner in dependant.dependencies]
        self._parameters = [
            (fields, source) for kind, source in PARAMETER_SOURCES if (fields := getattr(dependant, kind))
        ]
        self._body_fields = dependant.body_params
        self._request_name = dependant.request_param_name
        self._response_name = dependant.response_param_name

    async def read(self, call: EndpointCall) -> dict[str, Any]:
        """Return the arguments, or raise `RequestValidationError` with all that is wrong."""
        arguments = await self._read(call)
        if call.errors:
            raise RequestValidationError(call.errors, body=call.body)
        return arguments

    async def _read(self, call: EndpointCall) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        for dependency in self._dependencies:
            await dependency.resolve(call, arguments)
        for fields, source in self._parameters:
            values, errors = request_params_to_args(fields, source(call.request))
            arguments |= values
            call.errors += errors
        if self._body_fields:
            values, errors = await request_body_to_args(self._body_fields, call.body, embed_body_fields=False)
            arguments |= values
            call.errors += errors
        if self._request_name is not None:
            arguments[self._request_name] = call.request
        if self._response_name is not None:
            arguments[self._response_name] = call.response
        return arguments

    async def resolve(self, call: EndpointCall, arguments: dict[str, Any]) -> None:
        """Add to `arguments` what this dependency returns; it is not called with wrong arguments."""
        if self._call is None or self._name is None:
            return
        if self._call not in call.results:
            errors_before = len(call.errors)
            own = await self._read(call)
            if len(call.errors) > errors_before:
                return
            result = self._call(**own)
            call.results[self._call] = await result if isawaitable(result) else result
        arguments[self._name] = call.results[self._call]
