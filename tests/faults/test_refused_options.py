"""What a model refuses is left out the second time, and from then on."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tertulia.models.errors import EffortRefused, ProviderRefused, TemperatureRefused
from tertulia.models.providers import Endpoint
from tertulia.models.providers.failures import failure
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
    assert type(failure(HERE, 400, said)) is kind
