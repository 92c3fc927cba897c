"""A conversation at the terminal: who sits at the table, and what was said last."""

from dataclasses import dataclass, field
from typing import Any

from tertulia.cli.client import ApiClient
from tertulia.cli.round_state import LaneState, RoundState, parse_round
from tertulia.core.errors import Invalid
from tertulia.core.json_object import JsonObject


class NotNow(Invalid):
    """A command makes no sense at this moment; the sentence says what does."""

    code = "not_now"


@dataclass(slots=True)
class ChatSession:
    """What the chat remembers between two questions."""

    server: ApiClient
    models: list[str] = field(default_factory=list[str])
    conversation_id: str | None = None
    #: Where a new conversation begins.
    new_conversation_fields: JsonObject = field(default_factory=dict[str, Any])
    policy: str = "everyone"
    #: With the policy `chosen`: whose answer to go on from.
    chosen: str = ""
    last_round: RoundState | None = None

    def ask(self, message: str) -> JsonObject:
        """Send a question and return the turn to listen to."""
        body: JsonObject = {"message": message, "policy": self.policy}
        body |= (
            {"conversation_id": self.conversation_id}
            if self.conversation_id
            else self.new_conversation_fields
        )
        if self.models:
            body["models"] = self.models
        if self.policy == "chosen":
            body["parent_id"] = self.lane(self.chosen).reply_id
        return self.remember_turn(self.server.post("/api/turn", body))

    def remember_turn(self, turn: JsonObject) -> JsonObject:
        """Remember where a turn takes place."""
        self.conversation_id = turn["conversation"]["id"]
        return turn

    def open(self, conversation_id: str) -> JsonObject:
        """Go to a conversation that is already there and return it with its last rounds."""
        opened = self.server.get(f"/api/conversations/{conversation_id}", limit=3)
        self.conversation_id = opened["conversation"]["id"]
        self.models = []
        self.last_round = parse_round(opened["rounds"][-1]) if opened["rounds"] else None
        return opened

    def start_anew(self) -> None:
        """Begin anew at the next question, with the same models."""
        self.models = self.models or self.table_models()
        self.conversation_id, self.last_round, self.policy = None, None, "everyone"

    def table_models(self) -> list[str]:
        """Return the models that the next question goes to; empty when the server chooses."""
        if self.models or self.last_round is None:
            return list(self.models)
        return [lane.model for lane in self.last_round.lanes if lane.kind == "answer"]

    def lane(self, name: str) -> LaneState:
        """Return the last reply of a lane, by its name or its model's."""
        lanes = self.replies()
        found = [lane for lane in lanes if name in (lane.name, lane.model)]
        if not found:
            raise NotNow(f"No reply of the last round is called {name!r}: it has {lane_names(lanes)}.")
        return found[0]

    def replies(self) -> tuple[LaneState, ...]:
        """Return the replies of the last round."""
        if self.last_round is None:
            raise NotNow("Ask something first.")
        return self.last_round.lanes

    def require_conversation(self) -> str:
        """Return the conversation one is in."""
        if self.conversation_id is None:
            raise NotNow("Ask something first: the conversation begins with it.")
        return self.conversation_id

    def remember_round(self, round_state: RoundState) -> None:
        """Remember a round; one more reply joins the others of its round, in place of its lane's last."""
        if self.last_round is not None and self.last_round.round_id == round_state.round_id:
            lanes = {lane.name: lane for lane in (*self.last_round.lanes, *round_state.lanes)}
            self.last_round = RoundState(
                round_state.round_id, round_state.conversation_id, tuple(lanes.values()), closed=True
            )
        else:
            self.last_round = round_state


def lane_names(lanes: tuple[LaneState, ...]) -> str:
    """List lanes by name."""
    return ", ".join(lane.name for lane in lanes)
