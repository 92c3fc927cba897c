"""Nobody's load keeps the event loop to itself: between two looks at others there is little work.

Work is measured as the processor time of the loop's own thread, so that a busy machine changes nothing.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from time import thread_time

from bench.seeding import QUESTION
from tests.world import Person, World

from tertulia.context.at_hand import named_in
from tertulia.context.recall import LOOKED_FOR_MAX_CHARS, ends_of
from tertulia.context.remarks import is_remark

#: What one piece of work may take, on a slow machine.
STALL_MAX_SECONDS = 0.05


@asynccontextmanager
async def watched() -> AsyncGenerator[list[float]]:
    """Note how much the loop's thread works between two turns of a task that always wants one."""
    work: list[float] = []

    async def tick() -> None:
        last = thread_time()
        while True:
            await asyncio.sleep(0)
            work.append(thread_time() - last)
            last = thread_time()

    ticking = asyncio.create_task(tick())
    try:
        yield work
    finally:
        ticking.cancel()


async def ask_and_watch(world: World, ada: Person, message: str) -> float:
    async with watched() as work:
        await ada.start(message)
        await asyncio.gather(*world.server.parts.runner._tasks)
    return max(work)


async def test_a_question_of_a_million_characters_holds_nobody_up(world: World) -> None:
    ada = await world.person(role="owner")
    await ada.ask("Warm up, please.")
    message = QUESTION * (1_000_000 // len(QUESTION))
    assert await ask_and_watch(world, ada, message) < STALL_MAX_SECONDS


def test_a_very_long_text_is_no_remark_and_looked_for_by_its_ends() -> None:
    assert is_remark("ok " * 10)
    assert not is_remark("ok " * 1_000)
    text = "begin " + "middle " * 100_000 + "end"
    looked_for = ends_of(text)
    assert len(looked_for) <= LOOKED_FOR_MAX_CHARS + 1
    assert looked_for.startswith("begin ")
    assert looked_for.endswith("end")
    assert ends_of("short") == "short"


def test_names_after_a_sign_are_found_in_a_text_of_any_length() -> None:
    (found,) = named_in("x" * 500_000 + ' a#b ## #"a plan.md" ' + "y" * 500_000)
    assert found.is_quoted
    assert len(named_in("".join(f"#f{number}.md " for number in range(100_000)))) == 20
