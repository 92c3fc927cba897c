"""What a model was shown, before a browser: receipts, asking again without, marks, compressed rounds."""

import re
from typing import Any

from playwright.async_api import Locator, Page, Route, expect
from tests.e2e.axe import serious
from tests.e2e.screen import NewContext, ask, bearer, lane, open_page, show
from tests.e2e.test_citations import found
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.world import Json, Person, World

QUINCE = "# Garden\n\n## Quinces\n\nThe quince hedge is pruned in late February.\n"


async def talk(ada: Person, *questions: str, **more: Any) -> Json:
    """Ask one question after the other in one conversation, and return the first turn."""
    first: Json = {}
    for question in questions:
        here = {"conversation_id": first["conversation"]["id"]} if first else more
        turn = await ada.start(question, **here)
        await ada.finished(turn)
        first = first or turn
    return first


async def receipt(page: Page) -> Locator:
    """Open the receipt of the last answer on the screen."""
    opened = page.get_by_role("dialog", name="What it was shown")
    await page.get_by_role("button", name="What it was shown").last.click()
    await expect(opened.get_by_text("Kept free for the answer")).to_be_visible()
    return opened


def last_said(provider: ScriptedProvider, question: str) -> list[str]:
    """Return each message of the last prompt that ended with a question."""
    sent = [one.body["messages"] for one in provider.requests("scripted-fast")]
    [*_, last] = [one for one in sent if one[-1]["content"].endswith(question)]
    return [str(said["content"]) for said in last]


async def pick(page: Page, button: Locator, item: str) -> None:
    """Choose something from a menu."""
    await button.click()
    await page.get_by_role("menuitem", name=item).click()


async def test_a_receipt_says_what_was_shown_and_leads_there(page: Page, ada: Person) -> None:
    project: str = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await ada.post(f"/api/projects/{project}/files", {"path": "garden.md", "content": QUINCE})
    await found(ada, project, "quince hedge", "file")
    turn = await talk(ada, "Good morning", "When is the quince hedge pruned?", project_id=project)
    await show(page, turn)
    opened = await receipt(page)
    await expect(opened).to_contain_text(re.compile(r"counted [\d,]+, reported [\d,]+"))
    await expect(opened.get_by_role("table", name="Tokens by section")).to_contain_text("Passages found")
    await expect(opened.get_by_text("Nothing was left out.")).to_be_visible()

    await opened.get_by_role("button", name="Read it: garden.md").click()
    await expect(opened.get_by_role("region", name="Text: garden.md")).to_contain_text("late February")
    await opened.get_by_role("link", name="Round 1: Good morning").click()
    await expect(opened).to_have_count(0)
    await expect(page.locator("article.marked")).to_contain_text("Good morning")

    await (await receipt(page)).get_by_role("link", name="garden.md").click()
    await expect(page).to_have_url(re.compile(f"/projects/{project}/files/.*lines="))


