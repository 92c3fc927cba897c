"""What an endpoint is called with: found out once from its signature, then read from each request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_body_to_args, request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.params import Form
from starlette.datastructures import Headers

#: Of a response whose status the endpoint has not set.
UNCHANGED_STATUS = 0
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
            self._response = Response(status_code=UNCHANGED_STATUS)
            del self._response.headers["content-length"]
        return self._response

    @property
    def chosen_status(self) -> int | None:
        """Return the status that the endpoint has set, if any."""
        if self._response is None or self._response.status_code == UNCHANGED_STATUS:
            return None
        return self._response.status_code

    def added_headers(self) -> Sequence[tuple[bytes, bytes]]:
        """Return the headers that were added."""
        return self._response.raw_headers if self._response is not None else ()


class EndpointArguments:
    """Reads the arguments of an endpoint, or of something that it depends on, from requests."""

    def __init__(self, dependant: Dependant) -> None:
        self._name = dependant.name
        self._call = call_of(dependant)
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
        if self._call not in call.results:
            errors_before = len(call.errors)
            own = await self._read(call)
            if len(call.errors) > errors_before:
                return
            result = self._call(**own)
            call.results[self._call] = await result if isawaitable(result) else result
        if self._name is not None:
            arguments[self._name] = call.results[self._call]


def call_of(dependant: Dependant) -> Callable[..., Any]:
    """Return what to call; raise for what the framework's own handler would do for it, and ours does not."""
    call = dependant.call
    is_coroutine = iscoroutinefunction(call) or iscoroutinefunction(type(call).__call__)
    if call is None or not (is_coroutine or isinstance(call, type)):
        raise TypeError(f"{call} must be a coroutine function: nothing is run in threads, or closed later")
    if not dependant.use_cache:
        raise TypeError(f"{call} must be called once a request: `use_cache=False` is not supported")
    if dependant.background_tasks_param_name or dependant.http_connection_param_name:
        raise TypeError(f"{call} must not ask for background tasks or connections")
    if any(isinstance(field.field_info, Form) for field in dependant.body_params):
        raise TypeError(f"{call} must read its form by itself")
    return call
