"""Counting tokens and money."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splintr import Tokenizer
from tests.effort import effort

from tertulia.models import tokens
from tertulia.models.calls import Call, Image, PromptMessage, Tool, ToolCall, ToolResult, Usage
from tertulia.models.cost import budgeted_cost_of, cost_of, max_cost_of
from tertulia.models.domain import Prices
from tertulia.models.providers.usage_validation import PLAUSIBLE_TOKENS_MAX
from tertulia.models.token_cache import TokenCountCache
from tertulia.models.tokens import TOKEN_SAMPLE_MAX_CHARS, TokenCounter, count, count_call

MILLION = 1_000_000
TEXT = "Nothing that was said is ever lost, and several minds talk around one table. "


def test_openais_tokens_are_counted_exactly() -> None:
    o200k = Tokenizer.from_pretrained("o200k_base")
    assert count(TEXT * 20, "gpt-5") == len(o200k.encode_ordinary(TEXT * 20))


def test_control_words_typed_by_a_person_are_only_text() -> None:
    assert count("<|endoftext|>", "gpt-5") > 1


@pytest.mark.parametrize("name", ["claude-opus-4-1", "claude-sonnet-5", "gemini-2.5-pro", "smollm2"])
def test_secret_vocabularies_are_estimated_on_the_safe_side(name: str) -> None:
    assert count(TEXT * 20, "gpt-5") < count(TEXT * 20, name) < 2 * count(TEXT * 20, "gpt-5")


@pytest.mark.parametrize(
    "name", ["llama3.2:3b", "qwen3:8b", "gemma3:4b", "deepseek-chat", "mistral-small", "x"]
)
@given(text=st.text(st.characters(codec=None), max_size=300))
@settings(max_examples=effort(25))
def test_any_text_can_be_counted(name: str, text: str) -> None:
    assert (count(text, name) > 0) == bool(text)


@pytest.mark.parametrize("name", ["gpt-5", "gemini-2.5-pro"])
def test_a_very_long_text_is_counted_quickly_and_nearly_right(name: str) -> None:
    long = TEXT * 13_000
    whole = 13_000 * count(TEXT * 100, name) / 100
    started = time.perf_counter()
    counted = count(long, name)
    assert time.perf_counter() - started < 1
    assert counted == pytest.approx(whole, rel=0.03)


def test_several_threads_count_alike() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: count(TEXT, "kimi-k2"), range(32)))) == 1


def test_all_of_a_prompt_counts() -> None:
    bare = Call("gpt-5", "", (PromptMessage("user", "Hello"),), 100)
    tool = Tool("search", TEXT, {"type": "object"})
    calls = (ToolCall("1", "search", TEXT),)
    results = (ToolResult("1", "search", TEXT),)
    richer = [
        Call("gpt-5", TEXT, bare.messages, 100),
        Call("gpt-5", "", (*bare.messages, PromptMessage("assistant", TEXT)), 100),
        Call("gpt-5", "", bare.messages, 100, tools=(tool,)),
        Call("gpt-5", "", (PromptMessage("user", "Hello", images=(Image("image/png", b""),)),), 100),
        Call("gpt-5", "", (PromptMessage("assistant", "Hello", tool_calls=calls),), 100),
        Call("gpt-5", "", (PromptMessage("user", "Hello", tool_results=results),), 100),
    ]
    assert all(count_call(call) > count_call(bare) + 10 for call in richer)


@pytest.mark.parametrize("name", ["gpt-5", "claude-sonnet-4-5", "qwen3-8b"])
def test_tools_that_change_are_counted_anew(name: str) -> None:
    counter = TokenCounter(name)
    first, again, longer = (Tool("search", said, {"type": "object"}) for said in ("Find.", "Find.", TEXT))
    assert counter.tools([first]) == counter.tools((again,)) < counter.tools([longer])
    again.parameters["properties"] = {"query": {"type": "string", "description": TEXT}}
    assert counter.tools([again]) > counter.tools([first])


def test_cached_tokens_have_their_own_prices() -> None:
    prices = Prices(input=10, output=50, cached_input=1, cache_write=12.5)
    usage = Usage(input=1_000_000, output=100_000, cached=500_000, cache_write=200_000)
    assert cost_of(usage, prices) == pytest.approx(0.3 * 10 + 0.5 * 1 + 0.2 * 12.5 + 0.1 * 50)


def test_what_the_provider_says_it_cost_wins() -> None:
    assert cost_of(Usage(input=1_000, output=1_000, cost=0.0123456), Prices(10, 10)) == 0.012346


@given(
    tokens=st.tuples(st.integers(0, PLAUSIBLE_TOKENS_MAX), st.integers(0, PLAUSIBLE_TOKENS_MAX)),
    said=st.floats(0, allow_infinity=False, allow_nan=False),
    prices=st.none() | st.builds(Prices, st.floats(0, 600), st.floats(0, 600), st.none() | st.floats(0, 600)),
)
def test_what_a_provider_says_it_cost_is_believed_up_to_what_its_tokens_can_cost(
    tokens: tuple[int, int], said: float, prices: Prices | None
) -> None:
    usage = Usage(*tokens, cost=said)
    dollars = cost_of(usage, prices)

    assert dollars is not None
    assert 0 <= dollars <= max_cost_of(usage, prices) + 1e-6
    assert dollars <= said + 1e-6
    assert cost_of(Usage(input=1, output=1, cost=0.0), Prices(10, 10)) == 0


def test_a_long_prompt_costs_the_long_price_for_all_of_it() -> None:
    prices = Prices(1, 2, beyond=200_000, long=Prices(2, 4))
    assert cost_of(Usage(200_000, 0), prices) == 0.2
    assert cost_of(Usage(200_001, 1_000_000), prices) == pytest.approx(4.400002)


def test_nobody_knows_what_a_model_without_prices_costs_and_it_cannot_be_counted() -> None:
    assert cost_of(Usage(input=1000, output=1000), None) is None
    assert budgeted_cost_of(Usage(input=1000, output=1000), None) == 0


@given(
    tokens=st.tuples(*[st.integers(0, MILLION)] * 4),
    prices=st.tuples(*[st.floats(0, 500)] * 2),
    special=st.tuples(*[st.none() | st.floats(0, 500)] * 2),
)
def test_a_cost_is_never_negative_and_never_less_without_discounts(
    tokens: tuple[int, ...], prices: tuple[float, float], special: tuple[float | None, float | None]
) -> None:
    plain, cached, written, output = tokens
    usage = Usage(plain + cached + written, output, cached, written)
    paid = cost_of(usage, Prices(*prices, *special))
    assert paid is not None
    assert paid >= 0
    assert paid >= round((plain * prices[0] + output * prices[1]) / MILLION, 6) - 1e-5


def test_of_a_long_text_no_more_is_looked_at_than_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    class Noted(TokenCountCache):
        def count_of(self, text: str, vocabulary: str, count: Callable[[str, str], int]) -> int:
            looked_at.append(len(text))
            return super().count_of(text, vocabulary, count)

    monkeypatch.setattr(tokens, "TOKEN_COUNT_CACHE", Noted())
    whole = count(TEXT * 2_000, "gpt-5")

    assert count(TEXT * 40_000, "gpt-5") == pytest.approx(20 * whole, rel=0.01)
    assert max(looked_at) <= TOKEN_SAMPLE_MAX_CHARS
