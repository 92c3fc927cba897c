"""Providers whose utility model takes good notes, fails, or talks nonsense."""

import json
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from types import ModuleType
from typing import Any

from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault
from tests.scripted_provider.server import Server
from tests.scripted_provider.wire import Asked, Connection

from evals.long_conversation import material

NOTE_TAKER = "note-taker"
ROW_PATTERN = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
NONSENSE = json.dumps(
    {
        "topics": [{"text": "The weather in Reykjavik was discussed at length.", "from": [1]}],
        "decisions": [{"text": "It was decided to paint the moon in 1,234 colours.", "from": [2]}],
        "preferences": [{"text": "The user prefers to be called Ferdinand.", "from": [1, 2]}],
        "entities": [{"text": "The budget is 999,999 for everything.", "from": [1]}],
    }
)


class Utility(StrEnum):
    """What the utility model is like."""

    GOOD = "good"
    FAILING = "failing"
    NONSENSE = "nonsense"


class NoteTakingServer(Server):
    """A scripted provider whose utility model reads what it is given."""

    def __init__(self, utility: Utility) -> None:
        super().__init__()
        self._utility = utility
        self._statements = material.statements()
        self.script(NOTE_TAKER, [Script()])

    async def _model(
        self, connection: Connection, asked: Asked, wire: ModuleType, model: str, body: dict[str, Any]
    ) -> None:
        if model == NOTE_TAKER:
            self.script(NOTE_TAKER, [self._notes(body)])
        await super()._model(connection, asked, wire, model, body)

    def _notes(self, body: dict[str, Any]) -> Script:
        if self._utility is Utility.FAILING:
            return Script(fault=Fault(kind="status", status=500))
        if self._utility is Utility.NONSENSE:
            return Script(reply=NONSENSE)
        return Script(reply=write_notes(body["messages"][-1]["content"], self._statements))


def write_notes(conversation: str, statements: Sequence[str]) -> str:
    """Return the points that a careful model would take from a conversation."""
    points: list[dict[str, Any]] = []
    for number, row in ROW_PATTERN.findall(conversation):
        points += [{"text": said, "from": [int(number)]} for said in statements if said in row]
    decisions = [point for point in points if point["text"] in decided()]
    others = [point for point in points if point not in decisions]
    topics = [{"text": "Questions about ovens, dough and prices were answered.", "from": [1]}]
    return json.dumps({"topics": topics, "decisions": decisions, "entities": others}, ensure_ascii=False)


def decided() -> set[str]:
    """Return what a careful model calls a decision."""
    return {said for one in material.reversals() for said in (one.decided, one.reversed)}


@contextmanager
def running(utility: Utility) -> Generator[ScriptedProvider]:
    """Serve such a provider while the block runs."""
    with ScriptedProvider.running(server=NoteTakingServer(utility)) as provider:
        yield provider
