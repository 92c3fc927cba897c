"""A phone: one lane at a time, the sidebar as a drawer, a composer that leaves room."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Page, expect
from tests.e2e.screen import NewContext, bearer, lane, shelf, show, table
from tests.e2e.watching import Watch
from tests.world import Person, World

SIZE = {"width": 390, "height": 844}
#: Tells whether nothing that can be pressed or written in, and is in sight, lies under the toast.
COVERS_NOTHING = """async () => {
    const toast = document.querySelector('[role=status] > :has(button)')
    const news = toast.getBoundingClientRect()
    const nodes = [...document.querySelectorAll('button, a[href], textarea, summary')]
    const seen = await new Promise((tell) => {
        const observer = new IntersectionObserver(tell)
        const outside = nodes.filter((node) => !toast.contains(node))
        for (const node of [toast, ...outside]) observer.observe(node)
    })
    return !seen
        .filter(({ target, isIntersecting }) => target !== toast && isIntersecting)
        .some(({ intersectionRect: { top, bottom, left, right } }) =>
            bottom > news.top && top < news.bottom && right > news.left && left < news.right)
}"""
#: Where everything that can be pressed in the app is.
PLACES = """() => [...document.querySelectorAll('main :is(button, textarea), header button')].map((node) => {
    const { x, y } = node.getBoundingClientRect()
    return [node.ariaLabel ?? node.textContent, x, y]
})"""
BOTH = ["scripted-fast", "scripted-smart"]


@pytest.fixture
async def phone(new_context: NewContext, world: World, ada: Person) -> AsyncGenerator[Page]:
    """Ada's phone."""
    context = await new_context(
        base_url=world.url,
        extra_http_headers=bearer(ada),
        viewport=SIZE,
        has_touch=True,
        is_mobile=True,
    )
    page = await context.new_page()
    watch = Watch(page, world.url)
    yield page
    watch.check()


