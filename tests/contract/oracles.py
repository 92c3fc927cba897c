"""The providers' own libraries, reading the same scripted provider."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anthropic
import openai
from google import genai
from google.genai import types
from tests.contract.asking import MODEL
from tests.scripted_provider import ScriptedProvider


@dataclass
class Read:
    """What a library made of a stream."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    input: int = 0
    output: int = 0
    cached: int = 0


def read_openai(provider: ScriptedProvider) -> Read:
    """Read with OpenAI's library."""
    client = openai.OpenAI(base_url=provider.openai_url, api_key="k", max_retries=0)
    read = Read()
    arguments: dict[int, list[str]] = {}
    for chunk in client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}],
        stream=True,
        stream_options={"include_usage": True},
    ):
        for choice in chunk.choices:
            read.text += choice.delta.content or ""
            read.thinking += (choice.delta.model_extra or {}).get("reasoning_content", "")
            for call in choice.delta.tool_calls or ():
                if call.function and call.function.name:
                    arguments[call.index] = [call.function.name, ""]
                if call.function and call.function.arguments:
                    arguments[call.index][1] += call.function.arguments
        if chunk.usage and chunk.usage.prompt_tokens_details:
            read.input, read.output = chunk.usage.prompt_tokens, chunk.usage.completion_tokens
            read.cached = chunk.usage.prompt_tokens_details.cached_tokens or 0
    read.calls = [(name, text) for name, text in arguments.values()]
    return read


def read_anthropic(provider: ScriptedProvider) -> Read:
    """Read with Anthropic's library."""
    client = anthropic.Anthropic(base_url=provider.anthropic_url, api_key="k", max_retries=0)
    with client.messages.stream(
        model=MODEL, max_tokens=4096, system="Be brief.", messages=[{"role": "user", "content": "Hello?"}]
    ) as stream:
        message = stream.get_final_message()
    read = Read()
    for block in message.content:
        match block.type:
            case "text":
                read.text += block.text
            case "thinking":
                read.thinking += block.thinking
            case "tool_use":
                read.calls.append((block.name, json.dumps(block.input)))
            case _:
                pass
    counted = message.usage
    read.cached = counted.cache_read_input_tokens or 0
    read.input = counted.input_tokens + read.cached + (counted.cache_creation_input_tokens or 0)
    read.output = counted.output_tokens
    return read


def read_google(provider: ScriptedProvider) -> Read:
    """Read with Google's library."""
    options = types.HttpOptions(base_url=provider.gemini_url, api_version="v1beta")
    client = genai.Client(api_key="k", http_options=options)
    read = Read()
    for chunk in client.models.generate_content_stream(
        model=MODEL,
        contents="Hello?",
        config=types.GenerateContentConfig(system_instruction="Be brief.", max_output_tokens=4096),
    ):
        for candidate in chunk.candidates or ():
            for part in (candidate.content.parts if candidate.content else None) or ():
                add_part(read, part)
        if counted := chunk.usage_metadata:
            read.input = counted.prompt_token_count or 0
            read.output = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
            read.cached = counted.cached_content_token_count or 0
    return read


def add_part(read: Read, part: types.Part) -> None:
    """Add one part of Google's reply."""
    if part.function_call:
        read.calls.append((part.function_call.name or "", json.dumps(part.function_call.args)))
    elif part.thought:
        read.thinking += part.text or ""
    else:
        read.text += part.text or ""


ORACLES: dict[str, Callable[[ScriptedProvider], Any]] = {
    "openai": read_openai,
    "anthropic": read_anthropic,
    "google": read_google,
}
