"""What is mentioned in a conversation: found after the turn, corrected, edited, hidden, deleted."""

from pathlib import Path
from typing import Any

import pytest
from tests.accounts_door import ok
from tests.context_world import settled
from tests.faults.truth import tables_with
from tests.world import Json, Person, World

from tertulia.conversations.message_visibility import Branch
from tertulia.entities.reader import list_for_prompt

pytestmark = pytest.mark.both_engines

ADDRESS = "123 Maple Street, Springfield"


async def listed(world: World, person: Person, conversation: str, **query: Any) -> list[Json]:
    """Return the entities of a conversation once all of it was looked through."""
    await settled(world, "entities")
    answer = await person.get(f"/api/conversations/{conversation}/entities", params=query)
    return ok(answer)["entities"]


async def asked(person: Person, message: str, **more: Any) -> tuple[str, Json]:
    turn = await person.start(message, **more)
    return turn["conversation"]["id"], await person.finished(turn)


def values(entities: list[Json]) -> dict[str, str]:
    return {entity["value"]: entity["type"] for entity in entities}


async def test_what_a_person_mentions_is_listed_with_where_it_was_said(world: World, ada: Person) -> None:
    conversation, round_ = await asked(ada, f"I live at {ADDRESS}. Call me on (415) 555-0132.")

    found = {entity["value"]: entity for entity in await listed(world, ada, conversation)}

    home = found[ADDRESS]
    assert (home["type"], home["is_from_person"], home["is_edited"]) == ("address", True, False)
    assert home["first"]["message_id"] == round_["question"]["id"]
    assert home["first"]["round_number"] == 1
    assert found["(415) 555-0132"]["normal"] == "+14155550132"


async def test_entities_are_listed_by_type_and_page_by_page(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, f"{ADDRESS}, 12 Elm Street, and 40 dollars.")

    addresses = await listed(world, ada, conversation, type="address")
    assert {entity["type"] for entity in addresses} == {"address"}
    assert len(addresses) == 2
    path = f"/api/conversations/{conversation}/entities"
    first = ok(await ada.get(path, params={"limit": 1}))
    rest = ok(await ada.get(path, params={"after": first["next"]}))
    assert len(first["entities"]) == 1
    assert first["entities"][0]["id"] not in {entity["id"] for entity in rest["entities"]}
    assert rest["next"] is None


async def test_days_are_reckoned_in_the_zone_of_who_spoke(world: World, ada: Person) -> None:
    ok(await ada.client.patch("/api/me", json={"time_zone": "Pacific/Kiritimati"}))
    conversation, _ = await asked(ada, "The meeting is today, not yesterday.")
    found = {entity["value"]: entity["normal"] for entity in await listed(world, ada, conversation)}
    assert found["today"] > found["yesterday"]


async def test_a_corrected_value_replaces_the_old_one(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, "My phone number is 555-0132.")
    await asked(ada, "My number is now 555-0199.", conversation_id=conversation)

    found = {entity["value"]: entity for entity in await listed(world, ada, conversation)}

    assert found["555-0132"]["replaced_by"] == found["555-0199"]["id"]
    assert found["555-0199"]["former_values"] == ["555-0132"]

    def holding(tx: Any) -> list[str]:
        return [entity.value for entity in list_for_prompt(tx, conversation, None)]

    assert "555-0132" not in await world.db.read(holding, by=ada.principal)


async def test_a_day_that_is_moved_away_is_no_day_of_its_own(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, "The meeting is tomorrow at 3pm.")
    await asked(ada, "The meeting was moved from tomorrow to 14 March 2031.", conversation_id=conversation)

    found = await listed(world, ada, conversation, type="date")

    said = [(entity["value"], entity["replaced_by"] is None) for entity in found if entity["is_from_person"]]
    assert said == [("14 March 2031", True), ("tomorrow at 3pm", False)]


async def test_an_edit_by_hand_wins_over_later_finds(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, "Meet me at 12 Elm Street.")
    [entity] = await listed(world, ada, conversation, type="address")
    path = f"/api/conversations/{conversation}/entities/{entity['id']}"

    changed = ok(await ada.put(path, {"value": "12b Elm Street"}))
    await asked(ada, "Yes, 12 Elm Street.", conversation_id=conversation)

    [found] = await listed(world, ada, conversation, type="address")
    assert changed["is_edited"]
    assert (found["id"], found["value"], found["mention_count"] >= 2) == (
        entity["id"],
        "12b Elm Street",
        True,
    )


