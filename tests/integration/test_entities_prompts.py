"""What was named early in a conversation is told to models when no round that they are shown has it."""

import pytest
from tests.context_world import conversation_with, done, receipt_of, set_flags
from tests.long_talk import Spoken, talk
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World
from tests.written_rounds import write_rounds

from tertulia.entities.service import read_new_messages

MODEL = "scripted-fast"
ADDRESS = "14 Juniper Lane, Bristol BS1 4DJ"
TOLD = Spoken(f"Please note that parcels go to {ADDRESS}. Is that fine?", "It is.")


async def begin(world: World, person: Person, *, rounds: int, level: str | None = None) -> str:
    """Begin a long conversation with an address in its third round, and no summary; return its id."""
    await set_flags(person, summary_frequency=0)
    conversation = await conversation_with(person, max_tokens=10_000)
    await done(person.put(f"/api/conversations/{conversation}", {"context": {"level": level}}))
    said = talk(rounds=rounds, facts=[], last=0)
    await write_rounds(world.db, person, conversation, [*said[:2], TOLD, *said[2:]], model=MODEL)
    await read_new_messages(world.db, conversation, by=person.principal)
    return conversation


@pytest.mark.parametrize("level", ["light", "standard", "full"])
async def test_an_address_of_round_three_is_there_at_every_level(
    ada: Person, world: World, provider: ScriptedProvider, level: str
) -> None:
    provider.script(MODEL, Script(reply="So be it."))
    conversation = await begin(world, ada, rounds=60, level=level)
    asked = await ada.ask(
        "Where should the driver bring the parcels?", conversation_id=conversation, models=[MODEL]
    )
    assert ADDRESS in str(provider.requests(MODEL)[-1].body)
    receipt = await receipt_of(ada, asked["replies"][0])
    section = next(part for part in receipt["plan"]["sections"] if part["kind"] == "entities")
    assert ADDRESS in [item["title"] for item in section["items"]]


async def test_what_a_shown_round_says_is_not_told_twice(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    provider.script(MODEL, Script(reply="So be it."))
    conversation = await begin(world, ada, rounds=2)
    asked = await ada.ask("Where do parcels go?", conversation_id=conversation, models=[MODEL])
    receipt = await receipt_of(ada, asked["replies"][0])
    assert "entities" not in [part["kind"] for part in receipt["plan"]["sections"]]
    assert str(provider.requests(MODEL)[-1].body).count(ADDRESS) == 1


async def test_what_a_person_wrote_by_hand_is_told_beside_the_round_that_says_otherwise(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    provider.script(MODEL, Script(reply="So be it."))
    conversation = await begin(world, ada, rounds=2)
    path = f"/api/conversations/{conversation}/entities"
    [entity] = (await done(ada.get(path, params={"type": "address"})))["entities"]
    await done(ada.put(f"{path}/{entity['id']}", {"value": "9 Rowan Close, Bath BA1 2QT"}))
    await ada.ask("Where do parcels go?", conversation_id=conversation, models=[MODEL])
    told = str(provider.requests(MODEL)[-1].body)
    assert "address: 9 Rowan Close, Bath BA1 2QT" in told
    assert f"formerly {ADDRESS}" in told
