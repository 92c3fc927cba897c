"""Saying yes or no, at a terminal, to tools that wait for it."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tertulia.cli.calls import Call, exactly, visible
from tertulia.cli.client import Client
from tertulia.cli.errors import ServerRefused
from tertulia.cli.hearing import Hearing, Lane
from tertulia.conversations.domain import ReplyStatus

ANSWERS: dict[str, dict[str, Any]] = {
    "y": {"approve": True},
    "n": {"approve": False},
    "a": {"approve": True, "remember": "conversation"},
}
QUESTION = "May it run, with exactly these arguments? y = yes, n = no, a = always in this conversation"


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a person answers to calls that wait; each is asked about once."""

    server: Client
    read: Callable[[], str]
    say: Callable[[str], None]
    made: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def needed(self, hearing: Hearing) -> list[Call]:
        """Return the calls to ask about, once there is nothing else to be heard before."""
        coming = [] if hearing.closed else [lane for lane in hearing.lanes if not lane.is_final]
        waiting = [self._open_calls(lane) for lane in coming]
        return [call for calls in waiting for call in calls] if all(waiting) else []

    def make(self, calls: Sequence[Call]) -> None:
        """Ask about each call and tell the server; `EOFError` when the person would rather not say now."""
        for call in calls:
            self.say(exactly(call))
            answer = self._answer()
            self.made.add((call.reply_id, call.id))
            try:
                self.server.post(call.place, ANSWERS[answer])
            except ServerRefused as error:  # answered elsewhere meanwhile, or by nobody but another person
                self.say(error.message)

    def _open_calls(self, lane: Lane) -> list[Call]:
        if lane.status is not ReplyStatus.WAITING:
            return []
        return [call for call in lane.calls if call.waits and (call.reply_id, call.id) not in self.made]

    def _answer(self) -> str:
        while True:
            self.say(QUESTION)
            answer = self.read().strip().lower()[:1]
            if answer in ANSWERS:
                return answer


def how_to_answer(call: Call) -> str:
    """Say what waits, and how it is answered later."""
    words = shlex.join(["tertulia", "approve", visible(call.reply_id), visible(call.id)])
    return f"This waits for your yes:\n{exactly(call)}\nAnswer in the app, or: {words} (--no to deny it)"
