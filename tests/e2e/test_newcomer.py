"""Someone who begins with what is built in, and connects a provider later."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from tests.e2e.screen import ask, table
from tests.integration.test_seats import connect
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    """A server that knows nothing but what is built in."""
    async with World.open(tmp_path / "data") as world:
        yield world


async def test_a_newcomer_talks_to_what_was_connected_and_is_told_so(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await expect(page.get_by_text("Only the small built-in models are here.")).to_be_visible()
    await ask(page, "Hello")
    await expect(page).to_have_url(re.compile("/c/cnv_"))
    await page.get_by_role("button", name="Stop all replies").click()

    await connect(ada, provider)
    await page.get_by_role("link", name="New conversation").first.click()
    await expect(table(page)).to_have_count(1)
    await expect(table(page)).to_contain_text("scripted-smart")
    await expect(page.get_by_text("The best models connected so far.")).to_be_visible()
    await expect(page.get_by_text("Only the small built-in models are here.")).to_have_count(0)


async def test_an_open_page_learns_of_a_connection_when_it_is_looked_at_again(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await expect(page.get_by_text("Only the small built-in models are here.")).to_be_visible()
    await connect(ada, provider)
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await expect(table(page)).to_have_count(1)
    await expect(table(page)).to_contain_text("scripted-smart")


async def test_a_key_added_in_the_page_seats_its_models_in_the_next_conversation(
    page: Page, provider: ScriptedProvider
) -> None:
    await page.goto("/")
    await page.get_by_role("link", name="Connect a provider").click()
    await page.get_by_role("button", name="Add a key").click()
    await page.get_by_label("Address").fill(provider.openai_url)
    await page.get_by_label("Key").fill("sk-test")
    await page.get_by_role("button", name="Add and test").click()
    await expect(page.get_by_text("It works, and lists")).to_be_visible()
    await page.get_by_role("link", name="New conversation").first.click()
    await expect(table(page)).to_have_count(1)
    await expect(table(page)).to_contain_text("scripted-smart")
