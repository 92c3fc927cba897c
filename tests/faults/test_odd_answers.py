"""F8: whatever a provider reports, a reply ends in its foreseen way, and nothing is logged as a traceback."""

import json
import logging
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.raw_provider import DONE, STOP, RawProvider, text, usage
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEEP = "[" * 5_000 + "]" * 5_000


@pytest_asyncio.fixture(loop_scope="session")
async def odd(ada: Person) -> AsyncGenerator[RawProvider]:
    """A server whose answers each test writes, connected for ada."""
    async with RawProvider.running() as provider:
        await provider.connect(ada)
        yield provider


async def answer_of(person: Person, caplog: pytest.LogCaptureFixture) -> Json:
    """Ask the odd server and return its reply, of which nothing was logged as an error."""
    with caplog.at_level(logging.WARNING, logger="tertulia"):
        round_ = await person.ask("Hello", models=["odd/odd"])
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    return round_["replies"][0]


@pytest.mark.parametrize(
    "figures",
    [
        {"prompt_tokens": -5, "completion_tokens": 3},
        {"prompt_tokens": 5, "completion_tokens": -3},
        {"prompt_tokens": 10**30, "completion_tokens": 3},
        {"prompt_tokens": 5, "completion_tokens": 2**62},
        {"prompt_tokens": "many", "completion_tokens": []},
        {"prompt_tokens": True, "completion_tokens": 1.5},
        {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": [1]},
        {"prompt_tokens": 0, "completion_tokens": 0},
    ],
)
async def test_usage_that_no_call_can_have_is_counted_by_ourselves(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture, figures: Json
) -> None:
    odd.say(text("Fine words."), STOP, usage(**figures), DONE)
    reply = await answer_of(ada, caplog)

    assert (reply["status"], reply["content"]) == ("done", "Fine words.")
    assert reply["usage"]["estimated"]
    assert 0 < reply["usage"]["input"] < 100_000
    assert 0 < reply["usage"]["output"] < 100


@pytest.mark.parametrize("cost", [-1_000_000, 1e300, "1e400", "NaN", 10**400])
async def test_a_conversation_with_absurd_figures_can_be_exported(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture, cost: float | str
) -> None:
    told = usage(prompt_tokens=10, completion_tokens=2, cost="COST").replace('"COST"', str(cost))
    odd.say(text("Fine words."), STOP, told, DONE)
    reply = await answer_of(ada, caplog)
    [conversation] = (await ada.get("/api/conversations")).json()["conversations"]
    exported = await ada.post(f"/api/conversations/{conversation['id']}/export")

    assert reply["status"] == "done"
    assert exported.status_code == 200, exported.text
    assert reply["cost"] is None or 0 <= reply["cost"] < 1


async def test_half_of_a_surrogate_pair_leaves_the_words_around_it(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture
) -> None:
    odd.say(text("Before "), text("\ud83d and"), text(" after \ude00."), STOP, DONE)
    reply = await answer_of(ada, caplog)

    assert (reply["status"], reply["content"]) == ("done", "Before \ufffd and after \ufffd.")


async def test_nul_characters_are_replaced_where_they_stand(
    world: World, ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture
) -> None:
    odd.say(text("be\0fore "), text("\0\0after"), STOP, DONE)
    reply = await answer_of(ada, caplog)
    assert (reply["status"], reply["content"]) == ("done", "be\ufffdfore \ufffd\ufffdafter")

    told = await world.db.read(lambda tx: tx.column("SELECT body FROM events ORDER BY topic, seq"), by=None)
    texts = [event for event in map(json.loads, told) if event["type"] == "reply.text"]
    pieces = [event["text"] for event in texts if event["reply_id"] == reply["id"]]
    assert "".join(pieces) == reply["content"]
    assert not any(r"\u0000" in body for body in told)
    assert (await ada.get("/api/conversations/cnv_%00")).status_code == 404


@pytest.mark.parametrize(
    "frame",
    [
        f'{{"choices": {DEEP}}}',
        f'{{"extra": {DEEP}, "choices": []}}',
        f'{{"choices": [], "error": {{"message": {DEEP}}}}}',
        json.dumps({"choices": [], "usage": 3})[:-1] + f', "x": {"[" * 200}',
    ],
)
async def test_nonsense_in_the_middle_keeps_what_was_said(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture, frame: str
) -> None:
    odd.say(text("Said before."), frame, STOP, DONE)
    reply = await answer_of(ada, caplog)

    assert (reply["status"], reply["content"]) == ("interrupted", "Said before.")
    assert reply["error"]["code"] == "provider_garbled"


@pytest.mark.parametrize("depth", [100, 5_000])
async def test_an_error_that_is_nested_deeply_is_an_error_like_others(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture, depth: int
) -> None:
    odd.fail(f'{{"error": {"[" * depth}{"]" * depth}}}', status=400)
    reply = await answer_of(ada, caplog)

    assert (reply["status"], reply["error"]["code"]) == ("failed", "provider_refused")


@pytest.mark.parametrize(
    "when", ["soon", "Mon, 99 Foo 2026 99:99:99 GMT", "9" * 400, "1 Jan 99999999999999999 0:0"]
)
async def test_a_retry_after_that_is_no_date_is_passed_over(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture, when: str
) -> None:
    odd.fail('{"error": {"message": "slow down", "retryDelay": "1.2.3s"}}', status=429, Retry_After=when)
    reply = await answer_of(ada, caplog)

    assert (reply["status"], reply["error"]["code"]) == ("failed", "provider_busy")


async def test_a_tool_call_with_arguments_nested_deeply_is_answered_with_what_is_wrong(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture
) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "search", "arguments": f'{{"query": {DEEP}}}'}}
    finish = '{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}'
    odd.say(json.dumps({"choices": [{"delta": {"tool_calls": [call]}}]}), finish, DONE)
    reply = await answer_of(ada, caplog)

    assert reply["error"] is None or reply["error"]["code"] == "nothing_said"
    assert all(called["status"] == "failed" for called in reply["tool_calls"])


async def test_arguments_without_end_end_the_reply_with_their_error(
    ada: Person, odd: RawProvider, caplog: pytest.LogCaptureFixture
) -> None:
    piece = {"index": 0, "id": "c", "function": {"name": "search_project", "arguments": "[" * 300_000}}
    event = json.dumps({"choices": [{"delta": {"tool_calls": [piece]}}]})
    odd.say(text("Let me look."), *[event] * 4, STOP, DONE)
    reply = await answer_of(ada, caplog)

    assert (reply["status"], reply["error"]["code"]) == ("interrupted", "tool_arguments_too_long")
    assert (reply["content"], reply["tool_calls"]) == ("Let me look.", [])
    assert len(odd.asked) == 1


async def test_windows_that_no_model_has_are_not_believed(ada: Person, odd: RawProvider) -> None:
    odd.models = [{"id": "vast", "context_length": 10**300}, {"id": "small", "context_length": -4}]
    refreshed = (await ada.post("/api/models/metadata/refresh")).json()

    assert {model["context_window"] for model in refreshed["models"] if model["provider"] == "odd"} == {8192}
