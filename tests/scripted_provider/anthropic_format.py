"""Anthropic's messages API, as a server writes it."""

from typing import Any

import msgspec

from tests.scripted_provider.pictures import anthropic_price
from tests.scripted_provider.script import Fault, Frames, Script, Turn, frame
from tests.scripted_provider.tokens import Tape

NAME = "anthropic"
PING = b'event: ping\ndata: {"type": "ping"}\n\n'
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def has_key(headers: dict[str, str], query: dict[str, str]) -> bool:
    return bool(headers.get("x-api-key") or headers.get("authorization"))


def messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body.get("messages", [])


def tape(body: dict[str, Any]) -> Tape:
    """Write a prompt in the order Anthropic caches it: tools, system prompt, messages."""
    told = Tape("llama3")
    told.frame(346 if body.get("tools") else 0)
    for tool in body.get("tools") or ():
        told.json(tool)
        told.end_block(marked="cache_control" in tool)
    system = body.get("system") or []
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        write_block(told, block)
    for message in messages(body):
        told.frame(4)
        for block in blocks(message):
            write_block(told, block)
    told.frame(3)
    return told


def write_block(told: Tape, block: dict[str, Any]) -> None:
    match block["type"]:
        case "text":
            told.text(block["text"])
        case "image":
            data = block["source"]["data"]
            told.picture(data, anthropic_price(data))
        case "tool_result":
            told.frame(4)
            told.text(block["content"])
        case "tool_use":
            told.frame(8)
            told.text(block["name"])
            told.json(block["input"])
        case _:
            told.text(block.get("thinking"))
    told.end_block(marked="cache_control" in block)


def too_long(tokens: int, window: int) -> Fault:
    said = f"prompt is too long: {tokens} tokens > {window} maximum"
    return Fault(kind="status", status=400, message=said)


def blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def last_user_text(body: dict[str, Any]) -> str:
    said = [
        "".join(block["text"] for block in blocks(message) if block["type"] == "text")
        for message in messages(body)
        if message["role"] == "user"
    ]
    return next((text for text in reversed(said) if text), "")


def ends_with_results(body: dict[str, Any]) -> bool:
    last = messages(body)[-1:]
    return any(block["type"] == "tool_result" for message in last for block in blocks(message))


def event(kind: str, **fields: Any) -> bytes:
    return frame({"type": kind, **fields}, event=kind)


def delta(index: int, kind: str, **fields: Any) -> bytes:
    return event("content_block_delta", index=index, delta={"type": kind, **fields})


def text_frame(model: str, text: str) -> bytes:
    return delta(0, "text_delta", text=text)


def frames(turn: Turn, body: dict[str, Any]) -> Frames:
    parts: list[list[bytes]] = []
    if turn.thinking:
        parts.append(thinking_frames(0, turn))
    if turn.pieces:
        index = len(parts)
        text = [delta(index, "text_delta", text=piece) for piece in turn.pieces]
        parts.append(block_frames(index, {"type": "text", "text": ""}, text))
    for call in turn.calls:
        index = len(parts)
        block = {"type": "tool_use", "id": call.id or f"toolu_{index}", "name": call.name, "input": {}}
        half = len(call.arguments) // 2
        pieces = ["", call.arguments[:half], call.arguments[half:]]
        told = [delta(index, "input_json_delta", partial_json=piece) for piece in pieces]
        parts.append(block_frames(index, block, told))
    stop = {"stop_reason": stop_reason(turn), "stop_sequence": None}
    tail = event("message_delta", delta=stop, usage={"output_tokens": turn.usage.output} | details(turn))
    return Frames(
        head=event("message_start", message=opening(turn)) + PING,
        pieces=[one for part in parts for one in part],
        tail=tail,
        done=event("message_stop"),
    )


def block_frames(index: int, block: dict[str, Any], deltas: list[bytes]) -> list[bytes]:
    """Write a block; its borders travel with its first and last piece."""
    told = list(deltas)
    told[0] = event("content_block_start", index=index, content_block=block) + told[0]
    told[-1] += event("content_block_stop", index=index)
    return told


def thinking_frames(index: int, turn: Turn) -> list[bytes]:
    told = [delta(index, "thinking_delta", thinking=piece) for piece in turn.thinking]
    told[-1] += delta(index, "signature_delta", signature="c2lnbmVk")
    return block_frames(index, {"type": "thinking", "thinking": "", "signature": ""}, told)


def opening(turn: Turn) -> dict[str, Any]:
    counted = turn.usage
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": counted.input - counted.cached - counted.cache_write,
            "cache_read_input_tokens": counted.cached,
            "cache_creation_input_tokens": counted.cache_write,
            "output_tokens": 1,
        },
    }


def details(turn: Turn) -> dict[str, Any]:
    if not turn.usage.thinking:
        return {}
    return {"output_tokens_details": {"thinking_tokens": turn.usage.thinking}}


def stop_reason(turn: Turn) -> str:
    if turn.calls:
        return "tool_use"
    return {"length": "max_tokens", "refused": "refusal"}.get(turn.finish, "end_turn")


def error_of(status: int, fault: Fault) -> dict[str, Any]:
    kind = fault.code or ERROR_TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": fault.message}, "request_id": "req_scripted"}


def error_body(status: int, fault: Fault) -> bytes:
    return msgspec.json.encode(error_of(status, fault))


def error_frame(fault: Fault) -> bytes:
    return frame(error_of(fault.status, fault), event="error")


def listing(models: dict[str, Script], query: dict[str, str], page_size: int) -> dict[str, Any]:
    names = list(models)
    size = min(page_size, int(query.get("limit", "20")))
    start = names.index(query["after_id"]) + 1 if query.get("after_id") in names else 0
    page = names[start : start + size]
    return {
        "data": [entry(name, models[name]) for name in page],
        "has_more": start + size < len(names),
        "first_id": page[0] if page else None,
        "last_id": page[-1] if page else None,
    }


def entry(name: str, script: Script) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": script.title or name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": script.window,
        "max_tokens": script.output_limit,
    }
