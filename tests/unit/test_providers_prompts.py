"""How requests differ between servers and models of one format."""

from typing import Any

import pytest

from tertulia.models.calls import Call, Effort, Image, PromptMessage, ToolCall, ToolResult
from tertulia.models.providers import Endpoint, anthropic_prompt, gemini_prompt, openai_prompt

OPENAI = Endpoint("openai", "openai", "https://api.openai.com/v1", "k")
ANTHROPIC = Endpoint("anthropic", "anthropic", "https://api.anthropic.com", "k")
GOOGLE = Endpoint("google", "google", "https://generativelanguage.googleapis.com", "k")


def call(model: str = "m", **fields: Any) -> Call:
    said: dict[str, Any] = {
        "system": "",
        "messages": (PromptMessage("user", "Hi"),),
        "output_limit": 4096,
        **fields,
    }
    return Call(model=model, **said)


@pytest.mark.parametrize(
    ("kind", "url", "model", "name"),
    [
        ("openai", "https://api.openai.com/v1", "gpt-4o", "max_completion_tokens"),
        ("openai", "https://eu.api.openai.com/v1", "gpt-4o", "max_completion_tokens"),
        ("openai", "http://127.0.0.1:8000/v1", "llama", "max_tokens"),
        ("openai", "https://gateway.example/openai", "gpt-5-mini", "max_completion_tokens"),
        ("openai", "https://gateway.example/openai", "o3", "max_completion_tokens"),
        ("openai", "http://127.0.0.1:8000/v1", "gpt-oss-20b", "max_tokens"),
        ("openrouter", "https://openrouter.ai/api/v1", "openai/gpt-5", "max_tokens"),
        ("ollama", "http://127.0.0.1:11434/v1", "qwen3", "max_tokens"),
        ("custom", "https://api.openai.com.evil.example/v1", "m", "max_tokens"),
    ],
)
def test_the_output_limit_is_called_what_the_server_calls_it(
    kind: str, url: str, model: str, name: str
) -> None:
    body = openai_prompt.body_of(call(model), Endpoint("x", kind, url))

    assert body[name] == 4096
    assert {"max_tokens", "max_completion_tokens"} & set(body) == {name}


def test_no_temperature_is_sent_unless_one_is_set() -> None:
    assert "temperature" not in openai_prompt.body_of(call("gpt-5"), OPENAI)
    assert "temperature" not in anthropic_prompt.body_of(call(), ANTHROPIC)
    assert "temperature" not in gemini_prompt.body_of(call(), GOOGLE)["generationConfig"]
    assert openai_prompt.body_of(call(temperature=0.0), OPENAI)["temperature"] == 0.0


def test_openrouter_is_asked_for_thinking_and_cost_in_its_own_way() -> None:
    router = Endpoint("openrouter", "openrouter", "https://openrouter.ai/api/v1", "k")
    body = openai_prompt.body_of(call(thinking=Effort.LOW), router)

    assert body["reasoning"] == {"effort": "low"}
    assert body["usage"] == {"include": True}
    assert "reasoning_effort" not in body
    assert openai_prompt.body_of(call(thinking=Effort.LOW), OPENAI)["reasoning_effort"] == "low"


def test_tool_results_come_before_what_the_person_adds() -> None:
    results = (ToolResult("a", "look", "Sea."), ToolResult("b", "look", "Sky."))
    said = PromptMessage("user", "Go on", images=(Image("image/png", b"x"),), tool_results=results)
    messages = openai_prompt.body_of(call(messages=(said,)), OPENAI)["messages"]

    assert [message["role"] for message in messages] == ["tool", "tool", "user"]
    assert messages[2]["content"][1]["image_url"]["url"] == "data:image/png;base64,eA=="


@pytest.mark.parametrize(
    ("model", "adaptive"),
    [
        ("claude-opus-4-6", True),
        ("claude-sonnet-5", True),
        ("claude-fable-5-1", True),
        ("claude-mythos-preview", True),
        ("claude-haiku-4-5-20251001", False),
        ("claude-opus-4-20250514", False),
        ("claude-3-7-sonnet-20250219", False),
    ],
)
def test_a_claude_thinks_the_way_its_version_knows(model: str, *, adaptive: bool) -> None:
    body = anthropic_prompt.body_of(call(model, thinking=Effort.MEDIUM, temperature=0.3), ANTHROPIC)

    assert body["thinking"]["type"] == ("adaptive" if adaptive else "enabled")
    assert body.get("output_config") == ({"effort": "medium"} if adaptive else None)
    assert "temperature" not in body


@pytest.mark.parametrize(("model", "sent"), [("claude-sonnet-4-6", True), ("claude-opus-4-7", False)])
def test_only_a_claude_that_takes_a_temperature_gets_one(model: str, *, sent: bool) -> None:
    assert ("temperature" in anthropic_prompt.body_of(call(model, temperature=0.3), ANTHROPIC)) is sent


@pytest.mark.parametrize("limit", [1024, 1025, 2048, 64_000])
@pytest.mark.parametrize("effort", list(Effort))
def test_a_thinking_budget_always_leaves_room_for_the_reply(limit: int, effort: Effort) -> None:
    body = anthropic_prompt.body_of(call("claude-haiku-4-5", thinking=effort, output_limit=limit), ANTHROPIC)

    budget = body.get("thinking", {}).get("budget_tokens")
    assert budget is None or 1024 <= budget < body["max_tokens"]
    assert (budget is None) == (limit <= 1024)


def test_the_system_prompt_of_a_claude_is_cached() -> None:
    system = anthropic_prompt.body_of(call(system="Be kind."), ANTHROPIC)["system"]

    assert system == [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]


def test_a_reply_to_be_continued_ends_without_white_space() -> None:
    messages = (PromptMessage("user", "Count."), PromptMessage("assistant", "One, two, "))
    body = anthropic_prompt.body_of(call(messages=messages), ANTHROPIC)

    assert body["messages"][-1]["content"][0]["text"] == "One, two,"


def test_a_foreign_call_id_is_made_fit_on_both_ends() -> None:
    messages = (
        PromptMessage("assistant", "", tool_calls=(ToolCall("functions.look:0", "look", "{}"),)),
        PromptMessage("user", "", tool_results=(ToolResult("functions.look:0", "look", "Sea."),)),
    )
    sent = anthropic_prompt.body_of(call(messages=messages), ANTHROPIC)["messages"]

    assert sent[0]["content"][0]["id"] == sent[1]["content"][0]["tool_use_id"] == "functions_look_0"


@pytest.mark.parametrize(
    ("model", "depth"),
    [
        ("gemini-2.5-flash", {"thinkingBudget": 8192}),
        ("gemini-3-pro-preview", {"thinkingLevel": "MEDIUM"}),
        ("gemini-4-argon", {"thinkingLevel": "MEDIUM"}),
    ],
)
def test_a_gemini_thinks_the_way_its_version_knows(model: str, depth: dict[str, object]) -> None:
    config = gemini_prompt.body_of(call(model, thinking=Effort.MEDIUM), GOOGLE)["generationConfig"]

    assert config["thinkingConfig"] == {"includeThoughts": True, **depth}


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
        ("https://proxy.example/a/v1", "https://proxy.example/a/v1/messages"),
    ],
)
def test_a_base_address_may_end_in_its_version_or_not(base: str, address: str) -> None:
    assert Endpoint("a", "anthropic", base).url("messages", version="v1") == address
