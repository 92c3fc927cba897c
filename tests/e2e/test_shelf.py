"""The sidebar: conversations are renamed, pinned, archived and deleted; projects keep a brief."""

import re

import pytest
from playwright.async_api import Page, expect
from tests.e2e.screen import ask, from_menu, lane, shelf, show
from tests.scripted_provider import ScriptedProvider
from tests.search_world import until
from tests.world import Json, Person

#: Leaves the page in the same moment in which something in a menu is clicked.
LEAVE_AT_CLICK = """addEventListener('click', ({ target }) => {
    if (target.closest('[role=menuitem]')) location.replace('about:blank');
})"""


@pytest.fixture
async def turn(ada: Person, page: Page) -> Json:
    """A conversation called "Old name", open before us."""
    turn = await ada.start("Something to keep")
    await ada.finished(turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}/title", {"title": "Old name"})
    await show(page, turn)
    await expect(shelf(page).get_by_role("link", name="Old name")).to_be_visible()
    return turn


async def test_a_conversation_is_renamed_in_the_list_and_in_its_head(page: Page, turn: Json) -> None:
    await from_menu(page, "Old name", "Rename")
    field = page.get_by_label("Title of the conversation")
    await expect(field).to_be_focused()
    await field.fill("New name")
    await field.press("Enter")

    await expect(shelf(page).get_by_role("link", name="New name")).to_be_visible()
    await expect(page.get_by_role("heading", level=1)).to_have_text("New name")
    await page.get_by_role("heading", level=1).get_by_role("button").click()
    await page.get_by_label("Title", exact=True).fill("Newest name")
    await page.keyboard.press("Enter")
    await expect(shelf(page).get_by_role("link", name="Newest name")).to_be_visible()
    await expect(page).to_have_title("Newest name · Tertulia")


async def test_a_conversation_is_pinned_archived_and_deleted_and_each_is_taken_back(
    page: Page, ada: Person, turn: Json
) -> None:
    await from_menu(page, "Old name", "Pin")
    await expect(shelf(page).get_by_role("heading", name="Pinned")).to_be_visible()
    await from_menu(page, "Old name", "Unpin")
    await expect(shelf(page).get_by_role("heading", name="Pinned")).to_have_count(0)

    await from_menu(page, "Old name", "Archive")
    await expect(shelf(page).get_by_role("link", name="Old name")).to_have_count(0)
    await page.get_by_role("button", name="Archive", exact=True).click()
    await from_menu(page, "Old name", "Take out of the archive")
    await expect(shelf(page).get_by_role("link", name="Old name")).to_have_count(0)
    await page.get_by_role("button", name="Back to conversations").click()
    await expect(shelf(page).get_by_role("link", name="Old name")).to_be_visible()

    await from_menu(page, "Old name", "Delete")
    await expect(shelf(page).get_by_role("link", name="Old name")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(lane(page, "scripted-fast")).to_contain_text("heard: Something to keep")
    await expect(shelf(page).get_by_role("link", name="Old name")).to_be_visible()
    assert (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).status_code == 200


async def test_what_was_deleted_is_gone_once_the_page_is_left(page: Page, ada: Person, turn: Json) -> None:
    await from_menu(page, "Old name", "Delete")
    await expect(page.get_by_role("button", name="Undo")).to_be_visible()
    await page.goto("about:blank")
    assert (await ada.get("/api/conversations")).json()["conversations"] == []
    assert (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).status_code == 404


async def test_what_was_deleted_is_gone_although_the_page_is_closed_at_the_click(
    page: Page, ada: Person
) -> None:
    titles = [f"Throw away {number}" for number in range(3)]
    turns = [await ada.start(title) for title in titles]
    for title, turn in zip(titles, turns, strict=True):
        leaving = await page.context.new_page()
        await show(leaving, turn)
        await leaving.evaluate(LEAVE_AT_CLICK)
        await from_menu(leaving, title, "Delete")
        await leaving.close()

    async def are_gone() -> bool:
        return (await ada.get("/api/conversations")).json()["conversations"] == []

    await until(are_gone)


async def test_what_is_deleted_and_restored_elsewhere_goes_and_comes_back_here(
    page: Page, ada: Person, turn: Json
) -> None:
    deletion = await ada.post(f"/api/conversations/{turn['conversation']['id']}/deletion")
    await expect(page.get_by_text("This conversation was deleted.")).to_be_visible()
    await expect(shelf(page).get_by_role("link", name="Old name")).to_have_count(0)
    await ada.post(f"/api/deletions/{deletion.json()['id']}/restore")
    await expect(lane(page, "scripted-fast")).to_contain_text("heard: Something to keep")
    await expect(shelf(page).get_by_role("link", name="Old name")).to_be_visible()


async def test_titles_are_searched(page: Page, ada: Person, turn: Json) -> None:
    other = await ada.ask("Another thing entirely")
    assert other
    await expect(shelf(page).get_by_role("link")).to_have_count(2)
    await page.get_by_label("Search titles").fill("old na")
    await expect(shelf(page).get_by_role("link")).to_have_count(1)
    await expect(shelf(page).get_by_role("link", name="Old name")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(shelf(page).get_by_role("link")).to_have_count(2)


async def test_every_conversation_of_a_project_knows_its_brief(
    page: Page, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await page.get_by_role("button", name="New project").click()
    await page.get_by_label("Name").fill("Garden house")
    await page.get_by_role("button", name="Create").click()
    await expect(page).to_have_url(re.compile("/projects/prj_"))
    await page.get_by_label("Brief").fill("The house is made of larch.")
    await page.get_by_label("Instructions").focus()
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    await page.get_by_role("link", name="New conversation here").click()
    await ask(page, "What is it made of?")

    await expect(lane(page, "scripted-smart")).to_contain_text("heard: What is it made of?")
    sent = [str(one.body["messages"]) for one in provider.requests("scripted-smart")]
    assert any("The house is made of larch." in one for one in sent)


async def test_a_draft_survives_a_reload(page: Page, turn: Json) -> None:
    await page.get_by_label("Your message").fill("Not finished yet")
    await page.reload()
    await expect(page.get_by_label("Your message")).to_have_value("Not finished yet")
