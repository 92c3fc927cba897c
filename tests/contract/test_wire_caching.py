"""A conversation that goes on is found in the provider's cache, and what is reported is what we counted."""

import pytest
from tests.contract.asking import MODEL, Adapter, question
from tests.scripted_provider import Script

from tertulia.models.calls import Call, PromptMessage, Usage
from tertulia.models.errors import PromptTooLong
from tertulia.models.tokens import TokenCounter

BRIEF = "We rotate tokens every fifteen minutes, and nobody has to sign in again. "
SYSTEM = BRIEF * 80
FIRST = PromptMessage("user", "What did we decide about tokens? " + BRIEF * 30)
ANSWER = PromptMessage("assistant", "That they rotate. " + BRIEF * 30)


def first() -> Call:
    """A first question with passages that will be others next time."""
    return question(system=SYSTEM, messages=(FIRST, PromptMessage("user", "Passages: " + BRIEF * 9)))


def second(*, system: str = SYSTEM) -> Call:
    """The next question, after the stable part."""
    stable = PromptMessage("assistant", ANSWER.text, ends_stable=True)
    return question(system=system, messages=(FIRST, stable, PromptMessage("user", "And when?")))


def third() -> Call:
    """The question after that."""
    more = (
        PromptMessage("user", "And when?"),
        PromptMessage("assistant", "In May. " + BRIEF * 20, ends_stable=True),
    )
    return question(system=SYSTEM, messages=(FIRST, ANSWER, *more, PromptMessage("user", "Who said so?")))


async def used(adapter: Adapter, call: Call) -> Usage:
    usage = (await adapter.ask(call)).usage
    assert usage is not None
    return usage


async def test_what_was_sent_before_is_found_again_turn_after_turn(adapter: Adapter) -> None:
    shares = [
        usage.cached / usage.input for usage in [await used(adapter, one()) for one in (first, second, third)]
    ]

    assert shares[0] == 0
    assert shares[1] > 0.5
    assert shares[2] > shares[1]


async def test_a_system_prompt_that_changes_finds_nothing(adapter: Adapter) -> None:
    await used(adapter, second())

    assert (await used(adapter, second(system="Changed. " + SYSTEM))).cached == 0


async def test_a_short_prompt_is_never_cached(adapter: Adapter) -> None:
    await used(adapter, question())

    assert (await used(adapter, question())).cached == 0


async def test_a_claude_reports_what_it_writes_to_the_cache(adapter: Adapter) -> None:
    usage = await used(adapter, second())

    assert (usage.cache_write > 1_024) == (adapter.kind == "anthropic")
    assert usage.cache_write < usage.input


async def test_openais_report_is_what_we_counted(adapter: Adapter) -> None:
    counted = TokenCounter("gpt-5").call(second())

    reported = (await used(adapter, second())).input
    if adapter.kind == "openai":
        assert reported == counted
    else:
        assert reported != counted, "others have vocabularies of their own"


@pytest.mark.parametrize("script", [Script(window=1_000), Script(true_window=1_000)])
async def test_a_prompt_longer_than_the_window_is_refused_in_the_providers_words(
    adapter: Adapter, script: Script
) -> None:
    adapter.scripted.script(MODEL, script)

    with pytest.raises(PromptTooLong, match="1000"):
        await adapter.ask(second())
    assert (await adapter.ask(question())).finished == ["done"]
