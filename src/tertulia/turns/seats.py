"""Who sits at the table when a question is asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from tertulia.accounts import workspaces
from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading, get_round
from tertulia.conversations.domain import ReplyKind, Seat, lanes_for
from tertulia.conversations.rounds import Answer
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.models.builtin.runner import SLUG as BUILTIN
from tertulia.models.catalogue import Resolved
from tertulia.models.domain import Model, Tier
from tertulia.models.service import Models
from tertulia.projects import store as projects
from tertulia.turns.domain import Ask, Invited
from tertulia.turns.errors import NobodyInvited, TooManyModels


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits at the table: a seat for each model that is asked, and who answers there."""

    seats: list[Seat]
    resolved: list[Resolved]


async def seats_for(ask: Ask, *, by: Principal, db: Database, models: Models, most: int) -> Seating:
    """Return a seat for each model that is asked; every one of them is known to exist."""
    invited = ask.invited or await usual_guests(ask, by=by, db=db, models=models)
    if len(invited) > most:
        raise TooManyModels(len(invited), most)
    resolved = [await models.resolve(guest.model, by=by) for guest in invited]
    lanes = lanes_for([one.model.id for one in resolved])
    seats = [
        Seat(lane, one.model.id, guest.effort, guest.temperature, guest.output_limit)
        for lane, one, guest in zip(lanes, resolved, invited, strict=True)
    ]
    return Seating(seats, resolved)


async def usual_guests(ask: Ask, *, by: Principal, db: Database, models: Models) -> tuple[Invited, ...]:
    """Return whom to ask when nobody says: as before, as project or workspace like, or the best there is."""
    if guests := await db.read(lambda tx: remembered(tx, ask), by=by):
        return guests
    if names := suggested((await models.catalogue(by)).models):
        return tuple(Invited(name) for name in names)
    raise NobodyInvited


def suggested(models: Sequence[Model]) -> list[str]:
    """Return the first model of the best tier; without any provider, all that is built in."""
    connected = [model for model in models if model.connection != BUILTIN]
    if not connected:
        return [model.id for model in models]
    return [min(connected, key=lambda model: list(Tier).index(model.tier)).id]


def remembered(tx: Tx, ask: Ask) -> tuple[Invited, ...]:
    """Return the models of the round before, else those of the project, else those of the workspace."""
    project_id = ask.project_id
    if ask.conversation_id is not None:
        conversation = get_for_reading(tx, ask.conversation_id)
        project_id = conversation.project_id
        if conversation.head_id:
            return invited_in(rounds.get_full(tx, get_round(tx, conversation.head_id)).answers)
    project = projects.get(tx, project_id) if project_id else None
    liked = (project.settings.default_models if project else []) or workspaces.settings(tx).default_models
    return tuple(Invited(name) for name in liked)


def invited_in(answers: Sequence[Answer]) -> tuple[Invited, ...]:
    """Return the models that a round was asked of, as they were asked."""
    first = [
        answer.reply
        for answer in answers
        if answer.reply.attempt == 1 and answer.reply.kind is ReplyKind.ANSWER
    ]
    return tuple(Invited(reply.model, reply.effort, reply.temperature, reply.output_limit) for reply in first)
