"""What is revoked or deleted while a reply goes on is in none of the calls that follow."""

import json

import pytest
from tests.accounts_door import ok
from tests.memory_world import remember
from tests.scripted_provider import Fault, Script, ScriptedCall, ScriptedProvider
from tests.search_world import until
from tests.world import Json, Person

pytestmark = pytest.mark.both_engines

MODEL = "withdrawn-facts"
PROFILE, MEMORY, KEPT = "zyzzogeton", "quaggaboat", "pelicanpier"
BUSY = Fault(kind="status", status=529, times=1, retry_after="1")


async def tell(person: Person) -> Json:
    """Have a person write a profile and two memories, and return the one that will be withdrawn."""
    ok(await person.put("/api/memory/consent", {"consented": True}))
    ok(await person.put("/api/memory/profile", {"freeform_notes": PROFILE}))
    await remember(person, f"The jetty is called {KEPT}.")
    return await remember(person, f"My boat is called {MEMORY}.", pinned=True)


def sent(provider: ScriptedProvider) -> list[tuple[bool, bool, bool]]:
    """Return whether each call told the profile, the memory that is withdrawn, and the one that stays."""
    bodies = [str(request.body) for request in provider.requests(MODEL)]
    return [(PROFILE in body, MEMORY in body, KEPT in body) for body in bodies]


async def is_asked(provider: ScriptedProvider) -> bool:
    """Tell whether the model has been sent anything yet."""
    return bool(provider.requests(MODEL))


async def test_a_model_that_is_asked_again_is_not_told_what_was_withdrawn_meanwhile(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script(MODEL, Script(reply="Paint it blue.", fault=BUSY))
    memory = await tell(ada)
    turn = await ada.start("Which colour suits it?", models=[f"openai/{MODEL}"])
    await ada.wait_for(turn, "reply.status")
    ok(await ada.put("/api/memory/consent", {"consented": False}))
    assert (await ada.delete(f"/api/memories/{memory['id']}")).status_code == 204
    await ada.finished(turn)
    assert sent(provider) == [(True, True, True), (False, False, True)]


async def test_nor_is_one_that_goes_on_after_a_tool(ada: Person, provider: ScriptedProvider) -> None:
    call = ScriptedCall(name="search_projects", arguments=json.dumps({"query": "boat"}))
    provider.script(MODEL, Script(tool_calls=[call], reply="Paint it blue.", first_token_seconds=1))
    memory = await tell(ada)
    turn = await ada.start("Which colour suits it?", models=[f"openai/{MODEL}"])
    await until(lambda: is_asked(provider))
    ok(await ada.put(f"/api/memories/{memory['id']}", {"archived": True}))
    ok(await ada.put("/api/memory/consent", {"consented": False}))
    await ada.finished(turn)
    assert sent(provider) == [(True, True, True), (False, False, True)]


async def test_nor_is_anything_of_the_person_told_once_others_read_along(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script(MODEL, Script(reply="Paint it blue.", fault=BUSY))
    await tell(ada)
    turn = await ada.start("Which colour suits it?", models=[f"openai/{MODEL}"])
    await ada.wait_for(turn, "reply.status")
    ok(await ada.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"}))
    await ada.finished(turn)
    assert sent(provider) == [(True, True, True), (False, False, False)]