async def test_what_a_person_wrote_is_known_when_it_is_said_again(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, "Call me on (415) 555-0132.")
    [entity] = await listed(world, ada, conversation, type="phone")
    path = f"/api/conversations/{conversation}/entities/{entity['id']}"

    changed = ok(await ada.put(path, {"value": "+1 415 555 0199"}))
    await asked(ada, "So that is (415) 555-0199.", conversation_id=conversation)
    await asked(ada, "My number is now (415) 555-0111.", conversation_id=conversation)

    found = {entity["value"]: entity for entity in await listed(world, ada, conversation, type="phone")}
    assert changed["normal"] == "+14155550199"
    assert sorted(found) == ["(415) 555-0111", "+1 415 555 0199"]
    assert found["+1 415 555 0199"]["replaced_by"] == found["(415) 555-0111"]["id"]


async def test_a_deleted_entity_stays_hidden_when_it_is_mentioned_again(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, "Meet me at 12 Elm Street.")
    [entity] = await listed(world, ada, conversation, type="address")

    answer = await ada.delete(f"/api/conversations/{conversation}/entities/{entity['id']}")
    await asked(ada, "Yes, 12 Elm Street.", conversation_id=conversation)

    assert answer.status_code == 204
    assert await listed(world, ada, conversation, type="address") == []
    again = await ada.delete(f"/api/conversations/{conversation}/entities/{entity['id']}")
    assert again.status_code == 404


async def test_what_an_excluded_message_says_is_not_listed(world: World, ada: Person) -> None:
    conversation, round_ = await asked(ada, f"I live at {ADDRESS}.")
    assert ADDRESS in values(await listed(world, ada, conversation))

    ok(await ada.put(f"/api/messages/{round_['question']['id']}/marks", {"excluded": True}))

    assert ADDRESS not in values(await listed(world, ada, conversation))


async def test_only_messages_of_the_branch_count_for_prompts(world: World, ada: Person) -> None:
    conversation, first = await asked(ada, "Hello")
    await asked(ada, "I live at 12 Elm Street.", conversation_id=conversation)
    await asked(
        ada, "I live at 99 Oak Lane.", conversation_id=conversation, parent_id=first["question"]["id"]
    )
    await settled(world, "entities")

    def on_branch(tx: Any) -> set[str]:
        return {
            entity.value for entity in list_for_prompt(tx, conversation, Branch(conversation, first["id"]))
        }

    assert "99 Oak Lane" in values(await listed(world, ada, conversation))
    assert "12 Elm Street" not in values(await listed(world, ada, conversation))
    assert not {"12 Elm Street", "99 Oak Lane"} & await world.db.read(on_branch, by=ada.principal)


async def test_words_for_local_models_alone_are_marked(world: World, ada: Person) -> None:
    conversation, round_ = await asked(ada, f"I live at {ADDRESS}.")
    ok(await ada.put(f"/api/messages/{round_['question']['id']}/marks", {"local_only": True}))
    [found] = [one for one in await listed(world, ada, conversation) if one["value"] == ADDRESS]
    assert found["local_only"]


async def test_the_address_of_the_first_rounds_is_there_after_many(world: World, ada: Person) -> None:
    conversation, _ = await asked(ada, f"I live at {ADDRESS}.")
    for number in range(12):
        await asked(ada, f"Something else, number {number}", conversation_id=conversation)
    await settled(world, "entities")

    def read(tx: Any) -> set[str]:
        return {entity.value for entity in list_for_prompt(tx, conversation, None)}

    assert ADDRESS in await world.db.read(read, by=ada.principal)


async def test_viewers_read_entities_and_change_none(world: World, ada: Person) -> None:
    viewer = await world.person(role="viewer", like=ada)
    conversation, _ = await asked(ada, f"I live at {ADDRESS}.")
    [entity] = await listed(world, ada, conversation, type="address")
    path = f"/api/conversations/{conversation}/entities"
    assert (await viewer.get(path)).status_code == 404

    ok(await ada.put(f"/api/conversations/{conversation}", {"visibility": "workspace"}))

    assert values(ok(await viewer.get(path))["entities"])[ADDRESS] == "address"
    assert (await viewer.put(f"{path}/{entity['id']}", {"value": "mine"})).status_code == 403
    assert (await viewer.delete(f"{path}/{entity['id']}")).status_code == 403


async def test_entities_go_with_their_conversation(world: World, ada: Person, tmp_path: Path) -> None:
    conversation, _ = await asked(ada, "Send it to 77 Zyzzogeton Street, Quincyville.")
    assert await listed(world, ada, conversation, type="address")

    assert (await ada.delete(f"/api/conversations/{conversation}")).status_code == 204

    assert (await ada.get(f"/api/conversations/{conversation}/entities")).status_code == 404
    left = tables_with(tmp_path / "data" / "tertulia.db", "Zyzzogeton")
    assert not [table for table in left if table.startswith("entit")]
