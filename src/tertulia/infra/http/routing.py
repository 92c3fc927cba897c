"""Routes that know who calls, and how much they may send, before they read what was sent."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIRouter

from tertulia.infra.http.body_limits import BodyLimit, BoundedRequest, body_limit_of
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import RoleRequired
from tertulia.infra.http.query_parameters import check_query_parameters, query_parameters_of
from tertulia.settings import Settings

RouteHandler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """A route that refuses strangers, parameters that it does not take, and large bodies, unread."""

    @property
    def role_checks(self) -> list[RoleRequired]:
        """Return what the caller must be."""
        return [call for call in dependency_calls(self.dependant) if isinstance(call, RoleRequired)]

    @property
    def body_limit(self) -> BodyLimit:
        """Return how much the route takes."""
        return body_limit_of(self.endpoint, is_anonymous=not self.role_checks)

    def get_route_handler(self) -> RouteHandler:
        """Return what handles a request: its head is judged first, then its body is read."""
        handle = super().get_route_handler()
        required, limit, reads_body = self.role_checks, self.body_limit, self.body_field is not None
        parameters = query_parameters_of(self.dependant)

        async def judge_then_handle(request: Request) -> Response:
            for check in required:
                await check(request)
            check_query_parameters(request, parameters)
            bounded = BoundedRequest(request, limit, get_part(request, Settings))
            bounded.check_content_length()
            if reads_body:
                # Here, because the framework would call every failure to read it a malformed body.
                await bounded.read_body()
            return await handle(bounded)

        return judge_then_handle


class Router(APIRouter):
    """A router whose routes are all of that kind."""

    def __init__(self, *, route_class: type[Route] = Route, **options: Any) -> None:
        super().__init__(route_class=route_class, **options)


def dependency_calls(dependant: Dependant) -> Iterator[Callable[..., Any] | None]:
    """Yield everything that a route depends on, however deep."""
    for inner in dependant.dependencies:
        yield inner.call
        yield from dependency_calls(inner)
