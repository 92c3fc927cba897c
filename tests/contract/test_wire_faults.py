"""Whatever a provider does wrong has a name, a sentence, and an end."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest
from tests.contract.asking import KEY, MODEL, Adapter, Reply, question
from tests.scripted_provider import Fault, Script, ScriptedCall, ScriptedProvider
from tests.scripted_provider.script import FaultKind

from tertulia.models import errors
from tertulia.models.providers import Endpoint, http, provider_for


async def failing(adapter: Adapter, fault: Fault, *, silence_seconds: float = 10) -> errors.ProviderError:
    """Ask a model with this fault and return the error it gives."""
    adapter.scripted.script(MODEL, Script(reply="One two three four five.", fault=fault))
    with pytest.raises(errors.ProviderError) as caught:
        await adapter.ask(silence_seconds=silence_seconds)
    assert adapter.endpoint.slug in caught.value.message
    assert KEY not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.ProviderRefused),
        (401, errors.KeyRejected),
        (402, errors.OutOfCredit),
        (403, errors.KeyRejected),
        (404, errors.ModelGone),
        (408, errors.ProviderDown),
        (409, errors.ProviderDown),
        (413, errors.PromptTooLong),
        (422, errors.ProviderRefused),
        (429, errors.ProviderBusy),
        (500, errors.ProviderDown),
        (503, errors.ProviderDown),
        (529, errors.ProviderDown),
        (302, errors.ProviderRefused),
    ],
)
async def test_a_status_has_its_error(
    adapter: Adapter, status: int, kind: type[errors.ProviderError]
) -> None:
    error = await failing(adapter, Fault(kind="status", status=status))

    assert type(error) is kind
    assert error.retryable is (kind in (errors.ProviderBusy, errors.ProviderDown))


async def test_a_bad_request_is_never_worth_a_second_try(adapter: Adapter) -> None:
    error = await failing(adapter, Fault(kind="status", status=400, message="temperature must be below 2"))

    assert not error.retryable
    assert "temperature must be below 2" in error.message


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens.",
        "prompt is too long: 205000 tokens > 200000 maximum",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "the request exceeds the available context size, try increasing it",
    ],
)
async def test_a_prompt_that_does_not_fit_is_told_apart(adapter: Adapter, message: str) -> None:
    error = await failing(adapter, Fault(kind="status", status=400, message=message))

    assert type(error) is errors.PromptTooLong


async def test_busy_says_how_many_seconds_to_wait(adapter: Adapter) -> None:
    error = await failing(adapter, Fault(kind="status", status=429, retry_after="7"))

    assert error.retry_after == 7


async def test_busy_says_until_when_to_wait(adapter: Adapter) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    error = await failing(adapter, Fault(kind="status", status=429, retry_after=date))

    assert error.retry_after == pytest.approx(30, abs=3)


async def test_busy_need_not_say_when(adapter: Adapter) -> None:
    error = await failing(adapter, Fault(kind="status", status=429))

    assert error.retry_after is None


async def test_an_empty_account_is_not_just_busy(adapter: Adapter) -> None:
    fault = Fault(kind="status", status=429, code="insufficient_quota", message="You exceeded your quota.")

    assert type(await failing(adapter, fault)) is errors.OutOfCredit


async def test_a_failure_of_the_first_requests_only_passes(adapter: Adapter) -> None:
    fault = Fault(kind="status", status=500, times=2)
    assert type(await failing(adapter, fault)) is errors.ProviderDown
    with pytest.raises(errors.ProviderDown):
        await adapter.ask()

    assert (await adapter.ask()).text == "One two three four five."


async def test_a_key_in_an_error_is_not_passed_on(adapter: Adapter) -> None:
    message = f"Incorrect API key provided: {KEY}, also sk-proj-abcdef***xyz"
    error = await failing(adapter, Fault(kind="status", status=401, message=message))

    assert "secret" not in error.message
    assert "abcdef" not in error.message


@pytest.mark.parametrize("after", [0, 2])
async def test_silence_is_given_up(adapter: Adapter, after: int) -> None:
    started = time.monotonic()
    error = await failing(adapter, Fault(kind="silence", after=after), silence_seconds=0.2)

    assert type(error) is errors.ProviderSilent
    assert time.monotonic() - started < 2
    assert adapter.scripted.wait_for(lambda: adapter.scripted.requests()[-1].disconnected)


@pytest.mark.parametrize("kind", ["keepalive", "dribble"])
async def test_noise_is_silence_too(adapter: Adapter, kind: FaultKind) -> None:
    fault = Fault(kind=kind, after=1, seconds=0.05)
    error = await failing(adapter, fault, silence_seconds=0.3)

    assert type(error) is errors.ProviderSilent


async def test_a_long_reply_that_keeps_coming_is_never_silent(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(reply="One two three four five six.", tokens_per_second=10))
    reply = await adapter.ask(silence_seconds=0.3)

    assert reply.text == "One two three four five six."


async def test_a_slow_listener_is_not_a_silent_provider(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(reply="One two three.", tokens_per_second=100))
    reply = Reply()
    async for heard in adapter.provider(silence_seconds=0.2).stream(question()):
        await asyncio.sleep(0.15)
        reply.add(heard)

    assert reply.text == "One two three."


@pytest.mark.parametrize("kind", ["drop", "cut"])
@pytest.mark.parametrize("after", [0, 2])
async def test_a_stream_that_stops_in_the_middle_is_cut(
    adapter: Adapter, kind: FaultKind, after: int
) -> None:
    fault = Fault(kind=kind, after=after)

    assert type(await failing(adapter, fault)) is errors.StreamCut


async def test_what_came_before_a_cut_was_heard(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(reply="One two three.", fault=Fault(kind="drop", after=2)))
    reply = Reply()
    with pytest.raises(errors.StreamCut):
        await adapter.ask(into=reply)

    assert reply.text == "One two"
    assert reply.finished == []


async def test_a_missing_last_word_is_forgiven(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(reply="All of it.", fault=Fault(kind="no_done")))
    reply = await adapter.ask()

    assert (reply.text, reply.finished) == ("All of it.", ["done"])
    assert reply.usage is not None


async def test_a_finished_reply_does_not_wait_for_a_hanging_connection(
    adapter: Adapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "STREAM_CLOSING_SECONDS", 0.1)
    adapter.scripted.script(MODEL, Script(reply="All of it.", fault=Fault(kind="hang")))
    started = time.monotonic()
    reply = await adapter.ask(silence_seconds=30)

    assert (reply.text, reply.finished) == ("All of it.", ["done"])
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("kind", ["invalid_utf8", "garbage", "huge_line"])
async def test_nonsense_is_garbled(adapter: Adapter, kind: FaultKind) -> None:
    error = await failing(adapter, Fault(kind=kind, after=1))

    assert type(error) is errors.ProviderGarbled
    assert not error.retryable


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (500, errors.ProviderDown),
        (529, errors.ProviderDown),
        (429, errors.ProviderBusy),
        (400, errors.ProviderRefused),
    ],
)
async def test_an_error_in_the_stream_has_its_class(
    adapter: Adapter, status: int, kind: type[errors.ProviderError]
) -> None:
    error = await failing(adapter, Fault(kind="error_event", after=2, status=status))

    assert type(error) is kind


async def test_an_unknown_tool_is_passed_on_for_others_to_judge(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(tool_calls=[ScriptedCall(name="no_such_tool")]))
    reply = await adapter.ask()

    assert [call.name for call in reply.calls] == ["no_such_tool"]


async def test_malformed_arguments_are_passed_on_as_written(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(tool_calls=[ScriptedCall(name="look", arguments='{"at": ')]))
    if adapter.kind == "google":  # Gemini reads arguments itself and says so.
        with pytest.raises(errors.ProviderGarbled):
            await adapter.ask()
    else:
        assert (await adapter.ask()).calls[0].arguments == '{"at": '


async def test_a_refused_prompt_is_a_finish_not_an_error(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, Script(reply="", finish="refused"))

    assert (await adapter.ask()).finished == ["refused"]


async def test_nobody_at_the_address_is_down(adapter: Adapter) -> None:
    nowhere = Endpoint("nowhere", adapter.kind, "http://127.0.0.1:9", KEY)
    provider = provider_for(nowhere, client=adapter.client, silence_seconds=5)

    with pytest.raises(errors.ProviderDown, match="nowhere"):
        await anext(provider.stream(question()))
    with pytest.raises(errors.ProviderDown, match="nowhere"):
        await provider.offered()


@pytest.mark.parametrize("key", ["sk-caf\u00e9-1234", "sk-two\nlines"])
async def test_a_key_no_header_can_carry_is_rejected_unsent(adapter: Adapter, key: str) -> None:
    endpoint = Endpoint("mine", adapter.kind, adapter.endpoint.base_url, key)
    provider = provider_for(endpoint, client=adapter.client, silence_seconds=5)

    with pytest.raises(errors.KeyRejected) as caught:
        await anext(provider.stream(question()))
    assert key not in caught.value.message
    assert adapter.scripted.requests() == []


async def test_a_missing_key_is_rejected(provider: ScriptedProvider, client: httpx2.AsyncClient) -> None:
    endpoint = Endpoint("mine", "openai", provider.openai_url)

    with pytest.raises(errors.KeyRejected):
        await provider_for(endpoint, client=client, silence_seconds=5).offered()
