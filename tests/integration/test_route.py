"""Asking which model a question needs: nobody is asked it, and nothing is stored."""

from tests.accounts_door import ok
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person

LARGE, SMALL = "openai/gpt-5", "openai/gpt-5-nano"
EASY = "What is the capital of France?"
DIFFICULT = "Prove that every continuous function on a compact metric space is uniformly continuous."


async def route(person: Person, message: str, **more: object) -> Json:
    return ok(await person.post("/api/route", {"message": message, **more}))


async def test_an_easy_question_is_for_a_cheaper_model_than_a_difficult_one(
    ada: Person, provider: ScriptedProvider
) -> None:
    names = [LARGE, SMALL]
    easy, difficult = await route(ada, EASY, models=names), await route(ada, DIFFICULT, models=names)
    assert (easy["model"], difficult["model"]) == (SMALL, LARGE)
    assert easy["difficulty"] < 0.5 < difficult["difficulty"]
    assert [other["model"] for other in easy["alternatives"]] == [LARGE]
    assert "looks easy" in easy["reason"]
    assert provider.requests() == [], "nobody was asked"


async def test_a_preference_for_quality_or_cost_decides(ada: Person) -> None:
    names = [LARGE, SMALL]
    assert (await route(ada, EASY, models=names, preference=1))["model"] == LARGE
    assert (await route(ada, DIFFICULT, models=names, preference=0))["model"] == SMALL


async def test_without_names_all_models_are_chosen_from_that_were_connected(ada: Person) -> None:
    there = {model["id"] for model in ok(await ada.get("/api/models"))["models"]}
    answer = await route(ada, EASY)
    told = {answer["model"], *(other["model"] for other in answer["alternatives"])}
    assert told <= there
    assert "librarian" not in told


async def test_what_cannot_be_is_told(ada: Person) -> None:
    refused = await ada.post("/api/route", {"message": EASY, "models": [SMALL], "local_only": True})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "no_model_fits")
    unknown = await ada.post("/api/route", {"message": EASY, "models": ["nobody"]})
    assert unknown.status_code == 404
    for body in (
        {"message": ""},
        {"message": EASY, "preference": 2},
        {"message": EASY, "context_tokens": -1},
    ):
        assert (await ada.post("/api/route", body)).status_code == 422
