"""What a conversation created, over HTTP."""

from tertulia.calendars import service as calendars
from tertulia.calendars.schemas import view_events
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.created_schemas import CreatedItems
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Me
from tertulia.infra.http.routing import Router
from tertulia.tasks import access as tasks
from tertulia.tasks.schemas import view_tasks

router = Router(prefix="/api", tags=["conversations"])


@router.get("/conversations/{conversation_id}/created")
async def list_created(conversation_id: str, me: Me, db: Db) -> CreatedItems:
    """List the tasks and events that a conversation created; what was deleted is left out."""

    def read(tx: Tx) -> CreatedItems:
        conversation = get_for_reading(tx, conversation_id)
        events = [created.event for created in calendars.list_created(tx, conversation.id)]
        return CreatedItems(
            tasks=view_tasks(tx, tasks.list_created_in(tx, conversation.id)), events=view_events(tx, events)
        )

    return await db.read(read, by=me)