async def swipe(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Draw a finger over the screen."""
    touch = await page.context.new_cdp_session(page)
    steps = [(start[0] + (end[0] - start[0]) * part // 8, start[1]) for part in range(9)]
    for kind, points in [("touchStart", [steps[0]]), *(("touchMove", [one]) for one in steps[1:])]:
        await touch.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        )
    await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def test_answers_are_swiped_one_at_a_time(phone: Page, ada: Person) -> None:
    turn = await ada.start("Which one?", models=BOTH)
    await ada.finished(turn)
    await show(phone, turn)
    await expect(lane(phone, "scripted-fast")).to_be_in_viewport(ratio=0.9)
    await expect(lane(phone, "scripted-smart")).not_to_be_in_viewport(ratio=0.5)
    box = await lane(phone, "scripted-fast").bounding_box()
    assert box
    middle = int(box["y"] + box["height"] / 2)
    await phone.evaluate(
        "void (window.rest = new Promise((rest) => addEventListener('scrollend', () => rest(), true)))"
    )
    await swipe(phone, (340, middle), (40, middle))

    await expect(lane(phone, "scripted-smart")).to_be_in_viewport(ratio=0.9)
    there = phone.get_by_role("button", name="Go to scripted-smart")
    await expect(there).to_have_attribute("aria-current", "true")
    # A tap while lanes still slide only stops them.
    await phone.evaluate("window.rest")
    await phone.get_by_role("button", name="Go to scripted-fast").tap()
    await expect(lane(phone, "scripted-fast")).to_be_in_viewport(ratio=0.9)


async def test_the_sidebar_is_a_drawer_that_closes_when_something_is_picked(phone: Page, ada: Person) -> None:
    turn = await ada.start("All about hedgehogs")
    await ada.finished(turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}/title", {"title": "Hedgehogs"})
    await phone.goto("/")
    await expect(shelf(phone)).to_have_count(0)
    await phone.get_by_role("button", name="Show the sidebar").tap()
    await shelf(phone).get_by_role("link", name="Hedgehogs").tap()
    await expect(lane(phone, "scripted-fast")).to_contain_text("heard: All about hedgehogs")
    await expect(shelf(phone)).to_have_count(0)

    await swipe(phone, (8, 120), (300, 120))
    await expect(shelf(phone).get_by_role("link", name="Hedgehogs")).to_be_visible()


async def test_a_full_table_leaves_room_for_what_is_said(phone: Page, ada: Person) -> None:
    turn = await ada.start("Hello", models=["scripted-fast", "scripted-smart", "scripted-fast"])
    await ada.finished(turn)
    await show(phone, turn)
    await expect(table(phone)).to_have_count(3)
    composer = await phone.get_by_role("group", name="Write a message").bounding_box()
    assert composer
    assert composer["height"] < SIZE["height"] / 5
    assert await phone.evaluate("document.documentElement.scrollWidth") == SIZE["width"]
    await expect(phone.get_by_role("button", name="Invite a model")).to_be_in_viewport()
    last = table(phone).last
    await expect(last).not_to_be_in_viewport(ratio=0.9)
    await last.get_by_role("button", name="Remove").tap()
    await expect(table(phone)).to_have_count(2)


async def test_toasts_cover_nothing_that_can_be_pressed(phone: Page, ada: Person) -> None:
    for question in ("Keep me", "Throw me away"):
        turn = await ada.start(question)
        await ada.finished(turn)
    await show(phone, turn)
    await phone.get_by_role("button", name="More about this conversation").tap()
    await phone.get_by_role("menuitem", name="Delete").tap()
    undo = phone.get_by_role("button", name="Undo")
    await expect(undo).to_be_in_viewport(ratio=1)
    await expect(phone.get_by_role("list", name="Ideas")).to_be_visible()
    await phone.wait_for_function(COVERS_NOTHING)
    await phone.get_by_role("button", name="Show the sidebar").tap()
    await shelf(phone).get_by_role("link", name="Keep me").tap()
    await expect(phone.get_by_role("button", name="Context: ")).to_be_visible()
    await expect(phone.get_by_role("dialog")).to_have_count(0)
    await phone.wait_for_function(COVERS_NOTHING)


async def test_what_was_deleted_in_the_sidebar_is_restored_there(phone: Page, ada: Person) -> None:
    await ada.finished(await ada.start("Throw me away"))
    await phone.goto("/")
    await expect(table(phone).first).to_be_visible()
    await phone.get_by_role("button", name="Show the sidebar").tap()
    await shelf(phone).get_by_role("button", name="More for").tap()
    await phone.get_by_role("menuitem", name="Delete").tap()
    await expect(shelf(phone).get_by_role("link", name="Throw me away")).to_have_count(0)
    sidebar = phone.get_by_role("dialog", name="Sidebar")
    # It belongs to the modal: all else is out of reach for a screen reader and the Tab key.
    await sidebar.get_by_role("button", name="Undo").tap()
    await expect(shelf(phone).get_by_role("link", name="Throw me away")).to_be_visible()
    await expect(sidebar).to_be_visible()


async def test_problems_are_said_once_move_nothing_and_leave_when_the_server_is_back(
    phone: Page, ada: Person
) -> None:
    turn = await ada.start("Keep me")
    await ada.finished(turn)
    await phone.set_viewport_size({"width": 390, "height": 460})
    await show(phone, turn)
    await expect(phone.get_by_role("button", name="Context: ")).to_be_visible()
    before = await phone.evaluate(PLACES)
    await phone.route("**/api/**", lambda route: route.abort())
    for _ in range(3):
        await phone.get_by_role("button", name="More about this conversation").tap()
        await phone.get_by_role("menuitem", name="Archive").tap()
    problem = phone.get_by_text("The server cannot be reached just now")
    await expect(problem).to_have_count(1)
    assert await phone.evaluate(PLACES) == before
    await phone.evaluate("dispatchEvent(new Event('offline'))")
    await expect(phone.get_by_text("No connection")).to_be_visible()
    await phone.unroute("**/api/**")
    # Far sooner than it would leave by itself.
    await expect(problem).to_have_count(0, timeout=5_000)


async def test_many_waiting_messages_leave_room_for_what_is_said(phone: Page, ada: Person) -> None:
    turn = await ada.start("Hello", models=BOTH)
    await ada.finished(turn)
    await show(phone, turn)
    await phone.route("**/api/turn", lambda route: route.abort())
    for number in range(8):
        await phone.get_by_role("textbox", name="Message").fill(f"Question {number}")
        await phone.get_by_role("button", name="Send", exact=True).tap()

    waiting = phone.get_by_role("list", name="Waiting to be sent")
    await expect(waiting.get_by_role("listitem")).to_have_count(8)
    await expect(phone.get_by_text("8 messages wait to be sent.")).to_be_visible()
    box = await waiting.bounding_box()
    assert box
    assert box["height"] < SIZE["height"] / 3
    await waiting.get_by_text("Question 7").scroll_into_view_if_needed()
    await expect(waiting.get_by_text("Question 7")).to_be_in_viewport()
