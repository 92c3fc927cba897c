"""A page that is drawn anew: what was pressed is done, and nothing moves under the pointer."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route, ViewportSize, expect
from tests.e2e.screen import show, table
from tests.e2e.test_citations import asked, project
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

__all__ = ["project"]
LONG = "In February [1].\n\n" + "\n\n".join(f"Paragraph {n} with `code` and $x^{n}$." for n in range(30))
#: What a pointer meets in the middle of an element in the first frame after a scroll.
IS_MET_AFTER_SCROLL = """async (button) => {
    const screen = document.querySelector('[role=region][aria-label=Conversation]')
    button.scrollIntoView({ block: 'center' })
    screen.scrollTop -= 1
    await new Promise((seen) => screen.addEventListener('scroll', seen, { once: true }))
    await new Promise(requestAnimationFrame)
    const { x, y, width, height } = button.getBoundingClientRect()
    return button.contains(document.elementFromPoint(x + width / 2, y + height / 2))
}"""
#: Notes, frame by frame, what can be pressed and then moves or is another element with the same name.
WATCH = """() => {
    const found = (window.unsteady = [])
    const places = new Map()
    const nameOf = (node) => node.getAttribute('aria-label') ?? node.textContent.trim()
    const isSeen = ({ top, bottom, width }) => width > 0 && bottom > 0 && top < innerHeight
    const look = () => {
        const gone = new Set()
        for (const [node, place] of places) {
            if (node.isConnected) continue
            places.delete(node)
            if (isSeen(place.box)) gone.add(place.name)
        }
        for (const node of document.querySelectorAll('button, a[href], summary, textarea')) {
            const box = node.getBoundingClientRect()
            const { x, y, width } = box
            if (!width || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
            const before = places.get(node)
            const name = nameOf(node)
            if (!before && gone.has(name)) found.push(`${name}: drawn again`)
            if (before && isSeen(before.box) && (before.box.x !== x || before.box.y !== y))
                found.push(`${name}: ${before.box.x},${before.box.y} to ${x},${y}`)
            places.set(node, { name, box })
        }
        requestAnimationFrame(look)
    }
    look()
}"""


async def is_met_after_scroll(button: Locator) -> bool:
    """Tell whether a press on a button would reach it right after the list was scrolled."""
    return await button.evaluate(IS_MET_AFTER_SCROLL)


async def test_a_button_can_be_pressed_right_after_the_conversation_scrolled(
    page: Page, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await ada.start("Tell me much")
    await ada.finished(turn)
    await show(page, turn)
    button = page.get_by_role("button", name="What it was shown")
    await expect(button).to_be_visible()
    assert await is_met_after_scroll(button)


async def answer_late(page: Page, *paths: str) -> None:
    """Let the server answer some requests later than the others, in this order."""

    def delayed(seconds: float) -> Any:
        async def answer(route: Route) -> None:
            await asyncio.sleep(seconds)
            await route.continue_()

        return answer

    for place, path in enumerate(paths):
        await page.route(path, delayed(0.15 * (place + 1)))


async def test_nothing_that_can_be_pressed_moves_once_a_reloaded_conversation_is_seen(
    page: Page, ada: Person, project: str, provider: ScriptedProvider
) -> None:
    provider.script("scripted-fast", Script(reply=LONG))
    turn = await asked(ada, project, "When is the quince hedge pruned?", "scripted-fast")
    conversation: str = turn["conversation"]["id"]
    files = {"files": ("notes.md", b"# Notes\n")}
    await ada.client.post(f"/api/conversations/{conversation}/files", files=files)
    again = await ada.start("And what else?", conversation_id=conversation, models=["scripted-fast"])
    await ada.finished(again)
    await show(page, turn)
    await expect(page.get_by_text("1 file attached")).to_be_visible()

    await page.add_init_script(f"addEventListener('DOMContentLoaded', {WATCH})")
    late = ["**/summary", "**/files?*", "**/api/conversations?*", "**/api/projects?*", "**/api/models"]
    await answer_late(page, *late)
    await page.reload()
    await expect(page.get_by_role("button", name="Context: ")).to_be_visible()
    await expect(page.get_by_role("button", name="Invite a model")).to_be_visible()
    assert await page.evaluate("window.unsteady") == []


async def name_models_at_length(page: Page) -> None:
    """Let the server answer late which models there are, with names so long that two seats take two rows."""

    async def answer(route: Route) -> None:
        body = await (await route.fetch()).json()
        named = [model | {"title": f"{model['title']} {'with a long name ' * 3}"} for model in body["models"]]
        await asyncio.sleep(0.3)
        await route.fulfill(json=body | {"models": named})

    await page.route("**/api/models", answer)


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}], ids=str)
async def test_nothing_moves_when_the_models_arrive(size: ViewportSize, page: Page, ada: Person) -> None:
    turn = await ada.start("Which of you?", models=["scripted-fast", "scripted-smart"])
    await ada.finished(turn)
    await page.set_viewport_size(size)
    await name_models_at_length(page)
    await page.add_init_script(f"addEventListener('DOMContentLoaded', {WATCH})")
    for path, seats in (("/", 1), (f"/c/{turn['conversation']['id']}", 2)):
        await page.goto(path)
        for reload in (False, True):
            if reload:
                async with page.expect_response("**/api/models"):
                    await page.reload()
            await expect(table(page)).to_have_count(seats)
            await expect(page.get_by_role("button", name="Invite a model")).to_be_visible()
            assert await page.evaluate("window.unsteady") == [], (path, reload)
