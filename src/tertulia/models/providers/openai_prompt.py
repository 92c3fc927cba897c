"""A call, written as OpenAI's chat completions want it."""

import re
from base64 import b64encode
from typing import Any
from urllib.parse import urlsplit

from tertulia.models.calls import Call, Image, Said, Tool, ToolCall
from tertulia.models.providers.arguments import as_text
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.joining import joined
from tertulia.models.providers.openai_caching import is_openai, stable_length, takes_marks, with_marks
from tertulia.models.providers.thoughts import own_blocks

LONGEST_CACHE_KEY = 64
REASONING_MODEL = re.compile(r"^(o\d|gpt-([5-9]|\d\d))")


def body_of(call: Call, endpoint: Endpoint) -> dict[str, Any]:
    """Return the body of the request."""
    body: dict[str, Any] = {
        "model": call.model,
        "messages": messages_of(call, endpoint),
        "stream": True,
        "stream_options": {"include_usage": True},
        limit_name(call, endpoint): call.output_limit,
    }
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if call.tools:
        body["tools"] = [tool_of(tool) for tool in call.tools]
        body |= {"tool_choice": "none"} if call.tools_rest else {}
    if call.cache_key and is_openai(endpoint):
        body["prompt_cache_key"] = call.cache_key[:LONGEST_CACHE_KEY]
    if endpoint.kind == "openrouter":
        body["usage"] = {"include": True}
    if call.thinking and endpoint.kind == "openrouter":
        body["reasoning"] = {"effort": str(call.thinking)}
    elif call.thinking:
        body["reasoning_effort"] = str(call.thinking)
    return body


def limit_name(call: Call, endpoint: Endpoint) -> str:
    """Return what the server calls the output limit: only OpenAI's own models want the newer name."""
    host = urlsplit(endpoint.base_url).hostname or ""
    own = host == "api.openai.com" or host.endswith((".openai.com", ".openai.azure.com"))
    # A gateway in front of OpenAI passes the limit on, and these models refuse the older name.
    through_gateway = endpoint.kind == "openai" and REASONING_MODEL.match(call.model)
    return "max_completion_tokens" if own or through_gateway else "max_tokens"


def messages_of(call: Call, endpoint: Endpoint) -> list[dict[str, Any]]:
    """Return the whole conversation, the system prompt first, with marks where a cache takes them."""
    system: list[dict[str, Any]] = [{"role": "system", "content": call.system}] if call.system else []
    if not takes_marks(call, endpoint):
        return system + spoken(call.messages, endpoint, call.model)
    length = stable_length(call.messages)
    stable = spoken(call.messages[:length], endpoint, call.model)
    return with_marks(system + stable, spoken(call.messages[length:], endpoint, call.model))


def spoken(messages: tuple[Said, ...], endpoint: Endpoint, model: str) -> list[dict[str, Any]]:
    """Return what was said, with roles that alternate."""
    told: list[dict[str, Any]] = []
    for said in joined(messages):
        if said.role == "assistant":
            told.append(assistant_message(said, endpoint, model))
        else:
            told += user_messages(said)
    return told


def user_messages(said: Said) -> list[dict[str, Any]]:
    """Return what tools gave, each as its own message, and then what the person said."""
    messages: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
        for result in said.tool_results
    ]
    if said.images:
        text = [{"type": "text", "text": said.text}] if said.text else []
        messages.append({"role": "user", "content": [*text, *map(image_part, said.images)]})
    elif said.text or not messages:
        messages.append({"role": "user", "content": said.text})
    return messages


def assistant_message(said: Said, endpoint: Endpoint, model: str) -> dict[str, Any]:
    """Return what a model said, with its own thinking where its server wants that back."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.tool_calls:
        message["content"] = said.text or None
        message["tool_calls"] = [call_part(call) for call in said.tool_calls]
    for block in own_blocks(said, endpoint=endpoint, model=model):
        message |= block
    return message


def call_part(call: ToolCall) -> dict[str, Any]:
    """Return a tool call of the past."""
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": as_text(call.arguments)},
    }


def image_part(image: Image) -> dict[str, Any]:
    """Return a picture inside the request itself."""
    url = f"data:{image.mime};base64,{b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def tool_of(tool: Tool) -> dict[str, Any]:
    """Return a tool on offer."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
