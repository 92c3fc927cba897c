"""People ask, say yes and no, stop, are late and restart in any order: no letter goes out that should not."""

import asyncio
import tempfile
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tertulia.core.clock import now
from tests.effort import HEALTH_CHECKS, effort
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import until
from tests.tools_world import SendLetter, give_letters
from tests.world import Json, Person, World

#: What may happen to a letter once nobody is asked about it any more.
NEVER_SENT = ("denied", "expired")


def letter(text: str) -> ScriptedCall:
    return ScriptedCall(name="send_letter", arguments=f'{{"text": "{text}"}}')


def is_at_work(reply: Json) -> bool:
    """Tell whether a reply goes on by itself: one that waits does once nothing of it waits any more."""
    waits = any(call["status"] == "waiting" for call in reply["tool_calls"])
    return reply["status"] in ("queued", "running") or (reply["status"] == "waiting" and not waits)


class Letters(RuleBasedStateMachine):
    """One person, one server that is started anew at times, and all letters that ever left it."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.provider = self.stack.enter_context(ScriptedProvider.running())
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.sent: list[str] = []
        self.turns: list[Json] = []
        self.replies: list[Json] = []
        self.approved: set[str] = set()
        self.refused: set[str] = set()
        self.ada: Person | None = None
        self.serving = AsyncExitStack()
        self.runner.run(self.open())

    async def open(self) -> None:
        self.world = await self.serving.enter_async_context(World.open(self.folder, provider=self.provider))
        give_letters(self.world, SendLetter(self.sent))
        if self.ada is None:
            self.ada = await self.world.person(role="owner")
        else:
            self.ada = Person(self.ada.principal, self.ada.token, self.world.client(self.ada.token))
            self.world.people.append(self.ada)

    async def look(self) -> None:
        """Wait until nobody works, and see how all replies stand."""

        async def rest() -> bool:
            assert self.ada
            ids = [one["conversation"]["id"] for one in self.turns]
            pages = [await self.ada.get(f"/api/conversations/{one}") for one in ids]
            self.replies = [page.json()["rounds"][0]["replies"][0] for page in pages]
            return not any(map(is_at_work, self.replies))

        await until(rest, seconds=20)

    def waiting(self) -> list[tuple[str, Json]]:
        return [
            (reply["id"], call)
            for reply in self.replies
            for call in reply["tool_calls"]
            if call["status"] == "waiting"
        ]

    @precondition(lambda self: len(self.turns) < 4)
    @rule(at_once=st.integers(1, 2), later=st.integers(0, 1))
    def ask(self, at_once: int, later: int) -> None:
        number, name = len(self.turns), f"worker{len(self.turns)}"
        steps = [[f"{number}-a-{n}" for n in range(at_once)], [f"{number}-b-{n}" for n in range(later)]]
        scripts = [
            Script(reply="", tool_calls=[letter(text) for text in step], always_calls=True)
            for step in steps
            if step
        ]
        self.provider.script(name, *scripts, Script(reply="Done."))

        async def start() -> None:
            assert self.ada
            self.turns.append(await self.ada.start("Write", models=[f"openai/{name}"]))
            await self.look()

        self.runner.run(start())

    @precondition(lambda self: self.waiting())
    @rule(data=st.data(), approve=st.booleans())
    def decide(self, data: st.DataObject, approve: bool) -> None:
        reply_id, call = data.draw(st.sampled_from(self.waiting()))
        text = call["arguments"].split('"')[3]
        (self.approved if approve else self.refused).add(text)

        async def say() -> None:
            assert self.ada
            path = f"/api/replies/{reply_id}/calls/{call['id']}/decision"
            answers = await asyncio.gather(*(self.ada.post(path, {"approve": approve}) for _ in range(2)))
            assert sorted(one.status_code for one in answers) == [200, 409]
            await self.look()

        self.runner.run(say())

    @precondition(lambda self: self.waiting())
    @rule(data=st.data())
    def stop(self, data: st.DataObject) -> None:
        reply_id, _ = data.draw(st.sampled_from(self.waiting()))

        async def end() -> None:
            assert self.ada
            await self.ada.post(f"/api/replies/{reply_id}/stop")
            await self.look()

        self.runner.run(end())
        reply = next(one for one in self.replies if one["id"] == reply_id)
        assert reply["status"] == "stopped"

    @precondition(lambda self: self.waiting())
    @rule(data=st.data())
    def wait_too_long(self, data: st.DataObject) -> None:
        _, call = data.draw(st.sampled_from(self.waiting()))

        def late(tx: Any) -> None:
            tx.run("UPDATE tool_runs SET expires_at = :at WHERE id = :id", at=now(), id=call["id"])

        async def expire() -> None:
            await self.world.db.write(late, by=None)
            await asyncio.sleep(0.002)
            await self.world.server.parts.approvals.expire_approvals()
            await self.look()

        self.runner.run(expire())

    @precondition(lambda self: self.turns)
    @rule()
    def restart(self) -> None:
        async def again() -> None:
            await self.serving.aclose()
            await self.open()
            await self.look()

        self.runner.run(again())

    @invariant()
    def every_letter_was_allowed_and_sent_once(self) -> None:
        assert set(self.sent) <= self.approved
        assert not set(self.sent) & self.refused
        assert max(Counter(self.sent).values(), default=0) <= 1

    @invariant()
    def what_is_shown_is_what_happened(self) -> None:
        for reply in self.replies:
            for call in reply["tool_calls"]:
                text = call["arguments"].split('"')[3]
                if call["status"] == "done":
                    assert text in self.sent
                elif call["status"] in NEVER_SENT:
                    assert text not in self.sent
            if reply["status"] == "done":
                assert {call["status"] for call in reply["tool_calls"]} <= {"done", *NEVER_SENT}

    def teardown(self) -> None:
        self.runner.run(self.serving.aclose())
        self.runner.run(self.stack.aclose())
        self.runner.close()


TestLetters = Letters.TestCase
TestLetters.settings = settings(
    max_examples=effort(5),
    stateful_step_count=10,
    suppress_health_check=HEALTH_CHECKS,
)
