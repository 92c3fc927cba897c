"""Two people and one conversation: what one of them does to it, the other is told at once."""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, Request, expect
from tests.e2e.screen import lane, shelf, show
from tests.world import Json, Person, World


@pytest.fixture
async def grace(world: World, ada: Person) -> Person:
    """Another member, who shares something with Ada."""
    return await world.person(like=ada)


async def make_private(grace: Person, conversation: str) -> None:
    await grace.put(f"/api/conversations/{conversation}", {"visibility": "private"})


async def delete(grace: Person, conversation: str) -> None:
    await grace.delete(f"/api/conversations/{conversation}")


async def shared(grace: Person, message: str) -> Json:
    """Return a turn of a conversation that every member sees."""
    turn = await grace.start(message)
    await grace.finished(turn)
    await grace.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"})
    return turn


@pytest.mark.parametrize(
    ("withdraw", "said"),
    [
        (make_private, "This conversation is no longer shared with you, or it was deleted."),
        (delete, "This conversation was deleted."),
    ],
)
async def test_a_conversation_that_is_withdrawn_is_left_with_the_draft_and_the_rest_goes_on(
    page: Page,
    ada: Person,
    grace: Person,
    withdraw: Callable[[Person, str], Awaitable[None]],
    said: str,
) -> None:
    turn = await shared(grace, "The secret plan")
    conversation = turn["conversation"]["id"]
    streams: list[str] = []

    def note(request: Request) -> None:
        if "/api/events" in request.url:
            streams.append(request.url)

    await show(page, turn)
    await expect(lane(page, "scripted-fast")).to_contain_text("heard: The secret plan")
    await page.get_by_label("Your message").fill("Half a thought")
    page.on("request", note)
    await withdraw(grace, conversation)

    await expect(page.get_by_text(said)).to_be_visible()
    await expect(page.get_by_text("secret plan")).to_have_count(0)
    assert "secret plan" not in await page.title()
    await expect(page.get_by_role("region", name="Your unsent message")).to_have_text("Half a thought")

    # Other news arrive on the one connection, which no longer asks for the conversation.
    await ada.start("From elsewhere")
    await expect(shelf(page)).to_contain_text("From elsewhere")
    await expect(page.get_by_text("No connection")).to_have_count(0)
    assert "conversation=" not in streams[-1]

    await page.get_by_role("button", name="Move it to a new conversation").click()
    await expect(page.get_by_label("Your message")).to_have_value("Half a thought")


async def test_files_go_along_with_a_shared_conversation_and_it_is_said_who_sees_them(
    page: Page, ada: Person
) -> None:
    turn = await ada.start("With a file")
    conversation = turn["conversation"]["id"]
    await ada.finished(turn)
    file = {"path": "notes.md", "content": "Private notes"}
    assert (await ada.post(f"/api/conversations/{conversation}/files", file)).status_code == 201

    await show(page, turn)
    await expect(page.get_by_text("1 file attached. Only you see it.")).to_be_visible()
    await choose(page, "Share with the workspace")
    dialog = page.get_by_role("dialog", name="Share “With a file”?")
    await expect(dialog).to_contain_text("and its file with it")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(page.get_by_text("1 file attached. Only you see it.")).to_be_visible()

    await choose(page, "Share with the workspace")
    await dialog.get_by_role("button", name="Share", exact=True).click()
    await expect(page.get_by_text("1 file attached. Every member sees it.")).to_be_visible()
    await choose(page, "Make private")
    await expect(page.get_by_text("1 file attached. Only you see it.")).to_be_visible()


async def choose(page: Page, item: str) -> None:
    """Do something with the conversation that is open."""
    await page.get_by_role("button", name="More about this conversation").click()
    await page.get_by_role("menuitem", name=item, exact=True).click()
