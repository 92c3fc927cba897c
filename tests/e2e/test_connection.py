"""The live connection: many tabs share what a browser allows, and a dead line is noticed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.async_api import BrowserContext, Locator, Page, async_playwright, expect
from tests.e2e.conftest import PATIENCE, QUIET, chromium
from tests.e2e.screen import NewContext, ask, bearer, lane, shelf, show, table
from tests.world import Person, World, free_port

#: More than the six connections that a browser has for a server.
TABS = 8


@dataclass
class Line:
    """A way to the server on which connections can die without anybody being told."""

    host: str
    port: int
    writers: set[asyncio.StreamWriter] = field(default_factory=set)
    dead: set[asyncio.StreamWriter] = field(default_factory=set)

    def die(self) -> None:
        """Swallow all that comes on the connections there are; those to come are fine."""
        self.dead |= self.writers

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connect a browser with the server."""
        answers, questions = await asyncio.open_connection(self.host, self.port)
        self.writers |= {writer, questions}
        await asyncio.gather(self._pour(reader, questions), self._pour(answers, writer))

    async def _pour(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                if writer not in self.dead:
                    writer.write(data)
                    await writer.drain()
        if writer not in self.dead:
            writer.close()


@asynccontextmanager
async def line_to(url: str) -> AsyncGenerator[tuple[Line, str]]:
    """Open a line to a server, and say under which address."""
    address = urlsplit(url)
    line = Line(address.hostname or "", address.port or 0)
    server = await asyncio.start_server(line.carry, "127.0.0.1", 0)
    try:
        yield line, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in line.writers:
            writer.close()


@pytest.fixture
async def window(ada: Person) -> AsyncGenerator[BrowserContext]:
    """Ada's browser window, where only one tab is seen at a time; elsewhere each page thinks that it is."""
    port = free_port()
    async with async_playwright() as playwright:
        args = [*QUIET, f"--remote-debugging-port={port}"]
        browser = await playwright.chromium.launch(executable_path=chromium(), args=args)
        joined = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}", no_defaults=True)
        [context] = joined.contexts
        context.set_default_timeout(PATIENCE)
        await context.set_extra_http_headers(bearer(ada))
        yield context
        for page in context.pages:
            await page.close()
        await browser.close()


async def is_shown(place: Locator, text: str) -> bool:
    """Tell whether a place shows a text by now, or within a second."""
    with suppress(AssertionError):
        await expect(place).to_contain_text(text, timeout=1_000)
        return True
    return False


async def test_many_tabs_are_open_at_once_and_each_of_them_works(
    window: BrowserContext, world: World, ada: Person
) -> None:
    turn = await ada.start("Hello")
    await ada.finished(turn)
    tabs: list[Page] = []
    for _ in range(TABS):
        tabs.append(await window.new_page())
        await tabs[-1].goto(f"{world.url}/c/{turn['conversation']['id']}")
        await expect(lane(tabs[-1], "scripted-fast")).to_contain_text("heard: Hello")
    assert [await tab.evaluate("document.hidden") for tab in tabs] == [True] * (TABS - 1) + [False]

    await tabs[0].bring_to_front()
    await ask(tabs[0], "From the first tab")
    for tab in tabs:
        await tab.bring_to_front()
        await expect(lane(tab, "scripted-fast").last).to_contain_text("heard: From the first tab")


async def test_a_line_that_dies_without_a_word_is_left_and_nothing_is_missed(
    new_context: NewContext, world: World, ada: Person
) -> None:
    turn = await ada.start("Hello")
    await ada.finished(turn)
    async with line_to(world.url) as (line, url):
        context = await new_context(base_url=url, extra_http_headers=bearer(ada))
        page = await context.new_page()
        await page.clock.install()
        await show(page, turn)
        await expect(lane(page, "scripted-fast")).to_contain_text("heard: Hello")
        line.die()
        await ada.start("From elsewhere", conversation_id=turn["conversation"]["id"])
        await expect(lane(page, "scripted-fast")).to_have_count(1)

        # First the stream falls silent; then each connection that the browser kept is tried, and given up.
        await page.clock.fast_forward(40_000)
        answers = lane(page, "scripted-fast")
        async with asyncio.timeout(60):
            while not await is_shown(answers.last, "heard: From elsewhere"):
                await page.clock.fast_forward(10_000)
        await context.close()


async def test_an_idle_tab_says_that_there_is_no_connection(page: Page) -> None:
    await page.goto("/")
    await expect(table(page).first).to_be_visible()
    banner = page.get_by_text("No connection. What you write is kept")
    await page.context.set_offline(True)
    await expect(banner).to_be_visible()
    await page.context.set_offline(False)
    await expect(banner).to_have_count(0)


async def test_a_session_that_has_ended_elsewhere_leads_to_the_door(
    page: Page, world: World, ada: Person
) -> None:
    grace = await world.person(like=ada)
    await page.goto("/projects")
    await expect(page.get_by_role("navigation", name="Projects")).to_contain_text("General")
    [token] = (await ada.get("/api/tokens")).json()["items"]
    assert (await ada.delete(f"/api/tokens/{token['id']}")).status_code == 204
    # Whatever is heard next ends the stream.
    await grace.post("/api/projects", {"name": "Garden"})
    await page.wait_for_url("**/signin?next=*")


async def test_a_tab_begins_anew_when_somebody_else_has_signed_in(
    page: Page, context: BrowserContext, world: World, ada: Person
) -> None:
    bob = await world.person(like=ada)
    await bob.post("/api/conversations", {"title": "Of Bob alone"})
    await page.goto("/")
    # The second is heard of in the feed, which the tab goes on in from then on.
    for title in ("First", "Second"):
        await ada.post("/api/conversations", {"title": title})
        await expect(shelf(page).get_by_role("link", name=title)).to_be_visible()

    await context.set_extra_http_headers(bearer(bob))
    await page.evaluate("dispatchEvent(new Event('online'))")
    await expect(page.get_by_role("button", name="Your account: p1 Test")).to_be_visible()
    await expect(shelf(page).get_by_role("link")).to_have_text("Of Bob alone")
