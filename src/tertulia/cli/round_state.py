"""What was heard of one round so far: values made of events, with no screen and no network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tertulia.cli.tool_calls import ToolCallState, tool_call_state
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
from tertulia.conversations.views import ReplyView, RoundView
from tertulia.core.view import view_as

LaneEvent = (
    ReplyStarted
    | ReplyText
    | ReplyThinking
    | ReplyToolCall
    | ReplyToolOutput
    | ReplyWaits
    | ReplyStatusChanged
)
SUCCESSFUL_STATUSES = (ReplyStatus.DONE, ReplyStatus.STOPPED)


@dataclass(frozen=True, slots=True)
class LaneState:
    """One model's reply, as far as it was heard."""

    reply_id: str
    name: str
    model: str
    kind: str
    status: ReplyStatus
    text: str = ""
    thinking: bool = False
    calls: tuple[ToolCallState, ...] = ()
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
    def has_failed(self) -> bool:
        """Tell whether the reply ended other than it should."""
        return self.is_final and self.status not in SUCCESSFUL_STATUSES


@dataclass(frozen=True, slots=True)
class RoundState:
    """A round and the lanes of it that one listens to."""

    round_id: str
    conversation_id: str
    lanes: tuple[LaneState, ...]
    closed: bool = False

    @property
    def is_finished(self) -> bool:
        """Tell whether there is nothing left to wait for."""
        return self.closed or all(lane.is_final for lane in self.lanes)

    @property
    def has_failed(self) -> bool:
        """Tell whether every lane failed."""
        return all(lane.has_failed for lane in self.lanes)


def lane_state(reply: ReplyView) -> LaneState:
    """Return a reply, as the server shows it, as a lane."""
    return LaneState(
        reply_id=reply.id,
        name=reply.lane,
        model=reply.model,
        kind=reply.kind,
        status=reply.status,
        text=reply.content,
        calls=tuple(tool_call_state(reply.id, call) for call in reply.tool_calls),
        error=reply.error.message if reply.error else "",
        cost=reply.cost,
        cost_is_estimate=reply.usage is not None and reply.usage.estimated,
    )


def parse_round(sent: object) -> RoundState:
    """Begin to listen to a round: to the replies under way, or else to the newest of each lane."""
    round_ = view_as(RoundView, sent)
    texts = {reply.id: reply.content for reply in round_.replies}
    lanes = [
        continue_lane(lane_state(reply), texts.get(reply.continues or "", "")) for reply in round_.replies
    ]
    coming = [lane for lane in lanes if not lane.is_final]
    chosen = coming or list({lane.name: lane for lane in lanes}.values())
    return RoundState(round_.id, round_.conversation_id, tuple(chosen))


def continue_lane(lane: LaneState, text: str) -> LaneState:
    """Return a lane that goes on from an earlier reply's text, unless it has text already."""
    return lane if lane.text or lane.is_final else replace(lane, text=text)


def refresh_lanes(round_state: RoundState, rounds: Sequence[object]) -> RoundState:
    """Take the lanes' state from rounds fetched anew, where events were missed for good."""
    sent = [view_as(RoundView, round_) for round_ in rounds]
    replies = {reply.id: lane_state(reply) for round_ in sent for reply in round_.replies}
    return replace(round_state, lanes=tuple(replies.get(lane.reply_id, lane) for lane in round_state.lanes))


def apply_event(round_state: RoundState, event: ConversationEvent) -> RoundState:
    """Return what is known after one more event; events of other rounds change nothing."""
    match event:
        case RoundClosed(round_id=round_id) if round_id == round_state.round_id:
            return replace(round_state, closed=True)
        case ConversationDeleted():
            return replace(round_state, closed=True)
        case ReplyAdded(reply=reply) if reply.round_id == round_state.round_id:
            known = any(lane.reply_id == reply.id for lane in round_state.lanes)
            return (
                round_state if known else replace(round_state, lanes=(*round_state.lanes, lane_state(reply)))
            )
        case ReplyClosed(reply=reply, omitted_content_chars=omitted):
            closed = lane_state(reply)
            return update_lane(
                round_state, reply.id, lambda lane: replace(closed, text=lane.text) if omitted else closed
            )
        case (
            ReplyStarted()
            | ReplyText()
            | ReplyThinking()
            | ReplyToolCall()
            | ReplyToolOutput()
            | ReplyWaits()
            | ReplyStatusChanged()
        ):
            return update_lane(round_state, event.reply_id, lambda lane: apply_lane_event(lane, event))
        case _:
            return round_state


def update_lane(
    round_state: RoundState, reply_id: str, change: Callable[[LaneState], LaneState]
) -> RoundState:
    """Return the hearing with one lane changed."""
    lanes = (change(lane) if lane.reply_id == reply_id else lane for lane in round_state.lanes)
    return replace(round_state, lanes=tuple(lanes))


def apply_lane_event(lane: LaneState, event: LaneEvent) -> LaneState:
    """Return a lane after one more piece of it."""
    match event:
        case ReplyText(offset=offset, text=text) if offset <= len(lane.text):
            # An offset before the end is something heard twice.
            return replace(lane, text=lane.text[:offset] + text, thinking=False, note="")
        case ReplyThinking():
            return replace(lane, thinking=True, note="")
        case ReplyToolCall(call=call):
            return set_tool_call(lane, tool_call_state(lane.reply_id, call))
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


def set_tool_call(lane: LaneState, call: ToolCallState) -> LaneState:
    """Return a lane that knows how a call stands now."""
    calls = {known.id: known for known in lane.calls} | {call.id: call}
    words = {ToolStatus.WAITING: "waits for your yes to", ToolStatus.RUNNING: "calls"}.get(call.status)
    return replace(lane, calls=tuple(calls.values()), note=f"{words} {call.name}" if words else "")
