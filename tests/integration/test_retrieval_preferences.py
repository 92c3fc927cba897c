"""What a workspace prefers in its searches is checked as the environment is."""

from typing import Any

from tests.accounts_door import ok
from tests.search_world import hits, indexed
from tests.world import Person, World


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


async def test_a_person_decides_for_themselves_alone(world: World, ada: Person) -> None:
    bea = await world.person(like=ada)
    path = "/api/retrieval/preferences"
    ok(await ada.client.patch(path, json={"token_budget": 700}))
    mine = ok(await bea.client.patch(f"{path}/personal", json={"token_budget": 300, "hybrid": False}))
    assert (mine["current"]["token_budget"], mine["workspace"]["token_budget"]) == (300, 700)
    assert mine["origins"]["token_budget"] == mine["origins"]["hybrid"] == "person"
    assert mine["origins"]["dense"] == "server"
    theirs = ok(await ada.get(path))
    assert (theirs["current"]["token_budget"], theirs["current"]["hybrid"]) == (700, True)
    assert theirs["origins"]["token_budget"] == "workspace"
    back = ok(await bea.client.patch(f"{path}/personal", json={"token_budget": None}))
    assert (back["current"]["token_budget"], back["origins"]["token_budget"]) == (700, "workspace")
    assert back["origins"]["hybrid"] == "person"


async def test_a_person_decides_no_more_than_an_admin_allows(world: World, ada: Person) -> None:
    bea = await world.person(like=ada)
    path = "/api/retrieval/preferences"
    ok(await bea.client.patch(f"{path}/personal", json={"token_budget": 5_000, "hybrid": False}))
    ok(
        await ada.client.patch(
            path, json={"personal_flags": ["token_budget"], "personal_token_budget_max": 1_500}
        )
    )
    mine = ok(await bea.get(path))
    assert (mine["current"]["token_budget"], mine["current"]["hybrid"]) == (1_500, True)
    assert (mine["personal_flags"], mine["personal_token_budget_max"]) == (["token_budget"], 1_500)
    refused = await bea.client.patch(f"{path}/personal", json={"hybrid": False})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "flag_not_allowed")
    refused = await bea.client.patch(f"{path}/personal", json={"token_budget": 1_501})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "token_budget_too_large")
    for wrong in ({"token_budget": -1}, {"summary_frequency": 1_001}, {"structure": False}):
        assert (await ada.client.patch(f"{path}/personal", json=wrong)).status_code in (403, 422)
    ok(await bea.client.patch(f"{path}/personal", json={"hybrid": None}))
    ok(await ada.client.patch(path, json={"personal_flags": None, "personal_token_budget_max": None}))
    assert ok(await bea.get(path))["current"]["token_budget"] == 5_000


LONG_MESSAGE = "\n\n".join(
    f"The {place} of the lighthouse has {number} brass lamps, each with a wick that is trimmed at dusk. " * 20
    for number, place in enumerate(("gallery", "cellar", "staircase"), start=3)
)


async def found_whole(person: Person, world: World) -> bool:
    """Tell whether a person finds their long message in one piece."""
    await indexed(world, meanings=False)
    found = await hits(person, "brass lamps in the cellar of the lighthouse")
    return "gallery" in found[0]["content"] and "staircase" in found[0]["content"]


async def test_each_person_decides_how_their_own_messages_are_cut(world: World, ada: Person) -> None:
    bea, path = await world.person(like=ada), "/api/retrieval/preferences"
    await ada.ask(LONG_MESSAGE)
    turn = await bea.start(LONG_MESSAGE)
    await bea.finished(turn)
    assert not await found_whole(bea, world)
    mine = ok(await bea.client.patch(f"{path}/personal", json={"chunking": False}))
    assert (mine["current"]["chunking"], mine["workspace"]["chunking"]) == (False, True)
    assert await found_whole(bea, world)
    assert not await found_whole(ada, world)

    ok(await ada.client.patch(path, json={"personal_flags": ["hybrid"]}))
    assert not await found_whole(bea, world)
    ok(await ada.client.patch(path, json={"personal_flags": None}))
    assert await found_whole(bea, world)

    ok(await bea.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"}))
    assert not await found_whole(bea, world)


async def test_a_search_follows_whoever_asks(world: World, ada: Person) -> None:
    ok(await ada.client.patch("/api/retrieval/preferences/personal", json={"token_budget": 250}))
    told = ok(await ada.get("/api/memory/debug/retrieval", params={"q": "walrus"}))
    bea = await world.person(like=ada)
    others = ok(await bea.get("/api/memory/debug/retrieval", params={"q": "walrus"}))
    assert (told["flags"]["token_budget"], others["flags"]["token_budget"]) == (250, 1_000)
