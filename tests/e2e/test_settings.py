"""Keys, tokens, the theme and the palette."""

import re

from playwright.async_api import Locator, Page, Route, expect
from tests.e2e.screen import NewContext, bearer, lane, show
from tests.scripted_provider import ScriptedProvider
from tests.search_world import until
from tests.world import Person, World

KEY = "sk-very-secret-key-of-mine-7777"


def palette(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Find a conversation, a project or a command")


async def test_a_connection_is_added_and_its_key_never_shown_again(
    page: Page, provider: ScriptedProvider
) -> None:
    answers: list[str] = []

    async def pass_on(route: Route) -> None:
        answer = await route.fetch()
        answers.append(await answer.text())
        await route.fulfill(response=answer)

    await page.route(re.compile(r"/api/(?!events)"), pass_on)
    await page.goto("/models/connections")
    await page.get_by_role("button", name="Add a connection").click()
    await page.get_by_label("Address").fill(provider.openai_url)
    await page.get_by_label("Key").fill(KEY)
    await page.get_by_label("Short name").fill("mine")
    await page.get_by_role("button", name="Add and test").click()

    await expect(page.get_by_role("heading", name="mine")).to_be_visible()
    await expect(page.get_by_text("It works, and lists")).to_be_visible()
    await expect(page.get_by_text("Key ends in 7777")).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("Key ends in 7777")).to_be_visible()
    assert KEY not in await page.content()
    assert answers
    assert not any(KEY in answer for answer in answers)


async def test_a_new_token_is_shown_once_and_works(page: Page, world: World) -> None:
    await page.goto("/settings/tokens")
    await page.get_by_label("What is it for?").fill("Laptop")
    await page.get_by_role("button", name="Create token").click()
    secret = await page.get_by_role("region", name="Token", exact=True).inner_text()
    async with world.client(secret) as client:
        assert (await client.get("/api/me")).status_code == 200
    await page.get_by_role("button", name="I have copied it").click()
    await expect(page.get_by_role("region", name="Token", exact=True)).to_have_count(0)
    assert secret not in await page.content()

    await page.reload()
    row = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="Laptop"))
    await expect(row).to_be_visible()
    assert secret not in await page.content()
    await row.get_by_role("button", name="Revoke").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(row).to_have_count(0)
    async with world.client(secret) as client:
        assert (await client.get("/api/me")).status_code == 401


async def test_the_palette_finds_a_conversation_gives_commands_and_closes_from_the_keyboard_alone(
    page: Page, ada: Person
) -> None:
    turn = await ada.start("All about hedgehogs")
    await ada.finished(turn)
    await page.goto("/")
    await expect(page.get_by_label("Your message")).to_be_focused()
    await page.keyboard.press("Control+k")
    await expect(palette(page)).to_be_focused()
    await page.keyboard.type("hedgehogs")
    await expect(page.get_by_role("option", name="All about hedgehogs")).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(lane(page, "scripted-fast")).to_contain_text("heard: All about hedgehogs")

    await page.keyboard.press("Control+k")
    await palette(page).fill("models")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/models$"))
    await page.keyboard.press("Control+k")
    await expect(palette(page)).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(palette(page)).to_have_count(0)


async def test_keys_pressed_right_after_the_palettes_shortcut_are_the_palettes(page: Page) -> None:
    await page.goto("/")
    await expect(page.get_by_label("Your message")).to_be_focused()
    # A machine that is too busy to draw: no frame comes between one key and the next.
    await page.evaluate("window.requestAnimationFrame = () => 0")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("hedgehogs")
    await expect(palette(page)).to_have_value("hedgehogs")
    await expect(page.get_by_label("Your message")).to_have_value("")


async def test_the_theme_follows_the_person_and_stays(page: Page) -> None:
    await page.goto("/settings/appearance")
    root = page.locator("html")
    await expect(root).to_have_attribute("data-theme", "light")
    await page.get_by_text("Dark", exact=True).click()
    await expect(root).to_have_attribute("data-theme", "dark")
    dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.reload()
    await expect(root).to_have_attribute("data-theme", "dark")
    await page.get_by_text("Light", exact=True).click()
    await expect(root).to_have_attribute("data-theme", "light")
    assert dark != await page.evaluate("getComputedStyle(document.body).backgroundColor")


async def test_a_viewer_is_shown_what_a_viewer_may_see(page: Page, world: World, ada: Person) -> None:
    viewer = await world.person(role="viewer", like=ada)
    await page.set_extra_http_headers({"Authorization": f"Bearer {viewer.token}"})
    for path in ("/settings/audit", "/settings/workspace"):
        await page.goto(path)
        await expect(page.get_by_role("heading", name="You", exact=True)).to_be_visible()
        await expect(page.get_by_role("link", name="Audit")).to_have_count(0)


async def test_a_viewer_reads_a_shared_conversation_but_cannot_write(
    page: Page, world: World, ada: Person
) -> None:
    turn = await ada.start("For all to read")
    await ada.finished(turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"})
    viewer = await world.person(role="viewer", like=ada)
    await page.set_extra_http_headers({"Authorization": f"Bearer {viewer.token}"})
    await show(page, turn)
    await expect(lane(page, "scripted-fast")).to_contain_text("heard: For all to read")
    await expect(page.get_by_label("Your message")).to_be_disabled()
    await expect(page.get_by_role("button", name="Write it again")).to_have_count(0)


async def test_the_time_zone_is_the_browsers_until_somebody_chooses_one(
    new_context: NewContext, world: World, ada: Person
) -> None:
    async def is_known(zone: str) -> bool:
        return (await ada.get("/api/me")).json()["user"]["time_zone"] == zone

    for zone in ("Europe/Madrid", "Asia/Tokyo"):
        context = await new_context(base_url=world.url, extra_http_headers=bearer(ada), timezone_id=zone)
        page = await context.new_page()
        await page.goto("/settings/profile")
        await expect(page.get_by_label("Time zone")).to_have_value("Europe/Madrid")
        await until(lambda: is_known("Europe/Madrid"))
    await page.get_by_label("Time zone").select_option("America/New_York")
    await page.get_by_role("button", name="Save").first.click()
    await until(lambda: is_known("America/New_York"))
