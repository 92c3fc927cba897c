"""Before sending: how full a conversation is, what a question would take, and what is remembered."""

import io
import re
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import FilePayload, Locator, Page, Request, expect
from tests.e2e.axe import serious
from tests.e2e.screen import ask, invite, lane, show, table
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import AbsentWorld, Json, Person

LONG = "We decided to plant quince along the southern wall, 80 cm apart, and the bench is of larch. " * 12


def meter(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile(r"^Context( nearly full)?: "))


def estimate(page: Page) -> Locator:
    return page.get_by_role("group", name="Estimate before sending")


def panel(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Context", exact=True)


def conversation(page: Page) -> Locator:
    return page.get_by_role("region", name="Conversation")


async def talk(person: Person, rounds: int, **more: Any) -> Json:
    """Hold a conversation, and return its last turn."""
    turn = await person.start("What grows along the southern wall?", **more)
    await person.finished(turn)
    for number in range(2, rounds + 1):
        more["conversation_id"] = turn["conversation"]["id"]
        turn = await person.start(f"And bed {number}?", **more)
        await person.finished(turn)
    return turn


async def limit(person: Person, turn: Json, tokens: int) -> None:
    """Set the most tokens that a prompt of a conversation may have."""
    path = f"/api/conversations/{turn['conversation']['id']}"
    changed = await person.put(path, {"context": {"max_tokens": tokens}})
    assert changed.status_code == 200, changed.text


async def context_of(person: Person, turn: Json) -> Json:
    return (await person.get(f"/api/conversations/{turn['conversation']['id']}/context")).json()


async def test_the_meter_says_how_full_it_is_and_what_the_next_prompt_holds(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await talk(ada, 2)
    await show(page, turn)
    before = await meter(page).inner_text()
    await meter(page).click()
    plan = (await context_of(ada, turn))["lanes"][0]["plan"]
    sections = page.get_by_role("table", name="The next prompt for scripted-fast")
    [rounds] = [one["tokens"] for one in plan["sections"] if one["kind"] == "rounds"]
    await expect(sections.get_by_role("row", name="Rounds word for word")).to_contain_text(f"{rounds:,}")
    await page.keyboard.press("Escape")

    await ask(page, "And the fence?")
    await expect(conversation(page).get_by_text("And the fence?")).to_be_visible()
    await expect(meter(page)).not_to_have_text(before)


async def test_the_meter_warns_when_the_limit_comes_near_and_follows_who_sits_at_the_table(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await talk(ada, 2)
    await show(page, turn)
    await expect(meter(page)).to_have_accessible_name(re.compile("^Context: "))
    await limit(ada, turn, 1_100)  # so little that tools are not offered any more
    used = (await context_of(ada, turn))["meter"]["used"]
    await limit(ada, turn, used + 20)
    await expect(meter(page)).to_have_accessible_name(re.compile("^Context nearly full: "))

    await limit(ada, turn, 100_000)
    await expect(meter(page)).to_have_accessible_name(re.compile("^Context: "))
    await invite(page, "scripted-smart")
    await meter(page).click()
    lanes = page.get_by_label("The next prompt for", exact=True)
    await expect(lanes.get_by_role("option")).to_have_text(["scripted-fast", "scripted-smart"])
    await lanes.select_option("scripted-smart")
    await expect(page.get_by_role("table", name="The next prompt for scripted-smart")).to_be_visible()


async def test_a_conversation_is_compressed_and_that_is_undone_to_the_byte(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await talk(ada, 5)
    await show(page, turn)
    before = (await context_of(ada, turn))["lanes"][0]["plan"]["hash"]
    await meter(page).click()
    await page.get_by_role("button", name="Compress now").click()
    await expect(page.get_by_text(re.compile("^Rounds 1.3 now reach the models"))).to_be_visible()
    undo = page.get_by_role("button", name="Undo compression")
    await expect(undo).to_be_visible()
    during = await context_of(ada, turn)
    assert during["meter"]["watermark"] == 3
    assert during["lanes"][0]["plan"]["hash"] != before

    await undo.click()
    await expect(undo).to_have_count(0)
    assert (await context_of(ada, turn))["meter"]["watermark"] == 0
    assert (await context_of(ada, turn))["lanes"][0]["plan"]["hash"] == before


async def test_what_cannot_be_compressed_is_said(page: Page, ada: Person) -> None:
    await show(page, await talk(ada, 1))
    await meter(page).click()
    await page.get_by_role("button", name="Compress now").click()
    await expect(page.get_by_text("There is nothing to compress")).to_be_visible()


async def test_the_estimate_is_for_what_is_written_now_and_asked_once_the_hands_rest(
    page: Page, ada: Person
) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/context/preview"):
            asked.append((request.post_data_json or {})["message"])

    turn = await talk(ada, 1)
    await show(page, turn)
    await expect(table(page)).to_have_count(1)
    await expect(meter(page)).to_be_visible()
    page.on("request", note)
    await page.get_by_label("Your message").press_sequentially("How many quinces?", delay=20)
    await expect(estimate(page)).to_contain_text("tokens")
    assert asked == ["How many quinces?"]
    body = {"message": asked[0], "conversation_id": turn["conversation"]["id"], "models": ["scripted-fast"]}
    [expected] = (await ada.post("/api/context/preview", body)).json()["lanes"]
    await expect(estimate(page)).to_have_text(f"≈ {expected['plan']['tokens']:,} tokens · price unknown")

    await page.get_by_label("Your message").press("Enter")
    await expect(lane(page, "scripted-fast").last).to_contain_text("heard: How many quinces?")
    await expect(estimate(page)).to_have_count(0)
    [reply] = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()["rounds"][-1][
        "replies"
    ]
    receipt = (await ada.get(f"/api/replies/{reply['id']}/receipt")).json()
    assert receipt["plan"]["tokens"] == pytest.approx(expected["plan"]["tokens"], rel=0.05)


async def test_pictures_are_counted_before_they_are_sent(page: Page, ada: Person) -> None:
    told: list[Json] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/context/preview"):
            told.append(request.post_data_json or {})

    page.on("request", note)
    await page.goto("/")
    await expect(table(page)).to_have_count(1)
    drawing = io.BytesIO()
    Image.new("RGB", (1_024, 1_024), "teal").save(drawing, format="PNG")
    picture = FilePayload(name="sea.png", mimeType="image/png", buffer=drawing.getvalue())
    await page.locator("input[type=file]").set_input_files([picture])
    await page.get_by_label("Your message").fill("What is this?")
    await expect(estimate(page)).to_contain_text("tokens")
    assert told[-1]["images"] == [{"width": 1_024, "height": 1_024}], "only the size travels"
    with_it = (await ada.post("/api/context/preview", told[-1])).json()["lanes"][0]["plan"]["tokens"]
    without = (await ada.post("/api/context/preview", told[-1] | {"images": []})).json()["lanes"][0]["plan"]
    assert with_it - without["tokens"] == 1_600
    await expect(estimate(page)).to_contain_text(f"{with_it:,} tokens")

    await page.get_by_role("button", name="Remove sea.png").click()
    await expect(estimate(page)).to_contain_text(f"{without['tokens']:,} tokens")


async def test_several_models_are_added_up_and_shown_one_by_one(page: Page) -> None:
    await page.goto("/")
    await invite(page, "scripted-fast")
    await page.get_by_label("Your message").fill("What do you both think?")
    await estimate(page).get_by_role("button", name="to 2 models").click()
    each = page.get_by_role("table", name="Tokens and price for each model")
    await expect(each.get_by_role("rowheader")).to_have_text(["scripted-smart", "scripted-fast"])


async def test_a_question_that_is_too_long_is_said_before_it_is_sent(page: Page, ada: Person) -> None:
    turn = await talk(ada, 1)
    await limit(ada, turn, 300)
    await show(page, turn)
    await page.get_by_label("Your message").fill("plant the hedge " * 400)
    await expect(estimate(page).get_by_role("status")).to_contain_text("is the question, and")
    await page.get_by_label("Your message").fill("Which hedge?")
    await expect(estimate(page).get_by_role("status")).to_have_text("")
    await expect(estimate(page)).to_contain_text("tokens")


async def test_nothing_is_estimated_without_the_server(
    corner: Page, absence: AbsentWorld, mary: Person
) -> None:
    await show(corner, await talk(mary, 1))
    await corner.get_by_label("Your message").fill("Are you there?")
    await expect(estimate(corner)).to_contain_text("tokens")
    await absence.leave()
    await expect(estimate(corner)).to_have_count(0)
    await absence.arrive()
    await expect(estimate(corner)).to_contain_text("tokens")


async def test_the_panel_shows_what_is_remembered_and_leads_to_where_it_was_said(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await talk(ada, 4)
    first = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()["rounds"][0]
    await show(page, turn)
    await meter(page).click()
    await page.get_by_role("button", name="Context of this conversation").click()
    await panel(page).get_by_role("button", name="Summarise now").click()
    await expect(panel(page)).to_contain_text(re.compile(r"Covers rounds 1.4\. No round is compressed\."))
    decided = panel(page).get_by_role("listitem").filter(has_text="We decided to plant quince")
    await panel(page).get_by_role("button", name="Compress now").click()
    await expect(panel(page)).to_contain_text(re.compile("Rounds 1.2 reach the models by it alone"))
    await expect(panel(page).get_by_text("other version")).to_be_visible()

    await decided.first.get_by_role("link", name="Round 1", exact=True).click()
    await expect(panel(page)).to_have_count(0)
    await expect(page).to_have_url(re.compile(f"#{first['id']}$"))


async def test_how_much_models_are_shown_is_set_here_or_left_to_the_project(page: Page, ada: Person) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await page.goto(f"/projects/{project}")
    await page.get_by_label("Strategy").select_option("balanced")
    await page.get_by_label("Level").select_option("full")
    await page.get_by_label("Most tokens of a prompt").fill("9000")
    await page.get_by_label("Most tokens of a prompt").blur()
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    turn = await talk(ada, 1, project_id=project)
    await show(page, turn)
    await meter(page).click()
    await expect(page.get_by_role("heading", name="of 9,000 tokens")).to_be_visible()
    await page.get_by_role("button", name="Context of this conversation").click()
    await expect(panel(page).get_by_label("Strategy").locator("option").first).to_have_text(
        "As the project: Balanced"
    )
    most = panel(page).get_by_label("Most tokens of a prompt")
    await expect(most).to_have_attribute("placeholder", "As the project: 9,000")

    await panel(page).get_by_label("Tools and code").select_option("all")
    await expect(panel(page)).to_contain_text("Every model but those built in")
    await panel(page).get_by_label("Level").select_option("light")
    await expect(panel(page)).to_contain_text("The last 5 rounds, without a summary.")
    await most.fill("6000")
    await most.blur()
    await expect(panel(page).get_by_text("Saved", exact=True)).to_be_visible()
    kept = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()["conversation"][
        "context"
    ]
    assert kept == {"strategy": None, "level": "light", "max_tokens": 6000, "tools": "all"}
    await page.keyboard.press("Escape")
    await expect(meter(page)).to_contain_text("6k")


async def test_the_meter_the_estimate_and_the_panel_can_be_used_by_everyone(
    look: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await talk(ada, 3, models=["scripted-fast", "scripted-smart"])
    page = look
    await show(page, turn)
    await page.get_by_label("Your message").fill("What would it take?")
    await estimate(page).get_by_role("button", name="to 2 models").click()
    await expect(page.get_by_role("table", name="Tokens and price for each model")).to_be_visible()
    assert await serious(page) == []
    await page.keyboard.press("Escape")
    await meter(page).click()
    await page.get_by_role("button", name="Summarise now").click()
    await expect(page.get_by_text("The conversation is summarised.")).to_be_visible()
    assert await serious(page) == []
    await page.get_by_role("button", name="Context of this conversation").click()
    await expect(panel(page)).to_contain_text(re.compile("Covers rounds 1.3"))
    assert await serious(page) == []
