"""What was heard of one round so far: values made of events, with no screen and no network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tertulia.cli.calls import Call, call_of
from tertulia.conversations.domain import ReplyStatus, ToolStatus
from tertulia.conversations.events import (
    ConversationDeleted,
    ConversationEvent,
    ReplyAdded,
    ReplyClosed,
    ReplyStarted,
    ReplyStatusChanged,
    ReplyText,
    ReplyThinking,
    ReplyToolCall,
    ReplyToolOutput,
    ReplyWaits,
    RoundClosed,
)

Piece = (
    ReplyStarted
    | ReplyText
    | ReplyThinking
    | ReplyToolCall
    | ReplyToolOutput
    | ReplyWaits
    | ReplyStatusChanged
)
GOOD = (ReplyStatus.DONE, ReplyStatus.STOPPED)


@dataclass(frozen=True, slots=True)
class Lane:
    """One model's reply, as far as it was heard."""

    reply_id: str
    name: str
    model: str
    kind: str
    status: ReplyStatus
    text: str = ""
    thinking: bool = False
    calls: tuple[Call, ...] = ()
    #: Something worth knowing while one waits.
    note: str = ""
    error: str = ""
    cost: float | None = None
    #: The cost is by our own count: the reply ended before its provider said what it used.
    cost_is_estimate: bool = False

    @property
    def is_final(self) -> bool:
        """Tell whether nothing more will come."""
        return self.status.is_final

    @property
    def failed(self) -> bool:
        """Tell whether the reply ended other than it should."""
        return self.is_final and self.status not in GOOD


@dataclass(frozen=True, slots=True)
class Hearing:
    """A round and the lanes of it that one listens to."""

    round_id: str
    conversation_id: str
    lanes: tuple[Lane, ...]
    closed: bool = False

    @property
    def finished(self) -> bool:
        """Tell whether there is nothing left to wait for."""
        return self.closed or all(lane.is_final for lane in self.lanes)

    @property
    def failed(self) -> bool:
        """Tell whether every lane failed."""
        return all(lane.failed for lane in self.lanes)


def lane_of(reply: dict[str, Any]) -> Lane:
    """Return a reply, as the server shows it, as a lane."""
    return Lane(
        reply_id=reply["id"],
        name=reply["lane"],
        model=reply["model"],
        kind=reply["kind"],
        status=ReplyStatus(reply["status"]),
        text=reply["content"],
        calls=tuple(call_of(reply["id"], call) for call in reply.get("tool_calls", ())),
        error=str(reply["error"]["message"]) if reply["error"] else "",
        cost=reply["cost"],
        cost_is_estimate=is_estimated(reply.get("usage")),
    )


def is_estimated(usage: dict[str, Any] | None) -> bool:
    """Tell whether a reply's tokens, and so its cost, are by our own count."""
    return usage is not None and bool(usage["estimated"])


def hearing_of(round_: dict[str, Any]) -> Hearing:
    """Begin to listen to a round: to the replies under way, or else to the newest of each lane."""
    texts = {reply["id"]: reply["content"] for reply in round_["replies"]}
    lanes = [begun(lane_of(reply), texts.get(reply["continues"], "")) for reply in round_["replies"]]
    coming = [lane for lane in lanes if not lane.is_final]
    chosen = coming or list({lane.name: lane for lane in lanes}.values())
    return Hearing(round_["id"], round_["conversation_id"], tuple(chosen))


def begun(lane: Lane, text: str) -> Lane:
    """Return a lane that goes on from an earlier reply's text, unless it has text already."""
    return lane if lane.text or lane.is_final else replace(lane, text=text)


def refreshed(hearing: Hearing, rounds: Sequence[dict[str, Any]]) -> Hearing:
    """Take the lanes' state from rounds fetched anew, where events were missed for good."""
    replies = {reply["id"]: lane_of(reply) for round_ in rounds for reply in round_["replies"]}
    return replace(hearing, lanes=tuple(replies.get(lane.reply_id, lane) for lane in hearing.lanes))


def apply(hearing: Hearing, event: ConversationEvent) -> Hearing:
    """Return what is known after one more event; events of other rounds change nothing."""
    match event:
        case RoundClosed(round_id=round_id) if round_id == hearing.round_id:
            return replace(hearing, closed=True)
        case ConversationDeleted():
            return replace(hearing, closed=True)
        case ReplyAdded(reply=reply) if reply["round_id"] == hearing.round_id:
            known = any(lane.reply_id == reply["id"] for lane in hearing.lanes)
            return hearing if known else replace(hearing, lanes=(*hearing.lanes, lane_of(reply)))
        case ReplyClosed(reply=reply):
            return changed(hearing, reply["id"], lambda _: lane_of(reply))
        case (
            ReplyStarted()
            | ReplyText()
            | ReplyThinking()
            | ReplyToolCall()
            | ReplyToolOutput()
            | ReplyWaits()
            | ReplyStatusChanged()
        ):
            return changed(hearing, event.reply_id, lambda lane: lane_after(lane, event))
        case _:
            return hearing


def changed(hearing: Hearing, reply_id: str, change: Callable[[Lane], Lane]) -> Hearing:
    """Return the hearing with one lane changed."""
    lanes = (change(lane) if lane.reply_id == reply_id else lane for lane in hearing.lanes)
    return replace(hearing, lanes=tuple(lanes))


def lane_after(lane: Lane, event: Piece) -> Lane:
    """Return a lane after one more piece of it."""
    match event:
        case ReplyText(offset=offset, text=text) if offset <= len(lane.text):
            # An offset before the end is something heard twice.
            return replace(lane, text=lane.text[:offset] + text, thinking=False, note="")
        case ReplyThinking():
            return replace(lane, thinking=True, note="")
        case ReplyToolCall(call=call):
            return with_call(lane, call_of(lane.reply_id, call))
        case ReplyToolOutput(call_id=call_id, share=float(share)):
            names = [call.name for call in lane.calls if call.id == call_id]
            lane = replace(lane, note=f"calls {' '.join(names)}: {share:.0%}")
        case ReplyStatusChanged(message=message):
            lane = replace(lane, note=message)
        case ReplyStarted():
            lane = replace(lane, status=ReplyStatus.RUNNING)
        case ReplyWaits():
            lane = replace(lane, status=ReplyStatus.WAITING)
        case _:
            pass
    return lane


def with_call(lane: Lane, call: Call) -> Lane:
    """Return a lane that knows how a call stands now."""
    calls = {known.id: known for known in lane.calls} | {call.id: call}
    words = {ToolStatus.WAITING: "waits for your yes to", ToolStatus.RUNNING: "calls"}.get(call.status)
    return replace(lane, calls=tuple(calls.values()), note=f"{words} {call.name}" if words else "")
