"""Coming in and going out: the printed link, signing in, signing out."""

import re
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Page, expect
from tests.accounts_door import PASSWORD, quick_hashes
from tests.e2e.screen import NewContext, ask, lane
from tests.e2e.watching import Watch
from tests.world import World

from tertulia.accounts.setup import ensure_setup_link


@pytest.fixture
async def stranger(
    monkeypatch: pytest.MonkeyPatch, new_context: NewContext, world: World
) -> AsyncGenerator[Page]:
    """A page of somebody whom the server does not know."""
    quick_hashes(monkeypatch)
    page = await (await new_context(base_url=world.url)).new_page()
    watch = Watch(page, world.url)
    yield page
    watch.check()


async def set_up(page: Page, world: World) -> None:
    """Become the owner by the link that the server prints."""
    await page.goto(f"/setup#{await ensure_setup_link(world.db)}")
    await begin(page)


async def begin(page: Page) -> None:
    """Say who the owner is."""
    await page.get_by_label("Your name").fill("Ana")
    await page.get_by_label("Email").fill("ana@example.org")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Begin").click()
    await expect(page.get_by_role("heading", name="Ana")).to_be_visible()


async def sign_out(page: Page) -> None:
    await page.get_by_role("button", name="Your account: Ana").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()


async def sign_in(page: Page, password: str) -> None:
    await page.get_by_label("Email").fill("ana@example.org")
    await page.get_by_label("Password", exact=True).fill(password)
    await page.get_by_role("button", name="Sign in").click()


async def test_the_printed_link_leaves_the_address_bar_and_leads_to_the_first_reply(
    stranger: Page, world: World
) -> None:
    await stranger.goto(f"/setup#{await ensure_setup_link(world.db)}")
    await expect(stranger).to_have_url(f"{world.url}/setup")
    await begin(stranger)
    await ask(stranger, "Hello, everyone")
    await expect(lane(stranger, "scripted-smart")).to_contain_text("scripted-smart heard: Hello, everyone")


async def test_a_link_that_is_not_ours_sets_nothing_up(stranger: Page) -> None:
    await stranger.goto("/setup#made-up-by-somebody")
    await stranger.get_by_label("Your name").fill("Eve")
    await stranger.get_by_label("Email").fill("eve@example.org")
    await stranger.get_by_label("Password", exact=True).fill(PASSWORD)
    await stranger.get_by_role("button", name="Begin").click()
    await expect(stranger.get_by_role("alert")).to_be_visible()


async def test_a_server_without_an_owner_says_how_to_become_one(stranger: Page) -> None:
    await stranger.goto("/")
    await expect(stranger).to_have_url(re.compile("/setup$"))
    await expect(stranger.get_by_role("heading", name="This server has no owner yet")).to_be_visible()


async def test_one_signs_out_and_in_again_and_lands_where_one_wanted(stranger: Page, world: World) -> None:
    await set_up(stranger, world)
    await sign_out(stranger)
    await stranger.goto("/settings/tokens")
    await expect(stranger).to_have_url(re.compile("/signin"))
    await sign_in(stranger, "not the password")
    await expect(stranger.get_by_role("alert")).to_be_visible()
    await sign_in(stranger, PASSWORD)
    await expect(stranger).to_have_url(f"{world.url}/settings/tokens")
    await expect(stranger.get_by_role("heading", name="API tokens")).to_be_visible()


async def test_an_invited_person_joins_by_link(stranger: Page, world: World, new_context: NewContext) -> None:
    await set_up(stranger, world)
    await stranger.goto("/settings/members")
    await stranger.get_by_role("button", name="Make a link").click()
    link = await stranger.get_by_role("region", name="Invitation link").inner_text()

    page = await (await new_context()).new_page()
    await page.goto(link)
    await page.get_by_label("Your name").fill("Bea")
    await page.get_by_label("Email").fill("bea@example.org")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Join").click()
    await expect(page.get_by_role("heading", name="Bea")).to_be_visible()


async def test_an_address_that_leads_nowhere_says_so_and_leads_back(page: Page) -> None:
    await page.goto("/no/such/place")
    await expect(page.get_by_role("heading", name="There is nothing at this address")).to_be_visible()
    await page.get_by_role("link", name="To your conversations").click()
    await expect(page.get_by_label("Your message")).to_be_visible()


async def test_an_account_is_deleted_with_its_password_and_the_server_is_new_again(
    stranger: Page, world: World
) -> None:
    await set_up(stranger, world)
    await stranger.goto("/settings/profile")
    await stranger.get_by_role("button", name="Delete my account…").click()
    dialog = stranger.get_by_role("dialog", name="Delete your account?")
    await expect(dialog.get_by_text("Nobody else is in My workspace")).to_be_visible()
    await dialog.get_by_label("Current password").fill(PASSWORD)
    await dialog.get_by_role("button", name="Delete my account").click()

    await expect(stranger).to_have_url(re.compile("/(signin|setup)"))
    people = await world.db.read(lambda tx: tx.column("SELECT name FROM users"), by=None)
    assert people == [""]
