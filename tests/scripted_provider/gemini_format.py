"""Gemini's streamGenerateContent, as a server writes it."""

from typing import Any

import msgspec

from tests.scripted_provider.pictures import GEMINI_PRICE
from tests.scripted_provider.script import Fault, Frames, Script, ScriptedCall, Turn, frame
from tests.scripted_provider.tokens import Tape

NAME = "gemini"
PING = b": keep-alive\n\n"
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


def has_key(headers: dict[str, str], query: dict[str, str]) -> bool:
    return bool(headers.get("x-goog-api-key") or query.get("key"))


def messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body.get("contents", [])


def tape(body: dict[str, Any]) -> Tape:
    """Write a prompt with a token around each message, as Gemini counts."""
    told = Tape("gemma3")
    for tool in body.get("tools") or ():
        told.json(tool)
    for content in [body.get("systemInstruction") or {"parts": []}, *messages(body)]:
        told.frame(1)
        for part in content["parts"]:
            write_part(told, part)
    return told


def write_part(told: Tape, part: dict[str, Any]) -> None:
    if "inlineData" in part:
        told.picture(part["inlineData"]["data"], GEMINI_PRICE)
    elif "functionCall" in part:
        told.text(part["functionCall"]["name"])
        told.json(part["functionCall"]["args"])
    elif "functionResponse" in part:
        told.text(part["functionResponse"]["name"])
        told.json(part["functionResponse"]["response"])
    else:
        told.text(part.get("text"))


def too_long(tokens: int, window: int) -> Fault:
    said = f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
    return Fault(kind="status", status=400, message=said)


def last_user_text(body: dict[str, Any]) -> str:
    said = [
        "".join(part.get("text", "") for part in content["parts"])
        for content in messages(body)
        if content.get("role", "user") == "user"
    ]
    return next((text for text in reversed(said) if text), "")


def ends_with_results(body: dict[str, Any]) -> bool:
    last = messages(body)[-1:]
    return any("functionResponse" in part for content in last for part in content["parts"])


def event(model: str, parts: list[dict[str, Any]], **fields: Any) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    finish = fields.pop("finish", None)
    if finish:
        candidate["finishReason"] = finish
    return frame({"candidates": [candidate], "modelVersion": model, "responseId": "scripted", **fields})


def text_frame(model: str, text: str) -> bytes:
    return event(model, [{"text": text}])


def frames(turn: Turn, body: dict[str, Any]) -> Frames:
    if turn.finish == "refused" and not turn.pieces:
        blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage(turn)}
        return Frames(head=b"", pieces=[], tail=frame(blocked))
    thinking = [event(turn.model, [{"text": piece, "thought": True}]) for piece in turn.thinking]
    text = [text_frame(turn.model, piece) for piece in turn.pieces]
    calls = [event(turn.model, [part]) for part in map(call_part, turn.calls) if part]
    finish = finish_reason(turn)
    # As the real one does, the signature of a reply without tools comes with its end.
    last = [{"text": ""} | ({"thoughtSignature": "c2lnbmVk"} if turn.thinking and not turn.calls else {})]
    tail = event(turn.model, last, finish=finish, usageMetadata=usage(turn))
    return Frames(head=b"", pieces=[*thinking, *text, *calls], tail=tail)


def call_part(call: ScriptedCall) -> dict[str, Any] | None:
    """Write a call; Gemini parses arguments itself, so malformed ones never get through."""
    try:
        arguments = msgspec.json.decode(call.arguments)
    except msgspec.DecodeError:
        return None
    told: dict[str, Any] = {"name": call.name, "args": arguments}
    if call.id:
        told["id"] = call.id
    return {"functionCall": told, "thoughtSignature": "Y2FsbA=="}


def finish_reason(turn: Turn) -> str:
    if any(call_part(call) is None for call in turn.calls):
        return "MALFORMED_FUNCTION_CALL"
    return {"length": "MAX_TOKENS", "refused": "SAFETY"}.get(turn.finish, "STOP")


def usage(turn: Turn) -> dict[str, Any]:
    counted = turn.usage
    return {
        "promptTokenCount": counted.input,
        "candidatesTokenCount": counted.output - counted.thinking,
        "thoughtsTokenCount": counted.thinking,
        "cachedContentTokenCount": counted.cached,
        "totalTokenCount": counted.input + counted.output,
    }


def error_of(status: int, fault: Fault) -> dict[str, Any]:
    return {
        "error": {
            "code": status,
            "message": fault.message,
            "status": fault.code or STATUSES.get(status, "UNKNOWN"),
        }
    }


def error_body(status: int, fault: Fault) -> bytes:
    return msgspec.json.encode(error_of(status, fault))


def error_frame(fault: Fault) -> bytes:
    return frame(error_of(fault.status, fault))


def listing(models: dict[str, Script], query: dict[str, str], page_size: int) -> dict[str, Any]:
    names = list(models)
    size = min(page_size, int(query.get("pageSize", "50")))
    start = int(query.get("pageToken", "0"))
    page: dict[str, Any] = {
        "models": [entry(name, models[name]) for name in names[start : start + size]],
    }
    if start + size < len(names):
        return page | {"nextPageToken": str(start + size)}
    embedder = {"name": "models/scripted-embedder", "supportedGenerationMethods": ["embedContent"]}
    page["models"].append(embedder)
    return page


def entry(name: str, script: Script) -> dict[str, Any]:
    listed: dict[str, Any] = {
        "name": f"models/{name}",
        "displayName": script.title or name,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }
    if script.window:
        listed["inputTokenLimit"] = script.window
    if script.output_limit:
        listed["outputTokenLimit"] = script.output_limit
    return listed
