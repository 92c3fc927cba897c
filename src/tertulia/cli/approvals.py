"""Saying yes or no, at a terminal, to tools that wait for it."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tertulia.cli.client import ApiClient
from tertulia.cli.errors import ServerRefused
from tertulia.cli.round_state import LaneState, RoundState
from tertulia.cli.tool_calls import ToolCallState, format_arguments
from tertulia.conversations.domain import ReplyStatus
from tertulia.core.invisible_characters import escape_invisible
from tertulia.core.json_object import JsonObject

APPROVAL_ANSWERS: dict[str, JsonObject] = {
    "y": {"approve": True},
    "n": {"approve": False},
    "a": {"approve": True, "remember": "conversation"},
}
APPROVAL_QUESTION = (
    "May it run, with exactly these arguments? y = yes, n = no, a = always in this conversation"
)


@dataclass(frozen=True, slots=True)
class ApprovalPrompts:
    """What a person answers to calls that wait; each is asked about once."""

    server: ApiClient
    read: Callable[[], str]
    say: Callable[[str], None]
    answered: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def calls_to_ask_about(self, round_state: RoundState) -> list[ToolCallState]:
        """Return the calls to ask about, once there is nothing else to be heard before."""
        coming = [] if round_state.closed else [lane for lane in round_state.lanes if not lane.is_final]
        waiting = [self._unanswered_calls(lane) for lane in coming]
        return [call for calls in waiting for call in calls] if all(waiting) else []

    def ask_and_decide(self, calls: Sequence[ToolCallState]) -> None:
        """Ask about each call and tell the server; `EOFError` when the person would rather not say now."""
        for call in calls:
            self.say(format_arguments(call))
            answer = self._read_answer()
            self.answered.add((call.reply_id, call.id))
            try:
                self.server.post(call.decision_path, APPROVAL_ANSWERS[answer])
            except ServerRefused as error:  # answered elsewhere meanwhile, or by nobody but another person
                self.say(error.message)

    def _unanswered_calls(self, lane: LaneState) -> list[ToolCallState]:
        if lane.status is not ReplyStatus.WAITING:
            return []
        return [
            call
            for call in lane.calls
            if call.needs_approval and (call.reply_id, call.id) not in self.answered
        ]

    def _read_answer(self) -> str:
        while True:
            self.say(APPROVAL_QUESTION)
            answer = self.read().strip().lower()[:1]
            if answer in APPROVAL_ANSWERS:
                return answer


def approval_hint(call: ToolCallState) -> str:
    """Say what waits, and how it is answered later."""
    words = shlex.join(["tertulia", "approve", escape_invisible(call.reply_id), escape_invisible(call.id)])
    arguments = format_arguments(call)
    return f"This waits for your yes:\n{arguments}\nAnswer in the app, or: {words} (--no to deny it)"
