"""The tool by which a model deletes an event."""

import msgspec

from tertulia.calendars import service as calendar_service
from tertulia.calendars.domain import Occurrence, Scope
from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.planning.preferences import find_zone
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.event_scopes import ScopeChoice, TimeOfSeries, describe_scope, settle_scope
from tertulia.tools.planner.item_lines import describe_event_time
from tertulia.tools.planner.privacy import require_alone
from tertulia.tools.planner.summary_words import quote_words
from tertulia.tools.planner.written_items import written_event


class DeleteEventArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which event to delete."""

    event_id: str
    scope: ScopeChoice | None = None
    recurrence_id: TimeOfSeries | None = None


class DeleteEvent:
    """Deletes an event of the person who asks, once they have allowed it."""

    name = "delete_event"
    description = "Delete an event from the person's calendar. The person is asked first."
    shape = DeleteEventArguments
    parameters = parameters_of(DeleteEventArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: DeleteEventArguments, caller: ToolCaller
    ) -> tuple[DeleteEventArguments, str]:
        """Return which times will be deleted, and what a person reads of it."""
        require_alone(caller)
        tx.by.require(Role.MEMBER)
        event = calendar_service.get_event(tx, arguments.event_id, arguments.recurrence_id)
        scope = settle_scope(event, arguments.scope, arguments.recurrence_id)
        when = describe_event_time(event, find_zone(tx))
        summary = f"Delete the event {quote_words(event.title)} ({when}){describe_scope(event, scope)}"
        return msgspec.structs.replace(arguments, scope=scope), summary

    async def run(self, arguments: DeleteEventArguments, caller: ToolCaller) -> ToolOutput:
        """Delete the event."""

        def write(tx: Tx) -> tuple[Occurrence, str]:
            resolved, _ = self.preview(tx, arguments, caller)
            event = calendar_service.get_event(tx, resolved.event_id, resolved.recurrence_id)
            calendar_service.delete_event(
                tx,
                resolved.event_id,
                scope=resolved.scope or Scope.ALL,
                recurrence_id=resolved.recurrence_id,
                made_by=caller.model,
                log=self._log,
            )
            return event, find_zone(tx)

        event, zone = await self._db.write(write, by=caller.by)
        return ToolOutput(
            f"The event {event.object_id} was deleted. The person can restore it for a short time.",
            written=(written_event(event, "deleted", zone=zone),),
        )
