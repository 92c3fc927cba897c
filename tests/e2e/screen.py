"""Where things are on the screen, and what a person does there."""

import asyncio
import re
from collections.abc import Awaitable, Callable

from playwright.async_api import BrowserContext, Locator, Page, Route, expect
from tests.e2e.watching import Watch
from tests.world import Json, Person

#: Resolves once requests of the page pass through its service worker.
CONTROLLED = """() => navigator.serviceWorker.controller ? undefined : new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve(undefined), { once: true }))"""
FOLLOW = """(path) => {
    const link = document.body.appendChild(Object.assign(document.createElement('a'), { href: path }))
    link.click()
    link.remove()
}"""


async def ask(page: Page, message: str) -> None:
    """Write a message and send it with Enter, once somebody sits at the table."""
    await expect(table(page).first).to_be_visible()
    await page.get_by_label("Your message").fill(message)
    await page.get_by_label("Your message").press("Enter")


def table(page: Page) -> Locator:
    """Return the models that will be asked."""
    return page.get_by_role("list", name="Models at the table").get_by_role("listitem")


async def invite(page: Page, model: str) -> None:
    """Give a model a seat at the table."""
    await page.get_by_role("button", name="Invite a model").click()
    await page.get_by_role("option", name=model).click()
    await page.keyboard.press("Escape")
    await expect(table(page).filter(has_text=model)).to_be_visible()


def lane(page: Page, model: str) -> Locator:
    """Return the answer of a model."""
    return page.get_by_role("group", name=model, exact=True)


async def read(page: Page, model: str) -> str:
    """Return the words of an answer as they are on the screen."""
    return (await lane(page, model).locator(".prose").inner_text()).strip()


async def show(page: Page, turn: Json) -> None:
    """Open the conversation of a turn."""
    await page.goto(f"/c/{turn['conversation']['id']}")


async def follow(page: Page, path: str) -> None:
    """Go to a place in the app as its links lead there: without loading the page anew."""
    await page.evaluate(FOLLOW, path)
    await expect(page).to_have_url(re.compile(re.escape(path) + "$"))


async def pick_model(page: Page, model: str) -> None:
    """Choose a model in the list that is open."""
    await page.get_by_role("option", name=model).click()


def shelf(page: Page) -> Locator:
    """Return the list of conversations."""
    return page.get_by_role("navigation", name="Conversations")


async def from_menu(page: Page, title: str, item: str) -> None:
    """Do something with a conversation from its menu in the list."""
    await shelf(page).get_by_role("link", name=title).hover()
    await shelf(page).get_by_role("button", name=f"More for “{title}”").click()
    await page.get_by_role("menuitem", name=item, exact=True).click()


async def hold_back(page: Page, pattern: str) -> asyncio.Event:
    """Let requests wait until the returned event is set."""
    released = asyncio.Event()

    async def wait(route: Route) -> None:
        await released.wait()
        await route.continue_()

    await page.route(pattern, wait)
    return released


async def open_page(context: BrowserContext, url: str, path: str) -> tuple[Page, Watch]:
    """Open one more page, watched like the first."""
    page = await context.new_page()
    watch = Watch(page, url)
    await page.goto(url + path)
    return page, watch


def bearer(person: Person) -> dict[str, str]:
    """Return the header that signs a person's browser in."""
    return {"Authorization": f"Bearer {person.token}"}


NewContext = Callable[..., Awaitable[BrowserContext]]
