"""Every kind of page as a phone draws it first, in the dark: axe finds nothing, and all fits the screen."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from tests.e2e.axe import violations
from tests.e2e.screen import NewContext, bearer
from tests.e2e.test_overlays import PHONE, furnish
from tests.e2e.watching import Watch
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

ROUTES = Path(__file__).parents[2] / "web" / "src" / "routes"
#: By the file that draws it: where each kind of page is, and what is seen once it is drawn.
PAGES = {
    "(app)": ("/", "What would you like several minds on?"),
    "(app)/calendar": ("/calendar?view=agenda", "Nothing planned"),
    "(app)/c/[id]": ("/c/{conversation}", "A word."),
    "(app)/memory/[[tab]]": ("/memory?status=archived", "The bicycle is red."),
    "(app)/models/[[tab]]": ("/models", "scripted-fast"),
    "(app)/projects": ("/projects", "Garden"),
    "(app)/projects/[id]": ("/projects/{project}", "Instructions"),
    "(app)/projects/[id]/files/[[file]]": ("/projects/{project}/files/{file}", "A hedge"),
    "(app)/projects/[id]/tools": ("/projects/{project}/tools", "Tools"),
    "(app)/search": ("/search?q=hedge", "a.md"),
    "(app)/tasks": ("/tasks", "Paint the shed"),
    "(app)/tasks/[id]": ("/tasks/{task}", "Details"),
    "(app)/settings/[[tab]]": ("/settings/members", "p1"),
    "(app)/today": ("/today", "No event on this day."),
    "(gate)/join": ("/join#secret", "Your name"),
    "(gate)/reset": ("/reset#secret", "password"),
    "(gate)/setup": ("/setup#secret", "All set up"),
    "(gate)/signin": ("/signin", "Welcome back"),
}


async def draw_first(page: Page, path: str, sight: str) -> list[str]:
    """Load a page, and return what axe finds on it and how much wider than the screen it is."""
    await page.goto(path)
    await expect(page.get_by_role("main").get_by_text(sight).first).to_be_visible()
    await expect(page.get_by_role("status", name="Loading")).to_have_count(0)
    assert await page.locator("html").get_attribute("data-theme") == "dark"
    found = await violations(page, in_dark=False)
    excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    wrong = [f"{violation['id']}: {node['html']}" for violation in found for node in violation["nodes"]]
    return wrong + [f"{excess} pixels too wide"] * (excess > 0)


@pytest.mark.parametrize("part", ["(app)", "(gate)"])
async def test_every_page_can_be_used_as_a_phone_first_draws_it_in_the_dark(
    part: str, new_context: NewContext, ada: Person, world: World, provider: ScriptedProvider
) -> None:
    ids = await furnish(ada, world, provider) if part == "(app)" else {}
    context = await new_context(
        base_url=world.url,
        extra_http_headers=bearer(ada) if part == "(app)" else {},
        viewport=PHONE,
        color_scheme="dark",
        reduced_motion="reduce",
    )
    page = await context.new_page()
    watch = Watch(page, world.url)
    found = {
        route: await draw_first(page, path.format(**ids), sight)
        for route, (path, sight) in PAGES.items()
        if route.startswith(part)
    }
    watch.check()
    assert {route: wrong for route, wrong in found.items() if wrong} == {}


def test_every_kind_of_page_is_drawn_first_on_a_phone() -> None:
    assert {str(page.parent.relative_to(ROUTES)) for page in ROUTES.rglob("+page.svelte")} == set(PAGES)
