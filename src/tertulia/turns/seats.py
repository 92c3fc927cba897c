"""Who sits at the table when a question is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia.accounts import workspaces
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.domain import ReplyKind, Seat, name_lanes
from tertulia.conversations.full_rounds import ReplyWithMessage
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.models.builtin.child import BUILTIN_SLUG as BUILTIN
from tertulia.models.catalogue import ResolvedModel
from tertulia.models.domain import Model, Tier
from tertulia.models.service import Models
from tertulia.projects import access as projects
from tertulia.turns.domain import Ask, InvitedModel
from tertulia.turns.errors import NoModelAvailable, TooManyModels


@dataclass(frozen=True, slots=True)
class SeatedModels:
    """Who sits at the table: a seat for each model that is asked, and who answers there."""

    seats: list[Seat]
    resolved: list[ResolvedModel]


async def find_seats(
    ask: Ask, *, by: Principal, db: Database, models: Models, max_models: int
) -> SeatedModels:
    """Return a seat for each model that is asked; every one of them is known to exist."""
    invited = ask.invited or await default_models_for(ask, by=by, db=db, models=models)
    if len(invited) > max_models:
        raise TooManyModels(len(invited), max_models)
    resolved = [await models.resolve(guest.model, by=by) for guest in invited]
    lanes = name_lanes([resolved_model.model.id for resolved_model in resolved])
    seats = [
        Seat(lane, resolved_model.model.id, guest.effort, guest.temperature, guest.output_limit)
        for lane, resolved_model, guest in zip(lanes, resolved, invited, strict=True)
    ]
    return SeatedModels(seats, resolved)


async def default_models_for(
    ask: Ask, *, by: Principal, db: Database, models: Models
) -> tuple[InvitedModel, ...]:
    """Return whom to ask when nobody says: as before, as project or workspace like, or the best there is."""
    if guests := await db.read(lambda tx: remembered_models(tx, ask), by=by):
        return guests
    if names := suggest_models((await models.catalogue(by)).models):
        return tuple(InvitedModel(name) for name in names)
    raise NoModelAvailable


def suggest_models(models: Sequence[Model]) -> list[str]:
    """Return the first model of the best tier; without any provider, all that is built in."""
    connected = [model for model in models if model.connection != BUILTIN]
    if not connected:
        return [model.id for model in models]
    return [min(connected, key=lambda model: list(Tier).index(model.tier)).id]


def remembered_models(tx: Tx, ask: Ask) -> tuple[InvitedModel, ...]:
    """Return the models of the round before, else those of the project, else those of the workspace."""
    project_id = ask.project_id
    if ask.conversation_id is not None:
        conversation = get_for_reading(tx, ask.conversation_id)
        project_id = conversation.project_id
        if conversation.head_id:
            return invited_models_of(rounds.get_full_round(tx, get_round(tx, conversation.head_id)).answers)
    project = projects.get(tx, project_id) if project_id else None
    liked = (project.settings.default_models if project else []) or workspaces.get_settings(tx).default_models
    return tuple(InvitedModel(name) for name in liked)


def invited_models_of(answers: Sequence[ReplyWithMessage]) -> tuple[InvitedModel, ...]:
    """Return the models that a round was asked of, as they were asked."""
    first = [
        answer.reply
        for answer in answers
        if answer.reply.attempt == 1 and answer.reply.kind is ReplyKind.ANSWER
    ]
    return tuple(
        InvitedModel(reply.model, reply.effort, reply.temperature, reply.output_limit) for reply in first
    )
