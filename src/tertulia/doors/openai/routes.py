"""The paths that OpenAI's clients know."""

from typing import Annotated

from fastapi import Depends, Header, Request, Response
from fastapi.responses import StreamingResponse

from tertulia.doors.openai.complete import Kitchen, begin, stream, whole
from tertulia.doors.openai.schemas import CHAT_BODY, ChatRequest, ModelList, ModelObject
from tertulia.doors.openai.table import names, table_for
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tertulia.infra.http.body import body_limit
from tertulia.infra.http.identity import Auth, Me, Member
from tertulia.infra.http.parts import part
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ShortText
from tertulia.models.service import Models
from tertulia.turns.schemas import IdempotencyKey
from tertulia.turns.service import Turns

router = Router(prefix="/v1", tags=["openai"])


async def _kitchen(request: Request, authenticator: Auth) -> Kitchen:
    return Kitchen(
        db=part(request, Database),
        events=part(request, EventLog),
        models=part(request, Models),
        turns=part(request, Turns),
        authenticator=authenticator,
    )


Cooks = Annotated[Kitchen, Depends(_kitchen)]


@router.get("/models")
async def list_models(me: Me, kitchen: Cooks) -> ModelList:
    """List every model, and every preset as `table/<name>`."""
    known = await names(by=me, models=kitchen.models)
    return ModelList(data=[ModelObject(id=name, owned_by=owner) for name, owner in known])


@router.get("/models/{model:path}")
async def get_model(model: str, me: Me, kitchen: Cooks) -> ModelObject:
    """Return one model."""
    await table_for(model, by=me, models=kitchen.models)
    owners = dict(await names(by=me, models=kitchen.models))
    return ModelObject(id=model, owned_by=owners.get(model, "tertulia"))


@router.post("/chat/completions", response_class=Response)
@body_limit(CHAT_BODY)
async def complete(
    body: ChatRequest,
    me: Member,
    kitchen: Cooks,
    x_tertulia_project: Annotated[ShortText | None, Header()] = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer like OpenAI, by one model or a table of several.

    What is said is kept as a conversation (`origin=api`), found again when the
    program goes on with it. `X-Tertulia-Project` puts a new one in a project.
    """
    begun = await begin(body, by=me, project_id=x_tertulia_project, key=idempotency_key, kitchen=kitchen)
    headers = {"X-Tertulia-Conversation": begun.opened.conversation.id, "Cache-Control": "no-store"}
    if not body.stream:
        content = await whole(begun, by=me, kitchen=kitchen)
        return Response(content, media_type="application/json", headers=headers)
    usage = body.stream_options is not None and body.stream_options.include_usage
    return StreamingResponse(
        stream(begun, usage=usage, by=me, kitchen=kitchen), media_type="text/event-stream", headers=headers
    )
