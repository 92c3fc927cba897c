"""Listening to a round until it is over, whatever happens to the connection meanwhile."""

from collections.abc import Generator
from typing import Any

from tertulia.cli.client import Client
from tertulia.cli.hearing import Hearing, apply, hearing_of, refreshed
from tertulia.conversations.events import Reset


def listen(server: Client, turn: dict[str, Any]) -> Generator[Hearing]:
    """Yield what was heard after each event of a turn that the server accepted, until it is over."""
    hearing = hearing_of(turn["round"])
    yield hearing
    after: int = turn["last_event_id"]
    while not hearing.finished:
        for one in server.follow(hearing.conversation_id, after=after):
            if isinstance(one.event, Reset):
                opened = server.get(f"/api/conversations/{hearing.conversation_id}", limit=200)
                hearing, after = refreshed(hearing, opened["rounds"]), opened["last_event_id"]
                yield hearing
                break
            hearing = apply(hearing, one.event)
            yield hearing
            if hearing.finished:
                return


def stop(server: Client, hearing: Hearing) -> None:
    """Have the server stop the replies of a round; what they said is kept."""
    server.post(f"/api/rounds/{hearing.round_id}/stop")
