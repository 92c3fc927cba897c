"""What a scripted model does when it is asked."""

import re
from typing import Any, Literal

import msgspec

FaultKind = Literal[
    "status",
    "silence",
    "keepalive",
    "dribble",
    "drop",
    "cut",
    "no_done",
    "hang",
    "invalid_utf8",
    "garbage",
    "split",
    "huge_line",
    "error_event",
]


class ScriptedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call; `arguments` is sent as it stands, so it may be malformed."""

    name: str
    arguments: str = "{}"
    id: str = ""


class ScriptedUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens to report; `input` includes the cached ones and `output` the thinking."""

    input: int
    output: int
    cached: int = 0
    cache_write: int = 0
    thinking: int = 0
    cost: float | None = None


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What goes wrong, and for how many requests (None: for all of them).

    `after` counts pieces of text sent well before it; `seconds` is the pause
    between two dribbled bytes or keep-alives, `size` the bytes of a huge line or
    of each write of a split reply.
    """

    kind: FaultKind
    after: int = 0
    times: int | None = None
    status: int = 500
    retry_after: str | None = None
    message: str = "The script says so."
    code: str | None = None
    seconds: float = 0.05
    size: int = 0


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One model's answer. Without `reply` it echoes the last thing the user said."""

    reply: str | list[str] | None = None
    thinking: str | list[str] = ""
    tool_calls: list[ScriptedCall] = []
    #: Call the tools even when their results are already there: a model caught in a loop.
    always_calls: bool = False
    first_token_seconds: float = 0
    #: None: as fast as the connection takes it.
    tokens_per_second: float | None = None
    #: Pieces that are sent before the model waits until `ScriptedProvider.resume` is called.
    pause_after: int | None = None
    usage: ScriptedUsage | None = None
    finish: Literal["done", "length", "refused"] = "done"
    fault: Fault | None = None
    title: str | None = None
    #: What the list says. A longer prompt is refused in the provider's own words.
    window: int | None = None
    #: What is refused beyond instead, where the list says something else or nothing.
    true_window: int | None = None
    output_limit: int | None = None


class Turn(msgspec.Struct, kw_only=True):
    """One answer, worked out and ready to be written in a wire format."""

    model: str
    pieces: list[str]
    thinking: list[str]
    calls: list[ScriptedCall]
    usage: ScriptedUsage
    finish: str


class Recorded(msgspec.Struct, kw_only=True):
    """A request as it reached the server. `ended` says how: finished, disconnected or dropped."""

    model: str
    format: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    ended: str | None = None
    ended_at: float | None = None

    @property
    def disconnected(self) -> bool:
        """Tell whether the client went away before the end."""
        return self.ended == "disconnected"


class Frames(msgspec.Struct, kw_only=True):
    """An answer in a wire format: what opens it, one frame a piece, what closes it, its last word."""

    head: bytes
    pieces: list[bytes]
    tail: bytes
    done: bytes = b""


def words(text: str | list[str]) -> list[str]:
    """Cut text into pieces the way models do, roughly: a word with the space before it."""
    if isinstance(text, list):
        return text
    return re.findall(r"\s*\S+|\s+$", text)


def frame(value: Any, *, event: str = "") -> bytes:
    """Write a value as a server-sent event."""
    name = f"event: {event}\n".encode() if event else b""
    return name + b"data: " + msgspec.json.encode(value) + b"\n\n"
