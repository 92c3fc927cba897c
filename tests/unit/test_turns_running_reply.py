"""The work on a reply can be cut off at any moment, and says how it ended instead of raising."""

import asyncio

from tests.written_replies import a_reply

from tertulia.core.principal import Principal, Role
from tertulia.turns.domain import StopCause
from tertulia.turns.reply_draft import ReplyDraft
from tertulia.turns.running_reply import RunningReply


def running() -> RunningReply:
    return RunningReply(ReplyDraft(a_reply(), by=Principal("usr_1", "wsp_1", Role.MEMBER)))


async def answer() -> str:
    return "So."


async def fail() -> str:
    raise ValueError


async def test_a_part_gives_what_it_returns_or_what_it_raised() -> None:
    reply = running()

    assert await reply.run_part(answer()) == "So."
    assert isinstance(await reply.run_part(fail()), ValueError)


async def test_what_is_cut_off_ends_at_once_and_keeps_the_first_cause() -> None:
    reply, begun = running(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    part = asyncio.create_task(reply.run_part(work()))
    await begun.wait()
    reply.cut_off(StopCause.PERSON)
    reply.cut_off(StopCause.SERVER)

    assert isinstance(await part, asyncio.CancelledError)
    assert reply.stopped_by is StopCause.PERSON


async def test_nothing_is_begun_after_a_reply_was_cut_off() -> None:
    reply = running()
    reply.cut_off(StopCause.PERSON)

    assert isinstance(await reply.run_part(answer()), asyncio.CancelledError)
