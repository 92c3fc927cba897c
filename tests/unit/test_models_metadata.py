"""What is known of a model, by its name, its server and what is published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.models.calls import OfferedModel
from tertulia.models.connections import Connection, ConnectionKind, Source
from tertulia.models.domain import Ability, Model, Tier
from tertulia.models.model_families import is_chat_model, tier_of
from tertulia.models.model_metadata import describe_model

URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
    "xai": "https://api.x.ai/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "openai-compatible": "http://192.168.1.5:8000/v1",
}


def known(
    kind: str, name: str, *, url: str = "", window: int | None = None, output_limit: int | None = None
) -> Model:
    connection = Connection("c", Source.ENVIRONMENT, ConnectionKind(kind), kind, url or URLS[kind])
    return describe_model(OfferedModel(name, window=window, output_limit=output_limit), connection)


@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("gpt-4", Tier.SMART),
        ("gpt-4-turbo", Tier.SMART),
        ("gpt-4o", Tier.SMART),
        ("claude-opus-4", Tier.SMART),
        ("claude-opus-4-1", Tier.SMART),
        ("claude-sonnet-4-5", Tier.SMART),
        ("gemini-2.5-pro", Tier.SMART),
        ("gpt-4o-mini", Tier.BALANCED),
        ("claude-sonnet-3.5", Tier.BALANCED),
        ("claude-3-5-sonnet-latest", Tier.BALANCED),
        ("gemini-1.5-pro", Tier.BALANCED),
        ("gpt-3.5-turbo", Tier.FAST),
        ("claude-haiku-3.5", Tier.FAST),
        ("gemini-1.5-flash", Tier.FAST),
        ("gemini-2.0-flash", Tier.FAST),
        ("gpt-5", Tier.SMART),
        ("gpt-5-nano", Tier.CHEAP),
        ("gpt-6-luna", Tier.CHEAP),
        ("claude-haiku-4-5", Tier.FAST),
        ("openai/gpt-5-mini", Tier.BALANCED),
        ("gemini-2.5-flash-lite", Tier.CHEAP),
        ("llama3.2:3b", Tier.CHEAP),
        ("qwen3:8b", Tier.FAST),
        ("llama-3.3-70b-instruct", Tier.BALANCED),
        ("a-name-nobody-knows", Tier.BALANCED),
    ],
)
def test_tiers_are_those_of_the_design_brought_up_to_date(name: str, tier: Tier) -> None:
    assert tier_of(name) is tier


def test_a_cloud_models_window_and_prices_are_the_published_ones() -> None:
    model = known("anthropic", "claude-opus-4-1")
    assert (model.context_window, model.output_limit, model.local) == (200_000, 32_000, False)
    assert model.prices is not None
    assert (model.prices.input, model.prices.output, model.prices.cached_input) == (15, 75, 1.5)
    assert model.abilities == frozenset(Ability)


def test_prices_that_rise_with_the_prompt_say_where() -> None:
    prices = known("google", "gemini-2.5-pro").prices
    assert prices is not None
    assert prices.long is not None
    assert (prices.beyond, prices.input, prices.long.input) == (200_000, 1.25, 2.5)


def test_what_the_server_says_wins() -> None:
    model = known("openrouter", "openai/gpt-5", window=99_000, output_limit=9_000)
    assert (model.context_window, model.output_limit) == (99_000, 9_000)


def test_unknown_models_get_sensible_limits() -> None:
    cloud = known("openai-compatible", "novel-1", url="https://models.example.com/v1")
    assert (cloud.context_window, cloud.output_limit, cloud.prices) == (128_000, 32_000, None)
    local = known("ollama", "novel-1")
    assert (local.context_window, local.tier) == (8_192, Tier.BALANCED)


def test_a_model_on_ones_own_network_is_local_and_free() -> None:
    for model in (known("ollama", "llama3.2:3b"), known("openai-compatible", "qwen3-30b")):
        assert model.local
        assert model.prices is not None
        assert model.prices.input == 0


def test_what_is_passed_on_to_a_cloud_is_never_local() -> None:
    assert not known("ollama", "gpt-oss:120b-cloud").local
    gateway = known("openai-compatible", "claude-opus-4-1", url="http://127.0.0.1:4000/v1")
    assert not gateway.local
    assert gateway.prices is not None
    assert not known("openai", "anything", url="http://127.0.0.1:4000/v1").local


@given(
    name=st.text(max_size=60),
    kind=st.sampled_from(sorted(URLS)),
    window=st.none() | st.integers(1, 10_000_000),
    output=st.none() | st.integers(1, 10_000_000),
)
def test_every_model_leaves_room_for_a_prompt(
    name: str, kind: str, window: int | None, output: int | None
) -> None:
    connection = Connection("c", Source.ENVIRONMENT, ConnectionKind(kind), kind, URLS[kind])
    model = describe_model(OfferedModel(name, window=window, output_limit=output), connection)
    assert model.output_limit >= 1
    assert model.output_limit < model.context_window or model.context_window == 1


@pytest.mark.parametrize(
    "name",
    ["text-embedding-3-small", "whisper-1", "tts-1", "dall-e-3", "gpt-4o-realtime-preview", "gpt-image-1",
     "omni-moderation-latest", "gemini-embedding-001", "imagen-4", "nomic-embed-text", "gpt-4o-transcribe"],
)  # fmt: skip
def test_models_that_do_not_chat_are_told_apart(name: str) -> None:
    assert not is_chat_model(name)


@pytest.mark.parametrize(
    "name", ["gpt-5", "claude-opus-4-1", "gemini-2.5-pro", "llama3.2:3b", "mistral-large", "deepseek-r1"]
)
def test_models_that_chat_are_listed(name: str) -> None:
    assert is_chat_model(name)
