"""Whoever looks at a conversation of megabytes has little of it read."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.world import Person, World

from tertulia.inspection.context_meter import TRIAL_SUMMARY_MAX_CHARS
from tertulia.memory import summariser
from tertulia.memory.domain import Point, SourceMessage
from tertulia.memory.extractive_summary import extract_points

ROUNDS = 5
SENTENCE = "The lighthouse of the harbour has lamp 7. "


async def imported(ada: Person, *, chars: int) -> str:
    """Return a conversation with replies of so many characters."""
    asked = await ada.ask("Which lamp does the lighthouse have?")
    place = f"/api/conversations/{asked['conversation_id']}/export"
    document: dict[str, Any] = (await ada.post(place, {"format": "json"})).json()
    (first,) = document["rounds"]
    document["rounds"] = [long_round(first, number, chars) for number in range(1, ROUNDS + 1)]
    document["head"] = f"r{ROUNDS}"
    answered = await ada.post("/api/conversations/import", document)
    assert answered.status_code == 201, answered.text
    return answered.json()["id"]


def long_round(like: dict[str, Any], number: int, chars: int) -> dict[str, Any]:
    (reply,) = like["replies"]
    text = (SENTENCE * (chars // len(SENTENCE) + 1))[:chars]
    return like | {
        "ref": f"r{number}",
        "parent": f"m{2 * number - 2}" if number > 1 else None,
        "question": like["question"] | {"ref": f"m{2 * number - 1}"},
        "replies": [reply | {"ref": f"m{2 * number}", "content": text}],
    }


async def test_the_meter_of_a_long_conversation_reads_little_of_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def noted(lines: Sequence[SourceMessage], *, max_tokens: int) -> list[Point]:
        read.append(sum(len(line.text) for line in lines))
        return extract_points(lines, max_tokens=max_tokens)

    ada = await world.person(role="owner")
    conversation = await imported(ada, chars=100_000)
    monkeypatch.setattr(summariser, "extract_points", noted)
    shown = await ada.get(f"/api/conversations/{conversation}/context")

    assert shown.status_code == 200, shown.text
    assert shown.json()["meter"]["whole"] > 100_000
    assert read
    assert max(read) <= TRIAL_SUMMARY_MAX_CHARS
