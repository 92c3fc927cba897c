"""Looking through a conversation for what is worth remembering: by the utility model, or by rules."""

import asyncio
from collections.abc import Sequence
from functools import partial
from importlib.resources import files

from tertulia.accounts import members
from tertulia.conversations import rounds
from tertulia.conversations.person_messages import PersonMessage
from tertulia.core.errors import NotFound, TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx
from tertulia.memories import service
from tertulia.memories.domain import Memory, NewMemory
from tertulia.memories.extraction import propose_by_rules, read_messages
from tertulia.memories.known_changes import list_known, list_unproposed, propose_changes
from tertulia.memories.model_answers import number_messages, read_proposals
from tertulia.memories.preferences import read_preferences
from tertulia.memories.told_lists import find_told_list
from tertulia.turns.services import TurnServices
from tertulia.upkeep.utility_model import ChorePlace, UtilityModel, find_utility_model, remote_models_among

#: Tokens of what the utility model may answer.
EXTRACTION_ANSWER_MAX_TOKENS = 3_000
#: Characters of messages that it is shown, the latest.
EXTRACTION_INPUT_MAX_CHARS = 60_000


async def extract_memories(conversation_id: str, *, by: Principal, services: TurnServices) -> list[Memory]:
    """Propose what the caller wrote in a conversation that is worth remembering, and return the proposals."""
    messages = await services.db.read(lambda tx: read_messages(tx, conversation_id), by=by)
    proposals = await propose_by_model(messages, conversation_id, by=by, services=services)
    proposals = await asyncio.to_thread(add_proposals_of_rules, proposals, messages)
    proposals += await propose_known_changes(proposals, messages, by=by, services=services)
    write = partial(service.propose, proposals=proposals, log=services.events)
    return await services.db.write(write, by=by)


async def propose_known_changes(
    proposals: Sequence[NewMemory],
    messages: Sequence[PersonMessage],
    *,
    by: Principal,
    services: TurnServices,
) -> list[NewMemory]:
    """Return proposals of what else was said that changes what is remembered, or proposed."""
    sentences = await asyncio.to_thread(list_unproposed, messages, proposals)
    if not sentences:
        return []
    known = await services.db.read(lambda tx: list_known(tx, sentences), by=by)
    return await asyncio.to_thread(propose_changes, sentences, known)


def add_proposals_of_rules(
    proposals: list[NewMemory] | None, messages: Sequence[PersonMessage]
) -> list[NewMemory]:
    """Return what a model proposes, or else rules; who tells a list means more of it than a model picks."""
    if proposals is None:
        return propose_by_rules(messages)
    return [*proposals, *propose_by_rules([message for message in messages if find_told_list(message.text)])]


async def extract_in_background(conversation_id: str, *, by: Principal, services: TurnServices) -> None:
    """Do the same for somebody who wants that still; a conversation that is gone has nothing."""
    if not await services.db.read(is_wanted_in_background, by=by):
        return
    try:
        await extract_memories(conversation_id, by=by, services=services)
    except NotFound:
        return


def is_wanted_in_background(tx: Tx) -> bool:
    """Tell whether the caller may come in, and wants conversations looked through."""
    return members.find_active(tx) is not None and read_preferences(tx).in_background


async def propose_by_model(
    messages: Sequence[PersonMessage], conversation_id: str, *, by: Principal, services: TurnServices
) -> list[NewMemory] | None:
    """Return what the utility model proposes; None where there is none, it fails, or may not be shown all."""
    if not messages:
        return None
    try:
        utility = await find_utility_model(ChorePlace(conversation_id), "memories", by=by, services=services)
        if utility is None or not await can_read(utility, messages, by=by, services=services):
            return None
        prompt = (files("tertulia.upkeep.prompts") / "memories.md").read_text("utf-8").strip()
        shown = select_latest(messages)
        answer = await utility.write(prompt, number_messages(shown), EXTRACTION_ANSWER_MAX_TOKENS)
    except TertuliaError:
        return None
    # One that finds nothing may have understood nothing: rules then have their say.
    return read_proposals(answer, shown, made_by=f"agent:{utility.model}") or None


async def can_read(
    utility: UtilityModel, messages: Sequence[PersonMessage], *, by: Principal, services: TurnServices
) -> bool:
    """Tell whether a model may be shown messages: one elsewhere, only what such a one was asked."""
    if utility.is_local:
        return True
    if any(message.local_only for message in messages):
        return False

    def list_models(tx: Tx) -> set[str]:
        places = rounds.find_round_ids(tx, [message.id for message in messages])
        return {reply.model for id_ in set(places.values()) for reply in rounds.list_stored_replies(tx, id_)}

    asked = await services.db.read(list_models, by=by)
    return asked <= await remote_models_among(asked, by=by, services=services)


def select_latest(messages: Sequence[PersonMessage]) -> list[PersonMessage]:
    """Return the latest messages that a model can be shown together, in order."""
    room, kept = EXTRACTION_INPUT_MAX_CHARS, list[PersonMessage]()
    for message in reversed(messages):
        room -= len(message.text)
        if room < 0 and kept:
            break
        kept.append(message)
    return kept[::-1]
