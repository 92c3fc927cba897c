"""Neighbours of the same role are one message on every wire, and cache marks stay where they belong."""

from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort

from tertulia.models.calls import Call, Image, PromptMessage, ToolCall, ToolResult
from tertulia.models.providers import Endpoint, anthropic_prompt, gemini_prompt, openai_prompt
from tertulia.models.providers.alternating_roles import alternate_roles

LOCAL = Endpoint("local", "custom", "http://127.0.0.1:8000/v1")
OPENAI = Endpoint("openai", "openai", "https://api.openai.com/v1", "k")
ANTHROPIC = Endpoint("anthropic", "anthropic", "https://api.anthropic.com", "k")
GOOGLE = Endpoint("google", "google", "https://generativelanguage.googleapis.com", "k")
MARK = {"type": "ephemeral"}
BREAK = {"prompt_cache_breakpoint": {"mode": "explicit"}}
PICTURE = Image("image/png", b"x")

TALK = (
    PromptMessage("user", "One.", ends_stable=True),
    PromptMessage("user", "Two.", images=(PICTURE,)),
    PromptMessage("assistant", "Three."),
    PromptMessage("assistant", "Four."),
    PromptMessage("user", "Five."),
)


def call(*messages: PromptMessage, model: str = "m", **fields: Any) -> Call:
    return replace(Call(model=model, messages=messages, system="Be kind.", output_limit=100), **fields)


def openai(*messages: PromptMessage, endpoint: Endpoint = LOCAL, **fields: Any) -> list[dict[str, Any]]:
    return openai_prompt.body_of(call(*messages, **fields), endpoint)["messages"][1:]


def anthropic(*messages: PromptMessage) -> list[dict[str, Any]]:
    return anthropic_prompt.body_of(call(*messages), ANTHROPIC)["messages"]


def test_openai_hears_neighbours_as_one_text_with_a_blank_line_between() -> None:
    first, second, third = openai(*TALK)

    assert first["content"][0] == {"type": "text", "text": "One.\n\nTwo."}
    assert first["content"][1]["type"] == "image_url"
    assert (second["content"], third["content"]) == ("Three.\n\nFour.", "Five.")


def test_gemini_hears_neighbours_as_one_text_with_a_blank_line_between() -> None:
    first, second, _ = gemini_prompt.body_of(call(*TALK), GOOGLE)["contents"]

    assert "inlineData" in first["parts"][0]
    assert first["parts"][1] == {"text": "One.\n\nTwo."}
    assert second == {"role": "model", "parts": [{"text": "Three.\n\nFour."}]}


def test_a_claude_hears_neighbours_as_blocks_with_the_mark_on_the_last_stable_one() -> None:
    first, second, third = anthropic(*TALK)

    assert first["content"][0] == {"type": "text", "text": "One.", "cache_control": MARK}
    assert [block["type"] for block in first["content"]] == ["text", "image", "text"]
    assert [block["text"] for block in second["content"]] == ["Three.", "Four."]
    assert str((first["content"][1:], second, third)).count("cache_control") == 0


def test_a_claude_is_never_given_more_marks_than_it_takes() -> None:
    roles: list[Literal["user", "assistant"]] = ["user", "assistant"]
    talk = [PromptMessage(roles[place % 2], f"Words {place}.", ends_stable=True) for place in range(9)]
    body = anthropic_prompt.body_of(call(*talk), ANTHROPIC)

    assert str(body).count("cache_control") == 4
    assert body["messages"][-1]["content"][-1]["cache_control"] == MARK, "the newest mark reaches furthest"


def test_the_mark_of_an_empty_message_goes_to_what_stands_before_it() -> None:
    (only,) = anthropic(
        PromptMessage("user", "Hello?"),
        PromptMessage("assistant", " ", ends_stable=True),
        PromptMessage("user", "Well?"),
    )

    assert [block.get("cache_control") for block in only["content"]] == [MARK, None]


def test_thinking_never_holds_a_mark() -> None:
    thought = {"connection": "anthropic", "model": "m", "block": {"type": "thinking", "thinking": "Hm."}}
    asked, answered = anthropic(
        PromptMessage("user", "Hello?"), PromptMessage("assistant", "", thought=(thought,), ends_stable=True)
    )

    assert asked["content"][0]["cache_control"] == MARK
    assert "cache_control" not in answered["content"][0]


