"""The list of conversations: what is pinned, what is not, and page by page."""

from tests.world import Person, World


async def started(person: Person, count: int) -> list[str]:
    """Have conversations, and return them, the latest first."""
    made = [await person.ask(f"Number {number}") for number in range(count)]
    return [round_["conversation_id"] for round_ in reversed(made)]


async def listed(person: Person, **query: str) -> list[str]:
    """Return every conversation that a query finds, page by page."""
    found: list[str] = []
    more: dict[str, str] = {}
    while True:
        page = (await person.get("/api/conversations", params=query | more)).json()
        found += [one["id"] for one in page["conversations"]]
        if page["next"] is None:
            return found
        more = {"after": page["next"]}


async def pin(person: Person, conversation: str, *, pinned: bool = True) -> None:
    assert (await person.put(f"/api/conversations/{conversation}", {"pinned": pinned})).status_code == 200


async def test_what_is_pinned_is_listed_apart_however_old(ada: Person) -> None:
    made = await started(ada, 7)
    for one in (made[6], made[3], made[0]):
        await pin(ada, one)

    assert await listed(ada, limit="2") == made
    assert await listed(ada, limit="2", pinned="true") == [made[0], made[3], made[6]]
    assert await listed(ada, limit="2", pinned="false") == [made[1], made[2], made[4], made[5]]


async def test_what_is_no_longer_pinned_is_among_the_others(ada: Person) -> None:
    [one] = await started(ada, 1)
    await pin(ada, one)
    assert await listed(ada, pinned="false") == []
    await pin(ada, one, pinned=False)
    assert (await listed(ada, pinned="true"), await listed(ada, pinned="false")) == ([], [one])


async def test_pins_are_looked_for_together_with_the_rest_of_a_query(ada: Person) -> None:
    one, two, three = await started(ada, 3)
    for conversation, title in ((one, "Larch"), (two, "Larch and oak"), (three, "Oak")):
        await ada.put(f"/api/conversations/{conversation}/title", {"title": title})
    await pin(ada, two)
    await pin(ada, three)
    await ada.put(f"/api/conversations/{three}", {"archived": True})

    assert await listed(ada, pinned="true", search="larch") == [two]
    assert await listed(ada, pinned="true", archived="true") == [three]
    assert await listed(ada, pinned="true", origin="api") == []


async def test_nobody_sees_the_pins_of_another(ada: Person, world: World) -> None:
    [one] = await started(ada, 1)
    await pin(ada, one)
    beside, stranger = await world.person(like=ada), await world.person()

    assert await listed(beside, pinned="true") == []
    assert await listed(stranger, pinned="true") == []
