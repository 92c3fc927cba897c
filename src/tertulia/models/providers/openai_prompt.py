"""A call, written as OpenAI's chat completions want it."""

import re
from base64 import b64encode
from urllib.parse import urlsplit

from tertulia.core.json_object import JsonObject
from tertulia.models.calls import Call, Image, PromptMessage, Tool, ToolCall
from tertulia.models.providers.alternating_roles import alternate_roles
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.openai_cache_breakpoints import (
    add_breakpoints,
    is_openai,
    stable_prefix_length,
    takes_breakpoints,
)
from tertulia.models.providers.thinking_blocks import thinking_blocks_of
from tertulia.models.providers.tool_arguments import arguments_text

CACHE_KEY_MAX_CHARS = 64
REASONING_MODEL_PATTERN = re.compile(r"^(o\d|gpt-([5-9]|\d\d))")


def body_of(call: Call, endpoint: Endpoint) -> JsonObject:
    """Return the body of the request."""
    body: JsonObject = {
        "model": call.model,
        "messages": messages_of(call, endpoint),
        "stream": True,
        "stream_options": {"include_usage": True},
        output_limit_name(call, endpoint): call.output_limit,
    }
    if call.temperature is not None:
        body["temperature"] = call.temperature
    if call.tools:
        body["tools"] = [tool_of(tool) for tool in call.tools]
        body |= {"tool_choice": "none"} if call.tools_rest else {}
    if call.cache_key and is_openai(endpoint):
        body["prompt_cache_key"] = call.cache_key[:CACHE_KEY_MAX_CHARS]
    if endpoint.kind == "openrouter":
        body["usage"] = {"include": True}
    if call.thinking and endpoint.kind == "openrouter":
        body["reasoning"] = {"effort": str(call.thinking)}
    elif call.thinking:
        body["reasoning_effort"] = str(call.thinking)
    return body


def output_limit_name(call: Call, endpoint: Endpoint) -> str:
    """Return what the server calls the output limit: only OpenAI's own models want the newer name."""
    host = urlsplit(endpoint.base_url).hostname or ""
    own = host == "api.openai.com" or host.endswith((".openai.com", ".openai.azure.com"))
    # A gateway in front of OpenAI passes the limit on, and these models refuse the older name.
    through_gateway = endpoint.kind == "openai" and REASONING_MODEL_PATTERN.match(call.model)
    return "max_completion_tokens" if own or through_gateway else "max_tokens"


def messages_of(call: Call, endpoint: Endpoint) -> list[JsonObject]:
    """Return the whole conversation, the system prompt first, with marks where a cache takes them."""
    system: list[JsonObject] = [{"role": "system", "content": call.system}] if call.system else []
    if not takes_breakpoints(call, endpoint):
        return system + convert_messages(call.messages, endpoint, call.model)
    length = stable_prefix_length(call.messages)
    stable = convert_messages(call.messages[:length], endpoint, call.model)
    return add_breakpoints(system + stable, convert_messages(call.messages[length:], endpoint, call.model))


def convert_messages(messages: tuple[PromptMessage, ...], endpoint: Endpoint, model: str) -> list[JsonObject]:
    """Return what was said, with roles that alternate."""
    converted: list[JsonObject] = []
    for said in alternate_roles(messages):
        if said.role == "assistant":
            converted.append(assistant_message(said, endpoint, model))
        else:
            converted += user_messages(said)
    return converted


def user_messages(message: PromptMessage) -> list[JsonObject]:
    """Return what tools gave, each as its own message, and then what the person said."""
    messages: list[JsonObject] = [
        {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
        for result in message.tool_results
    ]
    if message.images:
        text = [{"type": "text", "text": message.text}] if message.text else []
        messages.append({"role": "user", "content": [*text, *map(image_part, message.images)]})
    elif message.text or not messages:
        messages.append({"role": "user", "content": message.text})
    return messages


def assistant_message(message: PromptMessage, endpoint: Endpoint, model: str) -> JsonObject:
    """Return what a model said, with its own thinking where its server wants that back."""
    converted: JsonObject = {"role": "assistant", "content": message.text}
    if message.tool_calls:
        converted["content"] = message.text or None
        converted["tool_calls"] = [call_part(call) for call in message.tool_calls]
    for block in thinking_blocks_of(message, endpoint=endpoint, model=model):
        converted |= block
    return converted


def call_part(call: ToolCall) -> JsonObject:
    """Return a tool call of the past."""
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments_text(call.arguments)},
    }


def image_part(image: Image) -> JsonObject:
    """Return a picture inside the request itself."""
    url = f"data:{image.mime};base64,{b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def tool_of(tool: Tool) -> JsonObject:
    """Return a tool on offer."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
