"""A call, written as Anthropic's messages API wants it."""

import re
from base64 import b64encode
from itertools import groupby
from operator import itemgetter

from tertulia.core.json_object import JsonObject
from tertulia.models.calls import Call, Effort, Image, PromptMessage, Tool, ToolCall, ToolResult
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.thinking_blocks import thinking_blocks_of
from tertulia.models.providers.tool_arguments import arguments_object

#: Thinking tokens for models that want a number.
ANTHROPIC_THINKING_TOKENS = {Effort.LOW: 2_048, Effort.MEDIUM: 8_192, Effort.HIGH: 24_576}
ANTHROPIC_THINKING_MIN_TOKENS = 1_024
#: From this version on, a model decides itself how long it thinks.
FIRST_ADAPTIVE_VERSION = (4, 6)
#: From this version on, a model refuses any request with a temperature, as all refuse one while they think.
FIRST_VERSION_WITHOUT_TEMPERATURE = (4, 7)
NEWEST_VERSION = (99, 0)
ANTHROPIC_CACHE_BREAKPOINT = {"type": "ephemeral"}
#: The API takes four marks; one is the system prompt's.
ANTHROPIC_MESSAGE_BREAKPOINTS_MAX = 3
#: Blocks that cannot hold a mark.
BLOCKS_WITHOUT_BREAKPOINT = ("thinking", "redacted_thinking")
CONTENT_BLOCK_ORDER = {"tool_result": 0, "tool_use": 2}
CLAUDE_VERSION_PATTERN = re.compile(r"-(\d{1,2})(?:-(\d{1,2}))?(?=-|$|@|:)")

RequestBlock = JsonObject


def body_of(call: Call, endpoint: Endpoint) -> JsonObject:
    """Return the body of the request."""
    body: JsonObject = {
        "model": call.model,
        "max_tokens": call.output_limit,
        "messages": messages_of(call, endpoint),
        "stream": True,
    }
    if call.system.strip():
        # Tools come before the system prompt, so this one mark caches both.
        body["system"] = [{"type": "text", "text": call.system, "cache_control": ANTHROPIC_CACHE_BREAKPOINT}]
    if call.tools:
        body["tools"] = [tool_of(tool) for tool in call.tools]
        body |= {"tool_choice": {"type": "none"}} if call.tools_rest else {}
    thinking = thinking_of(call)
    if call.temperature is not None and not thinking and takes_temperature(call.model):
        body["temperature"] = min(call.temperature, 1.0)
    return body | thinking


def thinking_of(call: Call) -> JsonObject:
    """Return how the model is asked to think: newer ones by effort, older ones by a number of tokens."""
    if call.thinking is None:
        return {}
    if is_adaptive(call.model):
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": str(call.thinking)},
        }
    budget = max(
        ANTHROPIC_THINKING_MIN_TOKENS, min(ANTHROPIC_THINKING_TOKENS[call.thinking], call.output_limit // 2)
    )
    if budget >= call.output_limit:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def is_adaptive(model: str) -> bool:
    """Tell whether a model thinks by effort."""
    return version_of(model) >= FIRST_ADAPTIVE_VERSION


def takes_temperature(model: str) -> bool:
    """Tell whether a model can be asked for more or less varied replies."""
    return version_of(model) < FIRST_VERSION_WITHOUT_TEMPERATURE


def version_of(model: str) -> tuple[int, int]:
    """Return a model's version; a name without one is taken for a new model."""
    found = CLAUDE_VERSION_PATTERN.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else NEWEST_VERSION


def messages_of(call: Call, endpoint: Endpoint) -> list[JsonObject]:
    """Return the conversation; roles alternate and what is empty is left out, as the API insists."""
    contents = [(said, content_of(said, endpoint, call.model)) for said in call.messages]
    add_cache_breakpoints(contents)
    filled = [(said.role, content) for said, content in contents if content]
    messages = [
        {"role": role, "content": order_blocks([block for _, content in turn for block in content])}
        for role, turn in groupby(filled, key=itemgetter(0))
    ]
    if messages and messages[-1]["role"] == "assistant":
        strip_trailing_space(messages[-1]["content"])
    return messages


def add_cache_breakpoints(contents: list[tuple[PromptMessage, list[RequestBlock]]]) -> None:
    """Mark where the stable part of the conversation ends; of several such places, the newest."""
    ends = [place for place, (said, _) in enumerate(contents, 1) if said.ends_stable]
    for end in ends[-ANTHROPIC_MESSAGE_BREAKPOINTS_MAX:]:
        before = [
            block
            for _, content in contents[:end]
            for block in content
            if block["type"] not in BLOCKS_WITHOUT_BREAKPOINT
        ]
        if before:
            before[-1]["cache_control"] = ANTHROPIC_CACHE_BREAKPOINT


def order_blocks(content: list[RequestBlock]) -> list[RequestBlock]:
    """Return blocks in the order the API insists on: results of tools first, calls of tools last."""
    return sorted(content, key=lambda block: CONTENT_BLOCK_ORDER.get(block["type"], 1))


def content_of(message: PromptMessage, endpoint: Endpoint, model: str) -> list[JsonObject]:
    """Return the blocks of one message: thinking first, as the API insists."""
    blocks = (
        thinking_blocks_of(message, endpoint=endpoint, model=model) if message.role == "assistant" else []
    )
    blocks += [result_block(result) for result in message.tool_results]
    blocks += [image_block(image) for image in message.images]
    if message.text.strip():
        blocks.append({"type": "text", "text": message.text})
    return blocks + [call_block(call) for call in message.tool_calls]


def strip_trailing_space(content: list[JsonObject]) -> None:
    """Take white space off the end of a reply to be continued: the API refuses it there."""
    if content[-1].get("type") == "text":
        content[-1]["text"] = content[-1]["text"].rstrip()


def call_block(call: ToolCall) -> JsonObject:
    """Return a tool call of the past."""
    return {
        "type": "tool_use",
        "id": clean_id(call.id),
        "name": call.name,
        "input": arguments_object(call.arguments),
    }


def result_block(result: ToolResult) -> JsonObject:
    """Return what a tool gave."""
    block: JsonObject = {
        "type": "tool_result",
        "tool_use_id": clean_id(result.call_id),
        "content": result.text,
    }
    return block | {"is_error": True} if result.failed else block


def clean_id(call_id: str) -> str:
    """Return an id that another provider may have made in the form this one accepts."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)


def image_block(image: Image) -> JsonObject:
    """Return a picture inside the request itself."""
    data = b64encode(image.data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": data}}


def tool_of(tool: Tool) -> JsonObject:
    """Return a tool on offer."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
