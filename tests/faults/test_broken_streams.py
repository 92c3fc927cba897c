"""F7 and F8: a provider whose stream stalls, breaks or makes no sense.

Whatever happens, the lane ends in a defined state with all it said, its
neighbour is unharmed, and the server goes on.
"""

import pytest

from tests.faults.listener import Listener
from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault, FaultKind, ScriptedCall
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORMATS = ["openai", "anthropic", "google"]
TEXT = "One two three four five six seven eight."
SEEN = "One two three"
#: What breaks after three words, and what that is called.
BROKEN: dict[FaultKind, str] = {
    "silence": "provider_silent",
    "keepalive": "provider_silent",
    "drop": "stream_cut",
    "cut": "stream_cut",
    "invalid_utf8": "provider_garbled",
    "garbage": "provider_garbled",
    "huge_line": "provider_garbled",
    "error_event": "provider_down",
}


async def ask_beside_another(ada: Person, provider: ScriptedProvider, model: str, script: Script) -> Json:
    """Return the reply of a model that misbehaves, heard to its end; its neighbour's must be whole."""
    provider.script("broken", script)
    provider.script("whole", Script(reply=TEXT, tokens_per_second=100))
    listener = Listener(ada, await ada.start("Hello", models=[model, "openai/whole"]))
    await listener.follow()
    broken, whole = (await listener.check_stored())["replies"]

    assert (whole["status"], whole["content"]) == ("done", TEXT)
    return broken


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize("kind", BROKEN)
async def test_what_was_said_before_a_break_is_kept(
    ada: Person, provider: ScriptedProvider, wire: str, kind: FaultKind
) -> None:
    fault = Fault(kind=kind, after=3, seconds=0.1, size=9_000_000)
    reply = await ask_beside_another(ada, provider, f"{wire}/broken", Script(reply=TEXT, fault=fault))

    assert (reply["status"], reply["content"]) == ("interrupted", SEEN)
    assert reply["error"]["code"] == BROKEN[kind]
    assert reply["error"]["message"]
    assert reply["usage"]["estimated"]
    assert reply["usage"]["output"] >= 3
    assert len(provider.requests("broken")) == 1, "a model that spoke is not asked again by itself"


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize("kind", ["silence", "drop", "cut"])
async def test_a_break_before_the_first_word_is_tried_again(
    ada: Person, provider: ScriptedProvider, wire: str, kind: FaultKind
) -> None:
    fault = Fault(kind=kind, after=0, times=1)
    reply = await ask_beside_another(ada, provider, f"{wire}/broken", Script(reply=TEXT, fault=fault))

    assert (reply["status"], reply["content"], reply["error"]) == ("done", TEXT, None)
    assert len(provider.requests("broken")) == 2


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize(
    "fault",
    [Fault(kind="no_done"), Fault(kind="split", size=7), Fault(kind="dribble", after=6, seconds=0.0005)],
    ids=lambda fault: fault.kind,
)
async def test_an_odd_but_whole_stream_is_a_whole_reply(
    ada: Person, provider: ScriptedProvider, wire: str, fault: Fault
) -> None:
    reply = await ask_beside_another(ada, provider, f"{wire}/broken", Script(reply=TEXT, fault=fault))

    assert (reply["status"], reply["content"], reply["error"]) == ("done", TEXT, None)


@pytest.mark.parametrize("wire", FORMATS)
@pytest.mark.parametrize("arguments", ['{"city": "Madrid"}', '{"not json'])
async def test_a_tool_that_was_never_offered_fails_and_the_model_goes_on(
    ada: Person, provider: ScriptedProvider, wire: str, arguments: str
) -> None:
    script = Script(reply=SEEN, tool_calls=[ScriptedCall(name="no_such_tool", arguments=arguments)])
    reply = await ask_beside_another(ada, provider, f"{wire}/broken", script)

    if wire == "google" and arguments == '{"not json':
        # There the arguments are no text but part of the stream, which cannot be read.
        assert (reply["status"], reply["error"]["code"]) == ("interrupted", "provider_garbled")
        assert reply["content"] == SEEN
        return
    assert (reply["status"], reply["error"]) == ("done", None)
    assert reply["content"] == f"{SEEN}\n\n{SEEN}"
    assert [call["status"] for call in reply["tool_calls"]] == ["failed"]
    assert "There is no tool called" in reply["tool_calls"][0]["result"]
    assert len(provider.requests("broken")) == 2


async def test_the_server_still_works_after_all_that(world: World, ada: Person) -> None:
    assert (await ada.get("/ready")).status_code == 200
    assert (await ada.ask("Still there?"))["replies"][0]["status"] == "done"
    sql = "SELECT count(*) FROM runs WHERE workspace_id = :workspace"
    assert await world.db.read(lambda tx: tx.value(sql), by=ada.principal) == 0
