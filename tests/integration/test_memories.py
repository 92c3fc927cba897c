"""Memories through the API: written, proposed, corrected, told to models and forgotten."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.accounts_door import ok, refused
from tests.context_world import receipt_of
from tests.memory_world import contents, listed, open_memory_world, prompt_of, remember
from tests.scripted_provider import ScriptedProvider
from tests.search_world import hits, indexed
from tests.world import Person, World

from tertulia.core.clock import now
from tertulia.infra.db import Tx


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def test_what_a_person_writes_is_remembered_and_listed(ada: Person) -> None:
    made = await remember(ada, "My desk is in room 12.", category="work", pinned=True)
    assert made["status"] == "active"
    assert made["evidence"] is None
    assert made["made_by"] == "person"
    assert await contents(ada) == ["My desk is in room 12."]
    assert await contents(ada, "?type=preference") == []
    assert await contents(ada, "?category=work&pinned=true&text=DESK") == ["My desk is in room 12."]


async def test_pages_follow_each_other(ada: Person) -> None:
    for number in range(5):
        await remember(ada, f"Shelf {number} holds paper.")
    first = ok(await ada.get("/api/memories?limit=3"))
    rest = ok(await ada.get(f"/api/memories?limit=3&after={first['next']}"))
    assert [memory["content"] for memory in (*first["memories"], *rest["memories"])] == [
        f"Shelf {number} holds paper." for number in (4, 3, 2, 1, 0)
    ]
    assert rest["next"] is None


async def test_evidence_is_a_message_of_the_person_word_for_word(ada: Person, world: World) -> None:
    asked = await ada.ask("I am allergic to nuts. What is for lunch?")
    question, reply = asked["question"]["id"], asked["replies"][0]["id"]
    quote = {"message_id": question, "quote": "I am allergic to nuts."}
    made = await remember(ada, "Allergic to nuts", evidence=quote)
    assert made["evidence"]["start_char"] == 0
    assert made["evidence"]["quote"] == "I am allergic to nuts."
    for message, words in ((question, "I am allergic to NUTS."), (reply, "e")):
        wrong = {"message_id": message, "quote": words}
        body = {"type": "fact", "content": "So it is", "evidence": wrong}
        assert (await ada.post("/api/memories", body)).json()["error"]["code"] == "evidence_missing"
    bea = await world.person(like=ada)
    body = {"type": "fact", "content": "So it is", "evidence": quote}
    refused(await bea.post("/api/memories", body), 422, "evidence_missing")


async def test_the_newest_word_takes_the_place_of_the_one_before(ada: Person) -> None:
    old = await remember(ada, "The capital of Norway is Oslo.")
    new = await remember(ada, "The capital of Norway is Bergen.")
    assert await contents(ada) == ["The capital of Norway is Bergen."]
    history = await listed(ada, "?status=superseded")
    assert [memory["id"] for memory in history] == [old["id"]]
    assert history[0]["superseded_by"] == new["id"]
    assert (await listed(ada))[0]["supersedes"] == old["id"]
    back = ok(await ada.post(f"/api/memories/{new['id']}/undo"))
    assert (back["id"], back["status"]) == (old["id"], "active")
    assert await contents(ada) == ["The capital of Norway is Oslo."]


async def test_a_correction_by_hand_keeps_what_was_said_before(ada: Person) -> None:
    made = await remember(ada, "My sister is called Mara.")
    changed = ok(await ada.put(f"/api/memories/{made['id']}", {"content": "My sister is called Marta."}))
    assert changed["id"] == made["id"]
    assert await contents(ada, "?status=superseded") == ["My sister is called Mara."]
    assert ok(await ada.post(f"/api/memories/{made['id']}/undo"))["content"] == "My sister is called Mara."
    assert await contents(ada, "?status=superseded") == []
    assert (await ada.post(f"/api/memories/{made['id']}/undo")).json()["error"]["code"] == "memory_unfit"


async def test_fields_that_are_left_out_stay_as_they_are(ada: Person) -> None:
    made = await remember(ada, "I ride a red bike.", category="travel", confidence=0.5)
    changed = ok(await ada.put(f"/api/memories/{made['id']}", {"pinned": True}))
    assert (changed["category"], changed["confidence"], changed["pinned"]) == ("travel", 0.5, True)
    archived = ok(await ada.put(f"/api/memories/{made['id']}", {"archived": True}))
    assert archived["status"] == "archived"
    assert await contents(ada) == []


async def test_models_are_told_what_is_remembered_with_a_receipt_that_leads_to_it(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    made = await remember(ada, "I am allergic to almonds.")
    await indexed(world)
    asked = await ada.ask("May the caterer put almonds into the cake?")
    assert "I am allergic to almonds." in prompt_of(provider)
    receipt = await receipt_of(ada, asked["replies"][0])
    section = next(part for part in receipt["plan"]["sections"] if part["kind"] == "memory")
    assert [item["id"] for item in section["items"]] == [f"memory:{made['id']}"]
    assert section["items"][0]["title"] == "I am allergic to almonds."
    used = (await listed(ada))[0]
    assert used["use_count"] == 1
    assert used["last_used_at"] is not None


async def test_what_is_only_proposed_archived_or_outdated_is_told_to_nobody(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    archived = await remember(ada, "My locker is number 7.")
    ok(await ada.put(f"/api/memories/{archived['id']}", {"archived": True}))
    await remember(ada, "The capital of Norway is Oslo.")
    await remember(ada, "The capital of Norway is Bergen.")
    await indexed(world)
    await ada.ask("What is my locker number, and what is the capital of Norway?")
    sent = prompt_of(provider)
    assert "is Bergen" in sent
    assert "number 7" not in sent
    assert "is Oslo" not in sent
    found = await hits(ada, "capital of Norway", filter={"kinds": ["memory"]})
    assert [hit["content"] for hit in found] == ["The capital of Norway is Bergen."]


async def test_what_is_local_only_never_reaches_a_provider(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    await remember(ada, "My safe word is heliotrope.", local_only=True)
    await indexed(world)
    await ada.ask("What is my safe word?")
    assert "heliotrope" not in prompt_of(provider)


async def test_a_shared_conversation_is_told_nothing_personal(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    await remember(ada, "My salary is 4,321.")
    await indexed(world)
    turn = await ada.start("Hello there")
    await ada.finished(turn)
    conversation = turn["conversation"]["id"]
    ok(await ada.put(f"/api/conversations/{conversation}", {"visibility": "workspace"}))
    await ada.ask("What is my salary?", conversation_id=conversation)
    assert "4,321" not in prompt_of(provider)


async def test_nobody_else_sees_what_is_personal(ada: Person, world: World) -> None:
    made = await remember(ada, "My salary is 4,321.")
    await indexed(world)
    bea = await world.person(like=ada, role="admin")
    assert await contents(bea) == []
    assert (await bea.get(f"/api/memories/{made['id']}")).status_code == 404
    assert (await bea.put(f"/api/memories/{made['id']}", {"content": "Mine"})).status_code == 404
    assert (await bea.delete(f"/api/memories/{made['id']}")).status_code == 404
    assert await hits(bea, "salary 4,321") == []


async def test_a_projects_memories_belong_to_all_who_work_on_it(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    project = ok(await ada.post("/api/projects", {"name": "Bridge"}), 201)["id"]
    await remember(ada, "The bridge has four lanes.", project_id=project)
    bea = await world.person(like=ada)
    assert await contents(bea, f"?project_id={project}") == ["The bridge has four lanes."]
    await indexed(world)
    await bea.ask("How many lanes has the bridge?", project_id=project)
    assert "four lanes" in prompt_of(provider)
    await bea.ask("How many lanes has the bridge?")
    assert "four lanes" not in prompt_of(provider)


async def test_forgetting_leaves_nothing_in_lists_search_prompts_and_receipts(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    made = await remember(ada, "My boat is called Quetzalcoatlus.")
    await indexed(world)
    asked = await ada.ask("What is my boat called?")
    assert (await ada.delete(f"/api/memories/{made['id']}")).status_code == 204
    await indexed(world)
    assert await contents(ada) == []
    assert await hits(ada, "Quetzalcoatlus") == []
    receipt = str(await receipt_of(ada, asked["replies"][0], texts=True))
    assert "Quetzalcoatlus" not in receipt
    assert "A deleted memory" in receipt
    await ada.ask("What is my boat called?")
    assert "Quetzalcoatlus" not in prompt_of(provider)


async def test_what_a_deleted_conversation_told_is_found_again_once_it_is_restored(
    ada: Person, world: World
) -> None:
    turn = await ada.start("I live in Porto.")
    asked = await ada.finished(turn)
    evidence = {"message_id": asked["question"]["id"], "quote": "I live in Porto."}
    await remember(ada, "Lives in Porto", evidence=evidence)
    await indexed(world)
    conversation = turn["conversation"]["id"]
    deletion = ok(await ada.post(f"/api/conversations/{conversation}/deletion"), 201)
    assert await contents(ada) == []
    assert await hits(ada, "Porto") == []
    ok(await ada.post(f"/api/deletions/{deletion['id']}/restore"), 204)
    await indexed(world)
    assert await contents(ada) == ["Lives in Porto"]
    assert [hit["kind"] for hit in await hits(ada, "Porto", filter={"kinds": ["memory"]})] == ["memory"]


async def test_what_nobody_needed_for_long_is_proposed_for_archiving(ada: Person, world: World) -> None:
    old = await remember(ada, "I ride a red bike.")
    await remember(ada, "My cat is called Tom.")
    then = now() - timedelta(days=100)

    def age(tx: Tx) -> None:
        tx.run("UPDATE memories SET created_at = :then WHERE id = :id", then=then, id=old["id"])

    await world.db.write(age, by=None)
    waiting = await listed(ada, "?needs_review=true")
    assert [(memory["id"], memory["review_reason"]) for memory in waiting] == [
        (old["id"], "No model needed it for three months. Archive it?")
    ]
    assert await contents(ada, "?needs_review=false") == ["My cat is called Tom."]
    ok(await ada.put(f"/api/memories/{old['id']}", {"pinned": True}))
    assert await listed(ada, "?needs_review=true") == []


async def test_what_depended_on_an_outdated_statement_is_flagged(ada: Person) -> None:
    await remember(ada, "My editor is Vim.")
    await remember(ada, "The plugin list for Vim is in dotfiles.")
    await remember(ada, "My editor is Emacs.")
    flagged = await listed(ada, "?needs_review=true")
    assert [memory["content"] for memory in flagged] == ["The plugin list for Vim is in dotfiles."]
    assert "Vim" in flagged[0]["review_reason"]


async def test_memories_go_with_the_conversation_they_quote(ada: Person) -> None:
    turn = await ada.start("I live in Porto.")
    asked = await ada.finished(turn)
    evidence = {"message_id": asked["question"]["id"], "quote": "I live in Porto."}
    await remember(ada, "Lives in Porto", evidence=evidence)
    ok(await ada.delete(f"/api/conversations/{turn['conversation']['id']}"), 204)
    assert await contents(ada) == []
