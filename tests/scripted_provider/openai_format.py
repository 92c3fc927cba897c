"""OpenAI's chat completions, as a server writes them."""

from typing import Any

import msgspec

from tests.scripted_provider.script import Fault, Frames, Script, Turn, frame

NAME = "openai"
PING = b": keep-alive\n\n"
ERROR_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


def has_key(headers: dict[str, str], query: dict[str, str]) -> bool:
    return len(headers.get("authorization", "").removeprefix("Bearer ").strip()) > 0


def messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body.get("messages", [])


def prompt(body: dict[str, Any]) -> list[Any]:
    return [body.get("messages"), body.get("tools")]


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
    return {"error": {"message": fault.message, "type": kind, "param": None, "code": fault.code}}


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
