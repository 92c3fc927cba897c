"""F6: a provider that answers with an error instead of a stream."""

import pytest

from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault
from tests.world import Json, Person

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVERY_FORMAT = ["openai/failing", "anthropic/failing", "google/failing"]
PASSING = [(429, "0"), (429, "1"), (429, None), (500, None), (529, None)]


def fail(
    provider: ScriptedProvider, status: int, *, retry_after: str | None = "0", times: int | None = None
) -> None:
    fault = Fault(kind="status", status=status, retry_after=retry_after, times=times)
    provider.script("failing", Script(reply="At last.", fault=fault))


async def ask_alone(ada: Person, model: str) -> Json:
    return (await ada.ask("Hello", models=[model]))["replies"][0]


@pytest.mark.parametrize(("status", "retry_after"), PASSING)
async def test_a_failure_that_passes_is_waited_out_and_said(
    ada: Person, provider: ScriptedProvider, status: int, retry_after: str | None
) -> None:
    fail(provider, status, retry_after=retry_after, times=1)
    turn = await ada.start("Hello", models=["openai/failing"])
    said = await ada.wait_for(turn, "reply.status")
    reply = (await ada.finished(turn))["replies"][0]

    assert said["code"] in ("provider_busy", "provider_down")
    assert said["message"]
    assert said["wait_seconds"] <= 2
    assert (reply["status"], reply["content"], reply["error"]) == ("done", "At last.", None)
    assert len(provider.requests("failing")) == 2


@pytest.mark.parametrize("model", EVERY_FORMAT)
async def test_a_failure_that_stays_is_stored_after_a_bounded_number_of_tries(
    ada: Person, provider: ScriptedProvider, model: str
) -> None:
    fail(provider, 529)
    reply = await ask_alone(ada, model)

    assert (reply["status"], reply["content"]) == ("failed", "")
    assert reply["error"]["code"] == "provider_down"
    assert "try again" in reply["error"]["message"]
    assert len(provider.requests("failing")) == 2


async def test_a_provider_that_wants_a_long_pause_is_not_waited_for(
    ada: Person, provider: ScriptedProvider
) -> None:
    fail(provider, 429, retry_after="3600")
    reply = await ask_alone(ada, "openai/failing")

    assert (reply["status"], reply["error"]["code"]) == ("failed", "provider_busy")
    assert len(provider.requests("failing")) == 1


@pytest.mark.parametrize("model", EVERY_FORMAT)
@pytest.mark.parametrize(
    ("status", "code"), [(400, "provider_refused"), (401, "key_rejected"), (404, "model_gone")]
)
async def test_a_refusal_is_never_asked_again(
    ada: Person, provider: ScriptedProvider, model: str, status: int, code: str
) -> None:
    fail(provider, status)
    reply = await ask_alone(ada, model)

    assert (reply["status"], reply["error"]["code"]) == ("failed", code)
    assert len(provider.requests("failing")) == 1


async def test_a_lane_that_fails_leaves_the_others_alone(ada: Person, provider: ScriptedProvider) -> None:
    fail(provider, 500)
    round_ = await ada.ask("Hello", models=[*EVERY_FORMAT, "scripted-fast"])

    assert [reply["status"] for reply in round_["replies"]] == ["failed"] * 3 + ["done"]


async def test_a_lane_can_be_stopped_while_it_waits_to_ask_again(
    ada: Person, provider: ScriptedProvider
) -> None:
    fail(provider, 429, retry_after="25")
    turn = await ada.start("Hello", models=["openai/failing"])
    await ada.wait_for(turn, "reply.status")
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    reply = (await ada.finished(turn))["replies"][0]

    assert (reply["status"], reply["content"]) == ("stopped", "")
    assert len(provider.requests("failing")) == 1
