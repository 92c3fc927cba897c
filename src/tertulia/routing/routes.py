"""Routing over HTTP."""

from typing import Annotated

from fastapi import Depends, Request

from tertulia.infra.http.body_limits import body_limit, long_text_limit
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Me
from tertulia.infra.http.routing import Router
from tertulia.routing.schemas import RouteBody, RouteView
from tertulia.routing.service import ModelRouter


async def _router(request: Request) -> ModelRouter:
    return get_part(request, ModelRouter)


router = Router(prefix="/api", tags=["models"])


@router.post("/route")
@body_limit(long_text_limit(1))
async def route_question(
    body: RouteBody, me: Me, models: Annotated[ModelRouter, Depends(_router)]
) -> RouteView:
    """Choose the cheapest model that is good enough for a question. Nobody is asked it."""
    return RouteView.of(await models.route(body.to_question(), names=body.models, by=me))
