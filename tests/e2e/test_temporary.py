"""A temporary conversation before a browser: chosen when it begins, marked while it lasts, kept at will."""

import re

from playwright.async_api import Page, expect
from tests.world import Person

QUESTION = "Which present shall I buy for my sister?"


async def test_a_conversation_is_begun_as_temporary_marked_so_and_kept(page: Page, ada: Person) -> None:
    await page.goto("/")
    toggle = page.get_by_role("button", name="Temporary conversation")
    await expect(toggle).to_have_attribute("aria-pressed", "false")
    await toggle.click()
    await expect(page.get_by_text("all of it is deleted after a day")).to_be_visible()
    await page.reload()
    await expect(toggle).to_have_attribute("aria-pressed", "true")
    await page.get_by_label("Your message").fill(QUESTION)
    await page.get_by_role("button", name="Send").click()

    badge = page.get_by_role("main").get_by_text("Temporary", exact=True)
    await expect(badge).to_be_visible()
    listed = page.get_by_role("link", name=QUESTION)
    await expect(listed).to_contain_text("Temporary: deleted after a day")
    made = (await ada.get("/api/conversations")).json()["conversations"]
    assert [conversation["temporary"] for conversation in made] == [True]
    await page.keyboard.press("Control+k")
    await page.keyboard.type("present")
    await expect(page.get_by_role("option", name="Search everything for")).to_be_visible()
    await expect(page.get_by_role("option", name=QUESTION)).to_have_count(0)
    await page.keyboard.press("Escape")

    await page.get_by_role("button", name="More about this conversation").click()
    await expect(page.get_by_role("menuitem", name="Export as JSON")).to_have_count(0)
    await expect(page.get_by_role("menuitem", name="Look for things to remember")).to_have_count(0)
    await page.get_by_role("menuitem", name="Memory of this conversation").click()
    await expect(page.get_by_text("Nothing of a temporary conversation is remembered.")).to_be_visible()
    await expect(page.get_by_role("button", name="Look for things to remember")).to_have_count(0)
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="More about this conversation").click()
    await page.get_by_role("menuitem", name="Keep this conversation").click()
    await expect(badge).to_have_count(0)
    await expect(listed).not_to_contain_text("Temporary")

    await page.goto("/")
    await expect(toggle).to_have_attribute("aria-pressed", "false")


async def test_it_is_chosen_after_a_file_was_attached(page: Page, ada: Person) -> None:
    await page.goto("/")
    picker = page.get_by_label("Attach pictures or files").and_(page.locator("input"))
    await picker.set_input_files(
        {"name": "walrus.md", "mimeType": "text/markdown", "buffer": b"The walrus eats clams."}
    )
    await expect(page.get_by_label("Your message")).to_have_value(re.compile("walrus.md"))
    await page.get_by_role("button", name="Temporary conversation").click()
    await expect(page.get_by_text("all of it is deleted after a day")).to_be_visible()
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("main").get_by_text("Temporary", exact=True)).to_be_visible()
    made = (await ada.get("/api/conversations")).json()["conversations"]
    assert [conversation["temporary"] for conversation in made] == [True]


async def test_what_follows_a_question_that_was_withdrawn_while_offline_stays_temporary(
    page: Page, ada: Person
) -> None:
    await page.goto("/")
    await page.get_by_role("button", name="Temporary conversation").click()
    await page.route("**/api/turn", lambda route: route.abort())
    box = page.get_by_label("Your message")
    for question in (QUESTION, "And for my brother?"):
        await box.fill(question)
        await page.get_by_role("button", name="Send", exact=True).click()
        await expect(page.get_by_text(question)).to_be_visible()
    await page.get_by_role("button", name="Do not send").first.click()
    await page.unroute("**/api/turn")
    await expect(page.get_by_role("link", name="And for my brother?")).to_be_visible()
    made = (await ada.get("/api/conversations")).json()["conversations"]
    assert [conversation["temporary"] for conversation in made] == [True]
