"""The tool by which a model learns which calendars there are."""

import msgspec

from tertulia.calendars import service as calendar_service
from tertulia.infra.db import Database
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.item_lines import calendar_fields, quote_items
from tertulia.tools.planner.privacy import require_alone


class ListCalendarsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing to choose."""


class ListCalendars:
    """Lists the calendars of the person who asks."""

    name = "list_calendars"
    description = "List the person's calendars with their ids."
    shape = ListCalendarsArguments
    parameters = parameters_of(ListCalendarsArguments)
    effect = Effect.READ
    needs_project = False

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: ListCalendarsArguments, caller: ToolCaller) -> ToolOutput:
        """List them; nobody but the person may read them."""
        require_alone(caller)
        found = await self._db.read(calendar_service.list_calendars, by=caller.by)
        return ToolOutput(quote_items(map(calendar_fields, found)), is_private=True)
