"""OpenAI's chat completions, as a server writes them."""

from typing import Any

import msgspec

from tests.scripted_provider.pictures import openai_price
from tests.scripted_provider.script import Fault, Frames, Script, Turn, frame
from tests.scripted_provider.tokens import Tape

NAME = "openai"
TOO_LONG = "context_length_exceeded"
PING = b": keep-alive\n\n"
ERROR_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


def has_key(headers: dict[str, str], query: dict[str, str]) -> bool:
    return len(headers.get("authorization", "").removeprefix("Bearer ").strip()) > 0


def messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body.get("messages", [])


def tape(body: dict[str, Any]) -> Tape:
    """Write a prompt as OpenAI's published formula counts it: tools first, three tokens before the reply."""
    told = Tape("o200k_base")
    if body.get("tools"):
        for tool in body["tools"]:
            write_function(told, tool["function"])
        told.frame(12)
    for message in messages(body):
        told.frame(3)
        told.text(message["role"])
        write_content(told, message.get("content"), body["model"])
        told.text(message.get("reasoning_content"))
        for call in message.get("tool_calls") or ():
            told.frame(3)
            told.text(call["function"]["name"])
            told.text(call["function"]["arguments"])
    told.frame(3)
    return told


def write_content(told: Tape, content: Any, model: str) -> None:
    parts: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for part in parts:
        if part["type"] == "image_url":
            url = part["image_url"]["url"]
            told.picture(url, openai_price(url, model))
        else:
            told.text(part["text"])


def write_function(told: Tape, function: dict[str, Any]) -> None:
    told.frame(7)
    told.text(f"{function['name']}:{function.get('description', '').removesuffix('.')}")
    write_properties(told, function.get("parameters") or {})


def write_properties(told: Tape, schema: dict[str, Any]) -> None:
    properties = schema.get("properties") or {}
    told.frame(3 if properties else 0)
    for name, one in properties.items():
        described = one.get("description", "").removesuffix(".")
        told.text(f"{name}:{one.get('type', '')}:{described}")
        for choice in one.get("enum") or ():
            told.text(str(choice))
        # Three for the property and three for each choice but the first.
        told.frame(3 * max(1, len(one.get("enum") or ())))
        write_properties(told, one)
        write_properties(told, one.get("items") or {})


def too_long(tokens: int, window: int) -> Fault:
    said = (
        f"This model's maximum context length is {window} tokens. However, your messages resulted in "
        f"{tokens} tokens. Please reduce the length of the messages."
    )
    return Fault(kind="status", status=400, message=said, code=TOO_LONG)


def last_user_text(body: dict[str, Any]) -> str:
    said = [message["content"] for message in messages(body) if message["role"] == "user"]
    content = said[-1] if said else ""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def ends_with_results(body: dict[str, Any]) -> bool:
    return bool(messages(body)) and messages(body)[-1]["role"] == "tool"


def chunk(model: str, delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return frame(envelope(model) | {"choices": [choice]})


def envelope(model: str) -> dict[str, Any]:
    kind = "chat.completion.chunk"
    return {"id": "chatcmpl-scripted", "object": kind, "created": 1_700_000_000, "model": model}


def text_frame(model: str, text: str) -> bytes:
    return chunk(model, {"content": text})


def frames(turn: Turn, body: dict[str, Any]) -> Frames:
    thinking = [chunk(turn.model, {"reasoning_content": text}) for text in turn.thinking]
    text = [text_frame(turn.model, piece) for piece in turn.pieces]
    calls = [chunk(turn.model, delta) for delta in call_deltas(turn)]
    tail = chunk(turn.model, {}, finish_reason(turn))
    if (body.get("stream_options") or {}).get("include_usage"):
        tail += frame(envelope(turn.model) | {"choices": [], "usage": usage(turn)})
    head = chunk(turn.model, {"role": "assistant", "content": ""})
    return Frames(head=head, pieces=[*thinking, *text, *calls], tail=tail, done=b"data: [DONE]\n\n")


def call_deltas(turn: Turn) -> list[dict[str, Any]]:
    """Open each call and then send its arguments in two pieces, as OpenAI does."""
    deltas: list[dict[str, Any]] = []
    for index, call in enumerate(turn.calls):
        opening = {"name": call.name, "arguments": ""}
        call_id = call.id or f"call_{index + 1}"
        deltas.append({"index": index, "id": call_id, "type": "function", "function": opening})
        half = len(call.arguments) // 2
        pieces = (call.arguments[:half], call.arguments[half:])
        deltas += [{"index": index, "function": {"arguments": piece}} for piece in pieces]
    return [{"tool_calls": [delta]} for delta in deltas]


def finish_reason(turn: Turn) -> str:
    if turn.calls:
        return "tool_calls"
    return {"length": "length", "refused": "content_filter"}.get(turn.finish, "stop")


def usage(turn: Turn) -> dict[str, Any]:
    counted = turn.usage
    said: dict[str, Any] = {
        "prompt_tokens": counted.input,
        "completion_tokens": counted.output,
        "total_tokens": counted.input + counted.output,
        "prompt_tokens_details": {
            "cached_tokens": counted.cached,
            "cache_write_tokens": counted.cache_write,
        },
        "completion_tokens_details": {"reasoning_tokens": counted.thinking},
    }
    return said if counted.cost is None else said | {"cost": counted.cost}


def whole(turn: Turn) -> dict[str, Any]:
    """Write the answer at once, for a request that does not ask for a stream."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(turn.pieces) or None}
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{index + 1}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(turn.calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish_reason(turn)}
    return envelope(turn.model) | {"object": "chat.completion", "choices": [choice], "usage": usage(turn)}


def error_of(status: int, fault: Fault) -> dict[str, Any]:
    kind = ERROR_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    param = "messages" if fault.code == TOO_LONG else None
    return {"error": {"message": fault.message, "type": kind, "param": param, "code": fault.code}}


def error_body(status: int, fault: Fault) -> bytes:
    return msgspec.json.encode(error_of(status, fault))


def error_frame(fault: Fault) -> bytes:
    return frame(error_of(fault.status, fault))


def listing(models: dict[str, Script], query: dict[str, str], page_size: int) -> dict[str, Any]:
    names = list(models)
    start = names.index(query["after"]) + 1 if query.get("after") in names else 0
    page = names[start : start + page_size]
    return {
        "object": "list",
        "data": [entry(name, models[name]) for name in page],
        "has_more": start + page_size < len(names),
    }


def entry(name: str, script: Script) -> dict[str, Any]:
    listed: dict[str, Any] = {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "script"}
    if script.title:
        listed["name"] = script.title
    if script.window:
        listed["context_length"] = script.window
    if script.output_limit:
        listed["top_provider"] = {"max_completion_tokens": script.output_limit}
    return listed
