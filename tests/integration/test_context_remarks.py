"""A mere remark brings up nothing of other conversations; a question does, however short."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.context_world import done, set_flags
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World

from tertulia.context.remarks import REMARK_VOCABULARY, is_remark

MODEL = "openai/scripted-fast"
REMARKED = [
    "Thanks!",
    "ok",
    "OK, go on",
    "Make it shorter",
    "Translate that into French please",
    "¡Muchas gracias! Ahora más breve.",
    "Danke, jetzt bitte kürzer",
    "Merci, continuez",
    "👍",
]


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script(
        "scripted-fast", Script(reply="Thanks, ok: I go on, and make it shorter in French, please.")
    )
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


async def found_for(ada: Person, message: str, **place: str) -> list[str]:
    """Return the messages that a model would be quoted."""
    body = {"message": message, "models": [MODEL], **place}
    [lane] = (await done(ada.post("/api/context/preview", body)))["lanes"]
    sections = [one["items"] for one in lane["plan"]["sections"] if one["kind"] == "passages"]
    return [id_ for items in sections for item in items for id_ in item["pointer"]["message_ids"]]


async def test_remarks_bring_up_nothing_and_short_questions_do(world: World, ada: Person) -> None:
    await set_flags(ada, summary_frequency=0)
    here = {"project_id": (await Shelf.of(ada)).project_id}
    said = ["Gracias, danke, merci: Ottoline keeps the lighthouse.", *REMARKED[:-1]]
    asked = [await ada.ask(text, models=[MODEL], **here) for text in said]
    await indexed(world, meanings=False)

    for remark in REMARKED:
        assert await found_for(ada, remark, **here) == [], remark
    for question in ("Ottoline?", "Thanks! And who is Ottoline?"):
        assert asked[0]["question"]["id"] in await found_for(ada, question, **here)


async def test_after_a_question_a_remark_brings_up_what_that_does(world: World, ada: Person) -> None:
    await set_flags(ada, summary_frequency=0)
    here = {"project_id": (await Shelf.of(ada)).project_id}
    known = await ada.ask("Ottoline keeps the lighthouse.", models=[MODEL], **here)
    turn = await ada.start("Who keeps the lighthouse?", models=[MODEL], **here)
    await ada.finished(turn)
    await indexed(world, meanings=False)

    place = {"conversation_id": turn["conversation"]["id"]}
    assert known["question"]["id"] in await found_for(ada, "Make it shorter", **place)


@given(
    st.lists(st.sampled_from(sorted(REMARK_VOCABULARY))),
    st.sampled_from(["Ottoline", "4417", "lighthouse", "灯台"]),
)
def test_a_text_that_names_anything_is_more_than_a_remark(words: list[str], name: str) -> None:
    assert is_remark(" ".join(words).capitalize() + "!")
    assert not is_remark(" ".join([*words, name]))