async def test_a_receipt_goes_on_with_what_tools_gave_and_counts_every_step(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    project: str = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await ada.post(f"/api/projects/{project}/files", {"path": "garden.md", "content": QUINCE})
    reading = ScriptedCall(name="read_project_file", arguments='{"path": "garden.md"}')
    provider.script("gpt-4o", Script(reply="In February.", tool_calls=[reading]))
    await show(page, await talk(ada, "When is it pruned?", project_id=project, models=["openai/gpt-4o"]))
    opened = await receipt(page)
    await expect(opened).to_contain_text(re.compile(r"counted [\d,]+ in 2 steps, reported [\d,]+"))

    await opened.get_by_role("heading", name="Step 2").click()
    await opened.get_by_role("button", name="Read it: read_project_file").click()
    given = opened.get_by_role("region", name="Text: read_project_file")
    await expect(given).to_contain_text("late February")


async def test_an_unknown_price_is_not_called_free(page: Page, ada: Person) -> None:
    await show(page, await talk(ada, "Good morning"))
    await expect(page.locator("main")).to_contain_text("price unknown")
    await expect(await receipt(page)).to_contain_text("price unknown")
    await page.keyboard.press("Escape")
    await page.get_by_label("Your message").fill("And now?")
    await expect(page.locator("form").get_by_text(re.compile("tokens · price unknown"))).to_be_visible()


async def test_what_is_ticked_is_left_out_when_the_model_is_asked_again(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    word, number = "The word is xylophone.", "The number is 7714."
    await show(page, await talk(ada, word, number, "Which word?"))
    opened = await receipt(page)
    await opened.get_by_label("Leave out: Round 1").check()
    await opened.get_by_role("button", name="Leave this out and ask again").click()
    answer = lane(page, "scripted-fast").last
    await expect(answer).to_contain_text("2 / 2")
    await expect(answer).to_have_attribute("aria-busy", "false")
    said = last_said(provider, "Which word?")
    assert (word in said, number in said) == (False, True)

    opened = await receipt(page)
    await expect(opened).to_contain_text("You asked for a reply without it.")
    await expect(opened.get_by_label("Leave out: Round 1")).to_be_checked()
    await opened.get_by_label("Leave out: Round 2").check()
    await opened.get_by_role("button", name="Leave these 2 out and ask again").click()
    await expect(answer).to_contain_text("3 / 3")
    await expect(answer).to_have_attribute("aria-busy", "false")
    said = last_said(provider, "Which word?")
    assert (word in said, number in said) == (False, False)

    opened = await receipt(page)
    for left in ("Round 1", "Round 2"):
        await opened.get_by_label(f"Leave out: {left}").uncheck()
    await opened.get_by_role("button", name="Ask again with all of it").click()
    await expect(answer).to_contain_text("4 / 4")
    await expect(answer).to_have_attribute("aria-busy", "false")
    said = last_said(provider, "Which word?")
    assert (word in said, number in said) == (True, True)


async def test_a_prompt_that_had_to_be_shortened_says_so(page: Page, ada: Person) -> None:
    async def shorten(route: Route) -> None:
        body = await (await route.fetch()).json()
        body["plan"] |= {"shortened": True, "local_only": True}
        await route.fulfill(json=body)

    await page.route("**/receipt*", shorten)
    await show(page, await talk(ada, "Hello"))
    opened = await receipt(page)
    await expect(opened).to_contain_text("found a longer prompt too long")
    await expect(opened).to_contain_text("for local models alone")


async def test_marks_are_seen_in_every_browser_and_heeded(
    page: Page, new_context: NewContext, world: World, ada: Person, provider: ScriptedProvider
) -> None:
    turn = await talk(ada, "The word is xylophone.")
    await show(page, turn)
    context = await new_context(base_url=world.url, extra_http_headers=bearer(ada))
    other, watch = await open_page(context, world.url, f"/c/{turn['conversation']['id']}")
    badges = other.get_by_role("list", name="Marks")
    await expect(lane(other, "scripted-fast")).to_contain_text("heard")
    await expect(badges).to_have_count(0)

    await pick(page, page.get_by_role("button", name="More for this question"), "Leave out of prompts")
    await expect(badges.first).to_have_text("Left out")
    await pick(page, page.get_by_role("button", name="More for this answer"), "Pin: always")
    await expect(lane(other, "scripted-fast").get_by_role("list", name="Marks")).to_have_text("Pinned")
    await ask(page, "Which word?")
    await expect(lane(page, "scripted-fast").last).to_contain_text("pinned these messages")
    assert "The word is xylophone." not in last_said(provider, "Which word?")

    await other.reload()
    await expect(badges.first).to_have_text("Left out")
    button = other.get_by_role("button", name="More for this question").first
    await pick(other, button, "Let into prompts again")
    await expect(page.get_by_text("Left out", exact=True)).to_have_count(0)
    watch.check()


async def test_a_line_says_which_rounds_are_compressed_and_takes_it_back(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply="Noted: we decided to use Postgres 16."))
    turn = await talk(ada, "One", "Two", "Three", "Four", "Five")
    conversation = turn["conversation"]["id"]
    await show(page, turn)
    await expect(lane(page, "scripted-fast").last).to_contain_text("Noted")
    made = await ada.post(f"/api/conversations/{conversation}/compression")
    last = made.json()["watermark"]
    line = page.get_by_role("group", name=re.compile(f"Rounds 1.{last} reach the models as a summary"))
    await expect(line).to_be_visible()
    await page.reload()
    await expect(line).to_be_visible()

    await line.get_by_role("button", name="Show").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Postgres 16")
    await page.keyboard.press("Escape")
    await line.get_by_role("button", name="Undo").click()
    await expect(line).to_have_count(0)
    now = (await ada.get(f"/api/conversations/{conversation}/summary")).json()
    assert (now["current"] or {"watermark": 0})["watermark"] == 0


async def test_receipts_and_marks_can_be_used_by_everyone(
    look: Page, ada: Person, provider: ScriptedProvider
) -> None:
    reply = "A [link](https://example.org) and `code`.\n\n```python\nprint(1)  # one\n```\n"
    provider.script("scripted-fast", Script(reply=reply))
    turn = await talk(ada, "One", "Two", "Three", "Four")
    await ada.post(f"/api/conversations/{turn['conversation']['id']}/compression")
    asked = await ada.start("Five", conversation_id=turn["conversation"]["id"])
    closed = await ada.finished(asked)
    await ada.put(f"/api/messages/{closed['question']['id']}/marks", {"pinned": True, "local_only": True})
    await ada.put(f"/api/messages/{closed['replies'][0]['id']}/marks", {"excluded": True})
    page = look
    await page.goto(f"/c/{turn['conversation']['id']}#{turn['round']['id']}")
    await expect(page.locator("article.marked")).to_be_visible()
    await page.get_by_text("reach the models as a summary").scroll_into_view_if_needed()
    assert await serious(page) == []
    await page.get_by_role("button", name="Jump to the latest").click()
    await expect(page.get_by_text("Left out")).to_be_visible()
    assert await serious(page) == []
    await page.get_by_role("button", name="More for this answer").last.click()
    await expect(page.get_by_role("menu")).to_be_visible()
    assert await serious(page) == []
    await page.keyboard.press("Escape")
    opened = await receipt(page)
    await opened.get_by_text("Instructions").last.click()
    await opened.get_by_role("button", name="Read it: ").first.click()
    await expect(opened.get_by_role("region", name="Text: ")).to_be_visible()
    await opened.get_by_label("Leave out: ").first.check()
    assert await serious(page) == []
