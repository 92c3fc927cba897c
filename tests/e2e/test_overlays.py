"""Everything that opens above the page, light and dark, before the rules of axe: nothing is wrong."""

from typing import Literal

import pytest
from playwright.async_api import Locator, Page, Route, expect
from tests.e2e.screen import lane, shelf
from tests.e2e.test_accessibility import AXE, look
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

__all__ = ["look"]
Overlay = Literal["dialog", "menu"]
FINDINGS = """async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))"""


async def findings(page: Page) -> list[str]:
    """Return all that axe finds on a page as it stands."""
    await page.evaluate(AXE.read_text("utf-8"))
    return await page.evaluate(FINDINGS)


async def look_into(page: Page, button: Locator, role: Overlay = "dialog") -> list[str]:
    """Press a button, ask axe about what opens, close it, and return what was found."""
    await button.click()
    await expect(page.get_by_role(role)).to_be_visible()
    found = await findings(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role(role)).to_have_count(0)
    return found


@pytest.fixture
async def answer(look: Page, ada: Person, provider: ScriptedProvider) -> Locator:
    """One of two answers in an open conversation."""
    provider.script("scripted-fast", Script(reply="A word."))
    turn = await ada.start("Say something", models=["scripted-fast", "scripted-smart"])
    await ada.finished(turn)
    await look.goto(f"/c/{turn['conversation']['id']}")
    answer = lane(look, "scripted-fast")
    await expect(answer).to_contain_text("A word.")
    return answer


async def test_what_opens_in_a_conversation_can_be_used_by_everyone(look: Page, answer: Locator) -> None:
    for button in (
        look.get_by_role("button", name="Invite a model"),
        answer.get_by_role("button", name="Write it again with another model"),
        look.get_by_role("button", name="Merge: have a model"),
        answer.get_by_role("button", name="What it was shown"),
        look.get_by_role("button", name="Templates"),
        look.get_by_role("button", name="Presets"),
        look.get_by_role("button", name="Context: "),
    ):
        assert await look_into(look, button) == []


async def test_the_menus_of_a_conversation_can_be_used_by_everyone(look: Page, answer: Locator) -> None:
    await shelf(look).get_by_role("link", name="Say something").hover()
    for button in (
        look.get_by_role("button", name="More about this conversation"),
        look.get_by_role("button", name="More for this question"),
        answer.get_by_role("button", name="More for this answer"),
        look.get_by_role("button", name="scripted-fast: options"),
        look.get_by_role("button", name="What models see of earlier answers"),
        shelf(look).get_by_role("button", name="More for “Say something”"),
        look.get_by_role("button", name="Your account"),
    ):
        assert await look_into(look, button, "menu") == []


async def test_a_search_for_models_that_finds_nothing_can_be_used_by_everyone(look: Page) -> None:
    await look.goto("/")
    await look.get_by_role("button", name="Invite a model").click()
    await look.get_by_placeholder("Search models").fill("nothing is called this")
    await expect(look.get_by_text("No model by that name.")).to_be_visible()
    assert await findings(look) == []


async def offer_many_models(page: Page) -> None:
    """Let the server offer more models than fit on a screen, some of which cannot be reached."""

    async def answer(route: Route) -> None:
        body = await (await route.fetch()).json()
        first = body["models"][0]
        more = [first | {"id": f"m{n}", "title": f"Model {n}", "stale": n % 2 == 0} for n in range(60)]
        await route.fulfill(json=body | {"models": [*body["models"], *more]})

    await page.route("**/api/models", answer)


async def test_the_model_picker_can_be_used_by_everyone_whatever_it_lists(look: Page) -> None:
    await offer_many_models(look)
    await look.goto("/")
    await look.get_by_role("button", name="Invite a model").click()
    await expect(look.get_by_role("option", name="Model 1", exact=False).first).to_be_visible()
    assert await findings(look) == []
    await look.keyboard.press("End")
    assert await findings(look) == []
