"""A sandbox that did not get ready, before a browser: everybody sees why, and an admin has it tried again."""

import pytest
from playwright.async_api import Page, expect
from tests.e2e.screen import NewContext, bearer, open_page
from tests.sandbox_world import Uncompiled, Unwilling, run
from tests.world import Person, World

from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.service import Sandbox

WHY = "Models cannot run Python here. There is no memory for it."


@pytest.fixture
async def sandbox(world: World) -> Sandbox:
    """A sandbox that failed once, and will not again."""
    backend = Unwilling(world.settings, failures=1)
    sandbox = world.server.parts.code_runner._sandbox = Sandbox(
        world.settings, backend=backend, retry_seconds=()
    )
    with pytest.raises(SandboxUnavailable):
        await run(sandbox, "1")
    return sandbox


async def test_an_admin_has_it_tried_again_and_sees_it_become_ready(
    sandbox: Sandbox, page: Page, ada: Person
) -> None:
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await page.goto(f"/projects/{project}/tools")
    await expect(page.get_by_text(WHY)).to_be_visible()
    await page.get_by_role("button", name="Try again").click()

    await expect(page.get_by_text("Models can run Python here")).to_be_visible(timeout=60_000)
    await expect(page.get_by_role("button", name="Try again")).to_have_count(0)


async def test_others_are_told_why_and_no_more(
    sandbox: Sandbox, world: World, ada: Person, new_context: NewContext
) -> None:
    bob = await world.person(like=ada)
    project = (await bob.post("/api/projects", {"name": "Garden"})).json()["id"]
    context = await new_context(base_url=world.url, extra_http_headers=bearer(bob))
    page, watch = await open_page(context, world.url, f"/projects/{project}/tools")

    await expect(page.get_by_text(WHY)).to_be_visible()
    await expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    watch.check()


async def test_an_admin_declines_to_prepare_it_in_one_click(world: World, page: Page, ada: Person) -> None:
    backend = Uncompiled(world.settings)
    world.server.parts.code_runner._sandbox = Sandbox(world.settings, backend=backend)
    project = (await ada.post("/api/projects", {"name": "Garden"})).json()["id"]
    await page.goto(f"/projects/{project}/tools")
    await expect(page.get_by_text("The sandbox is prepared when a model first runs code")).to_be_visible()
    await page.get_by_role("button", name="Prepare now").click()
    await expect(page.get_by_role("progressbar")).to_be_visible()
    await page.get_by_role("button", name="Not on this machine").click()

    await expect(page.get_by_text("An admin declined")).to_be_visible()
    assert backend.attempts == 1
