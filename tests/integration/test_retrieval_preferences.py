"""What a workspace prefers in its searches is checked as the environment is."""

from typing import Any

from tests.accounts_door import ok
from tests.world import Person


async def test_a_preference_of_a_workspace_meets_the_same_checks(ada: Person) -> None:
    wrong: list[dict[str, Any]] = [
        {"token_budget": -1},
        {"token_budget": 100_001},
        {"summary_frequency": 1001},
        {"rerank_alpha": 1.1},
        {"rerank_gamma": -0.1},
        {"token_budget": 1.5},
        {"hybrid": "perhaps"},
    ]
    before = ok(await ada.get("/api/retrieval/preferences"))
    for values in wrong:
        answer = await ada.client.patch("/api/retrieval/preferences", json=values)
        assert answer.status_code == 422, answer.text
        tried = await ada.post("/api/retrieval/evaluation", {"flags": values})
        assert tried.status_code == 422, tried.text
    assert ok(await ada.get("/api/retrieval/preferences")) == before
    tried = await ada.post("/api/retrieval/evaluation", {"flags": {"token_budget": None}})
    assert tried.status_code == 200, tried.text
