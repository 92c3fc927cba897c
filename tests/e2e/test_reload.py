"""A page that is drawn anew: what was pressed is done, and nothing moves under the pointer."""

from playwright.async_api import Locator, Page, expect
from tests.e2e.screen import show
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

LONG = "\n\n".join(f"Paragraph {n} of a long answer." for n in range(40))
#: What a pointer meets in the middle of an element in the first frame after a scroll.
MET_AFTER_SCROLL = """async (button) => {
    const screen = document.querySelector('[role=region][aria-label=Conversation]')
    button.scrollIntoView({ block: 'center' })
    screen.scrollTop -= 1
    await new Promise((seen) => screen.addEventListener('scroll', seen, { once: true }))
    await new Promise(requestAnimationFrame)
    const { x, y, width, height } = button.getBoundingClientRect()
    return button.contains(document.elementFromPoint(x + width / 2, y + height / 2))
}"""


async def is_met_after_scroll(button: Locator) -> bool:
    """Tell whether a press on a button would reach it right after the list was scrolled."""
    return await button.evaluate(MET_AFTER_SCROLL)


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
