"""What a conversation created, on the wire."""

from tertulia.calendars.schemas import EventView
from tertulia.infra.http.schema import Schema
from tertulia.tasks.schemas import TaskView


class CreatedItems(Schema):
    """The tasks and events that a conversation created, as they are now; nobody sees another's calendar."""

    tasks: list[TaskView]
    events: list[EventView]
