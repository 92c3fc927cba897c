"""What a model refuses is left out the second time, and from then on."""

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tertulia.models.errors import (
    EffortRefused,
    ModelGone,
    ProviderDown,
    ProviderRefused,
    TemperatureRefused,
    ToolsUnknown,
)
from tertulia.models.providers import Endpoint
from tertulia.models.providers.error_mapping import provider_error
from tests.raw_provider import DONE, STOP, RawProvider, text
from tests.world import Json, Person

HERE = Endpoint("here", "openai", "http://127.0.0.1")
REFUSAL = "Model grok-4 does not support parameter reasoningEffort."
COLD = "Unsupported value: 'temperature' does not support 0.2 with this model. Only 1 is supported."


@pytest_asyncio.fixture(loop_scope="session")
async def odd(ada: Person) -> AsyncGenerator[RawProvider]:
    async with RawProvider.running() as provider:
        await provider.connect(ada)
        provider.say(text("Here."), STOP, DONE)
        yield provider


async def ask(person: Person, **options: object) -> Json:
    return (await person.ask("Hello", models=[{"model": "odd/odd", **options}]))["replies"][0]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_model_that_refuses_an_effort_is_asked_without_it_and_never_again_with(
    ada: Person, odd: RawProvider
) -> None:
    odd.refuses = {"reasoning_effort": REFUSAL}
    replies = [await ask(ada, effort="high"), await ask(ada, effort="low")]

    assert [(reply["status"], reply["content"]) for reply in replies] == [("done", "Here.")] * 2
    assert ["reasoning_effort" in body for body in odd.asked] == [True, False, False]


@pytest.mark.asyncio(loop_scope="session")
async def test_several_options_that_are_refused_are_left_out_one_after_the_other(
    ada: Person, odd: RawProvider
) -> None:
    odd.refuses = {"temperature": COLD, "reasoning_effort": REFUSAL}
    reply = await ask(ada, effort="high", temperature=0.2)

    assert (reply["status"], len(odd.asked)) == ("done", 3)
    assert not {"temperature", "reasoning_effort"} & set(odd.asked[-1])


@pytest.mark.asyncio(loop_scope="session")
async def test_a_refusal_of_what_was_not_sent_is_an_error_like_others(ada: Person, odd: RawProvider) -> None:
    odd.refuses = {"model": REFUSAL}
    reply = await ask(ada)

    assert (reply["status"], reply["error"]["code"], len(odd.asked)) == ("failed", "effort_refused", 1)


def openai(message: str, param: str | None = None, code: str | None = "unsupported_parameter") -> str:
    """Return a refusal in the form that OpenAI and many others give it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return json.dumps({"error": error})


def pydantic(name: str) -> str:
    """Return a refusal as servers give it that check with Pydantic."""
    wrong = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
    return json.dumps({"detail": [wrong | {"input": "high"}]})


MOVED = "Unsupported parameter: 'reasoning_effort'. In the Responses API, it has moved to 'reasoning.effort'."
NO_FIELD = "Unknown name \"thinkingConfig\" at 'generation_config': Cannot find field."
TAG = "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'enabled'"
LITELLM = "bedrock does not support parameters: ['reasoning_effort'], for model=claude."
NO_ENDPOINT = "No endpoints found that support the requested parameters: reasoning"
NO_MINIMAL = "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model."


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (
            400,
            openai("'reasoning.effort' is not supported with this model.", "reasoning.effort"),
            EffortRefused,
        ),
        (400, openai("Nein.", "reasoning_effort"), EffortRefused),
        (400, openai("This model does not take it: unsupported.", "thinking", None), EffortRefused),
        (400, openai(MOVED), EffortRefused),
        (400, openai(NO_MINIMAL, "reasoning_effort", "unsupported_value"), EffortRefused),
        (400, json.dumps({"code": "invalid-argument", "error": REFUSAL}), EffortRefused),
        (400, "Model grok-4-1-fast-reasoning does not support parameter reasoningEffort.", EffortRefused),
        (400, "This model does not support the effort parameter.", EffortRefused),
        (400, "thinking: Extra inputs are not permitted", EffortRefused),
        (400, "output_config.effort: Extra inputs are not permitted", EffortRefused),
        (400, TAG, EffortRefused),
        (400, json.dumps({"error": {"message": "Reasoning is not supported for this model"}}), EffortRefused),
        (400, json.dumps({"error": {"message": "Thinking level is not supported."}}), EffortRefused),
        (400, "Thinking budget is not supported for this model.", EffortRefused),
        (400, json.dumps({"error": {"message": NO_FIELD}}), EffortRefused),
        (400, json.dumps({"error": {"message": LITELLM}}), EffortRefused),
        (404, json.dumps({"error": {"message": NO_ENDPOINT, "code": 404}}), EffortRefused),
        (422, '{"error": "unknown field `reasoning`"}', EffortRefused),
        (422, pydantic("reasoning_effort"), EffortRefused),
        (422, pydantic("temperature"), TemperatureRefused),
        (400, "temperature: Extra inputs are not permitted", TemperatureRefused),
        (400, "`temperature` may only be set to 1 when thinking is enabled.", TemperatureRefused),
        (
            400,
            openai("invalid temperature: only 1 is allowed for this model", None, None),
            TemperatureRefused,
        ),
        (400, openai("Nein.", "temperature"), TemperatureRefused),
        (400, openai("It is too high.", "reasoning_effort", "invalid_value"), ProviderRefused),
        (400, openai("Unsupported parameter: 'stop' is not supported.", "stop"), ProviderRefused),
        (400, "The model has spent reasoning effort on an unsafe prompt: content violation", ProviderRefused),
        (400, "Model grok-4-fast-reasoning does not support parameter stop.", ProviderRefused),
        (400, "max_tokens must be greater than thinking.budget_tokens", ProviderRefused),
        (400, "messages.1.content.0.thinking.signature: Extra inputs are not permitted", ProviderRefused),
        (400, "messages.1.content.0.thinking: Extra inputs are not permitted", ProviderRefused),
        (400, "Reasoning is mandatory for this endpoint and cannot be disabled.", ProviderRefused),
        (400, "With thinking, this tool_choice is not supported.", ProviderRefused),
        (404, "moonshotai/kimi-k2:thinking is not supported", ModelGone),
        (400, "kimi-k2-thinking does not support tools", ToolsUnknown),
        (500, REFUSAL, ProviderDown),
    ],
)
def test_an_option_is_refused_only_where_the_refusal_names_it(status: int, body: str, kind: type) -> None:
    assert type(provider_error(HERE, status, body)) is kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (REFUSAL, EffortRefused),
        ("Unsupported parameter: 'reasoning_effort' is not supported with this model.", EffortRefused),
        ("Unrecognized request argument supplied: reasoning_effort", EffortRefused),
        ("adaptive thinking is not supported on this model", EffortRefused),
        ("Thinking is not enabled for models/gemini-flash-lite", EffortRefused),
        ("Unable to submit request because thinking is not supported by this model.", EffortRefused),
        ('"llama3" does not support thinking', EffortRefused),
        (COLD, TemperatureRefused),
        ("`temperature` is deprecated for this model.", TemperatureRefused),
        ("temperature must be below 2", ProviderRefused),
    ],
)
def test_refusals_of_options_are_told_apart_in_the_words_that_providers_use(said: str, kind: type) -> None:
    assert type(provider_error(HERE, 400, said)) is kind
