"""What servers report is read within limits, whatever it is."""

import json
from contextlib import suppress
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.core.untrusted_json import JSON_DEPTH_MAX, JsonUnreadable, is_too_deep, read_json
from tertulia.models.calls import Usage
from tertulia.models.providers import Endpoint
from tertulia.models.providers.anthropic_reply import AnthropicReplyParser
from tertulia.models.providers.error_mapping import RETRY_AFTER_MAX_SECONDS, parse_retry_after, provider_error
from tertulia.models.providers.gemini_reply import GeminiReplyParser
from tertulia.models.providers.openai_reply import OpenAIReplyParser
from tertulia.models.providers.usage_validation import PLAUSIBLE_TOKENS_MAX

HERE = Endpoint("here", "openai", "http://127.0.0.1")

figures = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 10_000),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def heard_usage(reply: Any, event: dict[str, Any]) -> Usage | None:
    reply.parse_event(json.dumps(event).encode())
    return reply.usage


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "prompt_tokens": figures,
            "completion_tokens": figures,
            "total_tokens": figures,
            "cost": figures,
            "prompt_tokens_details": figures | st.fixed_dictionaries({"cached_tokens": figures}),
            "completion_tokens_details": figures | st.fixed_dictionaries({"reasoning_tokens": figures}),
        },
    )
)
def test_usage_of_openais_format_is_within_bounds_or_none(said: dict[str, Any]) -> None:
    check(heard_usage(OpenAIReplyParser(HERE, "m"), {"choices": [], "usage": said}))


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "input_tokens": figures,
            "output_tokens": figures,
            "cache_read_input_tokens": figures,
            "cache_creation_input_tokens": figures,
        },
    )
)
def test_usage_of_anthropics_format_is_within_bounds_or_none(said: dict[str, Any]) -> None:
    check(heard_usage(AnthropicReplyParser(HERE, "m"), {"type": "message_start", "message": {"usage": said}}))


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "promptTokenCount": figures,
            "candidatesTokenCount": figures,
            "thoughtsTokenCount": figures,
            "cachedContentTokenCount": figures,
        },
    )
)
def test_usage_of_geminis_format_is_within_bounds_or_none(said: dict[str, Any]) -> None:
    check(heard_usage(GeminiReplyParser(HERE, "m"), {"usageMetadata": said}))


def check(usage: Usage | None) -> None:
    if usage is None:
        return
    assert 0 <= usage.cached + usage.cache_write <= usage.input <= PLAUSIBLE_TOKENS_MAX
    assert 0 <= usage.thinking <= usage.output <= PLAUSIBLE_TOKENS_MAX
    assert usage.input + usage.output > 0
    assert usage.cost is None or 0 <= usage.cost <= (usage.input + usage.output) * 0.001


@given(
    st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d{1,30} [A-Z][a-z]{2} \d{1,30} \d+:\d+:\d+ [+-]?\w*"),
    st.text(),
)
def test_a_pause_is_some_seconds_or_none(header: str, delay: str) -> None:
    pauses = [parse_retry_after({"retry-after": header}), parse_retry_after({}, f'"retryDelay": "{delay}s"')]

    assert all(pause is None or 0 <= pause <= RETRY_AFTER_MAX_SECONDS for pause in pauses)


@given(st.integers(100, 599), st.text() | values.map(json.dumps))
def test_every_refusal_has_its_error(status: int, body: str) -> None:
    assert provider_error(HERE, status, body).message


@given(values)
def test_json_is_read_as_it_was_written(value: Any) -> None:
    assert read_json(json.dumps(value)) == value


@given(st.binary() | st.text(st.sampled_from('[]{}",:\\ud8001'), max_size=60))
def test_what_is_no_json_ends_in_one_error(text: bytes | str) -> None:
    with suppress(JsonUnreadable):
        read_json(text)


@given(st.lists(st.sampled_from(["[", '{"a[[{\\"":']), min_size=1, max_size=300))
def test_depth_is_what_is_open_at_once(opened: list[str]) -> None:
    closing = "".join("]" if one == "[" else "}" for one in reversed(opened))

    assert is_too_deep(f"{''.join(opened)}1{closing}".encode()) == (len(opened) > JSON_DEPTH_MAX)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 1_000_000 + b"]" * 1_000_000,
        b"[" * JSON_DEPTH_MAX + b"[]," * 500_000,
        b"[]," * JSON_DEPTH_MAX + b'["' + b'\\"' * 100_000,
    ],
    ids=["deep", "wide", "quotes"],
)
def test_depth_is_found_in_one_go_over_the_text(text: bytes) -> None:
    began = thread_time()
    is_too_deep(text)

    assert thread_time() - began < 0.3
