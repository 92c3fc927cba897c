"""What we send is what the official libraries' own types allow."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from google.genai import types
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from pydantic import TypeAdapter
from tests.contract.asking import KEY, MODEL, Adapter, question
from tests.scripted_provider import Script, ScriptedCall

from tertulia.models.calls import Call, Effort, Image, PromptMessage, Tool, ToolCall, ToolResult
from tertulia.models.providers import Endpoint, openai_prompt

SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
LOOK = Tool("look", "Look at something.", SCHEMA)
TOOL_TALK = (
    PromptMessage("user", "What do you see?", images=(Image("image/png", b"\x89PNG"),)),
    PromptMessage("assistant", "", tool_calls=(ToolCall("call_1", "look", '{"at": "sea"}'),)),
    PromptMessage("user", "", tool_results=(ToolResult("call_1", "look", "Waves.", failed=True),)),
    PromptMessage("assistant", "Waves."),
    PromptMessage("user", "And now?"),
)
CALLS = {
    "plain": question(),
    "no system prompt": question(system=""),
    "with a temperature": question(temperature=0.2),
    "thinking": question(thinking=Effort.HIGH),
    "tools and pictures": question(tools=(LOOK,), messages=TOOL_TALK),
    "malformed arguments": question(
        tools=(LOOK,),
        messages=(
            PromptMessage("user", "Look."),
            PromptMessage("assistant", "", tool_calls=(ToolCall("call 1.2", "look", '{"at": '),)),
            PromptMessage("user", "", tool_results=(ToolResult("call 1.2", "look", "Unreadable."),)),
        ),
    ),
    "neighbours, and where the cache is cut": question(
        tools=(LOOK,),
        cache_key="cnv_1",
        messages=(
            PromptMessage("user", "Here is a file.", ends_stable=True),
            *TOOL_TALK[:3],
            PromptMessage("user", "Go on."),
            PromptMessage("assistant", "Waves.", ends_stable=True),
            PromptMessage("assistant", "Blue ones."),
            PromptMessage("user", "Some passages."),
            PromptMessage("user", "And now?"),
        ),
    ),
    "an empty reply in between": question(
        messages=(
            PromptMessage("user", "Hello?"),
            PromptMessage("assistant", ""),
            PromptMessage("user", "Are you there?"),
        )
    ),
}


@pytest.mark.parametrize("name", CALLS)
async def test_the_official_types_accept_what_we_send(adapter: Adapter, name: str) -> None:
    await adapter.ask(CALLS[name])

    check = {"openai": check_openai, "anthropic": check_anthropic, "google": check_google}
    check[adapter.kind](adapter.sent())


@pytest.mark.parametrize("name", CALLS)
def test_the_official_types_accept_what_openais_newer_models_are_sent(name: str) -> None:
    endpoint = Endpoint("openai", "openai", "https://api.openai.com/v1", KEY)
    body = openai_prompt.body_of(replace(CALLS[name], model="gpt-5.6"), endpoint)

    check_openai(body)
    assert "prompt_cache_breakpoint" in str(body) or not CALLS[name].system


def check_openai(body: dict[str, Any]) -> None:
    check_typed_dict(body, CompletionCreateParamsStreaming)


def check_anthropic(body: dict[str, Any]) -> None:
    check_typed_dict(body, MessageCreateParamsStreaming)
    for message in body["messages"]:
        assert message["content"]
        for block in message["content"]:
            assert block.get("type") != "text" or block["text"].strip()


def check_google(body: dict[str, Any]) -> None:
    assert set(body) <= {"contents", "generationConfig", "systemInstruction", "tools"}
    for content in body["contents"]:
        assert types.Content.model_validate(content).parts
    types.GenerationConfig.model_validate(body["generationConfig"])
    types.Content.model_validate(body.get("systemInstruction", {}))
    for tool in body.get("tools", ()):
        types.Tool.model_validate(tool)


def check_typed_dict(body: dict[str, Any], kind: Any) -> None:
    assert set(body) <= kind.__required_keys__ | kind.__optional_keys__
    exhaust(validator(kind).validate_python(body))


@cache
def validator(kind: Any) -> TypeAdapter[Any]:
    """Build a type's validator once; it must outlive what it validates lazily."""
    return TypeAdapter(kind)


def exhaust(value: object) -> None:
    """Walk a validated value to its end: what is iterable is only checked while it is walked."""
    if isinstance(value, Mapping):
        for one in value.values():
            exhaust(one)
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for one in value:
            exhaust(one)


async def test_the_key_travels_in_a_header_and_never_in_the_address(adapter: Adapter) -> None:
    await adapter.ask()

    request = adapter.scripted.requests()[0]
    assert any(KEY in value for value in request.headers.values())
    assert KEY not in request.path


async def test_a_model_gets_its_own_thinking_back_and_no_other_does(adapter: Adapter) -> None:
    adapter.scripted.script(
        MODEL, Script(thinking="Hmm.", tool_calls=[ScriptedCall(name="look", arguments='{"at": "sea"}')])
    )
    first = await adapter.ask(question(tools=(LOOK,)))
    assert first.blocks

    await adapter.ask(continued(first.calls[0], first.blocks, model=MODEL))
    own = str(adapter.sent())
    await adapter.ask(continued(first.calls[0], first.blocks, model="scripted-fast"))
    other = str(adapter.sent())

    mark = {"openai": "reasoning_content", "anthropic": "c2lnbmVk", "google": "Y2FsbA=="}[adapter.kind]
    assert mark in own
    assert mark not in other


def continued(call: ToolCall, blocks: list[dict[str, Any]], *, model: str) -> Call:
    return question(
        model=model,
        tools=(LOOK,),
        messages=(
            PromptMessage("user", "Look."),
            PromptMessage("assistant", "", tool_calls=(call,), thought=tuple(blocks)),
            PromptMessage("user", "", tool_results=(ToolResult(call.id, call.name, "Waves."),)),
        ),
    )