RESULTS = (
    PromptMessage("assistant", "Let me see.", tool_calls=(ToolCall("a", "look", "{}"),)),
    PromptMessage("user", "By the way."),
    PromptMessage("user", "", tool_results=(ToolResult("a", "look", "Sea."),), ends_stable=True),
    PromptMessage("user", "Go on."),
)


def test_what_tools_gave_comes_first_whatever_else_is_said() -> None:
    told = openai(*RESULTS)
    assert [message["role"] for message in told] == ["assistant", "tool", "user"]
    assert told[2]["content"] == "By the way.\n\nGo on."

    answered = anthropic(*RESULTS)[1]["content"]
    assert [block["type"] for block in answered] == ["tool_result", "text", "text"]
    assert answered[0]["cache_control"] == MARK


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://api.openai.com/v1", True),
        ("https://eu.api.openai.com/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("https://api.openai.com.evil.example/v1", False),
        ("https://x.openai.azure.com/openai/v1", False),
    ],
)
def test_only_openai_itself_is_told_the_cache_key(url: str, *, told: bool) -> None:
    body = openai_prompt.body_of(call(*TALK, cache_key="c" * 100), Endpoint("o", "openai", url))

    assert body.get("prompt_cache_key") == ("c" * 64 if told else None)
    assert "prompt_cache_key" not in openai_prompt.body_of(call(*TALK), OPENAI)


STABLE = (
    PromptMessage("user", "One."),
    PromptMessage("assistant", "Two."),
    PromptMessage("user", "Three."),
    PromptMessage("assistant", "Four.", ends_stable=True),
    PromptMessage("user", "Five."),
)


def test_openais_newer_models_get_marks_on_all_that_is_stable_and_can_hold_one() -> None:
    body = openai_prompt.body_of(call(*STABLE, model="gpt-5.6-sol"), OPENAI)
    told = {
        str(message["content"]): "prompt_cache_breakpoint" in str(message) for message in body["messages"]
    }

    assert list(told.values()) == [True, True, False, True, False, False]


def test_a_mark_inside_a_message_leaves_it_one_message() -> None:
    first, *_ = openai(*TALK, endpoint=OPENAI, model="gpt-6")

    assert first["content"][0] == {"type": "text", "text": "One.", **BREAK}
    assert first["content"][1] == {"type": "text", "text": "\n\nTwo."}


@pytest.mark.parametrize(("model", "endpoint"), [("gpt-5.5", OPENAI), ("gpt-5.6", LOCAL), ("o3", OPENAI)])
def test_no_other_model_or_server_gets_marks_in_openais_format(model: str, endpoint: Endpoint) -> None:
    assert "prompt_cache_breakpoint" not in str(openai_prompt.body_of(call(*STABLE, model=model), endpoint))


WORDS = st.sampled_from(["", " ", "Yes.", "No.\n", "Maybe"])
TALKS = st.lists(
    st.builds(
        PromptMessage,
        st.sampled_from(["user", "assistant"]),
        WORDS,
        ends_stable=st.booleans(),
        images=st.sampled_from([(), (PICTURE,)]),
    ),
    min_size=1,
    max_size=12,
)


@given(TALKS)
@settings(max_examples=effort(60))
def test_roles_alternate_on_every_wire_and_no_word_is_lost(talk: list[PromptMessage]) -> None:
    wires: list[list[dict[str, Any]]] = [
        openai(*talk),
        openai(*talk, endpoint=OPENAI, model="gpt-6"),
        anthropic(*talk),
        gemini_prompt.body_of(call(*talk), GOOGLE)["contents"],
    ]
    for messages in wires:
        roles = [message["role"] for message in messages]
        assert all(one != other for one, other in pairwise(roles))
        for word in ("Yes.", "No.", "Maybe"):
            assert str(messages).count(word) == sum(word in said.text for said in talk)


@given(TALKS)
@settings(max_examples=effort(60))
def test_joining_twice_changes_nothing(talk: list[PromptMessage]) -> None:
    assert alternate_roles(alternate_roles(talk)) == alternate_roles(talk)
