"""Routes that know who calls, and how much they may send, before they read what was sent."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, APIRouter

from tertulia.infra.http.body import BodyLimit, BoundedRequest, limit_of
from tertulia.infra.http.identity import Required
from tertulia.infra.http.parameters import check_parameters, parameters_of
from tertulia.infra.http.parts import part
from tertulia.settings import Settings

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """A route that refuses strangers, parameters that it does not take, and large bodies, unread."""

    @property
    def required(self) -> list[Required]:
        """Return what the caller must be."""
        return [call for call in calls_in(self.dependant) if isinstance(call, Required)]

    @property
    def body_limit(self) -> BodyLimit:
        """Return how much the route takes."""
        return limit_of(self.endpoint, anonymous=not self.required)

    def get_route_handler(self) -> Handler:
        """Return what handles a request: its head is judged first, then its body is read."""
        handle = super().get_route_handler()
        required, limit, reads_body = self.required, self.body_limit, self.body_field is not None
        parameters = parameters_of(self.dependant)

        async def judge_then_handle(request: Request) -> Response:
            for check in required:
                await check(request)
            check_parameters(request, parameters)
            bounded = BoundedRequest(request, limit, part(request, Settings))
            bounded.check_announced()
            if reads_body:
                # Here, because the framework would call every failure to read it a malformed body.
                await bounded.read()
            return await handle(bounded)

        return judge_then_handle


class Router(APIRouter):
    """A router whose routes are all of that kind."""

    def __init__(self, *, route_class: type[Route] = Route, **options: Any) -> None:
        super().__init__(route_class=route_class, **options)


def calls_in(dependant: Dependant) -> Iterator[Callable[..., Any] | None]:
    """Yield everything that a route depends on, however deep."""
    for inner in dependant.dependencies:
        yield inner.call
        yield from calls_in(inner)
