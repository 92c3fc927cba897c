"""The paths that OpenAI's clients know."""

from typing import Annotated

from fastapi import Depends, Header, Request, Response
from fastapi.responses import StreamingResponse

from tertulia.conversations.subscriptions import SubscriptionChecks
from tertulia.doors.openai.completion_service import (
    CompletionServices,
    complete_whole,
    open_completion,
    stream_completion,
)
from tertulia.doors.openai.requested_table import list_names, resolve_table
from tertulia.doors.openai.schemas import CHAT_BODY_LIMIT, ChatRequest, ModelList, ModelObject
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.infra.http.body_limits import body_limit
from tertulia.infra.http.dependencies import get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ShortText
from tertulia.models.service import Models
from tertulia.turns.schemas import IdempotencyKey
from tertulia.turns.service import Turns

router = Router(prefix="/v1", tags=["openai"])


async def _services(request: Request) -> CompletionServices:
    return CompletionServices(
        db=get_part(request, Database),
        events=get_part(request, EventLog),
        models=get_part(request, Models),
        turns=get_part(request, Turns),
        subscription_checks=get_part(request, SubscriptionChecks),
    )


CurrentServices = Annotated[CompletionServices, Depends(_services)]


@router.get("/models")
async def list_models(me: Me, services: CurrentServices) -> ModelList:
    """List every model, and every preset as `table/<name>`."""
    known = await list_names(by=me, models=services.models)
    return ModelList(data=[ModelObject(id=name, owned_by=owner) for name, owner in known])


@router.get("/models/{model:path}")
async def get_model(model: str, me: Me, services: CurrentServices) -> ModelObject:
    """Return one model."""
    await resolve_table(model, by=me, models=services.models)
    owners = dict(await list_names(by=me, models=services.models))
    return ModelObject(id=model, owned_by=owners.get(model, "tertulia"))


@router.post("/chat/completions", response_class=Response)
@body_limit(CHAT_BODY_LIMIT)
async def complete(
    body: ChatRequest,
    me: Member,
    services: CurrentServices,
    x_tertulia_project: Annotated[ShortText | None, Header()] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer like OpenAI, by one model or a table of several.

    What is said is kept as a conversation (`origin=api`), found again when the
    program goes on with it. `X-Tertulia-Project` puts a new one in a project.
    """
    request = body.to_completion_request(project_id=x_tertulia_project, idempotency_key=idempotency_key)
    opened_completion = await open_completion(request, by=me, services=services)
    headers = {
        "X-Tertulia-Conversation": opened_completion.opened.conversation.id,
        "Cache-Control": "no-store",
    }
    if not body.stream:
        content = await complete_whole(opened_completion, by=me, services=services)
        return Response(content, media_type="application/json", headers=headers)
    usage = body.stream_options is not None and body.stream_options.include_usage
    return StreamingResponse(
        stream_completion(opened_completion, include_usage=usage, by=me, services=services),
        media_type="text/event-stream",
        headers=headers,
    )
