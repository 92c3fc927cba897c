"""Asking several models at once, and what can be done with their answers."""

import re

import pytest
from playwright.async_api import Page, expect
from tests.e2e.screen import ask, follow, hold_back, invite, lane, pick_model, show, table
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.world import Person

SLOW = Script(reply=" ".join(f"word{number}" for number in range(500)), tokens_per_second=20)
BOTH = ["scripted-fast", "scripted-smart"]


async def test_two_models_answer_side_by_side(page: Page, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="Quick **and** short."))
    provider.script("scripted-smart", Script(reply="Slow and thorough."))
    await page.goto("/")
    await expect(table(page)).to_have_count(1)
    await invite(page, "scripted-fast")
    await ask(page, "What do you think?")

    await expect(page).to_have_url(re.compile("/c/cnv_"))
    await expect(lane(page, "scripted-fast")).to_contain_text("Quick and short.")
    await expect(lane(page, "scripted-smart")).to_contain_text("Slow and thorough.")
    fast, smart = [await lane(page, model).bounding_box() for model in BOTH]
    assert fast
    assert smart
    assert fast["y"] == smart["y"]
    assert fast["x"] != smart["x"]


async def test_one_model_alone_is_asked_with_an_at_sign(page: Page, provider: ScriptedProvider) -> None:
    await page.goto("/")
    await invite(page, "scripted-fast")
    await page.get_by_label("Your message").press_sequentially("@fast")
    await page.get_by_role("option", name="scripted-fast").click()
    await ask(page, "Only you")

    await expect(lane(page, "scripted-fast")).to_contain_text("scripted-fast heard: Only you")
    await expect(lane(page, "scripted-smart")).to_have_count(0)


async def test_a_reply_is_stopped_and_keeps_what_was_said(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", SLOW)
    await show(page, await ada.start("Tell me a long story"))
    answer = lane(page, "scripted-fast")
    await expect(answer).to_contain_text("word3")
    await answer.get_by_role("button", name="Stop").click()

    await expect(answer.get_by_text("Stopped", exact=True)).to_be_visible()
    await expect(answer).to_contain_text("word3")
    await expect(answer).to_have_attribute("aria-busy", "false")
    assert provider.wait_for(lambda: provider.requests("scripted-fast")[0].disconnected)


async def test_escape_stops_all_replies(page: Page, ada: Person, provider: ScriptedProvider) -> None:
    for model in BOTH:
        provider.script(model, SLOW)
    await show(page, await ada.start("Go on and on", models=BOTH))
    await expect(lane(page, "scripted-smart")).to_contain_text("word1")
    await page.get_by_label("Your message").press("Escape")

    for model in BOTH:
        await expect(lane(page, model).get_by_text("Stopped", exact=True)).to_be_visible()


async def test_a_reply_is_written_again_with_both_versions_kept_and_then_by_another_model(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="The first try."), Script(reply="The second try."))
    turn = await ada.start("Try this")
    await ada.finished(turn)
    await show(page, turn)
    answer = lane(page, "scripted-fast")
    await answer.get_by_role("button", name="Write it again", exact=True).click()

    await expect(answer).to_contain_text("The second try.")
    await expect(answer.get_by_role("group", name="Attempt 2 of 2")).to_be_visible()
    await answer.get_by_role("button", name="Earlier: Attempt").click()
    await expect(answer).to_contain_text("The first try.")
    await answer.get_by_role("button", name="Later: Attempt").click()
    await expect(answer).to_contain_text("The second try.")

    await page.get_by_role("button", name="Write it again with another model").click()
    await pick_model(page, "scripted-smart")
    await expect(page.get_by_text("scripted-smart heard: Try this")).to_be_visible()


async def test_a_question_is_asked_with_other_words_and_both_branches_stay(page: Page, ada: Person) -> None:
    turn = await ada.start("What is a cat?")
    await ada.finished(turn)
    await show(page, turn)
    await page.get_by_role("button", name="Ask with other words").click()
    await page.get_by_role("textbox", name="Ask with other words").fill("What is a dog?")
    await page.get_by_role("button", name="Ask", exact=True).click()

    answer = lane(page, "scripted-fast")
    await expect(answer).to_contain_text("heard: What is a dog?")
    await expect(page.get_by_role("group", name="Version of the question 2 of 2")).to_be_visible()
    await page.get_by_role("button", name="Earlier: Version of the question").click()
    await expect(answer).to_contain_text("heard: What is a cat?")
    await page.get_by_role("button", name="Later: Version of the question").click()
    await expect(answer).to_contain_text("heard: What is a dog?")


