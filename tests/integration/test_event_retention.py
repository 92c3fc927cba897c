"""Events are forgotten half an hour after the reply they told of, and no sooner."""

from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import until
from tests.world import Person, World

MODEL = "openai/scripted-fast"


async def stored_events(world: World, conversation: str) -> list[int]:
    sql = "SELECT seq FROM events WHERE topic = :topic ORDER BY seq"
    return await world.db.read(lambda tx: tx.column(sql, topic=conversation), by=None)


async def let_half_an_hour_pass(world: World) -> None:
    """Make what waits to be forgotten due."""
    sql = "UPDATE jobs SET run_at = 0, wait_ms = 0 WHERE kind = 'prune_events'"
    await world.db.write(lambda tx: tx.run(sql), by=None)


async def test_events_of_a_later_reply_stay_when_those_of_an_earlier_one_are_forgotten(
    world: World, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="Noted."))
    ada = await world.person(role="owner")
    first = await ada.start("Hello", models=[MODEL])
    await ada.finished(first)
    conversation = first["conversation"]["id"]
    early = await stored_events(world, conversation)
    await answered(ada, conversation)
    late = [seq for seq in await stored_events(world, conversation) if seq not in early]

    await let_half_an_hour_pass(world)
    await until(lambda: is_stored(world, conversation, late))

    await let_half_an_hour_pass(world)
    await until(lambda: is_stored(world, conversation, []))


async def answered(person: Person, conversation: str) -> None:
    turn = await person.start("And then?", models=[MODEL], conversation_id=conversation)
    await person.finished(turn)


async def is_stored(world: World, conversation: str, seqs: list[int]) -> bool:
    return await stored_events(world, conversation) == seqs
