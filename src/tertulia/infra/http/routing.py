"""Routes that know who calls, and how much they may send, before they read what was sent."""

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import ResponseValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute, APIRouter
from fastapi.utils import is_body_allowed_for_status_code
from pydantic_core import PydanticUndefined
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from tertulia.infra.http.body_limits import BodyLimit, BoundedRequest, body_limit_of
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.endpoint_arguments import EndpointArguments, EndpointCall
from tertulia.infra.http.errors import ErrorBody
from tertulia.infra.http.identity import RoleRequired
from tertulia.infra.http.query_parameters import check_query_parameters, query_parameters_of
from tertulia.settings import Settings

#: What the description of every route says of its failures.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorBody, "description": "What went wrong"}
}


class Route(APIRoute):
    """A route that refuses strangers, parameters that it does not take, and large bodies, unread."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        # The framework's own handler finds out for each request what is known from the start.
        self.app = RouteHandler(self)
        self._path_start, self._path_end = path.partition("{")[0], path.rpartition("}")[2]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is for this route; most are not, which their path shows at once."""
        requested: str = scope["path"]
        if requested.startswith(self._path_start) and requested.endswith(self._path_end):
            return super().matches(scope)
        return Match.NONE, {}

    @property
    def role_checks(self) -> list[RoleRequired]:
        """Return what the caller must be."""
        return [call for call in dependency_calls(self.dependant) if isinstance(call, RoleRequired)]

    @property
    def body_limit(self) -> BodyLimit:
        """Return how much the route takes."""
        return body_limit_of(self.endpoint, is_anonymous=not self.role_checks)


class RouteHandler:
    """Answers the requests of one route: their head is judged first, then their body is read."""

    def __init__(self, route: Route) -> None:
        check_response_options(route)
        self._route = route
        self._role_checks = route.role_checks
        self._body_limit = route.body_limit
        self._query_parameters = query_parameters_of(route.dependant)
        self._arguments = EndpointArguments(route.dependant)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        principals = {check: await check(request) for check in self._role_checks}
        check_query_parameters(request, self._query_parameters)
        bounded = BoundedRequest(request, self._body_limit, get_part(request, Settings))
        bounded.check_content_length()
        body = PydanticUndefined if self._route.body_field is None else await bounded.read_body()
        call = EndpointCall(bounded, body, dict(principals))
        result = await self._route.endpoint(**await self._arguments.read(call))
        if isinstance(result, Response):
            return result
        response = self._encode(result, call.chosen_status or self._route.status_code or 200)
        response.raw_headers.extend(call.added_headers())
        return response

    def _encode(self, result: Any, status: int) -> Response:
        """Write what an endpoint returned as JSON."""
        if self._route.response_field is None:
            response: Response = JSONResponse(jsonable_encoder(result), status)
        else:
            value, errors = self._route.response_field.validate(result, loc=("response",))
            if errors:
                raise ResponseValidationError(errors, body=result)
            content = self._route.response_field.serialize_json(value)
            response = Response(content, status, media_type="application/json")
        if not is_body_allowed_for_status_code(status):
            response.body = b""
        return response


def check_response_options(route: Route) -> None:
    """Raise for options of a route by which the framework's own handler would change what is answered."""
    options = {
        "response_model_include": None,
        "response_model_exclude": None,
        "response_model_by_alias": True,
        "response_model_exclude_unset": False,
        "response_model_exclude_defaults": False,
        "response_model_exclude_none": False,
    }
    if changed := [name for name, default in options.items() if getattr(route, name) != default]:
        raise TypeError(f"{route.path}: {', '.join(changed)} not supported: answer with what is meant")


class Router(APIRouter):
    """A router whose routes are all of that kind."""

    def __init__(
        self,
        *,
        route_class: type[Route] = Route,
        responses: dict[int | str, dict[str, Any]] = ERROR_RESPONSES,
        **options: Any,
    ) -> None:
        super().__init__(route_class=route_class, responses=responses, **options)


def add_routes(app: FastAPI, *routers: Router) -> None:
    """Have an application answer at the routes of routers, which are tried in this order.

    Included the framework's way, the route of a request would be looked for twice, router by router.
    """
    for router in routers:
        app.router.routes.extend(router.routes)


def dependency_calls(dependant: Dependant) -> Iterator[Callable[..., Any] | None]:
    """Yield everything that a route depends on, however deep."""
    for inner in dependant.dependencies:
        yield inner.call
        yield from dependency_calls(inner)
