"""A call, written as Gemini's generateContent wants it."""

import re
from base64 import b64encode

from tertulia.core.json_object import JsonObject
from tertulia.models.calls import Call, Effort, Image, PromptMessage, Tool, ToolCall, ToolResult
from tertulia.models.providers.alternating_roles import alternate_roles
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.thinking_blocks import thinking_blocks_of
from tertulia.models.providers.tool_arguments import arguments_object

#: Thinking tokens for the models before Gemini 3, which want a number.
GEMINI_THINKING_TOKENS = {Effort.LOW: 1_024, Effort.MEDIUM: 8_192, Effort.HIGH: 24_576}
THINKING_BUDGET_MODEL_PATTERN = re.compile(r"gemini-(1|2)\b")


def body_of(call: Call, endpoint: Endpoint) -> JsonObject:
    """Return the body of the request."""
    body: JsonObject = {
        "contents": [content_of(said, endpoint, call.model) for said in alternate_roles(call.messages)],
        "generationConfig": config_of(call),
    }
    if call.system:
        body["systemInstruction"] = {"parts": [{"text": call.system}]}
    if call.tools:
        body["tools"] = [{"functionDeclarations": [tool_of(tool) for tool in call.tools]}]
        body |= {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}} if call.tools_rest else {}
    return body


def config_of(call: Call) -> JsonObject:
    """Return how long, how varied and how thoughtful the reply should be."""
    config: JsonObject = {"maxOutputTokens": call.output_limit}
    if call.temperature is not None:
        config["temperature"] = call.temperature
    if call.thinking is not None:
        config["thinkingConfig"] = {"includeThoughts": True, **thinking_depth(call.model, call.thinking)}
    return config


def thinking_depth(model: str, effort: Effort) -> JsonObject:
    """Return how deep to think: newer models by level, older ones by a number of tokens."""
    if THINKING_BUDGET_MODEL_PATTERN.search(model):
        return {"thinkingBudget": GEMINI_THINKING_TOKENS[effort]}
    return {"thinkingLevel": effort.upper()}


def content_of(message: PromptMessage, endpoint: Endpoint, model: str) -> JsonObject:
    """Return one message; a model's own signatures go back on the parts they came with."""
    signatures = signatures_of(message, endpoint, model)
    parts = [result_part(result) for result in message.tool_results]
    parts += [image_part(image) for image in message.images]
    if message.text or not (parts or message.tool_calls):
        parts.append({"text": message.text} | signatures.get("", {}))
    parts += [call_part(call) | signatures.get(call.id, {}) for call in message.tool_calls]
    return {"role": "model" if message.role == "assistant" else "user", "parts": parts}


def signatures_of(message: PromptMessage, endpoint: Endpoint, model: str) -> dict[str, dict[str, str]]:
    """Return the signatures of a message by the tool call they belong to, the text's by no name."""
    blocks = thinking_blocks_of(message, endpoint=endpoint, model=model)
    return {block["call"]: {"thoughtSignature": block["signature"]} for block in blocks}


def call_part(call: ToolCall) -> JsonObject:
    """Return a tool call of the past."""
    return {"functionCall": {"id": call.id, "name": call.name, "args": arguments_object(call.arguments)}}


def result_part(result: ToolResult) -> JsonObject:
    """Return what a tool gave."""
    response = {"error" if result.failed else "output": result.text}
    return {"functionResponse": {"id": result.call_id, "name": result.name, "response": response}}


def image_part(image: Image) -> JsonObject:
    """Return a picture inside the request itself."""
    return {"inlineData": {"mimeType": image.mime, "data": b64encode(image.data).decode()}}


def tool_of(tool: Tool) -> JsonObject:
    """Return a tool on offer."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": tool.parameters,
    }
