"""Listening to a round until it is over, whatever happens to the connection meanwhile."""

from collections.abc import Generator

from tertulia.cli.client import ApiClient
from tertulia.cli.round_state import RoundState, apply_event, parse_round, refresh_lanes
from tertulia.conversations.events import Reset
from tertulia.core.json_object import JsonObject


def follow_round(server: ApiClient, turn: JsonObject) -> Generator[RoundState]:
    """Yield what was heard after each event of a turn that the server accepted, until it is over."""
    round_state = parse_round(turn["round"])
    yield round_state
    cursor: int = turn["last_event_id"]
    while not round_state.is_finished:
        for numbered_event in server.subscribe(round_state.conversation_id, after=cursor):
            if isinstance(numbered_event.event, Reset):
                opened = server.get(f"/api/conversations/{round_state.conversation_id}", limit=200)
                round_state, cursor = refresh_lanes(round_state, opened["rounds"]), opened["last_event_id"]
                yield round_state
                break
            round_state = apply_event(round_state, numbered_event.event)
            yield round_state
            if round_state.is_finished:
                return


def stop_round(server: ApiClient, round_state: RoundState) -> None:
    """Have the server stop the replies of a round; what they said is kept."""
    server.post(f"/api/rounds/{round_state.round_id}/stop")
