"""What leaves and what goes: no chore shows a cloud model local-only words; deleted texts are gone."""

import json

import pytest

from tests.context_world import compressed, conversation_with, done, receipt_of, set_flags, settled
from tests.faults.truth import rows
from tests.files_world import Shelf
from tests.long_talk import FACTS, Spoken
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed, until
from tests.world import Person, World
from tests.written_rounds import write_rounds

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODEL = "openai/scripted-fast"
SECRET = "The vault code is 7731-kookaburra."
TALK = [
    Spoken("Hello there.", "Good morning."),
    Spoken(SECRET, "I will remember 7731-kookaburra."),
    *(Spoken(fact.said, "Noted.") for fact in FACTS[:6]),
]


def sent(provider: ScriptedProvider) -> str:
    return json.dumps([one.body for one in provider.requests()], ensure_ascii=False)


async def test_what_is_for_local_models_alone_reaches_no_cloud_model_that_summarises(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await conversation_with(ada, max_tokens=10_000)
    questions = await write_rounds(world.db, ada, conversation, TALK, model=MODEL)
    await done(ada.put(f"/api/messages/{questions[1]}/marks", {"local_only": True}))
    points = [{"text": "They talked about a database.", "from": [3]}]
    provider.script("scripted-smart", Script(reply=json.dumps({"topics": points})))

    summary = await compressed(ada, conversation)
    assert summary["made_by"] == "scripted-smart"
    assert any(SECRET in point["text"] for point in summary["points"]), "it is extracted instead"
    await ada.ask("What is the vault code?", models=[MODEL], conversation_id=conversation)
    await done(ada.post(f"/api/conversations/{conversation}/summary"))
    await settled(world)
    assert len(provider.requests("scripted-smart")) >= 2
    assert "kookaburra" not in sent(provider)


async def test_what_became_local_only_after_it_was_summarised_leaves_no_more(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await conversation_with(ada, max_tokens=10_000)
    questions = await write_rounds(world.db, ada, conversation, TALK, model=MODEL)
    provider.script("scripted-smart", Script(reply="nothing of use"))
    await compressed(ada, conversation)
    await done(ada.put(f"/api/messages/{questions[1]}/marks", {"local_only": True}))
    provider.clear()
    provider.script("scripted-smart", Script(reply="nothing of use"))

    await ada.ask("What is the vault code?", models=[MODEL], conversation_id=conversation)
    await done(ada.post(f"/api/conversations/{conversation}/summary"))
    await settled(world)
    assert provider.requests("scripted-smart")
    assert "kookaburra" not in sent(provider)


async def test_a_reply_from_a_file_for_local_models_alone_gives_no_cloud_model_a_title_to_write(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("secret.md", SECRET, local_only=True)
    await indexed(world, meanings=False)
    turn = await ada.start(
        "What is the vault code? #secret.md", models=["librarian"], project_id=shelf.project_id
    )
    [reply] = (await ada.finished(turn))["replies"]
    assert "kookaburra" in reply["content"]
    await settled(world, "title")
    await settled(world)

    assert provider.requests("scripted-smart") == []
    await done(ada.post(f"/api/conversations/{turn['conversation']['id']}/summary"))
    assert "kookaburra" not in sent(provider)


@pytest.mark.parametrize("gone", ["local_only", "deleted"])
async def test_a_reply_that_is_asked_again_at_once_is_not_shown_what_has_become_hidden_since(
    world: World, ada: Person, provider: ScriptedProvider, gone: str
) -> None:
    shelf = await Shelf.of(ada)
    file = await shelf.write("notes.md", SECRET)
    await indexed(world, meanings=False)
    provider.script("scripted-fast", Script(reply="I would rather not say."))
    round_ = await ada.ask("What is the vault code?", models=[MODEL], project_id=shelf.project_id)
    assert "kookaburra" in sent(provider)
    provider.clear()
    if gone == "deleted":
        assert await shelf.delete(file["id"]) == 204
    else:
        await done(ada.client.patch(f"{shelf.url}/{file['id']}/metadata", json={"local_only": True}))

    again = await ada.post(f"/api/replies/{round_['replies'][0]['id']}/regenerate", {})
    assert again.status_code == 202, again.text
    await ada.finished(again.json())
    assert provider.requests("scripted-fast")
    assert "kookaburra" not in sent(provider)


async def test_with_a_file_go_the_texts_that_receipts_kept_of_it_and_they_say_so(
    world: World, ada: Person
) -> None:
    shelf = await Shelf.of(ada)
    file = await shelf.write("notes.md", "The walrus eats forty clams.", always_in_context=True)
    await indexed(world, meanings=False)
    round_ = await ada.ask("What does the walrus eat?", models=[MODEL], project_id=shelf.project_id)
    [reply] = round_["replies"]

    def texts_of(receipt: dict[str, object]) -> str:
        return json.dumps(receipt["plan"], ensure_ascii=False)

    assert "forty clams" in texts_of(await receipt_of(ada, reply, texts=True))
    sql = "SELECT count(*) FROM receipt_texts WHERE file_id = ?"
    assert rows(world.settings.database, sql, file["id"]) == [(1,)]
    assert await shelf.delete(file["id"]) == 204
    after = texts_of(await receipt_of(ada, reply, texts=True))
    assert "(It was deleted since.)" in after
    assert "notes.md" in after, "that it was shown stays known"
    assert rows(world.settings.database, sql, file["id"]) == [(0,)]
    assert "forty clams" not in after


async def test_an_excluded_message_is_in_no_summary_and_in_no_prompt(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await set_flags(ada, summary_frequency=0)
    conversation = await conversation_with(ada, max_tokens=10_000)
    questions = await write_rounds(world.db, ada, conversation, TALK, model=MODEL)
    provider.script("scripted-smart", Script(reply="nothing of use"))
    await done(ada.put(f"/api/messages/{questions[1]}/marks", {"excluded": True}))
    summary = await compressed(ada, conversation)
    await indexed(world, meanings=False)
    await ada.ask("What is the vault code?", models=[MODEL], conversation_id=conversation)

    assert not any("vault code" in point["text"] for point in summary["points"])
    assert SECRET not in sent(provider)


async def test_deleting_leaves_neither_receipts_nor_texts_nor_summaries_nor_marks(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="nothing of use"))
    conversation = await conversation_with(ada, max_tokens=10_000)
    questions = await write_rounds(world.db, ada, conversation, TALK, model=MODEL)
    await done(ada.put(f"/api/messages/{questions[1]}/marks", {"pinned": True, "local_only": True}))
    await ada.ask("And now?", models=[MODEL], conversation_id=conversation)
    await compressed(ada, conversation)
    await settled(world)
    tables = ("receipts", "receipt_texts", "summaries", "message_marks")

    def left() -> list[object]:
        where = "WHERE conversation_id = ?"
        database = world.settings.database
        return [rows(database, f"SELECT count(*) FROM {one} {where}", conversation)[0][0] for one in tables]

    assert all(left())
    assert (await ada.delete(f"/api/conversations/{conversation}")).status_code == 204

    async def gone() -> bool:
        return not any(left())

    await until(gone)
