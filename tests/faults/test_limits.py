"""A24 and the limits on how much is asked at once: no crowd of requests gets past them."""

import asyncio

import pytest

from tests.faults.truth import rows
from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import ScriptedUsage
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

#: A model with a published price, that writes as much as it may: 2 cents a reply.
DEAR = "openai/gpt-4o"
BILL = 0.021
LIMIT = 0.05


@pytest.fixture
def dear(provider: ScriptedProvider) -> ScriptedProvider:
    usage = ScriptedUsage(input=100, output=2_048)
    provider.script("gpt-4o", Script(reply="Dear words.", first_token_seconds=0.2, usage=usage))
    provider.script("slow", Script(reply="word " * 60, tokens_per_second=20))
    return provider


async def limit(person: Person, **settings: float) -> None:
    answered = await person.client.patch("/api/workspace", json={"settings": settings})
    assert answered.status_code == 200, answered.text


async def ask_many(person: Person, count: int) -> list[Json]:
    """Ask so many rounds at the same time and return the replies of those that were accepted."""
    body = {"message": "Hello", "models": [DEAR]}
    answers = await asyncio.gather(*(person.post("/api/turn", body) for _ in range(count)))
    assert {answer.status_code for answer in answers} <= {202, 402}
    accepted = [answer.json() for answer in answers if answer.status_code == 202]
    rounds = await asyncio.gather(*(person.finished(turn) for turn in accepted))
    return [reply for round_ in rounds for reply in round_["replies"]]


def spent(world: World, person: Person) -> float:
    sql = "SELECT coalesce(sum(cost), 0) FROM spending WHERE workspace_id = ?"
    return float(rows(world.settings.database, sql, person.principal.workspace_id)[0][0])


@pytest.mark.parametrize("whose", ["monthly_limit_usd", "monthly_limit_per_person_usd"])
async def test_parallel_requests_overshoot_a_spending_limit_by_one_call_at_most(
    world: World, ada: Person, dear: ScriptedProvider, whose: str
) -> None:
    await limit(ada, **{whose: LIMIT})
    replies: list[Json] = []
    for _ in range(4):
        replies += await ask_many(ada, 10)
    done = [reply for reply in replies if reply["status"] == "done"]
    refused = [reply for reply in replies if reply["status"] == "failed"]

    assert done
    assert LIMIT - BILL < spent(world, ada) < LIMIT + BILL
    assert len(dear.requests("gpt-4o")) == len(done)
    assert {reply["error"]["code"] for reply in refused} == {"spending_limit_reached"}
    assert all("limit of $0.05" in reply["error"]["message"] for reply in refused)


async def test_a_budget_that_is_spent_says_so_before_anything_is_asked(
    ada: Person, dear: ScriptedProvider
) -> None:
    await limit(ada, monthly_limit_usd=0.02)
    await ada.ask("Hello", models=[DEAR])
    refused = await ada.post("/api/turn", {"message": "Hello", "models": [DEAR]})

    assert refused.status_code == 402
    assert refused.json()["error"]["code"] == "spending_limit_reached"
    assert "limit of $0.02" in refused.json()["error"]["message"]
    assert len(dear.requests("gpt-4o")) == 1


async def test_money_set_aside_is_free_again_once_a_reply_is_over(
    ada: Person, dear: ScriptedProvider
) -> None:
    await limit(ada, monthly_limit_usd=100)
    for _ in range(3):
        turn = await ada.start("Hello", models=[DEAR])
        await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
        await ada.finished(turn)

    assert (await ada.ask("Hello", models=[DEAR]))["replies"][0]["status"] == "done"


@pytest.mark.parametrize(
    ("setting", "whose"), [("lanes_per_person", "You"), ("lanes_per_workspace", "Your workspace")]
)
@pytest.mark.usefixtures("dear")
async def test_no_more_replies_are_written_at_once_than_the_limit_says(
    ada: Person, setting: str, whose: str
) -> None:
    await limit(ada, **{setting: 3})
    body = {"message": "Hello", "models": ["openai/slow"]}
    answers = await asyncio.gather(*(ada.post("/api/turn", body) for _ in range(12)))
    accepted = [answer.json() for answer in answers if answer.status_code == 202]
    refused = [answer for answer in answers if answer.status_code == 429]

    assert (len(accepted), len(refused)) == (3, 9)
    assert {answer.json()["error"]["code"] for answer in refused} == {"too_many_replies"}
    assert all(answer.json()["error"]["message"].startswith(f"{whose} may have 3") for answer in refused)
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)

    await ada.post(f"/api/rounds/{accepted[0]['round']['id']}/stop")
    await ada.finished(accepted[0])
    assert (await ada.post("/api/turn", body)).status_code == 202


@pytest.mark.usefixtures("dear")
async def test_a_round_of_more_lanes_than_are_free_is_refused_whole(world: World, ada: Person) -> None:
    await limit(ada, lanes_per_person=3)
    refused = await ada.post("/api/turn", {"message": "Hello", "models": ["openai/slow"] * 4})
    sql = "SELECT count(*) FROM rounds WHERE workspace_id = ?"

    assert refused.status_code == 429
    assert rows(world.settings.database, sql, ada.principal.workspace_id) == [(0,)]


async def test_what_nobody_knows_the_price_of_is_not_counted_and_not_held_back(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await limit(ada, monthly_limit_usd=0.000001)
    for _ in range(2):
        [reply] = (await ada.ask("Hello", models=["openai/scripted-fast"]))["replies"]
        assert (reply["status"], reply["cost"]) == ("done", None)
    assert spent(world, ada) == 0
