"""What is over is let go of: servers that stopped, and replies that were given."""

import asyncio
import gc
import weakref
from collections import Counter
from pathlib import Path

from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

from tertulia.models.calls import Call
from tertulia.turns.domain import Run
from tertulia.turns.preparation import PreparedReply
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.running_reply import RunningReply
from tertulia.turns.settlement import Settlement
from tertulia.turns.streaming import StreamedReply

#: What a reply is made with, and nobody needs once it is given.
OF_A_REPLY = (Call, PreparedReply, ReplyDraft, Run, RunningReply, Settlement, StreamedReply)


async def use(ada: Person) -> None:
    """Say something and leave a file."""
    await ada.ask("Hello")
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()
    path = f"/api/projects/{project['id']}/files"
    await ada.client.post(path, files={"files": ("notes.txt", b"Plant the beans in May.")})


async def a_life(data_dir: Path, provider: ScriptedProvider) -> dict[str, weakref.ref[object]]:
    """Run a server for a while, and return what to see of it afterwards."""
    async with World.open(data_dir, provider=provider) as world:
        await use(await world.person(role="owner"))
        parts = world.server.parts
        seen = (world, world.server, world.server._app, parts.db, parts.models, parts.files, parts.runner)
        return {type(one).__name__: weakref.ref(one) for one in seen}


def alive(*kinds: type) -> Counter[str]:
    """Count what there is of some kinds, once all garbage is gone."""
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects() if type(one) in kinds)


async def test_nothing_of_a_server_is_left_when_it_has_stopped(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    lives = [await a_life(tmp_path / str(number), provider) for number in range(2)]
    gc.collect()
    assert [[name for name, seen in life.items() if seen() is not None] for life in lives] == [[], []]


async def test_replies_that_were_given_take_no_room(world: World, ada: Person) -> None:
    before = alive(*OF_A_REPLY)
    for number in range(6):
        await ada.ask(f"Hello {number}", models=["scripted-fast", "openai/other"])
    # Whoever stored the last round's two drafts has them at hand until there are others to store.
    at_hand = before + Counter({ReplyDraft.__name__: 2})
    async with asyncio.timeout(10):
        while alive(*OF_A_REPLY) - at_hand:  # noqa: ASYNC110 - titles are still being given
            await asyncio.sleep(0.1)
