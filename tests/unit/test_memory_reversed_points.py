"""What was taken back is told together with what took it back, whoever wrote the points."""

import json

import pytest

from tertulia.core.errors import Upstream
from tertulia.memory.domain import Point, SourceMessage
from tertulia.memory.summariser import AskModel, summarise_messages

FIRST = "We decided to store everything in Cassandra."
BACK = "Scrap Cassandra, we stay with MySQL."
AGAIN = "Forget MySQL, it is DuckDB now."


def said(number: int, text: str) -> SourceMessage:
    return SourceMessage(f"q{number}", number, "user", text)


async def good(_system: str, text: str, _limit: int) -> str:
    rows = [row for row in text.splitlines() if row.startswith("[")]
    told = [
        {"text": row.split(": ", 1)[1], "from": [number]}
        for number, row in enumerate(rows, 1)
        if "user" in row
    ]
    return json.dumps({"decisions": told})


async def failing(_system: str, _text: str, _limit: int) -> str:
    raise Upstream("It is down.")


async def nonsensical(_system: str, _text: str, _limit: int) -> str:
    return json.dumps({"decisions": [{"text": "Cassandra is our final choice forever", "from": [1]}]})


MODELS: list[AskModel | None] = [None, good, failing, nonsensical]


async def summarised(model: AskModel | None, *stages: list[SourceMessage]) -> list[Point]:
    points: list[Point] = []
    for stage in stages:
        points, _ = await summarise_messages(
            stage, points, ask_model=model, is_local_model=True, made_by="mini"
        )
    return points


def alone(points: list[Point], first: str, then: str) -> list[str]:
    """Return the points that tell the first thing without what took it back."""
    return [point.text for point in points if first in point.text and then not in point.text]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("together", [True, False])
async def test_a_point_is_never_told_without_what_took_it_back(
    model: AskModel | None, *, together: bool
) -> None:
    stages = [[said(4, FIRST)], [said(9, BACK)]]
    points = await summarised(model, *([[*stages[0], *stages[1]]] if together else stages))
    assert any(BACK in point.text for point in points)
    assert alone(points, "store everything in Cassandra", "MySQL") == []
    [pair] = [point for point in points if "store everything" in point.text]
    assert pair.sources == ["q4", "q9"]
    assert "later, in round 9" in pair.text


@pytest.mark.parametrize("model", MODELS)
async def test_what_took_something_back_can_be_taken_back_too(model: AskModel | None) -> None:
    points = await summarised(model, [said(4, FIRST)], [said(9, BACK)], [said(20, AGAIN)])
    assert alone(points, "Cassandra", "DuckDB") == []
    assert alone(points, "MySQL", "DuckDB") == []


async def test_many_changes_of_one_thing_leave_each_with_the_last() -> None:
    changes = [said(number, f"The rent is now {number * 100} euros.") for number in range(1, 30)]
    points = await summarised(None, [said(0, "The rent is 50 euros.")], *([one] for one in changes))
    assert all("2900" in point.text for point in points)
    assert max(point.text.count("[later") for point in points) == 1


async def test_a_correction_without_a_subject_is_about_what_was_said_right_before() -> None:
    points = await summarised(None, [said(3, "The hall has 80 seats.")], [said(4, "Correction: 95.")])
    assert alone(points, "80 seats", "95") == []


async def test_what_only_local_models_may_see_hides_what_it_takes_back() -> None:
    secret = SourceMessage("q9", 9, "user", BACK, local_only=True)
    points = await summarised(None, [said(4, FIRST)], [secret])
    assert all("q9" in point.sources for point in points if "Cassandra" in point.text)


async def test_an_unrelated_point_is_left_as_it_is() -> None:
    fact = "The alarm code of the barn is 5520."
    points = await summarised(None, [said(1, fact), said(4, FIRST)], [said(9, BACK)])
    [kept] = [point for point in points if "5520" in point.text]
    assert (kept.text, kept.sources) == (fact, ["q1"])


async def test_what_holds_instead_is_told_with_what_was_taken_back() -> None:
    points = await summarised(
        None,
        [said(2, "We go with Nordfrakt for the piano.")],
        [said(7, "Forget Nordfrakt, they quit. Lagom moves it.")],
    )
    assert alone(points, "Nordfrakt", "Lagom") == []
