"""What we count is what a provider reports: exact for OpenAI, and close for others once they told."""

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort
from tests.scripted_provider import anthropic_format, gemini_format, openai_format

from tertulia.models.calls import Call, Image, PromptMessage, Tool, ToolCall, ToolResult
from tertulia.models.providers import Endpoint, anthropic_prompt, gemini_prompt, openai_prompt
from tertulia.models.token_cache import TokenCountCache
from tertulia.models.tokens import TokenCounter, count_in_vocabulary, counter_for, is_exact

OPENAI = Endpoint("openai", "openai", "https://api.openai.com/v1", "k")
ANTHROPIC = Endpoint("anthropic", "anthropic", "https://api.anthropic.com", "k")
GOOGLE = Endpoint("google", "google", "https://generativelanguage.googleapis.com", "k")

SENTENCES = [
    "Nothing that was said is ever lost.",
    "Der Garten hinter dem Büro hat Rosen, und im Mai blühen sie.",
    "def fit(budget: int) -> list[str]:\n    return [one for one in items if one.tokens <= budget]",
    '{"path": "docs/auth.md", "lines": [12, 48], "kind": "passage"}',
    "我们每十五分钟轮换一次令牌。",
    "| figure | 2025 | 2026 |\n|---|---|---|\n| rounds | 1,204 | 9,881 |",
    "Надо ли нам менять план?",
    "ok 👍🏽",
]
texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8).map(" ".join)
LOOK: dict[str, Any] = {
    "type": "object",
    "properties": {
        "at": {"type": "string", "description": "What to look at."},
        "how": {"type": "string", "enum": ["closely", "from afar"]},
        "places": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
    },
    "required": ["at"],
}
TOOLS = (Tool("look", "Look at something.", LOOK), Tool("wait", "Wait.", {"type": "object"}))