async def test_an_interrupted_reply_goes_on_where_it_stopped(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    broken = Script(reply="Once upon a time", fault=Fault(kind="cut", after=3))
    provider.script("scripted-fast", broken, Script(reply=" there was an end."))
    turn = await ada.start("A tale, please")
    await ada.finished(turn)
    await show(page, turn)
    answer = lane(page, "scripted-fast")
    await expect(answer.get_by_text("Interrupted", exact=True)).to_be_visible()
    await answer.get_by_role("button", name="Go on", exact=True).click()

    await expect(answer).to_contain_text("Once upon a there was an end.")
    await expect(answer.get_by_role("button", name="Go on", exact=True)).to_have_count(0)


async def test_a_third_model_merges_two_answers(page: Page, ada: Person, provider: ScriptedProvider) -> None:
    turn = await ada.start("Agree, please", models=BOTH)
    await ada.finished(turn)
    provider.script("scripted-smart", Script(reply="Both of them agree."))
    await show(page, turn)
    await page.get_by_role("button", name="Have a model write one joint answer").click()
    await pick_model(page, "scripted-smart")

    await expect(page.get_by_text("Joint answer by")).to_be_visible()
    await expect(page.get_by_text("Both of them agree.")).to_be_visible()
    sent = [str(one.body["messages"]) for one in provider.requests("scripted-smart")]
    assert any("scripted-fast heard: Agree, please" in one for one in sent)


async def test_the_next_question_follows_the_answer_that_was_chosen(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    turn = await ada.start("Blue or green?", models=BOTH)
    await ada.finished(turn)
    await show(page, turn)
    await lane(page, "scripted-fast").get_by_role("button", name="Go on from this answer alone").click()
    await expect(page.get_by_text("Going on from the answer you chose")).to_be_visible()
    await ask(page, "Why that one?")

    await expect(lane(page, "scripted-smart").last).to_contain_text("Why that one?")
    sent = [str(one.body["messages"]) for one in provider.requests("scripted-smart")]
    [followed] = [one for one in sent if "Why that one?" in one]
    assert "scripted-fast heard: Blue or green?" in followed
    assert "scripted-smart heard: Blue or green?" not in followed


async def test_a_message_sent_in_haste_waits_for_the_models(page: Page, provider: ScriptedProvider) -> None:
    held = await hold_back(page, "**/api/models")
    await page.goto("/")
    await page.get_by_label("Your message").fill("Quick")
    await page.get_by_label("Your message").press("Enter")
    await page.get_by_label("Your message").press("Enter")
    await expect(page.get_by_text("Looking for models…")).to_be_visible()
    assert provider.requests() == []
    held.set()

    await expect(lane(page, "scripted-smart")).to_contain_text("heard: Quick")
    await expect(page.get_by_label("Your message")).to_have_value("")


async def test_what_is_sent_right_after_the_first_message_goes_on_in_its_conversation(
    page: Page, ada: Person
) -> None:
    held = await hold_back(page, "**/api/turn")
    await page.goto("/")
    await ask(page, "First")
    await ask(page, "Second")
    await page.get_by_label("Your message").fill("Thi")
    held.set()

    await expect(lane(page, "scripted-smart").last).to_contain_text("Second")
    await expect(page.get_by_label("Your message")).to_have_value("Thi")
    listed = (await ada.get("/api/conversations")).json()["conversations"]
    assert [one["round_count"] for one in listed] == [2]


@pytest.mark.parametrize("width", [1280, 390])
async def test_several_answers_are_read_from_the_question_on(
    width: int, page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    long = "\n\n".join(f"Paragraph {number}." for number in range(60))
    for model in BOTH:
        provider.script(model, Script(reply="Short."), Script(reply=long))
    turn = await ada.start("Before", models=BOTH)
    await ada.finished(turn)
    await show(page, turn)
    await expect(lane(page, "scripted-fast")).to_contain_text("Short.")
    await ask(page, "Tell me at length")

    answer = lane(page, "scripted-fast").last
    await expect(answer).to_contain_text("Paragraph 59.")
    await expect(page.get_by_text("Tell me at length").last).to_be_in_viewport()
    await expect(answer.get_by_text("Paragraph 0.", exact=True)).to_be_in_viewport()
    await expect(answer.get_by_text("Paragraph 59.", exact=True)).not_to_be_in_viewport()


async def test_a_model_that_is_new_is_asked_again_in_its_conversation_and_one_that_is_gone_is_named(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await expect(table(page)).to_have_text("scripted-smart")
    provider.script("larch", Script(reply="A word."))
    await ada.post("/api/models/metadata/refresh")
    turn = await ada.start("Say something", models=["larch"])
    await ada.finished(turn)
    await follow(page, f"/c/{turn['conversation']['id']}")
    await expect(table(page)).to_have_text("larch")

    provider.clear()
    await ada.post("/api/models/metadata/refresh")
    await show(page, turn)
    await expect(page.get_by_text("Not available, so not asked: larch.")).to_be_visible()
    await expect(table(page)).to_have_text("scripted-smart")
