"""A real browser in front of a real server."""

import os
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def chromium() -> str:
    """Return the browser to use, or say how to get one."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    assert found, "The browser tests need Chromium: install it, or name one with CHROMIUM=/path."
    return found


@pytest.fixture
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield browser
        await browser.close()


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    # Anthropic's and Google's scripted models only double the list here.
    env = {"ANTHROPIC_API_KEY": "", "GEMINI_API_KEY": ""}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@pytest.fixture
async def context(browser: Browser, world: World, ada: Person) -> AsyncGenerator[BrowserContext]:
    """Ada's browser, signed in by her token; every request is noted in `context.asked`."""
    context = await browser.new_context(
        base_url=world.url, extra_http_headers={"Authorization": f"Bearer {ada.token}"}
    )
    context.set_default_timeout(10_000)
    yield context
    await context.close()


@pytest.fixture
async def page(context: BrowserContext, world: World) -> AsyncGenerator[Page]:
    """A page that must ask nobody but our server, and meet no error of its own."""
    page = await context.new_page()
    strangers: list[str] = []
    errors: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((world.url, "data:", "blob:")):
            strangers.append(request.url)

    page.on("request", note)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert strangers == []
    assert errors == []