def png(width: int, height: int) -> Image:
    """A picture as far as anyone reads who only wants its size."""
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return Image("image/png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + size)


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[PromptMessage, ...]:
    """A question and its answer, now and then with a picture, a tool or others' words."""
    pictures = draw(st.sampled_from([(), (), (Image("image/png", b"x"),), (png(1200, 800),)]))
    talk = [PromptMessage("user", draw(texts), images=pictures)]
    if draw(st.booleans()):
        talk.append(PromptMessage("assistant", "", tool_calls=(ToolCall("1", "look", '{"at":"sea"}'),)))
        talk.append(PromptMessage("user", "", tool_results=(ToolResult("1", "look", draw(texts)),)))
    talk.append(PromptMessage("assistant", draw(texts)))
    if draw(st.booleans()):
        talk.append(PromptMessage("user", f'<reply speaker="another">\n{draw(texts)}\n</reply>'))
    return tuple(talk)


@st.composite
def calls(draw: st.DrawFn, model: str = "gpt-5") -> Call:
    talk = [said for exchange in draw(st.lists(exchanges(), max_size=6)) for said in exchange]
    question = PromptMessage("user", draw(texts))
    system = draw(st.sampled_from(["", "Be kind. Be brief."]))
    tools = draw(st.sampled_from([(), TOOLS]))
    return Call(model, system, (*talk, question), 1_000, tools=tools)


def joints(call: Call) -> int:
    return sum(one.role == other.role for one, other in pairwise(call.messages))


@given(calls())
@settings(max_examples=effort(80))
def test_an_openai_prompt_is_counted_to_the_token_but_for_its_joints(call: Call) -> None:
    reported = len(openai_format.tape(openai_prompt.body_of(call, OPENAI)))

    assert 0 <= TokenCounter("gpt-5").call(call) - reported <= joints(call)


@given(st.integers(1, 6_000), st.integers(1, 6_000))
@settings(max_examples=effort(60))
def test_a_picture_costs_what_its_size_says(width: int, height: int) -> None:
    for model in ("gpt-4o", "gpt-4o-mini", "gpt-5", "o3", "gpt-6", "gpt-5.6", "another"):
        call = Call(model, "", (PromptMessage("user", "", images=(png(width, height),)),), 100)
        reported = len(openai_format.tape(openai_prompt.body_of(call, OPENAI)))
        assert TokenCounter(model).call(call) == pytest.approx(reported, abs=1)


@given(calls(), st.floats(0.5, 2))
@settings(max_examples=effort(60))
def test_the_parts_of_a_prompt_add_up_to_at_least_the_whole(call: Call, ratio: float) -> None:
    for name in ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro", "qwen3:8b"):
        counter = TokenCounter(name, ratio)
        parts = counter.overhead() + counter.text(call.system) + counter.tools(call.tools)
        whole = parts + sum(map(counter.message, call.messages))
        assert 0 <= whole - counter.call(call) <= (joints(call) + 1) * 6 * ratio + len(call.messages) + 2


@given(st.lists(texts, max_size=12))
@settings(max_examples=effort(40))
def test_what_is_remembered_is_what_was_counted(said: list[str]) -> None:
    memory = TokenCountCache(max_counts=2)
    for text in [*said, *reversed(said)]:
        for name in ("o200k_base", "llama3"):
            assert memory.count_of(text * 3, name, count_in_vocabulary) == count_in_vocabulary(text * 3, name)
        assert len(memory) <= 5


WIRES = {
    "claude-sonnet-4-5": (anthropic_format, anthropic_prompt, ANTHROPIC),
    "claude-opus-4-8": (anthropic_format, anthropic_prompt, ANTHROPIC),
    "gemini-2.5-pro": (gemini_format, gemini_prompt, GOOGLE),
    "anything": (anthropic_format, anthropic_prompt, ANTHROPIC),
}
PAGES = sorted(Path(__file__).parents[2].glob("docs/**/*.md"))


@pytest.mark.parametrize("name", WIRES)
def test_an_estimate_is_close_once_the_provider_has_reported_a_few_times(name: str) -> None:
    wire, prompt, endpoint = WIRES[name]
    ratio = 0.0
    for page in PAGES[:12]:
        call = Call(name, "Be kind.", (PromptMessage("user", page.read_text("utf-8")[:8_000]),), 100)
        reported = len(wire.tape(prompt.body_of(call, endpoint)))
        estimated = counter_for(name, ratio or 1.0).call(call)
        if ratio:
            assert estimated == pytest.approx(reported, rel=0.1)
        sample = reported / TokenCounter(name).call(call)
        ratio = ratio + 0.3 * (sample - ratio) if ratio else sample


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("gpt-4o-mini", True),
        ("openai/gpt-5.6", True),
        ("ft:gpt-4.1:org", True),
        ("o3-mini", True),
        ("gpt-3.5-turbo", True),
        ("gpt-oss:20b", True),
        ("llama3.2:3b", True),
        ("claude-sonnet-5", False),
        ("gemini-3-pro", False),
        ("command-r", False),
        ("foo3", False),
    ],
)
def test_only_known_vocabularies_are_called_exact(name: str, *, exact: bool) -> None:
    assert is_exact(name) is exact
    assert counter_for(name, 1.5).ratio == (1.0 if exact else 1.5)


@pytest.mark.parametrize("name", ["gpt-5", "claude-sonnet-4-5", "llama3.2:3b", "qwen3:8b"])
def test_forty_long_messages_are_counted_in_a_few_milliseconds(name: str) -> None:
    counter = TokenCounter(name)
    counter.text("warm")
    talk = [PromptMessage("user", f"{turn}: " + " ".join(SENTENCES) * 5) for turn in range(40)]
    talk = [PromptMessage("user", said.text[:2_000]) for said in talk]
    first, again = timed(counter, talk), min(timed(counter, talk) for _ in range(3))

    assert first < 0.05
    assert again < 0.01


def timed(counter: TokenCounter, talk: list[PromptMessage]) -> float:
    started = time.thread_time()
    for said in talk:
        counter.message(said)
    return time.thread_time() - started
