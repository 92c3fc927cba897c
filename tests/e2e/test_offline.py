"""Without the server the app still opens, shows what it knows, and keeps what is written."""

import re

from playwright.async_api import Locator, Page, expect
from tests.e2e.screen import CONTROLLED, NewContext, ask, bearer, lane, open_page, shelf, show, table
from tests.world import AbsentWorld, Person, World

#: Has the server answer with another version, until the page is loaded anew.
NEWER_VERSION = """() => {
  const ask = window.fetch;
  window.fetch = (wanted, options) =>
    String(wanted.url ?? wanted).endsWith('/_app/version.json')
      ? Promise.resolve(Response.json({ version: 'newer' }))
      : ask(wanted, options);
}"""


def banner(page: Page) -> Locator:
    return page.get_by_text("No connection. What you write is kept")


def waiting(page: Page) -> Locator:
    return page.get_by_role("list", name="Waiting to be sent")


async def settle_in(page: Page) -> None:
    """Open the app, and wait until the browser keeps it."""
    await page.goto("/")
    await expect(table(page).first).to_be_visible()
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")


async def test_the_app_opens_without_the_server_and_sends_what_was_written_when_it_is_back(
    corner: Page, absence: AbsentWorld, mary: Person
) -> None:
    await mary.finished(await mary.start("Remember the hedgehogs"))
    await settle_in(corner)
    await ask(corner, "First")
    await expect(lane(corner, "scripted-smart")).to_contain_text("heard: First")
    await absence.leave()
    await corner.goto("/")

    await expect(banner(corner)).to_be_visible()
    await expect(shelf(corner).get_by_role("link")).to_have_count(2)
    await ask(corner, "Are you back?")
    await expect(waiting(corner)).to_contain_text("Are you back?")
    await absence.arrive()
    await expect(lane(corner, "scripted-smart")).to_contain_text("heard: Are you back?")
    await expect(banner(corner)).to_have_count(0)
    await expect(shelf(corner).get_by_role("link")).to_have_count(3)


async def test_a_conversation_that_cannot_be_fetched_can_be_written_in_and_comes_back(
    corner: Page, absence: AbsentWorld, mary: Person
) -> None:
    turn = await mary.start("Where were we?")
    await mary.finished(turn)
    await settle_in(corner)
    await absence.leave()
    await show(corner, turn)
    await expect(corner.get_by_role("button", name="Try again").first).to_be_visible()
    await corner.get_by_label("Your message").fill("Half a thou")
    await absence.arrive()

    await expect(lane(corner, "scripted-fast")).to_contain_text("heard: Where were we?")
    await expect(corner.get_by_label("Your message")).to_have_value("Half a thou")
    await expect(table(corner)).to_contain_text("scripted-fast")


async def test_what_is_written_without_the_server_goes_to_those_who_were_asked_before(
    corner: Page, absence: AbsentWorld, mary: Person
) -> None:
    turn = await mary.start("Where were we?")
    await mary.finished(turn)
    await settle_in(corner)
    await expect(table(corner)).to_contain_text("scripted-smart")
    await absence.leave()
    await show(corner, turn)
    await expect(corner.get_by_text("Those who were asked before")).to_be_visible()
    await corner.get_by_label("Your message").fill("And then?")
    await corner.get_by_label("Your message").press("Enter")
    await expect(waiting(corner)).to_contain_text("And then?")
    await absence.arrive()

    await expect(lane(corner, "scripted-fast").last).to_contain_text("heard: And then?")


async def test_who_was_signed_out_meanwhile_is_asked_to_sign_in(
    corner: Page, absence: AbsentWorld, mary: Person
) -> None:
    await settle_in(corner)
    await absence.leave()
    await corner.reload()
    await expect(banner(corner)).to_be_visible()
    await corner.context.set_extra_http_headers({})
    await absence.arrive()

    await expect(corner).to_have_url(re.compile("/signin"))
    await expect(corner.get_by_role("heading", name="Welcome back")).to_be_visible()
    assert await corner.evaluate("Object.keys(localStorage).filter((key) => key.includes('.last.'))") == []


async def test_nobody_is_shown_to_whoever_was_never_here(page: Page) -> None:
    await page.route("**/api/session", lambda route: route.abort())
    await page.goto("/")
    await expect(page.get_by_role("heading", name="Tertulia cannot be opened just now")).to_be_visible()


async def test_a_newer_version_is_offered_and_nothing_written_is_lost(
    new_context: NewContext, world: World, ada: Person
) -> None:
    context = await new_context(extra_http_headers=bearer(ada), service_workers="allow")
    page, watch = await open_page(context, world.url, "/")
    await page.evaluate(CONTROLLED)
    await page.get_by_label("Your message").fill("Half a thou")
    await expect(page.get_by_text("A newer version is here.")).to_have_count(0)
    # A route of the page is not asked where the browser fetches beside a worker that is starting.
    await page.evaluate(NEWER_VERSION)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.get_by_role("button", name="Reload").click()
    await expect(page.get_by_label("Your message")).to_have_value("Half a thou")
    watch.check()
