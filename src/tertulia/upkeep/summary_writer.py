"""Writing the next version of a summary: what is new is summarised, and as much as told is compressed."""

from dataclasses import dataclass, field, replace

from tertulia.context.compression import (
    BranchHistory,
    mark_unshared_local,
    read_branch_history,
    transcript_lines,
)
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_writing
from tertulia.conversations.author_names import find_author_names
from tertulia.conversations.events import ContextChanged, encode_event
from tertulia.conversations.message_origins import find_author_ids
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.memory import summaries
from tertulia.memory.domain import SourceMessage, Summary
from tertulia.memory.summariser import summarise_messages
from tertulia.turns.services import TurnServices
from tertulia.upkeep.utility_model import ChorePlace, UtilityModel, find_utility_model, remote_models_among


async def update_summary(
    history: BranchHistory,
    *,
    mark: int = 0,
    but_last: bool = True,
    by: Principal,
    services: TurnServices,
) -> Summary | None:
    """Summarise what no summary holds, in as many steps as it takes, and compress up to `mark`.

    None when there is nothing to do, or somebody was quicker.
    """
    while history.has_more and history.unsummarised:
        if await write_summary(history, 0, by=by, services=services) is None:
            return None
        history = await reload_history(history, by=by, services=services)
    history = history.without_last_round if but_last else history
    if (
        not history.unsummarised
        and not history.changed
        and min(mark, history.summarisable_until) <= history.watermark
    ):
        return None
    return await write_summary(history, mark, by=by, services=services)


async def reload_history(history: BranchHistory, *, by: Principal, services: TurnServices) -> BranchHistory:
    """Return what is known of the same branch now that the oldest rounds are summarised."""
    later = await services.db.read(lambda tx: read_branch_history(tx, history.conversation), by=by)
    return later or replace(history, unsummarised=[], has_more=False)


async def write_summary(
    history: BranchHistory, mark: int, *, by: Principal, services: TurnServices
) -> Summary | None:
    """Summarise what is fresh or was renewed, and keep the result; None when somebody was quicker."""
    utility_model = await find_utility_model(
        ChorePlace.of(history.conversation), "summary", by=by, services=services
    )
    people = await services.db.read(lambda tx: find_people(tx, history), by=by)
    points, made_by = await summarise_messages(
        await lines_for_model(utility_model, history, by=by, services=services),
        history.kept_points,
        ask_model=utility_model.write if utility_model else None,
        is_local_model=utility_model is not None and utility_model.is_local,
        made_by=utility_model.model if utility_model else "",
        authors=people.authors,
        names=people.names,
    )
    last = history.unsummarised[-1].round if history.unsummarised else None
    reach = last.number if last else history.last_summarised
    summary = Summary(
        id=new_id("sum"),
        workspace_id=by.workspace_id,
        conversation_id=history.conversation.id,
        round_id=last.id if last else history.summary.round_id if history.summary else "",
        round_number=reach,
        watermark=max(history.watermark, min(mark, reach)),
        points=points,
        made_by=made_by,
        created_at=history.read_at,
        undone_at=None,
    )
    return await services.db.write(lambda tx: store_summary(tx, summary, history, log=services.events), by=by)


@dataclass(frozen=True, slots=True)
class People:
    """Who said what a summary tells already, by their messages, and what all who write here are called."""

    authors: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def find_people(tx: Tx, history: BranchHistory) -> People:
    """Return the people who write in a conversation; nobody is told of where one writes alone."""
    here = rounds.list_author_ids(tx, history.conversation.id)
    if len(here) < 2:
        return People()
    told = {source for point in history.kept_points for source in point.sources}
    return People(find_author_ids(tx, told) if told else {}, find_author_names(tx, here, ()).here)


async def lines_for_model(
    utility_model: UtilityModel | None, history: BranchHistory, *, by: Principal, services: TurnServices
) -> list[SourceMessage]:
    """Return what is to be summarised; a remote model is shown nothing that only local models were."""
    lines = transcript_lines([*history.changed, *history.unsummarised], history)
    if utility_model is None or utility_model.is_local:
        return lines
    asked = (answer.reply.model for full_round in history.rounds for answer in full_round.answers)
    return mark_unshared_local(
        lines, history.rounds, await remote_models_among(asked, by=by, services=services)
    )


def store_summary(tx: Tx, summary: Summary, history: BranchHistory, *, log: EventLog) -> Summary | None:
    """Keep a summary unless the conversation is gone or has got another one meanwhile."""
    try:
        get_for_writing(tx, summary.conversation_id)
    except NotFound:
        return None
    newest = summaries.find_newest_summary(tx, summary.conversation_id)
    if (newest.id if newest else None) != history.newest_summary_id:
        return None
    summary = summaries.add_summary(tx, summary)
    publish_context_changed(tx, summary.conversation_id, summary, log=log)
    return summary


def publish_context_changed(tx: Tx, conversation_id: str, summary: Summary | None, *, log: EventLog) -> None:
    """Tell whoever listens that models will be shown something else from now on."""
    said = ContextChanged(summary.id if summary else None, summary.watermark if summary else 0)
    log.append(tx, conversation_id, [encode_event(said)])
