"""Models that use the planner's tools, and the person who says yes or no to them."""

import json
from typing import Any

from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import until
from tests.world import Json, Person

ZONE = "Europe/Madrid"
WORKER = "openai/worker"


def tool_call(name: str, **arguments: Any) -> ScriptedCall:
    """Return the call of a tool."""
    return ScriptedCall(name=name, arguments=json.dumps(arguments))


def works(
    provider: ScriptedProvider, *calls: ScriptedCall, reply: str = "Done.", model: str = "worker"
) -> None:
    """Have a model call tools and then reply."""
    provider.script(model, Script(reply="", tool_calls=list(calls)), Script(reply=reply))


async def live_in(person: Person, zone: str = ZONE) -> None:
    """Let a person live in a time zone."""
    assert (await person.client.patch("/api/me", json={"time_zone": zone})).status_code == 200


async def waiting_reply(person: Person, turn: Json, *, number: int = 0) -> Json:
    """Wait until a reply of a turn waits for a yes, and return it."""
    path = f"/api/conversations/{turn['conversation']['id']}"

    async def look() -> Json | None:
        reply = (await person.get(path)).json()["rounds"][-1]["replies"][number]
        assert reply["status"] in ("queued", "running", "waiting"), reply
        return reply if reply["status"] == "waiting" else None

    return await until(look)


async def decide(person: Person, reply: Json, **decision: Any) -> Json:
    """Decide about the first call of a reply that waits, and return the call."""
    call = next(one for one in reply["tool_calls"] if one["status"] == "waiting")
    path = f"/api/replies/{reply['id']}/calls/{call['id']}/decision"
    answer = await person.post(path, {"approve": True} | decision)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def ask_and_allow(
    person: Person, provider: ScriptedProvider, call: ScriptedCall, *, reply: str = "Done.", **more: Any
) -> Json:
    """Ask a model that calls a tool, allow the call, and return the finished reply with its turn."""
    works(provider, call, reply=reply)
    turn = await person.start("Do it", models=[WORKER], **more)
    await decide(person, await waiting_reply(person, turn))
    done = (await person.finished(turn))["replies"][0]
    return done | {"conversation_id": turn["conversation"]["id"], "turn": turn}


async def ask_to_read(
    person: Person, provider: ScriptedProvider, name: str, *, more: Json | None = None, **arguments: Any
) -> Json:
    """Ask a model that reads with a tool, and return the call with all that it gave."""
    works(provider, tool_call(name, **arguments))
    reply = (await person.ask("Look", models=[WORKER], **(more or {})))["replies"][0]
    call = reply["tool_calls"][0]
    full = await person.get(f"/api/replies/{reply['id']}/calls/{call['id']}/result")
    return call | {"full": full.text}


def said_to(provider: ScriptedProvider, model: str = "worker") -> str:
    """Return the last request to a model, as text."""
    return json.dumps(provider.requests(model)[-1].body, ensure_ascii=False)
