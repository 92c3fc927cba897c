"""A real browser in front of a real server."""

import os
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect
from tests.e2e.screen import NewContext, bearer
from tests.e2e.watching import Watch
from tests.process import ServerProcess
from tests.scripted_provider import ScriptedProvider
from tests.world import AbsentWorld, Person, World

#: What Chromium does for windows that people look at: the list under its address bar is a page of its own,
#: drawn anew with each window, and costs more than ours. The rest is what Playwright turns off, whose list
#: this one replaces.
UNWANTED_FEATURES = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
]
QUIET = [
    f"--disable-features={','.join(UNWANTED_FEATURES)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
#: Anthropic's and Google's scripted models would only double the list here.
ONE_PROVIDER = {
    "ANTHROPIC_API_KEY": "",
    "ANTHROPIC_BASE_URL": "",
    "GEMINI_API_KEY": "",
    "GOOGLE_GEMINI_BASE_URL": "",
}
#: Far more than anything takes, for machines that do much else.
PATIENCE = 15_000

expect.set_options(timeout=PATIENCE)


def chromium() -> str:
    """Return the browser to use, or say how to get one."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert found, "The browser tests need Chromium: install it, or name one with CHROMIUM=/path."
    return found


@pytest.fixture(scope="session")
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield browser
        await browser.close()


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=provider, **ONE_PROVIDER) as world:
        yield world


@pytest.fixture
async def new_context(browser: Browser) -> AsyncGenerator[NewContext]:
    """Opens browsers that know nothing of each other.

    They keep nothing for when the server is away unless told so: that costs as much as showing a page.
    """
    opened: list[BrowserContext] = []

    async def open_one(**options: Any) -> BrowserContext:
        options.setdefault("service_workers", "block")
        context = await browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        opened.append(context)
        return context

    yield open_one
    # The pages go first: a stream that is still open would hold the server up when it ends.
    for context in opened:
        await context.close()


@pytest.fixture
async def context(new_context: NewContext, world: World, ada: Person) -> BrowserContext:
    """Ada's browser, signed in by her token."""
    return await new_context(base_url=world.url, extra_http_headers=bearer(ada))


@pytest.fixture
async def page(context: BrowserContext, world: World) -> AsyncGenerator[Page]:
    """A page that must ask nobody but our server, and meet no error of its own."""
    page = await context.new_page()
    watch = Watch(page, world.url)
    yield page
    watch.check()


@pytest.fixture
async def look(new_context: NewContext, world: World, ada: Person) -> AsyncGenerator[Page]:
    """Ada's page, with nothing that moves."""
    context = await new_context(
        base_url=world.url, extra_http_headers=bearer(ada), color_scheme="light", reduced_motion="reduce"
    )
    page = await context.new_page()
    watch = Watch(page, world.url)
    yield page
    watch.check()


@pytest.fixture
async def absence(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[AbsentWorld]:
    """A server that goes away and comes back."""
    absence = AbsentWorld(tmp_path / "absent" / "data", provider, **ONE_PROVIDER)
    yield absence
    await absence.leave()


@pytest.fixture
async def absent(absence: AbsentWorld) -> World:
    """That server, as it stands at first."""
    return await absence.arrive()


@pytest.fixture
async def mary(absent: World) -> Person:
    """The owner of a workspace on the server that goes away."""
    return await absent.person(role="owner")


@pytest.fixture
async def corner(new_context: NewContext, absent: World, mary: Person) -> AsyncGenerator[Page]:
    """Mary's page, which stays when the server goes."""
    context = await new_context(base_url=absent.url, extra_http_headers=bearer(mary), service_workers="allow")
    page = await context.new_page()
    watch = Watch(page, absent.url)
    yield page
    watch.check()


@pytest.fixture
async def server(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[ServerProcess]:
    """A server that can be killed."""
    async with ServerProcess.running(tmp_path / "data", provider, **ONE_PROVIDER) as server:
        yield server


@pytest.fixture
async def grace(server: ServerProcess) -> AsyncGenerator[Person]:
    """The owner of a workspace on the server that can be killed."""
    person = await server.person()
    yield person
    await person.client.aclose()


@pytest.fixture
async def seat(new_context: NewContext, server: ServerProcess, grace: Person) -> AsyncGenerator[Page]:
    """Grace's page, which stays when the server goes."""
    context = await new_context(
        base_url=server.url, extra_http_headers=bearer(grace), service_workers="allow"
    )
    page = await context.new_page()
    watch = Watch(page, server.url)
    yield page
    watch.check()
